"""The segmenter of an exported model."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

import numpy

from udify_allennlp.engine.folder import VOCABULARY, damaged
from udify_allennlp.engine.scores import Graph
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.segmentation.multiword_rules import RULES, MultiwordRules, first_fault
from udify_allennlp.segmentation.tokenizer import SegmenterTokenizer
from udify_allennlp.segmentation.treebanks import Treebanks
from udify_allennlp.text.cutting import bounded
from udify_allennlp.text.files import size_and_time
from udify_allennlp.text.raw_text import Tokenizer
from udify_allennlp.text.tokenizers import (
    DEFAULT,
    LINES,
    make_tokenizer,
    needed_package,
    sentence_a_line,
)

SEGMENTER = "segmenter"
"""The folder of the segmenter in that of a model."""
GUESS, FLAGS, RULE_SCORES = "guess", "flags", "rules"
"""Its graphs, one for each method of `NetworkScores`."""
_SETTINGS = "settings.json"
_PACKAGES = ("icu4py", "sentencex")
"""Packages that raw text needs, which a machine that only parses need not have."""
_MAX_REACH = 2**10


class OnnxSegmenter:
    """
    A segmenter by onnxruntime: it finds what `Segmenter` finds.

    # Parameters

    folder : `Path`
        The folder that `write_settings` and the graphs are in.

    # Raises

    `InputError` if it is damaged.
    """

    def __init__(self, folder: Path) -> None:
        try:
            reach, standards = _settings(folder)
            vocab = VocabularyFolder(folder / VOCABULARY)
            self._treebanks = Treebanks(vocab, standards)
            rules = vocab.labels(RULES)
            if not self._treebanks.numbers or first_fault(rules) is not None:
                raise ValueError("languages or rules")
            self._multiwords = MultiwordRules(vocab)
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise damaged(folder, error) from error
        self._scores = _Scores(folder, reach, len(self._treebanks.numbers), len(rules))

    def tokenizer(self, lang: Optional[str] = None) -> Tokenizer:
        """
        Returns the tokenizer of a language or treebank; `None` to guess it. Without a relative of
        the language in training it is by rules, which are better there.
        """
        if lang is not None and not self._treebanks.of(lang):
            return make_tokenizer(DEFAULT, lang)
        return SegmenterTokenizer(self._scores, self._treebanks, self._multiwords, lang)


class _Scores:
    """See `NetworkScores`."""

    def __init__(self, folder: Path, reach: int, treebanks: int, rules: int) -> None:
        self.reach = reach
        self._folder = folder
        self._treebanks, self._rules = treebanks, rules
        # Few large arrays: kept for the next block, they take 50 MB beside the parser's.
        self._guess = Graph(folder / f"{GUESS}.onnx", ["logits"], keeps_memory=False)
        self._flags = Graph(folder / f"{FLAGS}.onnx", ["logits", "vectors"], keeps_memory=False)
        self._rule_scores = Graph(folder / f"{RULE_SCORES}.onnx", ["scores"], keeps_memory=False)

    def guess(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        counts: numpy.ndarray,
    ) -> numpy.ndarray:
        found = self._guess(hashes=hashes, classes=classes, text_of=text_of, counts=counts)
        return self._of_shape(found["logits"], len(counts), self._treebanks)

    def flags(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        is_text: numpy.ndarray,
        shares: numpy.ndarray,
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        # All belong to the same text if one share is given.
        text_of = numpy.minimum(text_of, len(shares) - 1)
        found = self._flags(
            hashes=hashes, classes=classes, text_of=text_of, is_text=is_text, shares=shares
        )
        logits = self._of_shape(found["logits"], len(hashes), 3)
        return logits, self._of_shape(found["vectors"], len(hashes), None)

    def rules(self, vectors: numpy.ndarray) -> numpy.ndarray:
        found = self._rule_scores(vectors=vectors)["scores"]
        return self._of_shape(found, len(vectors), self._rules)

    def _of_shape(self, array: numpy.ndarray, rows: int, columns: Optional[int]) -> numpy.ndarray:
        if array.ndim != 2 or len(array) != rows or columns not in (None, array.shape[1]):
            raise damaged(self._folder, ValueError(f"a graph returns {array.shape}"))
        return array


def tokenizer_of(folder: Path, lang: Optional[str], chosen: Optional[str]) -> Tokenizer:
    """Returns the tokenizer of a model, by its folder; see `OnnxParser.segment`."""
    for name in _PACKAGES:
        needed_package(name, name)
    own = folder / SEGMENTER
    if chosen not in (None, LINES) or not own.is_dir():
        return make_tokenizer(chosen or DEFAULT, lang)
    tokenizer = _loaded(own, *_stamp(own)).tokenizer(lang)
    return tokenizer if chosen is None else bounded(sentence_a_line(tokenizer))


@lru_cache(maxsize=1)
def _loaded(folder: Path, *stamp: int) -> OnnxSegmenter:
    return OnnxSegmenter(folder)


def _stamp(folder: Path) -> list[int]:
    settings = folder / _SETTINGS
    return size_and_time(settings) if settings.is_file() else []


def write_settings(folder: Path, reach: int, standards: Mapping[str, Sequence[str]]) -> None:
    """Writes the settings into the folder of a segmenter; see `CharacterNetwork`, `Segmenter`."""
    values = {"reach": reach, "standards": dict(standards)}
    text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    (folder / _SETTINGS).write_text(text, encoding="utf-8")


def _settings(folder: Path) -> tuple[int, dict[str, list[str]]]:
    values: Any = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
    reach, standards = values["reach"], values["standards"]
    if not isinstance(reach, int) or not 0 <= reach <= _MAX_REACH:
        raise ValueError("reach")
    if not isinstance(standards, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in standards.values()
    ):
        raise ValueError("standards")
    return reach, standards
