"""
The classes that the config of a model may name. AllenNLP takes a registered name or any dotted name
of Python wherever a class belongs, and imports the module of the latter, so a config is a program.
Users train from their own configs, but the config of a model often comes from someone else.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Optional

from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from udify_allennlp.config.rooms import import_room_of
from udify_allennlp.text.context_values import holding

TRUST = "UDIFY_TRUST_ALLENNLP"
"""Environment variable that admits all registered classes of AllenNLP to the config of a model."""

# By base class, those registered by AllenNLP that models of ours are trained with, or that are made
# by code of others on the way. They compute: none reads a file or an address. None: all of them.
HARMLESS = {
    "Activation": None,
    "BatchSampler": None,
    "DataLoader": ("multiprocess", "simple"),
    "Evaluator": ("simple",),
    "MatrixAttention": None,
    "Regularizer": None,
    "Vocabulary": ("from_instances", "from_files", "extend", "empty"),
}
_FOREIGN = ("allennlp", "torch")  # activations of AllenNLP are classes of PyTorch

_only_ours: ContextVar[bool] = ContextVar("only_ours", default=False)
_original: Callable[..., tuple[type, Optional[str]]] = Registrable.resolve_class_name.__func__


def only_ours() -> AbstractContextManager[None]:
    """
    Restricts names, within the context and in this thread, to our registered classes, those of
    imported packages (`--include-package`, plugins), and harmless ones of AllenNLP.
    """
    return holding(_only_ours, True)


def registered_name(thing: object) -> str:
    """The registered name of an object's class; the name of the class itself if it has none."""
    for names in Registrable._registry.values():
        for name, (cls, _) in names.items():
            if cls is type(thing):
                return str(name)
    return type(thing).__name__


def install() -> None:
    """Makes AllenNLP look names up as in this module. Safe to call twice."""
    Registrable.resolve_class_name = classmethod(_resolve)


def _resolve(cls: Any, name: Any) -> tuple[type, Optional[str]]:
    import_room_of(cls, name)
    if _only_ours.get():
        _check(cls, name)
    return _original(cls, name)


def _check(base: Any, name: Any) -> None:
    entry = Registrable._registry.get(base, {}).get(name) if isinstance(name, str) else None
    if entry is None:
        raise ConfigurationError(
            f"rejected, {name!r:.80} is not the registered name of a {base.__name__}. Only "
            "registered names are allowed in a model; register those of your package with "
            "--include-package."
        )
    names = HARMLESS.get(base.__name__, ())
    harmless = names is None or name in names
    foreign = entry[0].__module__.partition(".")[0] in _FOREIGN
    if foreign and not harmless and not os.environ.get(TRUST):
        raise ConfigurationError(
            f"rejected, the {base.__name__} {name!r} is a class of AllenNLP; some of these fetch "
            f"URLs and read files. If you trust the author of the model, set {TRUST}=1."
        )
