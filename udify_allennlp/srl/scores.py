"""Scores of roles: batch by batch in training, and for files."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from allennlp.evaluation import Evaluator
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from udify_allennlp.scoring.evaluator import TreebankEvaluator
from udify_allennlp.scoring.match_counts import Counts
from udify_allennlp.scoring.scorers import Parsed, Rows, Scorer
from udify_allennlp.srl.counts import (
    DependencyCounts,
    dependency_counts,
    span_counts,
    styles_of,
)
from udify_allennlp.text.roles.predicates import Predicate, predicates_of
from udify_allennlp.text.sentence import Columns, Sentence

METRICS = {
    "span_P": "arguments of spans, precision (`srl-eval.pl`)",
    "span_R": "recall",
    "span_F1": "F1",
    "span_all_F1": "the same, where arguments of predicates that gold lacks count as wrong",
    "dep_P": "senses and arguments of dependency style, labelled precision (`eval09.pl`)",
    "dep_R": "recall",
    "dep_F1": "F1",
    "dep_args_F1": "arguments only",
    "pred_F1": "identification of predicates",
    "sense_F1": "predicates with their senses",
    "roles_F1": "the sum of span_F1 and dep_F1, if present (thesis, section 4.9)",
}
"""Descriptions of the scores by name; all in percent."""
_SHOWN = [name for name in METRICS if name != "roles_F1"]


class RoleCounts(NamedTuple):
    """
    The counts of roles of some sentences. For a style that gold lacks while it has the other, only
    predicates and their senses count.
    """

    spans: Counts = Counts()
    all_spans: Counts = Counts()
    dependencies: DependencyCounts = DependencyCounts()
    predicates: Counts = Counts()
    senses: Counts = Counts()

    def __add__(self, other: tuple) -> "RoleCounts":
        return RoleCounts(*(a + b for a, b in zip(self, other)))

    @classmethod
    def of(cls, golds: Sequence[Predicate], predicted: Sequence[Predicate]) -> "RoleCounts":
        """Counts the roles of one sentence."""
        of_words = dependency_counts(golds, predicted)
        counts = cls(
            span_counts(golds, predicted),
            span_counts(golds, predicted, all_predicates=True),
            of_words,
            of_words.predicates,
            of_words.senses,
        )
        return counts.only(*styles_of(golds))

    def only(self, spans: bool, words: bool) -> "RoleCounts":
        """Returns the counts of these styles only."""
        counts = self
        if not spans:
            counts = counts._replace(spans=Counts(), all_spans=Counts())
        return counts if words else counts._replace(dependencies=DependencyCounts())

    def of_gold(self) -> "RoleCounts":
        """Returns the counts of the styles that gold has somewhere."""
        return self.only(self.spans.gold > 0, self.dependencies.arguments.gold > 0)

    def scores(self) -> dict[str, float]:
        """Returns the scores by `METRICS`, except for those of a style that gold does not have."""
        scores: dict[str, float] = {}
        spans, dependencies = self.spans, self.dependencies
        if spans.gold:
            scores.update(zip(_SHOWN[:3], (spans.precision, spans.recall, spans.f1)))
            scores["span_all_F1"] = self.all_spans.f1
        if dependencies.arguments.gold:
            both = dependencies.labelled
            scores.update(zip(_SHOWN[4:7], (both.precision, both.recall, both.f1)))
            scores["dep_args_F1"] = dependencies.arguments.f1
        if self.predicates.gold:
            scores["pred_F1"] = self.predicates.f1
            scores["sense_F1"] = self.senses.f1
            scores["roles_F1"] = scores.get("span_F1", 0.0) + scores.get("dep_F1", 0.0)
        return scores


@Metric.register("udify_roles")
class RoleScores(Metric):
    """
    Precision, recall and F1 of roles in MISC, as the scripts of CoNLL 2005 and 2009 count them,
    under the names of `METRICS`. In a distributed run the final scores cover all processes.
    """

    def __init__(self) -> None:
        self._counts = RoleCounts()

    def __call__(self, sentences: Sequence[Sentence], columns: Sequence[Columns]) -> None:
        """Counts gold `sentences`, each with the columns predicted for it."""
        for gold, predicted in zip(sentences, columns):
            if "misc" in predicted:
                self._counts += role_counts(gold, gold.replace(misc=predicted["misc"]))

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """Returns the scores, empty if nothing was scored."""
        counts = self._counts
        if reset:  # Every process gets here: only then may they talk to each other.
            counts = RoleCounts(
                _summed(counts.spans),
                _summed(counts.all_spans),
                DependencyCounts(*map(_summed, counts.dependencies)),
                _summed(counts.predicates),
                _summed(counts.senses),
            )
            self.reset()
        return counts.scores()

    def reset(self) -> None:
        self._counts = RoleCounts()


def role_counts(gold: Sentence, predicted: Sentence) -> RoleCounts:
    """Counts the roles in MISC."""
    return RoleCounts.of(predicates_of(gold), predicates_of(predicted))


@Scorer.register("roles")
class RoleScorer(Scorer[RoleCounts]):
    """
    Role scores like those of the scripts of CoNLL 2005 and 2009; averages are over all predicates,
    for each style over the files that have it.
    """

    def score(self, parsed: Parsed) -> RoleCounts:
        return sum_of(role_counts(gold, its) for gold, its in zip(parsed.golds, parsed.new))

    def scores(self, score: RoleCounts) -> dict[str, float]:
        return score.scores()

    def averages(self, rows: Rows) -> dict[str, dict[str, float]]:
        return {"all": sum_of(score.of_gold() for _, score in rows).scores()}

    def report(self, rows: Rows) -> str:
        named = [(name, score.scores()) for name, score in rows]
        if len(rows) > 1:
            named += self.averages(rows).items()
        return table(named)


@Evaluator.register("udify_roles")
class RoleEvaluator(TreebankEvaluator):
    """
    `udify` with the scorer `roles`: the roles that `allennlp predict` would write, scored as by the
    scripts of CoNLL 2005 and 2009; several files have a row each, and one for all files together.
    """

    scorer = RoleScorer


def sum_of(counts: Iterable[RoleCounts]) -> RoleCounts:
    """Returns the counts of many sentences together."""
    total = RoleCounts()
    for sentence_counts in counts:
        total += sentence_counts
    return total


def table(rows: Sequence[tuple[str, dict[str, float]]]) -> str:
    """Returns a line for each name, with its existing scores."""
    metrics = [name for name in _SHOWN if any(name in scores for _, scores in rows)]
    width = max(4, *(len(name) for name, _ in rows))
    lines: list[str] = ["  ".join(["file".ljust(width), *metrics])]
    for name, scores in rows:
        cells = [
            (f"{scores[metric]:.2f}" if metric in scores else "-").rjust(len(metric))
            for metric in metrics
        ]
        lines.append("  ".join([name.ljust(width), *cells]))
    return "".join(line + "\n" for line in lines)


def _summed(counts: Counts) -> Counts:
    return Counts(*map(dist_reduce_sum, counts))
