"""
Each command that takes a model, with each kind of model: it works, or says in one line why this
kind cannot do it.
"""

import argparse
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from allennlp import commands
from allennlp.commands import Subcommand
from allennlp.common import Registrable
from allennlp.models import Model

from tests.apps.analysis.helpers import run_command
from tests.conftest import FIXTURES
from tests.saved_kinds import KINDS, SHIPPED, TREES, UD, save_kind
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.config import rooms
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.graph2graph.initial import InitialGraph
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.constituents.sentences import with_phrases
from udify_allennlp.text.constituents.tree import Phrase

SEGMENTER = "segmenter"
NAMES = [*KINDS, *SHIPPED, SEGMENTER]
FAST = {"udify-last", "rngtr-syntr", "statetr-g2g", "roles", "static", "typology", SEGMENTER}
FAST |= {"constituency"}
"""The others differ from these in little, and are slow tests."""

GOLD = {"roles": "en_hand-dev.conll09", "constituency": "en_phrases-ud-dev.conllu"}
"""Files with what a kind predicts."""
GRAPHS = {"rngtr", "rngtr-syntr", "rngtr-archive", "senttr-g2g", "statetr-g2g", "roles"}
"""Models that attend to a graph."""
PASSES = {*GRAPHS, "statetr"}
"""Models that parse with a graph or in several passes."""
REFINING = {name for name in KINDS if name.startswith("rngtr")}
VECTORS = {"static", "aligned"}
ABOVE = {*VECTORS, "typology", "frozen"}
"""Models whose encoder is not one of transformers."""


class Given(NamedTuple):
    """The parts of a command line."""

    model: Path
    treebank: Path
    segmenter: Path
    out: Path


def _files(given: Given) -> list[object]:
    return [given.model, given.treebank]


COMMANDS: dict[str, Callable[[Given], Sequence[object]]] = {
    "ud-layers": lambda g: [g.model, "--out", g.out],
    "ud-export": lambda g: [g.model, g.out],
    "ud-card": lambda g: [g.model],
    "ud-pack": lambda g: [g.model, "--precision", "int8", "--out", f"{g.out}.tar.gz"],
    "ud-pack --words": lambda g: [
        *(g.model, "--precision", "float16", "--words", g.treebank, "--out", f"{g.out}.tar.gz")
    ],
    "ud-pack --letters": lambda g: [
        *(g.model, "--precision", "float32", "--letters", g.treebank.parent / "letters.txt"),
        *("--out", f"{g.out}.tar.gz"),
    ],
    "ud-pack --languages": lambda g: [
        *(g.model, "--precision", "float32", "--languages", "en,de", "--out", f"{g.out}.tar.gz")
    ],
    "ud-pack --prune": lambda g: [g.model, "--prune", 0.3, "--out", f"{g.out}.tar.gz"],
    "ud-pack --calibrate": lambda g: [
        *(g.model, "--precision", "int8", "--calibrate", g.treebank, "--out", f"{g.out}.tar.gz")
    ],
    "ud-forgotten": lambda g: [g.model, g.model, g.treebank, "--out", g.out],
    "ud-bundle": lambda g: [g.model, g.segmenter, f"{g.out}.tar.gz"],
    "ud-calibrate": _files,
    "ud-attention": lambda g: [*_files(g), "--out", g.out],
    "ud-graph-attention": lambda g: [*_files(g), "--out", g.out],
    "ud-probe": lambda g: [
        *(g.model, "--train", g.treebank, "--dev", g.treebank, "--test", g.treebank),
        *("--epochs", 1, "--layers", 1, "--out", g.out),
    ],
    "ud-languages": lambda g: [g.model, "--test", TREES, "--sentences", 2, "--out", g.out],
    "ud-positions": lambda g: [g.model, "--langs", "en,de,fi", "--out", g.out],
    "ud-vectors": lambda g: [*_files(g), "--dim", 4, "--out", g.out],
    "predict": lambda g: [*_files(g), "--output-file", f"{g.out}.conllu"],
    "predict --probabilities": lambda g: [
        *(*_files(g), "--probabilities", "--output-file", f"{g.out}.conllu")
    ],
    "predict --every-iteration": lambda g: [
        *(*_files(g), "--every-iteration", "--output-file", f"{g.out}.conllu")
    ],
    "ud-parse": lambda g: [*_files(g), "--out", g.out],
    "evaluate": lambda g: [*_files(g), "--report", g.out],
    "evaluate --official": lambda g: [*_files(g), "--official"],
}
"""Arguments by command, perhaps with an option."""
ELSEWHERE = {"ud-serve": "loads models as `ud-parse` does, and does not end"}
"""Commands that take a model and are not in `COMMANDS`, and why."""

NO_TRANSFORMER = [
    (
        ABOVE,
        "its encoder, udify_(static|typology|frozen)_\\w+, is not a Hugging Face encoder",
    ),
    ({SEGMENTER}, "is a model of type udify_segmenter, which has no word encoder"),
]
NO_PARSER = ({SEGMENTER}, "is a model of type udify_segmenter, which does not parse")
NO_PROBABILITIES = (
    {"senttr", "senttr-g2g", "statetr", "statetr-g2g", "roles", "constituency", "pretraining"},
    "decoders.(deps|roles|constituents), a \\w+, has no probabilities",
)
NO_PIECES = [
    (VECTORS | {SEGMENTER}, "Pieces can be changed only if the encoder is from Hugging Face"),
    ({"pretraining"}, "the model predicts pieces, so none can be removed or added"),
]
REFUSALS: dict[str, Any] = {
    "ud-layers": [NO_TRANSFORMER[1]],
    "ud-export": NO_TRANSFORMER,
    "ud-pack --words": NO_PIECES,
    "ud-pack --letters": NO_PIECES,
    "ud-pack --languages": [
        ({*NAMES} - {"typology", SEGMENTER}, "is for models that make positions from typology"),
        NO_PARSER,
    ],
    "ud-pack --calibrate": [(VECTORS, "has no float32 linear layer"), NO_PARSER],
    "ud-forgotten": [
        ({"roles", "constituency"}, "None of LAS, UFeats, Lemmas, UPOS is both predicted"),
        NO_PARSER,
    ],
    "ud-calibrate": [
        (PASSES, "This model parses with a graph or in several passes"),
        ({"senttr", "pretraining", "constituency"}, NO_PROBABILITIES[1]),
        NO_PARSER,
    ],
    "ud-attention": NO_TRANSFORMER,
    "ud-graph-attention": [
        ({*NAMES} - GRAPHS - {SEGMENTER}, "does not attend to graphs"),
        NO_PARSER,
    ],
    "ud-probe": NO_TRANSFORMER,
    "ud-languages": [
        *NO_TRANSFORMER,
        ({"roles"}, "--task is 'deps', but the tasks of .* are roles"),
        ({"constituency"}, "--task is 'deps', but the tasks of .* are constituents, xpos"),
        ({"sigmorphon"}, "--task is 'deps', but the tasks of .* are feats, lemma"),
    ],
    "ud-positions": [
        ({*NAMES} - {"typology", SEGMENTER}, "has no positions of languages"),
        NO_PARSER,
    ],
    "ud-vectors": NO_TRANSFORMER,
    "predict": [NO_PARSER],
    "predict --probabilities": [
        NO_PROBABILITIES,
        ({SEGMENTER}, "model.probabilities is not a setting of 'udify_segmenter'"),
    ],
    "predict --every-iteration": [
        ({*NAMES} - REFINING - {SEGMENTER}, "is for models of type udify_refinement"),
        NO_PARSER,
    ],
    "ud-parse": [NO_PARSER],
    "evaluate --official": [
        ({"roles", "constituency", "sigmorphon"}, "is for the scores of the CoNLL 2018")
    ],
}
"""Kinds of models that each command refuses, and its message."""


def _marked(names: Iterable[str], fast: set[str]) -> list[Any]:
    """`ud-parse` starts processes that import all anew."""
    return [pytest.param(n, marks=[] if n in fast else [pytest.mark.slow]) for n in names]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, segmenter: str) -> Callable[[str], Path]:
    """The model of a name, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("kinds")
    made: dict[str, Path] = {**SHIPPED, SEGMENTER: Path(segmenter)}

    def model(name: str) -> Path:
        if name not in made:
            (folder / name).mkdir()
            made[name] = save_kind(name, folder / name)
        return made[name]

    return model


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few short sentences with trees, with phrases as well, and with roles."""
    folder = tmp_path_factory.mktemp("inputs")
    short = (s for s in read_sentences(UD / "en_ewt-ud-dev.conllu") if 4 < len(s) < 13)
    sentences = [next(short) for _ in range(6)]
    write_sentences(sentences, folder / "en_ewt-ud-dev.conllu")
    with_trees = (s.replace(misc=with_phrases(s.misc, [Phrase("S", 1, len(s))])) for s in sentences)
    write_sentences(with_trees, folder / "en_phrases-ud-dev.conllu")
    shutil.copy(FIXTURES / "roles" / "en_hand-dev.conll09", folder)
    (folder / "letters.txt").write_text("ⲁⲛⲟⲕ\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("command", _marked(COMMANDS, {*COMMANDS} - {"ud-parse"}))
@pytest.mark.parametrize("name", _marked(NAMES, FAST))
def test_it_works_or_says_why_not(
    command: str,
    name: str,
    models: Callable[[str], Path],
    inputs: Path,
    segmenter: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    # Figures, and looking for plugins once more, take most of the time.
    monkeypatch.setattr(figures, "available", lambda: False)
    monkeypatch.setattr(commands, "import_plugins", lambda: None)
    treebank = GOLD.get(name, "en_ewt-ud-dev.conllu")
    given = Given(models(name), inputs / treebank, Path(segmenter), tmp_path / "out")
    words = [command.split()[0], *COMMANDS[command](given)]
    code, _, errors = run_command(monkeypatch, capsys, *words)
    why = [text for kinds, text in REFUSALS.get(command, []) if name in kinds]
    last = (errors.splitlines() or [""])[-1]
    assert "Traceback" not in errors
    assert code == len(why), last
    if why:
        (text,) = why
        assert last.startswith("allennlp: error: ") and re.search(text, last)
        assert "the folder of a trained model" not in last  # which is what was given


def _types(config: Any) -> Iterator[str]:
    if isinstance(config, dict):
        yield str(config.get("type"))
        for value in config.values():
            yield from _types(value)


@pytest.mark.parametrize("base", [Model, WordEncoder, InitialGraph])
def test_each_registered_kind_is_here(base: Any, tmp_path: Path) -> None:
    rooms.import_all()
    # No parsers: tests/segmenter and tests/translation have them.
    found = {"udify_segmenter", "udify_segmenter_from_archive", "udify_translation"}
    for name, config in KINDS.items():
        (tmp_path / name).mkdir()
        found.update(_types(config(tmp_path / name)["model"]))
    ours = {
        name
        for name, (kind, _) in Registrable._registry[base].items()
        if kind.__module__.startswith("udify_allennlp.")
    }
    assert ours and ours <= found, "Add the new one to KINDS in tests/saved_kinds.py."


def test_each_command_that_takes_a_model_is_here() -> None:
    here = {command.split()[0] for command in COMMANDS} | set(ELSEWHERE)
    for name in Subcommand.list_available():
        command = Subcommand.by_name(name)
        if not command.__module__.startswith("udify_allennlp."):
            continue
        parser = command().add_subparser(argparse.ArgumentParser().add_subparsers())
        given = {action.dest for action in parser._actions if not action.option_strings}
        if given & {"model", "models", "archive_file", "parser", "encoder"}:
            assert name in here, f"Add {name} to COMMANDS."
