"""
Attachment scores without punctuation, as in papers on cross-lingual transfer. They differ from the
scores of CoNLL 2018, which count every word.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from allennlp.training.metrics import Metric

from udify_allennlp.scoring.word_scores import WordScores
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns
from udify_allennlp.text.universal_labels import LEFT_OUT, attached

METRICS = ("UAS_without_punct", "LAS_without_punct")


class Attachments(NamedTuple):
    """
    The number of words, of those with the correct head, and of those with the correct relation as
    well.
    """

    words: int = 0
    heads: int = 0
    both: int = 0

    def scores(self) -> dict[str, float]:
        """Returns `METRICS` in percent; empty if no word is counted."""
        right = zip(METRICS, (self.heads, self.both))
        return {name: 100.0 * count / self.words for name, count in right} if self.words else {}


def attachments(gold: Sentence, predicted: Columns) -> Attachments:
    """
    Counts the words of a sentence, except for `LEFT_OUT`; of relations, only the universal part
    counts.
    """
    counted = [upos not in LEFT_OUT for upos in gold.upos]
    right = attached(gold, predicted["heads"], predicted["deprels"])
    heads, both = (sum(itertools.compress(words, counted)) for words in right)
    return Attachments(sum(counted), heads, both)


def total(counts: Iterable[Attachments]) -> Attachments:
    """Returns the sums."""
    return Attachments(*map(sum, zip(Attachments(), *counts)))


def of_sentences(pairs: Iterable[tuple[Sentence, Sentence]]) -> Attachments:
    """Returns the counts of gold sentences, each paired with its parse."""
    return total(
        attachments(gold, {"heads": parsed.heads, "deprels": parsed.deprels})
        for gold, parsed in pairs
    )


@Metric.register("udify_without_punct")
class ScoresWithoutPunct(WordScores):
    """
    The default scores of `model.scores`, with `UAS_without_punct` and `LAS_without_punct` in
    addition: without the words whose gold UPOS is PUNCT or SYM.
    """

    def __call__(self, sentences: Sequence[Sentence], columns: Sequence[Columns]) -> None:
        super().__call__(sentences, columns)
        for gold, predicted in zip(sentences, columns):
            if "heads" in predicted:
                counts = attachments(gold, predicted)
                for name, right in zip(METRICS, (counts.heads, counts.both)):
                    self._words[name] += counts.words
                    self._right[name] += right

    def _names(self) -> list[str]:
        return [*super()._names(), *METRICS]
