"""
Phrase structure: as bars under a drawn tree, the smallest phrases next to the words, and as text.
"""

from collections import defaultdict
from typing import Optional

from udify_allennlp.text.constituents.sentences import has_tree, tree_of
from udify_allennlp.text.constituents.tree import Phrase, PhraseTree
from udify_allennlp.text.drawing.bars import Bar
from udify_allennlp.text.drawing.branches import branches
from udify_allennlp.text.sentence import Sentence

STYLE = """
svg.tree .phrase { font-size: 11px; font-weight: 600; fill: var(--tree-phrase, #1b5e20) }
svg.tree path.phrase { fill: none; stroke: var(--tree-phrase, #1b5e20) }
svg.tree path.phrase.gold { stroke: var(--tree-gold, #1565c0); stroke-width: 2 }
svg.tree path.phrase.pred { stroke: var(--tree-pred, #c62828); stroke-width: 2;
  stroke-dasharray: 5 3 }
"""


def lines_of(gold: Sentence, predicted: Optional[Sentence]) -> list[list[Bar]]:
    """
    Returns a line for the innermost phrases, one for those above, and so on, with `TOP` separate.
    If the two trees differ, phrases that only the prediction has are in a separate line below each.
    """
    ours = _by_height(gold)
    theirs = ours if predicted is None else _by_height(predicted)
    both = {phrase for own in ours.values() for phrase in own} & {
        phrase for own in theirs.values() for phrase in own
    }
    lines = []
    for height in range(max([0, *ours, *theirs]) + 1):
        lines.append([_bar(each, "" if each in both else "gold") for each in ours.get(height, ())])
        others = [each for each in theirs.get(height, ()) if each not in both]
        lines.append([_bar(each, "pred") for each in others])
    return [line for line in lines if line]


def text_of(tree: PhraseTree) -> str:
    """
    Returns the tree as text, with a phrase or a tag and its word per line, each under its parent.
    """
    children, count = _children(tree), len(tree.phrases)

    def line(node: int) -> str:
        if node < count:
            return tree.phrases[node].label
        return f"{tree.tags[node - count]} {tree.words[node - count]}"

    return branches([0], line, lambda node: children.get(node, []))


def _children(tree: PhraseTree) -> dict[int, list[int]]:
    """
    Returns by the place of a phrase those below it: places of phrases, followed by those of words.
    """
    children: dict[int, list[int]] = defaultdict(list)
    open_: list[int] = []
    begins: dict[int, list[int]] = defaultdict(list)
    for place, phrase in enumerate(tree.phrases):
        begins[phrase.start].append(place)
    for word in range(1, len(tree.words) + 1):
        while open_ and tree.phrases[open_[-1]].end < word:
            open_.pop()
        for place in begins[word]:
            if open_:
                children[open_[-1]].append(place)
            open_.append(place)
        children[open_[-1]].append(len(tree.phrases) + word - 1)
    return children


def _by_height(sentence: Sentence) -> dict[int, list[Phrase]]:
    """Returns phrases except `TOP`, by the number of nested levels below each."""
    if not has_tree(sentence):
        return {}
    tree = tree_of(sentence)
    heights: dict[int, int] = {}
    children = _children(tree)
    for place in reversed(range(len(tree.phrases))):
        heights[place] = max((heights[c] + 1 for c in children[place] if c in heights), default=0)
    found: dict[int, list[Phrase]] = defaultdict(list)
    for place, phrase in enumerate(tree.phrases[1:], start=1):
        found[heights[place]].append(phrase)
    return found


def _bar(phrase: Phrase, mark: str) -> Bar:
    return Bar(phrase.start, phrase.end, phrase.label, "phrase", mark)
