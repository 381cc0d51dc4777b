"""
The errors of a parse as self-contained HTML pages: scores, confusions, errors by label and length,
and the worst sentences drawn.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

from markupsafe import Markup

from udify_allennlp.apps.analysis.errors.counts import Confusion, Errors, Kind
from udify_allennlp.apps.pages.rendering import render
from udify_allennlp.scoring.official import METRICS
from udify_allennlp.scoring.undefined_scores import NOTE

WORST = 100
"""Maximum number of sentences that are drawn on the page of a treebank."""
WORST_FIRST = 10
"""Maximum number of sentences that are drawn on the first page of a report on one treebank."""
MOST_CONFUSED = 15
_MOST_LABELS = 40

Row = tuple[str, dict[str, float], str]
"""A treebank's name, its scores by metric, and the page that it links to, if any."""


class Table(NamedTuple):
    """A table whose cells are texts, or texts with the page that they link to."""

    head: list[str]
    rows: list[list[Union[str, tuple[str, str]]]]
    note: str


class Confusions(NamedTuple):
    """The confusions of a column, as a page shows them."""

    title: str
    names: list[str]
    """Labels of the matrix, the most frequent first."""
    rows: list[tuple[str, list[dict[str, str]]]]
    """A cell for each of `names`, by gold label."""
    left_out: int
    """Labels that are too rare for the matrix."""
    most: list[list[str]]
    """The most frequent confusions: gold, predicted, words, share of the gold label."""


class OnlyTreebank(NamedTuple):
    """The part of a report's first page that only a report on one treebank shows."""

    name: str
    link: str
    confusions: list[Confusions]
    trees: Markup
    number_of_worst: int = WORST_FIRST


def treebank_page(name: str, scores: dict[str, float], errors: Errors, trees: Markup) -> str:
    """
    # Parameters

    name : `str`
        Name of the treebank.
    scores : `Dict[str, float]`
        F1 by metric.
    errors : `Errors`
    trees : `Markup`
        The worst sentences, drawn.
    """
    kinds = [("Length of the sentence", errors.by_length())]
    if errors.has_trees:
        kinds.append(("Words to the gold head", errors.by_distance()))
    kinds.append(("Gold UPOS", errors.by_upos()))
    return render(
        "treebank.html",
        title=name,
        sentences=f"{len(errors.pairs):,}",
        words=f"{errors.words:,}",
        scores=_scores([(name, scores, "")]),
        confusions=confusions_of(errors),
        relations=_relations(errors) if errors.has_trees else [],
        measures=errors.measures,
        kinds=[{"title": title, "rows": _kinds(rows, errors.measures)} for title, rows in kinds],
        number_of_worst=WORST,
        trees=trees,
    )


def scores_page(rows: Sequence[Row], only: Optional[OnlyTreebank] = None) -> str:
    """
    Returns the first page of a report: all scores and, for a single treebank, the worst errors.
    """
    return render("scores.html", title="Scores", scores=_scores(rows), only=only)


def confusions_of(errors: Errors) -> list[Confusions]:
    """Returns the confusions of UPOS and of universal relations, if they were counted."""
    return [_confusions(kind, confusion) for kind, confusion in errors.confusions.items()]


def _scores(rows: Sequence[Row]) -> Table:
    """Returns a table of scores, those of CoNLL 2018 or of another task with its own measures."""
    scored = dict.fromkeys(name for _, scores, _ in rows for name in scores)
    metrics: Sequence[str] = METRICS if not scored or set(METRICS) & scored.keys() else list(scored)
    body: list[list[Union[str, tuple[str, str]]]] = [
        [(name, link), *(f"{scores[m]:.2f}" if m in scores else "-" for m in metrics)]
        for name, scores, link in rows
    ]
    note = any(metric not in scores for _, scores, _ in rows for metric in metrics)
    return Table(["", *metrics], body, NOTE if note else "")


def _confusions(kind: str, confusion: Confusion) -> Confusions:
    total = Counter[str]()
    for (label, guess), count in confusion.items():
        total[label] += count
        total[guess] += 0
    names = [name for name, _ in total.most_common(_MOST_LABELS)]
    wrong = Counter({pair: count for pair, count in confusion.items() if pair[0] != pair[1]})
    worst = max(wrong.values(), default=1)
    return Confusions(
        "UPOS" if kind == "UPOS" else "universal relations, for any head",
        names,
        [(a, [_cell(a, b, confusion, worst) for b in names]) for a in names],
        len(total) - len(names),
        [
            [a, b, f"{count:,}", f"{100 * count / max(total[a], 1):.1f}"]
            for (a, b), count in wrong.most_common(MOST_CONFUSED)
        ],
    )


def _cell(gold: str, predicted: str, confusion: Confusion, worst: int) -> dict[str, str]:
    count = confusion[gold, predicted]
    cell = {"title": f"{gold} as {predicted}: {count:,}", "shown": str(count), "share": ""}
    if gold == predicted:
        return {**cell, "kind": "diagonal", "shown": str(count or "")}
    if not count:
        return {**cell, "kind": "none", "shown": "·"}
    # A root: rare confusions are seen as well.
    return {**cell, "kind": "wrong", "share": f"{0.08 + 0.72 * (count / worst) ** 0.5:.2f}"}


def _relations(errors: Errors) -> list[list[str]]:
    rows = []
    for name, gold, predicted, right in errors.labels():
        precision, wanted = (f"{100 * right / n:.1f}" if n else "-" for n in (predicted, gold))
        f1 = f"{200 * right / (gold + predicted):.1f}"
        rows.append([name, f"{gold:,}", f"{predicted:,}", precision, wanted, f1])
    return rows


def _kinds(rows: Sequence[Kind], measures: Sequence[str]) -> list[list[Any]]:
    return [
        [name, f"{words:,}", *(f"{100 * right[measure] / words:.1f}" for measure in measures)]
        for name, words, right in rows
    ]
