"""
Fixes that `import allennlp` (2.10.1, the last release) needs with current releases of its
dependencies. Each fix states its reason and the first version that needs it, and does nothing
otherwise; `running.py` holds the fixes that are needed only after the import.

While its modules are imported, AllenNLP looks up three names that no longer exist. Only AllenNLP
receives them; other packages do not see them.
"""

import gc
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from types import ModuleType
from typing import Any

from packaging.version import Version

from udify_allennlp.compat.lazy_imports import imported_later, lent
from udify_command.installing import first_start

# Modules of torchvision that AllenNLP's image code names when it is imported.
_VISION_MODULES = ("torchvision", "torchvision.ops", "torchvision.ops.boxes")


def apply() -> None:
    """
    Makes AllenNLP importable. Run it before AllenNLP is imported.

    # Raises

    `ImportError` if AllenNLP is not installed; the message contains the command to install it.
    """
    _require_allennlp()
    _quiet_known_warnings()
    # In this order: `allennlp.common` pushes to the hub, all else imports `allennlp.common`.
    with warnings.catch_warnings(), imported_later():
        # torch 2.15, Python 3.12: said of code that is compiled while it is imported.
        warnings.filterwarnings("ignore", message=r"`torch\.jit\.", category=FutureWarning)
        _import_push_to_hub()
        _import_vision()
        _import_optimizers()
        # And so nearly all that commands and models use.
        importlib.import_module("allennlp.commands")
        importlib.import_module("allennlp.common.cached_transformers")


@contextmanager
def collector_paused() -> Iterator[None]:
    """
    Pauses garbage collection within the context. Imports make half a million permanent objects, and
    Python's collector would traverse them repeatedly, which takes a quarter of the start-up time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _require_allennlp() -> None:
    # It cannot be among our requirements: pip would apply AllenNLP's pins.
    message = first_start()
    if message:
        raise ImportError(message, name="allennlp")


def _quiet_known_warnings() -> None:
    """
    Hides warnings to AllenNLP and fairscale about their own, still working, calls, some of them
    once per training step. Each filter names the module that calls: the same warning about a user's
    code stays visible.
    """
    # torch >= 2.4: the trainer enters `torch.cuda.amp.autocast` for each batch.
    for name in ("autocast", "GradScaler"):
        warnings.filterwarnings(
            "ignore",
            message=rf"`torch\.cuda\.amp\.{name}",
            category=FutureWarning,
            module=r"allennlp\.",
        )
    # torch >= 2.4: decorators in fairscale, seen once when it is imported.
    warnings.filterwarnings(
        "ignore", message=r"`torch\.cuda\.amp\.custom_", category=FutureWarning, module="fairscale"
    )


def _import_vision() -> None:
    """
    torchvision, any version: `allennlp.data.image_loader` and `allennlp.modules.vision` import it
    without need. It may be missing (some platforms have no build of it), or built for another torch
    (`operator torchvision::nms does not exist`). In both cases empty modules replace it while these
    two are imported; AllenNLP's image code then fails when it is used.
    """
    with nullcontext() if _torchvision_works() else _stand_in_for_torchvision():
        importlib.import_module("allennlp.data")
        importlib.import_module("allennlp.modules.vision")


def _torchvision_works() -> bool:
    try:
        for name in _VISION_MODULES:
            importlib.import_module(name)
    except Exception:  # a broken build raises RuntimeError or OSError, not ImportError
        return False
    return True


@contextmanager
def _stand_in_for_torchvision() -> Iterator[None]:
    is_there = importlib.util.find_spec("torchvision") is not None
    before = _take_modules("torchvision")
    if is_there:
        # transformers remembers its first answer to "is torchvision there?": let it be no.
        sys.modules["torchvision"] = None  # type: ignore[assignment]
        utils = importlib.import_module("transformers.utils")
        for name in ("is_torchvision_available", "is_torchvision_v2_available"):
            ask = getattr(utils, name, bool)
            # It was asked before, when Pillow is there: importing transformers does that.
            getattr(ask, "cache_clear", bool)()
            ask()

    modules = {name: ModuleType(name) for name in _VISION_MODULES}
    modules["torchvision"].ops = modules["torchvision.ops"]  # type: ignore[attr-defined]
    modules["torchvision.ops"].boxes = modules[_VISION_MODULES[2]]  # type: ignore[attr-defined]
    sys.modules.update(modules)
    try:
        yield
    finally:
        _take_modules("torchvision")
        sys.modules.update(before)


def _take_modules(package: str) -> dict[str, ModuleType]:
    names: list[str] = [
        name for name in sys.modules if name == package or name.startswith(package + ".")
    ]
    return {name: sys.modules.pop(name) for name in names}


def _import_push_to_hub() -> None:
    """
    huggingface_hub >= 1.0 has no `HfFolder` and no `Repository`, which `allennlp push-to-hf` needs.
    Only that command then fails, with a message; all others work.
    """
    push_to_hf = importlib.import_module("allennlp.common.push_to_hf")
    if Version(version("huggingface_hub")) >= Version("1.0"):
        push_to_hf.HfFolder = push_to_hf.Repository = _PushToHubGone  # type: ignore[attr-defined]


class _PushToHubGone:
    """A stand-in for classes that huggingface_hub 1.0 removed."""

    message = (
        "allennlp push-to-hf needs huggingface_hub below 1.0. "
        "Use `huggingface-cli upload` or `hf upload` with the model archive instead."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.get_token()

    @classmethod
    def get_token(cls) -> None:
        from allennlp.common.checks import ConfigurationError

        raise ConfigurationError(cls.message)


def _import_optimizers() -> None:
    """
    transformers >= 4.50 has no `AdamW`, the base class of the optimizer `huggingface_adamw`. Its
    `Adafactor`, any version, would import transformers.
    """
    from udify_allennlp.compat.adafactor import Adafactor
    from udify_allennlp.compat.adamw import AdamW

    names: dict[str, Any] = {"transformers.Adafactor": Adafactor}
    if Version(version("transformers")) >= Version("4.50"):
        names["transformers.AdamW"] = AdamW
    with lent(names):
        importlib.import_module("allennlp.training.optimizers")
