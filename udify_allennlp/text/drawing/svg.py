"""
Dependency trees drawn as SVG strings. Arcs are above the words, UPOS, lemma and feats below them. A
second tree over the same words is drawn into the first: annotation that only gold has is solid and
marked ✓, annotation that only the prediction has is dashed and marked ✗.

Multiword tokens are brackets under the forms of their words; phrases (`text/constituents/`) and
semantic roles (`text/roles/`) are bars under all of it. Empty nodes are grey, in their place; no
arc of the basic tree ends there. Multiword tokens and empty nodes are those of the gold sentence.
"""

import unicodedata
from collections.abc import Collection
from html import escape
from typing import Optional

from udify_allennlp.text.drawing import elements, phrases, roles
from udify_allennlp.text.drawing.bars import LINE, draw
from udify_allennlp.text.drawing.cells import cells_of
from udify_allennlp.text.drawing.differences import differences
from udify_allennlp.text.drawing.layout import (
    SPREAD,
    Arc,
    MarkedText,
    centres_of,
    ends_of,
    label_width,
    levels_of,
    stretches_of,
    width_of,
)
from udify_allennlp.text.non_word_rows import empty_nodes, multiword_tokens
from udify_allennlp.text.sentence import Sentence, fault
from udify_allennlp.text.tree_check import head_number

_FEATURES = ("lemma", "feats")
_LEVEL = 22  # pixels from an arc to the one above
_ROW = 17  # pixels from a line of text to the next
_TIP = 7  # pixels from an arrow to the top of the form
_BRACKET = 24  # pixels of a bracket and what stands under it


def runs_leftwards(sentence: Sentence) -> bool:
    """Returns whether most letters of the sentence are of a script that runs from right to left."""
    kinds = [unicodedata.bidirectional(char) for form in sentence.forms for char in form]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def tree_svg(
    gold: Sentence,
    predicted: Optional[Sentence] = None,
    has_features: bool = True,
    found: Collection[int] = (),
) -> str:
    """
    Returns one `<svg>` element, for a page with `elements.STYLE`. Words run from right to left if
    most of their letters do. Heads may be `_`: such words have no arc. Screen readers get the
    sentence and its arcs as text. Without features (and lemmas) the words of a long sentence are
    closer together. The words `found` are marked.

    # Raises

    `ConlluError` if a head is neither `_` nor from 0 to the number of words, or if the words of
    the two differ.
    """
    if predicted is not None:
        differences(gold, predicted)
    nodes = empty_nodes(gold)
    # Of ROOT and each word, where it stands among words and empty nodes.
    columns = [word + sum(node.after < word for node in nodes) for word in range(len(gold) + 1)]
    arcs = [
        arc._replace(head=arc.head and columns[arc.head], dependent=columns[arc.dependent])
        for arc in _arcs(gold, predicted)
    ]
    brackets = [
        token._replace(first=columns[token.first], last=columns[token.last])
        for token in multiword_tokens(gold)
    ]
    cells = cells_of(gold, predicted, nodes)
    if not has_features:
        cells = [[row for row in cell if row[0] not in _FEATURES] for cell in cells]
    levels = levels_of(arcs, len(cells))
    ends = ends_of(arcs, levels, len(cells))
    stretches = stretches_of(arcs, levels)
    centres, width = centres_of(arcs, cells, ends, stretches, brackets)
    top = _LEVEL * (max(levels, default=0) + 1)
    form, below = top + _TIP + _ROW, _BRACKET if brackets else 0
    lines = [*phrases.lines_of(gold, predicted), *roles.lines_of(gold, predicted)]
    words = form + below + _ROW * max(map(len, cells))
    height = words + LINE * len(lines)
    mirrored = runs_leftwards(gold)

    def place(x: float) -> int:
        return round(width - x if mirrored else x)

    def end_of(arc: int, word: int) -> float:
        here = ends[word]
        return centres[word] + SPREAD * (here.index(arc) - (len(here) - 1) / 2)

    def label_of(index: int, start: float, to: float) -> float:
        (low, high), half = stretches[index], label_width(arcs[index]) / 2
        edges = [
            centres[word] + side * SPREAD * (len(ends[word]) - 1) / 2
            for word, side in ((low, 1), (high, -1))
        ]
        least, most = edges[0] + half, edges[1] - half
        middle = (start + to) / 2
        return middle if low == high else max(least, min(middle, most))

    parts, labels = [], []
    for index, (arc, level) in enumerate(zip(arcs, levels)):
        to, y = end_of(index, arc.dependent), top - _LEVEL * level
        start = end_of(index, arc.head) if arc.head else to
        parts.append(elements.draw_arc(arc, place(start), place(to), y, top))
        labels.append(
            elements.draw_text(place(label_of(index, start, to)), y + 4, "deprel", arc.labels)
        )
    parts += labels
    marked = {columns[word] for word in found}
    for word, rows in enumerate(cells, start=1):
        x = place(centres[word])
        for row, (kind, piece) in enumerate(rows):
            if piece[1]:
                kind = "form found" if kind == "form" and word in marked else kind
                y = form + (row and below + _ROW * row)
                parts.append(elements.draw_text(x, y, kind, (piece,)))
    for bracket in brackets:
        first, last = (
            centres[word] + side * width_of(cells[word - 1][0][1][1], 9) / 2
            for word, side in ((bracket.first, -1), (bracket.last, 1))
        )
        parts.append(elements.draw_bracket(place(first), place(last), form + 5, bracket.form))
    for index, node in enumerate(nodes, start=1):
        parts.append(elements.draw_node_id(place(centres[node.after + index]), top, node))

    def sides_of(word: int) -> tuple[int, int]:
        column = columns[word]
        half = width_of(cells[column - 1][0][1][1], 9) / 2
        first, last = sorted(place(centres[column] + side * half) for side in (-1, 1))
        return first, last

    parts += draw(lines, sides_of, words - _ROW + 12)
    size = f'width="{round(width)}" height="{height}" viewBox="0 0 {round(width)} {height}"'
    return (
        f'<svg class="tree" role="img" xmlns="http://www.w3.org/2000/svg" {size}>'
        f"{_described(gold, predicted)}{''.join(parts)}</svg>"
    )


def _described(gold: Sentence, predicted: Optional[Sentence]) -> str:
    """Returns the drawing in words, since the role `img` hides its parts from screen readers."""
    words = [f"{form} ({upos})" for form, upos in zip(gold.forms, gold.upos)]
    trees = [("", gold)]
    if predicted is not None and _tree(predicted) != _tree(gold):
        trees = [("Gold", gold), ("Predicted", predicted)]
    told = []
    for name, sentence in trees:
        nodes = ["ROOT", *sentence.forms]
        arcs = [
            f"{word}: {label}" + (f" of {nodes[head]}" if head else "")
            for word, (head, label) in zip(words, _tree(sentence))
            if head is not None
        ]
        told.append((f"{name}: " if name else "") + "; ".join(arcs))
    title = f"Dependency tree: {' '.join(gold.forms)}"
    return f"<title>{escape(title)}</title><desc>{escape('. '.join(told))}</desc>"


def _arcs(gold: Sentence, predicted: Optional[Sentence]) -> list[Arc]:
    arcs = []
    guesses = _tree(predicted or gold)
    for word, ((head, label), (guess, guessed)) in enumerate(zip(_tree(gold), guesses), start=1):
        same = head == guess
        marks = ("", "") if same else ("gold", "pred")
        if same and label != guessed:
            pieces: tuple[MarkedText, ...] = (("gold", label), ("pred", guessed))
        else:
            pieces = ((marks[0], label),)
        if head is not None:
            arcs.append(Arc(head, word, pieces, marks[0]))
        if not same and guess is not None:
            arcs.append(Arc(guess, word, ((marks[1], guessed),), marks[1]))
    return arcs


def _tree(sentence: Sentence) -> list[tuple[Optional[int], str]]:
    """Returns the head and deprel of each word; `None` for the head `_`."""
    tree: list[tuple[Optional[int], str]] = []
    for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels), start=1):
        number = head_number(head, len(sentence))
        if head != "_" and number in (None, word):
            what = f"word {word} has head {head[:40]!r}, which cannot be drawn"
            remedy = f"Use another word from 0 to {len(sentence)}, or `_`."
            raise fault(sentence.path, sentence.line_of(word), what, remedy)
        tree.append((number, deprel))
    return tree
