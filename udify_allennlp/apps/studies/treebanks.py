"""Treebanks as Universal Dependencies ships them: folders with train, dev and test files."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import read_sentences, treebank_name
from udify_allennlp.text.named_files import split_names

ZERO_SHOT, SEEN, LOW, MEDIUM, HIGH = "zero-shot", "language seen", "low", "medium", "high"
CLASSES = (ZERO_SHOT, SEEN, LOW, MEDIUM, HIGH)
"""
Resource classes, by training sentences: none, none but in other treebanks of the language, below
1,000, below 10,000, more.
"""


class Treebank(NamedTuple):
    """
    The paths of the files of one treebank, the number of sentences in `train`, and, for a treebank
    without training data, whether other treebanks of its language have some.
    """

    name: str
    train: Optional[str]
    dev: Optional[str]
    test: str
    train_sentences: int
    language_seen: bool = False

    @property
    def resources(self) -> str:
        """
        One of `CLASSES`. The thesis (section 4.2) distinguishes high and low resources by examples:
        its high-resource treebanks have over 10,000 training sentences, its low-resource ones under
        1,000. The class in between is our addition.
        """
        if self.train is None:
            return SEEN if self.language_seen else ZERO_SHOT
        if self.train_sentences < 1_000:
            return LOW
        return MEDIUM if self.train_sentences < 10_000 else HIGH

    @property
    def validation(self) -> Optional[str]:
        """The dev file; if there is none, the training file."""
        return self.dev or self.train


def find_treebanks(folders: Sequence[str]) -> list[Treebank]:
    """
    Returns the treebanks in folders or globs of folders, also comma-separated, sorted by name. A
    treebank without a test file is left out: it cannot be scored.

    # Raises

    `ConfigurationError` if a folder holds no treebank, two hold treebanks of the same name, or no
    treebank has a test file.
    """
    splits = {}
    for pattern in split_names(folders):
        names = sorted(filter(os.path.isdir, glob.glob(pattern)))
        if not names:
            raise ConfigurationError(
                f"{pattern!r} matches no folder (from {Path.cwd()}). Name an existing one."
            )
        for folder in names:
            # One folder may hold several treebanks.
            paths = sorted(glob.glob(os.path.join(glob.escape(folder), "*-ud-*.conllu*")))
            if not paths:
                raise ConfigurationError(
                    f"{folder} has no files such as en_ewt-ud-test.conllu. Name treebanks' folders."
                )
            for name in sorted({treebank_name(path) for path in paths}):
                if name in splits:
                    raise ConfigurationError(
                        f"{name} is in {folder} and in another folder. Name only one of them."
                    )
                train, dev, test = (_split(paths, name, kind) for kind in ("train", "dev", "test"))
                splits[name] = (train, dev, test)
    treebanks = [
        Treebank(name, train, dev, test, _count(train) if train else 0)
        for name, (train, dev, test) in sorted(splits.items())
        if test
    ]
    if not treebanks:
        raise ConfigurationError(
            "None of the treebanks has a test file, so nothing can be scored. Add a treebank with "
            "one."
        )
    return treebanks


def _split(paths: Sequence[str], name: str, kind: str) -> Optional[str]:
    names = [p for p in paths if os.path.basename(p).startswith(f"{name}-ud-{kind}.conllu")]
    return names[0] if names else None


def _count(path: str) -> int:
    return sum(1 for _ in read_sentences(path))
