"""Scorers of the predictions of a treebank, and their reports."""

from collections.abc import Collection, Sequence
from typing import Generic, NamedTuple, TypeVar

from allennlp.common import Registrable

from udify_allennlp.scoring import ignore_punct, official, sigmorphon
from udify_allennlp.scoring.undefined_scores import filled, honest, macro_average
from udify_allennlp.text.sentence import Sentence

Score = TypeVar("Score")
Rows = list[tuple[str, Score]]
"""The scores of treebanks, by name."""


class Parsed(NamedTuple):
    """A treebank and its parse."""

    golds: Sequence[Sentence]
    new: Sequence[Sentence]
    """The same sentences, or the sentences found in their raw text."""
    path: str
    """Path of the gold file, for messages."""
    columns: Collection[str]
    """The predicted columns."""


class Scorer(Registrable, Generic[Score]):
    """
    Base class of scorers of the predictions of a treebank, with reports. `evaluation.scorer` of a
    config names one.
    """

    default_implementation = "conll"

    def score(self, parsed: Parsed) -> Score:
        """Returns the score of a treebank."""
        raise NotImplementedError

    def scores(self, score: Score) -> dict[str, float]:
        """Returns numbers by the names of metrics."""
        raise NotImplementedError

    def averages(self, rows: Rows) -> dict[str, dict[str, float]]:
        """Returns the averages of several treebanks, by the names of averages and of metrics."""
        raise NotImplementedError

    def report(self, rows: Rows) -> str:
        """Returns the printed report: a row for each treebank, and the averages of several."""
        raise NotImplementedError


@Scorer.register("conll")
class ConllScorer(Scorer[dict[str, float]]):
    """
    The measures of CoNLL 2018: F1 in percent, and the macro average.

    # Parameters

    official : `bool`
        True for all scores of the shared task's script, including those of columns that are
        missing in gold or not predicted, which are correct for any parser; see
        `undefined_scores.py`.
    """

    metrics: Sequence[str] = official.METRICS

    def __init__(self, official: bool = False) -> None:
        self.official = official

    def score(self, parsed: Parsed) -> dict[str, float]:
        scores = official.official_scores(parsed.golds, parsed.new, parsed.path)
        if self.official:
            return scores
        return honest(scores, filled(parsed.golds) & set(parsed.columns))

    def scores(self, score: dict[str, float]) -> dict[str, float]:
        return score

    def averages(self, rows: Rows) -> dict[str, dict[str, float]]:
        return {"macro": macro_average(rows, self.metrics)}

    def report(self, rows: Rows) -> str:
        return official.report(rows, self.metrics)


@Scorer.register("segmentation")
class SegmentationScorer(ConllScorer):
    """The measures of CoNLL 2018 for tokens, sentences and words only, for a segmenter."""

    metrics = official.SEGMENTATION

    def score(self, parsed: Parsed) -> dict[str, float]:
        scores = official.scores_of(
            official.segmentation_counts(parsed.golds, parsed.new, parsed.path)
        )
        return {metric: scores[metric] for metric in self.metrics}


@Scorer.register("without_punct")
class WithoutPunctScorer(ConllScorer):
    """
    The measures of CoNLL 2018, and attachment without PUNCT and SYM words in separate columns.
    """

    metrics = (*official.METRICS, *ignore_punct.METRICS)

    def score(self, parsed: Parsed) -> dict[str, float]:
        # In a file of punctuation only nothing is counted.
        word_scores = ignore_punct.of_sentences(zip(parsed.golds, parsed.new)).scores()
        return {**super().score(parsed), **word_scores}


@Scorer.register("sigmorphon")
class SigmorphonScorer(Scorer[sigmorphon.Counts]):
    """The measures of SIGMORPHON 2019, task 2; see `sigmorphon.py`."""

    def score(self, parsed: Parsed) -> sigmorphon.Counts:
        return sigmorphon.total(
            sigmorphon.count(gold.lemmas, gold.feats, its.lemmas, its.feats)
            for gold, its in zip(parsed.golds, parsed.new)
        )

    def scores(self, score: sigmorphon.Counts) -> dict[str, float]:
        return score.scores()

    def averages(self, rows: Rows) -> dict[str, dict[str, float]]:
        return sigmorphon.averages(rows)

    def report(self, rows: Rows) -> str:
        return sigmorphon.report(rows)
