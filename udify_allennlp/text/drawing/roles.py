"""
Semantic roles under a drawn tree: a line for each predicate, with a bar under each of its arguments
and the predicate's sense under its word.
"""

from typing import Optional

from udify_allennlp.text.drawing.bars import NO_BAR, Bar
from udify_allennlp.text.roles.predicates import VERB, Argument, Predicate, predicates_of
from udify_allennlp.text.sentence import Sentence

STYLE = """
svg.tree .role { font-size: 11px; fill: var(--tree-role, #4a148c) }
svg.tree .sense { font-size: 11px; font-weight: 600; fill: var(--tree-role, #4a148c) }
svg.tree path.role { fill: none; stroke: var(--tree-role, #4a148c) }
svg.tree path.role.gold { stroke: var(--tree-gold, #1565c0); stroke-width: 2 }
svg.tree path.role.pred { stroke: var(--tree-pred, #c62828); stroke-width: 2;
  stroke-dasharray: 5 3 }
"""


def lines_of(gold: Sentence, predicted: Optional[Sentence]) -> list[list[Bar]]:
    """
    Returns a line for each predicate and, if the two differ, another one for the prediction; `mark`
    shows which tree each belongs to.
    """
    sides: list[dict[int, Predicate]] = [
        {predicate.word: predicate for predicate in predicates_of(side)}
        for side in (gold, predicted or gold)
    ]
    lines: list[list[Bar]] = []
    for word in sorted({*sides[0], *sides[1]}):
        ours, theirs = (_bars(side.get(word)) for side in sides)
        both = [bar for bar in ours if bar in theirs]
        lines.append(sorted(Bar(*bar, "" if bar in both else "gold") for bar in ours))
        lines.append(sorted(Bar(*bar, "pred") for bar in theirs if bar not in both))
    return [line for line in lines if line]


def _bars(predicate: Optional[Predicate]) -> list[tuple[int, int, str, str]]:
    if predicate is None:
        return []
    arguments: list[Argument] = [*predicate.spans, *predicate.heads]
    bars = [
        (argument.start, argument.end, argument.label, "role")
        for argument in arguments
        if argument.label != VERB
    ]
    return [*bars, (predicate.word, predicate.word, predicate.roleset, NO_BAR)]
