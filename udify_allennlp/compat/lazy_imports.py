"""
Packages that AllenNLP imports at its start and that parsing does not need: spaCy, nltk,
scikit-learn, scipy, lmdb, h5py, the writer of TensorBoard's files, transformers and the client of
its hub, cached_path with its clients of the web. They take seconds at each start, and the first
ones need not be installed at all. While AllenNLP is imported, its own modules receive stand-ins,
which import the package when they are used. Only `import` statements in modules of AllenNLP see
them: `sys.modules` is unchanged, so other code imports these packages as usual.
"""

import builtins
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from udify_allennlp.compat.storage import storage_later

OPTIONAL = ("h5py", "lmdb", "nltk", "pytest", "scipy", "sklearn", "spacy", "tensorboardX")
PACKAGES = (*OPTIONAL, "cached_path", "huggingface_hub", "more_itertools", "transformers")


class Later:
    """
    A stand-in for a module, or something in one, that is imported when it is called or derived
    from.
    """

    def __init__(self, package: str, path: str = "") -> None:
        self._package = package
        """A module, which may contain only the beginning of `path`."""
        self._path = path

    def __getattr__(self, name: str) -> "Later":
        # AllenNLP asks the class of each parameter for `from_params`; these packages have none.
        if name.startswith("__") or name == "from_params":
            raise AttributeError(name)
        return Later(self._package, f"{self._path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._real()(*args, **kwargs)

    def __instancecheck__(self, instance: Any) -> bool:
        # Of a package that was never imported there is no object.
        return self._package in sys.modules and isinstance(instance, self._real())

    def __mro_entries__(self, bases: Sequence[Any]) -> tuple[Any, ...]:
        return (self._real(),)

    def __getitem__(self, key: Any) -> Any:
        return self._real()[key]

    def _real(self) -> Any:
        name = self._package + self._path
        return _lent[name] if name in _lent else self.imported()

    def imported(self) -> Any:
        """Imports the package and returns what this stands for in it."""
        try:
            with storage_later():
                target: Any = importlib.import_module(self._package)
        except ImportError as error:
            raise ImportError(
                f"AllenNLP needs {self._package} for this (parsing does not): {error}. Install "
                "it: pip install 'udify_allennlp[allennlp]'",
                name=error.name,
            ) from error
        module = self._package
        for name in self._path.split(".")[1:]:
            module = f"{module}.{name}"
            if not hasattr(target, name):
                importlib.import_module(module)  # a module in a package
            target = getattr(target, name)
        return target


def _local_or_fetched(path: Any, extract_archive: bool = False, **options: Any) -> Any:
    """
    Returns what `cached_path` does, and for a path that is here without importing its package,
    which takes 0.1 CPU seconds of each start.

    # Raises

    `ConfigurationError` if a URL cannot be fetched.
    """
    if os.path.isdir(path) or (os.path.exists(path) and not extract_archive):
        return Path(path)
    fetched = Later("cached_path", ".cached_path").imported()
    try:
        return fetched(path, extract_archive=extract_archive, **options)
    except OSError as error:
        if "://" not in str(path) or isinstance(error, FileNotFoundError):
            raise
        from allennlp.common.checks import ConfigurationError  # this module is older than it

        raise ConfigurationError(
            f"{path}: cannot be downloaded ({type(error).__name__}). Check the address and the "
            "network connection, or name a file on this machine."
        ) from error


_lent: dict[str, Any] = {"cached_path.cached_path": _local_or_fetched}
"""Stand-ins for packages, by full name."""


@contextmanager
def lent(names: Mapping[str, Any]) -> Iterator[None]:
    """
    Makes stand-ins for these full names, such as `transformers.AdamW`, resolve to the given objects
    within the context, instead of to those of the package.
    """
    _lent.update(names)
    try:
        yield
    finally:
        for name in names:
            del _lent[name]


@contextmanager
def imported_later() -> Iterator[None]:
    """
    Gives modules of AllenNLP that are imported within the context stand-ins that import `PACKAGES`
    on first use.
    """
    original = builtins.__import__

    def import_later(
        name: str,
        globals: Optional[Any] = None,
        locals: Optional[Any] = None,
        fromlist: Optional[Sequence[str]] = (),
        level: int = 0,
    ) -> Any:
        package = name.partition(".")[0]
        importer = (globals or {}).get("__name__", "")
        if package in PACKAGES and not level and importer.partition(".")[0] == "allennlp":
            return Later(name if fromlist else package)
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = import_later
    try:
        yield
    finally:
        builtins.__import__ = original
