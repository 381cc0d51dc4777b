"""
Registered names whose modules ("rooms") are imported when a config or a command line uses one:
those of single papers, and all commands. Parsing needs only its own command. All other registered
names are imported with the plugin. `import_all` imports all rooms.
"""

import functools
import importlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Optional

from allennlp.common import Registrable

from udify_allennlp.text.context_values import holding

_PACKAGE = __name__.partition(".")[0]
# By module, the bases and the names that it registers classes under.
ROOMS: dict[str, dict[str, tuple[str, ...]]] = {
    "constituency": {
        "Decoder": ("udify_constituency_decoder",),
        "Evaluator": ("udify_constituents",),
        "Metric": ("udify_constituents",),
        "Scorer": ("constituents",),
        "Task": ("constituents",),
    },
    "graph2graph": {
        "Decoder": ("udify_transition_decoder",),
        "Model": (
            "udify_graph_transitions",
            "udify_refinement",
            "udify_state_transitions",
            "udify_with_graph",
        ),
        "Task": ("predicted_deps",),
        "Trainer": ("udify_refining",),
    },
    "pretraining": {
        "Decoder": ("udify_structure_decoder",),
        "Model": ("udify_pretraining",),
    },
    "srl": {
        "Decoder": ("udify_role_decoder",),
        "Evaluator": ("udify_roles",),
        "Metric": ("udify_roles",),
        "Scorer": ("roles",),
        "Task": ("predicates", "roles"),
    },
    "translation": {
        "DataLoader": ("udify_translation",),
        "DatasetReader": ("udify_translation",),
        "Model": ("udify_translation",),
        "Predictor": ("udify_translation",),
    },
    "typology": {"WordEncoder": ("udify_typology_positions",)},
    **{
        f"apps.commands.{module}": {"Subcommand": names}
        for module, names in {
            "bundle": ("ud-bundle",),
            "calibrate": ("ud-calibrate",),
            "card": ("ud-card",),
            "configs": ("ud-configs",),
            "downstream": ("ud-downstream",),
            "experiment": ("ud-experiment",),
            "export": ("ud-export",),
            "forgotten": ("ud-forgotten",),
            "inspect_model": ("ud-inspect",),
            "jackknife": ("ud-jackknife",),
            "languages": ("ud-languages",),
            "pack": ("ud-pack",),
            "parse_corpus": ("ud-parse",),
            "positions": ("ud-positions",),
            "predict": ("predict",),
            "probe": ("ud-probe",),
            "roles": ("ud-join-roles", "ud-role-score"),
            "score": ("ud-score",),
            "search": ("ud-search",),
            "serve": ("ud-serve",),
            "train_evaluate": ("evaluate", "train"),
            "vectors": ("ud-vectors",),
            "view": ("ud-view",),
            "word_order": ("ud-word-order",),
        }.items()
    },
}
_typed: ContextVar[Optional[str]] = ContextVar("typed", default=None)


def install() -> None:
    """Makes AllenNLP list these names, too. Safe to call twice."""
    Registrable.list_available = classmethod(_with_rooms)


def import_room_of(base: type, name: Any) -> None:
    """Imports the room that registers a class under `name`, if there is one."""
    for module, names in ROOMS.items():
        if name in names.get(base.__name__, ()):
            _import(module)


def import_all() -> None:
    """Imports all rooms, for code that inspects every class."""
    for module in ROOMS:
        _import(module)


@functools.cache
def _import(module: str) -> None:
    importlib.import_module(f"{_PACKAGE}.{module}")


def one_command(name: str) -> Any:
    """
    A context in which `name` is the only command, so that the others need not be imported for the
    parser of the command line.
    """
    return holding(_typed, name)


def _with_rooms(cls: Any) -> list[str]:
    """
    Returns the names of AllenNLP's `list_available`, with those of rooms that are not imported yet.
    """
    if cls.__name__ == "Subcommand" and _typed.get() is not None:
        return [str(_typed.get())]
    names: list[str] = _list_available(cls)
    return [*names, *(name for name in _names(cls.__name__) if name not in names)]


_list_available = Registrable.list_available.__func__


def _names(base: str) -> Iterator[str]:
    for names in ROOMS.values():
        yield from names.get(base, ())
