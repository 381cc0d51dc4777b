"""Scores of a validation set, counted batch by batch on the strings that would be written."""

from collections import Counter
from functools import lru_cache
from typing import Dict, Sequence

from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric
from udtools.udeval import UNIVERSAL_FEATURES

from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns

NAMES = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")


class WordScores(Metric):
    """
    Per cent of words right, as the CoNLL 2018 script counts them for gold words: universal
    features and universal deprels only, and a gold lemma `_` is always right.

    A score is given only for columns that were predicted. In a distributed run the final scores
    (`reset=True`) are of all processes together, those shown on the way of one.
    """

    def __init__(self) -> None:
        self._right: Dict[str, int] = Counter()
        self._words: Dict[str, int] = Counter()

    def __call__(  # type: ignore[override]
        self, sentences: Sequence[Sentence], columns: Sequence[Columns]
    ) -> None:
        """Gold `sentences`, each with the columns predicted for it."""
        for gold, predicted in zip(sentences, columns):
            for name, right in _right_words(gold, predicted).items():
                self._right[name] += right
                self._words[name] += len(gold)

    def get_metric(self, reset: bool = False) -> Dict[str, float]:
        """Per cent, by the names of the CoNLL 2018 script; empty when nothing was scored."""
        scores = {}
        for name in NAMES:
            words, right = self._words[name], self._right[name]
            if reset:  # Every process gets here: only then may they talk to each other.
                words, right = dist_reduce_sum(words), dist_reduce_sum(right)
            if words:
                scores[name] = 100.0 * right / words
        if reset:
            self.reset()
        return scores

    def reset(self) -> None:
        self._right.clear()
        self._words.clear()


def _right_words(gold: Sentence, predicted: Columns) -> Dict[str, int]:
    right: Dict[str, int] = {}
    if "upos" in predicted:
        right["UPOS"] = _same(gold.upos, predicted["upos"])
    if "xpos" in predicted:
        right["XPOS"] = _same(gold.xpos, predicted["xpos"])
    if "feats" in predicted:
        right["UFeats"] = _same(
            [universal_feats(feats) for feats in gold.feats],
            [universal_feats(feats) for feats in predicted["feats"]],
        )
    if "lemmas" in predicted:
        right["Lemmas"] = sum(
            lemma in ("_", guess) for lemma, guess in zip(gold.lemmas, predicted["lemmas"])
        )
    if "heads" in predicted:
        heads = [head == guess for head, guess in zip(gold.heads, predicted["heads"])]
        labels = [
            label.split(":")[0] == guess.split(":")[0]
            for label, guess in zip(gold.deprels, predicted["deprels"])
        ]
        right["UAS"] = sum(heads)
        right["LAS"] = sum(head and label for head, label in zip(heads, labels))
    return right


def _same(gold: Sequence[str], guesses: Sequence[str]) -> int:
    return sum(label == guess for label, guess in zip(gold, guesses))


@lru_cache(maxsize=65536)
def universal_feats(feats: str) -> str:
    """The universal features of a FEATS column, in the script's order."""
    return "|".join(
        sorted(
            feature
            for feature in feats.split("|")
            if feature.split("=", 1)[0] in UNIVERSAL_FEATURES
        )
    )
