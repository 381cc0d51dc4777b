"""A new task: one key of the MISC column, such as SpaceAfter. docs/add_a_task.md explains it."""

from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from udify_allennlp.data import UniversalDependenciesReader
from udify_allennlp.data.fields import ColumnField
from udify_allennlp.data.table import Codes, LabelColumn, TreebankTable, namespace
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.modules.adaptive_softmax import LinearSoftmax
from udify_allennlp.modules.layout import Layout
from udify_allennlp.scoring.word_scores import WordScores
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns


def value_of(misc: str, key: str) -> str:
    """The value of `key` in a MISC cell; `_` if it has none."""
    found = (item.split("=", 1)[1] for item in misc.split("|") if item.startswith(f"{key}="))
    return next(found, "_")


def with_value(misc: str, key: str, value: str) -> str:
    """The cell with another value of `key`, and all others as they were; `_` takes it out."""
    others = [item for item in misc.split("|") if item != "_" and not item.startswith(f"{key}=")]
    return "|".join(others + ([] if value == "_" else [f"{key}={value}"])) or "_"


@DatasetReader.register("misc_reader")
class MiscReader(UniversalDependenciesReader):
    """The reader of treebanks, with one more label a word: the value of `misc_key`."""

    def __init__(self, misc_key: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.misc_key = misc_key

    def _values(self, sentence: Sentence) -> List[str]:
        return [value_of(misc, self.misc_key) for misc in sentence.misc]

    def text_to_instance(self, sentence: Sentence) -> Instance:  # type: ignore[override]
        instance = super().text_to_instance(sentence)
        if self.annotated:  # false in prediction
            instance.add_field("misc", ColumnField(self._values(sentence), namespace("misc")))
        return instance

    # The data loader reads whole files into tables; `cached` gives one that was read before.

    def table(self, path: str) -> TreebankTable:
        return self._with_values(super().table(path))

    def cached(self, path: str) -> Optional[TreebankTable]:
        table = super().cached(path)
        return None if table is None else self._with_values(table)

    def _with_values(self, table: TreebankTable) -> TreebankTable:
        if "misc" in table.labels or not self.annotated:
            return table
        numbers = Codes()
        values = (self._values(table.sentence(row)) for row in range(len(table)))
        codes = [numbers[value] for sentence in values for value in sentence]
        column = LabelColumn(list(numbers), numpy.array(codes, dtype=numpy.int32))
        return replace(table, labels={**table.labels, "misc": column})


@Decoder.register("misc_decoder")
class MiscDecoder(Decoder):
    """A softmax over the values of `misc_key`, of which `_`, none, is one."""

    targets = ("misc",)

    def __init__(self, vocab: Vocabulary, input_dim: int, misc_key: str) -> None:
        super().__init__()
        labels = vocab.get_index_to_token_vocabulary(namespace("misc"))
        if not labels:
            raise ConfigurationError("decoders.misc has no labels: use the reader misc_reader.")
        self.misc_key = misc_key
        self._labels = [labels[index] for index in range(len(labels))]
        self.output = LinearSoftmax(input_dim, len(labels))

    def loss(
        self, words: torch.Tensor, layout: Layout, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        return self.output.loss(words, gold["misc"])

    def predict(
        self, words: torch.Tensor, layout: Layout, sentences: Sequence[Sentence]
    ) -> List[Columns]:
        best = iter(self.output.predict(words).tolist())
        return [
            {"misc": [with_value(cell, self.misc_key, self._labels[next(best)]) for cell in misc]}
            for misc in (sentence.misc for sentence in sentences)
        ]


@Metric.register("misc_scores")
class MiscScores(WordScores):
    """The usual scores and, under the name of the key, per cent of words with the right value."""

    def __init__(self, misc_key: str) -> None:
        super().__init__()
        self.misc_key = misc_key

    def __call__(  # type: ignore[override]
        self, sentences: Sequence[Sentence], columns: Sequence[Columns]
    ) -> None:
        super().__call__(sentences, columns)
        for gold, predicted in zip(sentences, columns):
            pairs = zip(gold.misc, predicted["misc"])
            same = (value_of(a, self.misc_key) == value_of(b, self.misc_key) for a, b in pairs)
            self._right[self.misc_key] += sum(same)
            self._words[self.misc_key] += len(gold)

    def get_metric(self, reset: bool = False) -> Dict[str, float]:
        right, words = self._right[self.misc_key], self._words[self.misc_key]
        if reset:  # of all processes together
            right, words = dist_reduce_sum(right), dist_reduce_sum(words)
        scores = super().get_metric(reset)
        return {**scores, self.misc_key: 100 * right / words} if words else scores
