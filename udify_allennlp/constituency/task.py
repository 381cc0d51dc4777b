"""Columns of tables for phrase structure."""

from collections.abc import Sequence
from typing import Any

from udify_allennlp.constituency.labels import spans_of
from udify_allennlp.data.columns import ColumnSpec
from udify_allennlp.data.tasks import Task
from udify_allennlp.text.constituents.sentences import tree_of
from udify_allennlp.text.sentence import Columns, Sentence

LABELS = "constituent_labels"
"""The namespace of the labels of spans."""
LEFTS, RIGHTS, SPANS = "constituent_lefts", "constituent_rights", "constituents"
"""The two fences and the label of each labelled span; see `LabelledSpan`."""


@Task.register("constituents")
class ConstituentsTask(Task):
    """
    The phrase structure of a sentence, as stored in MISC (`text/constituents/`).

    # Parameters

    function_tags : `bool`
        True if labels are learned with their function tags, `NP-SBJ` and not `NP`. They are not
        scored: EVALB cuts them off.

    # Raises

    `ConlluError`, when a sentence is read, if it has no tree or brackets do not match.
    """

    def __init__(self, function_tags: bool = False) -> None:
        self.function_tags = function_tags
        specs = [ColumnSpec(name, unit="row") for name in (LEFTS, RIGHTS)]
        super().__init__("constituents", ["misc"], [*specs, ColumnSpec(SPANS, LABELS, unit="row")])

    def values(self, sentence: Sentence) -> list[Sequence[Any]]:
        spans = spans_of(tree_of(sentence), self.function_tags)
        return [list(column) for column in zip(*spans)] if spans else [[], [], []]

    def right(self, gold: Sentence, predicted: Columns) -> dict[str, int]:
        """Returns nothing, since scores are not by word: see the metric `udify_constituents`."""
        return {}
