"""
Imports of whole packages, for `--include-package` and plugins. AllenNLP 2.10.1 looks for all files
again before each module, and imports all of itself, with scikit-learn and scipy.
"""

import importlib
import pkgutil
from collections.abc import Collection
from importlib.util import find_spec
from typing import Optional

from allennlp import commands
from allennlp.commands import test_install
from allennlp.common import plugins, util
from allennlp.common.checks import ConfigurationError

from udify_allennlp.compat.lazy_imports import imported_later

_OURS = __name__.partition(".")[0]
_NEEDS_CHECKLIST = "allennlp.confidence_checks.task_checklists"


def apply() -> None:
    """Applies every fix. Safe to call twice."""
    util.import_module_and_submodules = import_modules
    commands.import_module_and_submodules = import_package
    # These two also import AllenNLP itself.
    plugins.import_module_and_submodules = import_modules_later
    test_install.import_module_and_submodules = import_modules_later


def import_package(name: str) -> None:
    """
    Imports a package that `--include-package` names.

    # Raises

    `ConfigurationError` if it does not exist.
    """
    try:
        import_modules(name)
    except ModuleNotFoundError as error:
        if not error.name or not f"{name}.".startswith(f"{error.name}."):
            raise  # a fault in the package
        raise ConfigurationError(
            f"--include-package {name}: no such package here or among those installed. Correct "
            "the name, or start in the folder that it is in."
        ) from error


def import_modules(package_name: str, exclude: Optional[Collection[str]] = None) -> None:
    """
    Imports a package and all its public modules, except those in `exclude`. Does nothing for this
    package, whose registered names are found before their modules are imported (`rooms.py`).
    """
    if package_name == _OURS:
        return
    excluded = {*(exclude or ())}
    if find_spec("checklist") is None:
        excluded.add(_NEEDS_CHECKLIST)
    importlib.invalidate_caches()
    with util.push_python_path("."):
        _import_below(package_name, excluded)


def import_modules_later(package_name: str, exclude: Optional[Collection[str]] = None) -> None:
    """Does the same, with stand-ins for packages that AllenNLP seldom uses (`lazy_imports.py`)."""
    with imported_later():
        import_modules(package_name, exclude)


def _import_below(name: str, excluded: Collection[str]) -> None:
    if name in excluded:
        return
    module = importlib.import_module(name)
    for _, below, _ in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not below.startswith(("_", "test")):
            _import_below(f"{name}.{below}", excluded)
