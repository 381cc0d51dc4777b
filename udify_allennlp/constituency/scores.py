"""Scores of phrase structure: batch by batch in training, and for files."""

from collections.abc import Iterable, Sequence
from typing import Optional

from allennlp.evaluation import Evaluator
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from udify_allennlp.constituency.counts import DELETED, EQUAL, BracketCounts, count
from udify_allennlp.scoring.evaluator import TreebankEvaluator
from udify_allennlp.scoring.scorers import Parsed, Rows, Scorer
from udify_allennlp.text.constituents.sentences import tree_of
from udify_allennlp.text.sentence import Columns, Sentence

METRICS = ("LP", "LR", "LF1", "UP", "UR", "UF1", "exact", "tags", "skipped")
"""The names of `BracketCounts.scores`."""


@Metric.register("udify_constituents")
class ConstituencyScores(Metric):
    """
    The scores of phrase structure in MISC, as EVALB counts them (`counts.py`), under the names of
    `METRICS`. In a distributed run the final scores cover all processes.

    # Parameters

    gold_tags : `bool`
        See `count`.
    """

    def __init__(self, gold_tags: bool = False) -> None:
        self._gold_tags = gold_tags
        self._counts = BracketCounts()

    def __call__(self, sentences: Sequence[Sentence], columns: Sequence[Columns]) -> None:
        """Counts gold `sentences`, each with the columns predicted for it."""
        for gold, predicted in zip(sentences, columns):
            if "misc" in predicted:
                new = gold.replace(**predicted)
                self._counts += counts_of([gold], [new], gold_tags=self._gold_tags)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """Returns the scores, empty if nothing was scored."""
        counts = self._counts
        if reset:  # Every process gets here: only then may they talk to each other.
            counts = BracketCounts(*map(dist_reduce_sum, counts))
            self.reset()
        return counts.scores()

    def reset(self) -> None:
        self._counts = BracketCounts()


def counts_of(
    golds: Iterable[Sentence],
    predicted: Iterable[Sentence],
    deleted: Sequence[str] = DELETED,
    equal: Optional[dict[str, str]] = None,
    gold_tags: bool = False,
) -> BracketCounts:
    """Returns the counts of sentences with a tree in MISC; see `count`."""
    equal = EQUAL if equal is None else equal
    counts = (
        count(tree_of(gold), tree_of(its), deleted, equal, gold_tags)
        for gold, its in zip(golds, predicted)
    )
    return sum(counts, BracketCounts())


@Scorer.register("constituents")
class ConstituencyScorer(Scorer[BracketCounts]):
    """
    EVALB scores of phrase structure; the average is over all sentences of all files.

    # Parameters

    deleted : `Sequence[str]`
        Tags and labels that do not count, by default those of EVALB's `COLLINS.prm`.
    equal : `Optional[Dict[str, str]]`
        Labels, and the label that each counts as; by default PRT is ADVP, as in that file.
    gold_tags : `bool`
        True if only gold tags determine which words are punctuation. EVALB skips sentences in which
        the two trees differ in that, so its scores cover fewer sentences.
    """

    def __init__(
        self,
        deleted: Sequence[str] = DELETED,
        equal: Optional[dict[str, str]] = None,
        gold_tags: bool = False,
    ) -> None:
        self._settings = deleted, equal, gold_tags

    def score(self, parsed: Parsed) -> BracketCounts:
        return counts_of(parsed.golds, parsed.new, *self._settings)

    def scores(self, score: BracketCounts) -> dict[str, float]:
        return score.scores()

    def averages(self, rows: Rows) -> dict[str, dict[str, float]]:
        return {"all": sum((score for _, score in rows), BracketCounts()).scores()}

    def report(self, rows: Rows) -> str:
        named = [(name, score.scores()) for name, score in rows]
        if len(rows) > 1:
            named += self.averages(rows).items()
        return table(named) + "".join(_hint(name, score) for name, score in rows)


@Evaluator.register("udify_constituents")
class ConstituencyEvaluator(TreebankEvaluator):
    """
    `udify` with the scorer `constituents`: the trees that `allennlp predict` would write, scored as
    EVALB does; several files have a row each, and one for all files together.
    """

    scorer = ConstituencyScorer


def table(rows: Sequence[tuple[str, dict[str, float]]]) -> str:
    """Returns a line for each name, with its scores."""
    width = max(4, *(len(name) for name, _ in rows))
    lines = ["  ".join(["file".ljust(width), *(metric.rjust(6) for metric in METRICS)])]
    for name, scores in rows:
        cells = [_cell(metric, scores).rjust(max(6, len(metric))) for metric in METRICS]
        lines.append("  ".join([name.ljust(width), *cells]))
    return "".join(line + "\n" for line in lines)


def _hint(name: str, score: BracketCounts) -> str:
    """Returns a line for a file whose scores say little, empty for others."""
    count = score.sentences + score.skipped
    if 2 * score.skipped <= count:
        return ""
    return (
        f"{name}: {score.skipped} of {count} sentences are skipped, since the two trees have "
        'punctuation at different words. To count them: -o \'{"evaluation.scorer": '
        '{"type": "constituents", "gold_tags": true}}\'\n'
    )


def _cell(metric: str, scores: dict[str, float]) -> str:
    if metric not in scores:
        return "-"
    return f"{scores[metric]:.0f}" if metric == "skipped" else f"{scores[metric]:.2f}"
