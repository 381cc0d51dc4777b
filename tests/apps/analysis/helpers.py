"""A trained model as training leaves it, and command lines in this process."""

import logging
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from allennlp.models import load_archive

from tests import saved_model
from udify_allennlp import cli
from udify_allennlp.text.conllu import Sentence

ODD_NAMES = ["$a^$", "a_b$", "_x", "\\frac", "ß", "w" * 40]
"""Names that matplotlib reads as formulas or hides, and one that is too long."""


def save_run(folder: Path, **settings: Any) -> Path:
    """The folder of a run: config, weights, vocabulary and its copy of the encoder's files."""
    load_archive(str(saved_model.save_run(folder, **settings)))  # copies them, as training does
    assert (folder / "encoder" / "tokenizer.json").is_file()
    return folder


def run_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, *words: object
) -> tuple[int, str, str]:
    """`allennlp ...`: exit code, standard output and errors."""
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    # Handlers that earlier tests left behind write to files of pytest's that are closed by now.
    monkeypatch.setattr(logging, "raiseExceptions", False)
    try:
        code = cli.run()
    except SystemExit as stop:  # argparse
        code = int(stop.code or 0)
    output, errors = capsys.readouterr()
    return code, output, errors


def tree(heads: str, forms: str = "", tags: str = "") -> Sentence:
    """Heads of words, their forms and their UPOS, each between spaces."""
    n = len(heads.split())
    words = forms.split() or [f"w{i}" for i in range(1, n + 1)]
    return Sentence.from_words(words).replace(
        heads=heads.split(), deprels=["dep"] * n, upos=tags.split() or ["NOUN"] * n
    )


def random_heads(n: int, seed: int) -> list[int]:
    """A tree over words 1..n in any order."""
    rng = numpy.random.default_rng(seed)
    order = rng.permutation(n) + 1
    heads = {order[0]: 0}
    for i in range(1, n):
        heads[order[i]] = int(order[rng.integers(i)])
    return [int(heads[word]) for word in range(1, n + 1)]
