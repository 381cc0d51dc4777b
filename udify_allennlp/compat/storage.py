"""
Storage that cached_path can fetch from: Amazon's, Cloudflare's, Google's, and the hub. It imports
their clients at its start, which are 66 MB and take some tenths of a second, though parsing rarely
needs them. Here each is imported at the first request for a file, and the first three need not be
installed.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

CLIENTS = {"s3": "S3Client", "r2": "R2Client", "gs": "GsClient"}
"""Clients by module in `cached_path.schemes`, which is also the scheme of their addresses."""
_SCHEMES = "cached_path.schemes"
_HUB = f"{_SCHEMES}.hf"


@contextmanager
def storage_later() -> Iterator[None]:
    """Gives cached_path, when AllenNLP imports it within the context, stand-ins for `CLIENTS`."""
    modules = {f"{_SCHEMES}.{scheme}": _stand_in(scheme) for scheme in CLIENTS}
    modules[_HUB] = ModuleType(_HUB)
    modules[_HUB].hf_get_from_cache = _from_hub  # type: ignore[attr-defined]
    if "cached_path" in sys.modules:  # imported by others, with all that it wants
        modules = {}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]


def _from_hub(*args: Any, **kwargs: Any) -> Any:
    return importlib.import_module(_HUB).hf_get_from_cache(*args, **kwargs)


def _stand_in(scheme: str) -> ModuleType:
    def client(cls: type, resource: str) -> Any:
        try:
            module = importlib.import_module(f"{_SCHEMES}.{scheme}")
        except ImportError as error:
            from allennlp.common.checks import ConfigurationError

            raise ConfigurationError(
                f"{resource} cannot be fetched: {error}. Install the packages for {scheme}://: pip "
                "install 'udify_allennlp[storage]'"
            ) from None
        real = getattr(module, CLIENTS[scheme])
        importlib.import_module(_SCHEMES).add_scheme_client(real)
        return real(resource)

    name = CLIENTS[scheme]
    module = ModuleType(f"{_SCHEMES}.{scheme}")
    setattr(module, name, type(name, (), {"scheme": scheme, "__new__": client}))
    return module
