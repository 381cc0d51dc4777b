"""The segmenter of an exported model."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy

from udify_allennlp.data.known_words import Word
from udify_allennlp.engine.folder import VOCABULARY, damaged
from udify_allennlp.engine.scores import Graph
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.segmentation.multiword_rules import RULES, MultiwordRules, first_fault
from udify_allennlp.segmentation.scores import Characters
from udify_allennlp.segmentation.tokenizer import SegmenterTokenizer
from udify_allennlp.segmentation.treebanks import Treebanks
from udify_allennlp.text.raw_text import Tokenizer

SEGMENTER = "segmenter"
"""The folder of the segmenter in that of a model."""
GUESS, FLAGS, RULE_SCORES = "guess", "flags", "rules"
"""Its graphs, one for each method of `NetworkScores`."""
_SETTINGS = "settings.json"
PACKAGES = ("icu4py", "sentencex")
"""Packages that raw text needs, which a machine that only parses need not have."""
_MAX_REACH = 2**10


class OnnxSegmenter:
    """
    A segmenter by onnxruntime: it finds what `Segmenter` finds.

    # Parameters

    folder : `Path`
        The folder that `write_settings` and the graphs are in.
    known_words : `Callable[[str], Mapping[str, Word]]`
        See `MultiwordRules`.

    # Raises

    `InputError` if it is damaged.
    """

    def __init__(
        self, folder: Path, known_words: Callable[[str], Mapping[str, Word]] = lambda lang: {}
    ) -> None:
        try:
            reach, standards = _settings(folder)
            vocab = VocabularyFolder(folder / VOCABULARY)
            self.treebanks = Treebanks(vocab, standards)
            rules = vocab.labels(RULES)
            if not self.treebanks.numbers or first_fault(rules) is not None:
                raise ValueError("languages or rules")
            self._multiwords = MultiwordRules(vocab, known_words)
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise damaged(folder, error) from error
        self._scores = _Scores(folder, reach, len(self.treebanks.numbers), len(rules))

    def tokenizer(self, lang: Optional[str] = None) -> Tokenizer:
        """Returns the tokenizer of a language or treebank; `None` to guess it."""
        return SegmenterTokenizer(self._scores, self.treebanks, self._multiwords, lang)


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

    def guess(self, characters: Characters, counts: numpy.ndarray) -> numpy.ndarray:
        found = self._guess(**characters._asdict(), counts=counts)
        return self._of_shape(found["logits"], len(counts), self._treebanks)

    def flags(
        self, characters: Characters, is_text: numpy.ndarray, shares: numpy.ndarray
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        # All belong to the same text if one share is given.
        text_of = numpy.minimum(characters.text_of, len(shares) - 1)
        arrays = characters._replace(text_of=text_of)._asdict()
        found = self._flags(**arrays, is_text=is_text, shares=shares)
        logits = self._of_shape(found["logits"], len(text_of), 3)
        return logits, self._of_shape(found["vectors"], len(text_of), None)

    def rules(self, vectors: numpy.ndarray) -> numpy.ndarray:
        found = self._rule_scores(vectors=vectors)["scores"]
        return self._of_shape(found, len(vectors), self._rules)

    def _of_shape(self, array: numpy.ndarray, rows: int, columns: Optional[int]) -> numpy.ndarray:
        if array.ndim != 2 or len(array) != rows or columns not in (None, array.shape[1]):
            raise damaged(self._folder, ValueError(f"a graph returns {array.shape}"))
        return array


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
