"""
Drawn trees below each other, as a part of an HTML page: a page at a time, searchable by text,
relation and errors. Without JavaScript all are shown, in the order of the file.
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple, Optional

from markupsafe import Markup

from udify_allennlp.apps.analysis.errors.counts import Errors
from udify_allennlp.apps.pages.rendering import render
from udify_allennlp.text.drawing.differences import COLUMNS, differences
from udify_allennlp.text.drawing.svg import runs_leftwards, tree_svg
from udify_allennlp.text.drawing.wrapping import wrapped
from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.sentence import Sentence

PAGE_SIZE = 25
"""Number of trees that are shown at a time."""


class Entry(NamedTuple):
    """A sentence of the list."""

    html: Markup
    relations: tuple[str, ...]
    """The relations in either tree, each once."""
    differences: tuple[int, ...]
    """The number of words that differ, by `COLUMNS`; zeros without a second tree."""


def entry(
    number: int,
    gold: Sentence,
    predicted: Optional[Sentence] = None,
    columns: Collection[str] = (),
    text: Optional[Markup] = None,
    found: Collection[int] = (),
) -> Entry:
    """
    Returns the entry of a sentence, drawn.

    # Parameters

    number : `int`
        The number that is shown with the sentence.
    gold, predicted : `Sentence`
    columns : `Collection[str]`
        Columns that both have: if these include trees, the sentence shows its LAS.
    text : `Optional[Markup]`
        HTML of the sentence's text, instead of its comment `# text`.
    found : `Collection[int]`
        Words to mark in the drawing.

    # Raises

    `ConlluError` if the words of the two differ, or a head cannot be drawn.
    """
    relations = sorted({*gold.deprels, *(predicted or gold).deprels} - {"_"})
    wrong: tuple[int, ...] = (0,) * len(COLUMNS)
    las = badge = None
    off: list[str] = []
    if predicted is not None:
        differing = differences(gold, predicted)
        wrong = tuple(map(sum, zip(*differing)))
        las = _las(gold, predicted, columns)
        badge = ", ".join(f"{count} {name}" for name, count in zip(COLUMNS, wrong) if count)
        off = [
            label
            for cells, *labels in zip(differing, gold.deprels, predicted.deprels)
            if any(cells[COLUMNS.index("head") :])
            for label in labels
        ]
    html = render(
        "entry.html",
        number=number,
        source=comment(gold, "sent_id") or f"line {gold.line}",
        text=text or comment(gold, "text") or " ".join(gold.forms),
        direction="rtl" if runs_leftwards(gold) else "ltr",  # where scrolling starts
        drawing=Markup(wrapped(tree_svg(gold, predicted, found=found))),
        relations=relations,
        is_wrong=any(wrong),
        badge=badge,
        errors=sum(wrong),
        score=f"{100 if las is None else las:.2f}",
        las=None if las is None else f"{las:.0f}",
        off=sorted(set(off)),
    )
    return Entry(html, tuple(relations), wrong)


def listing(entries: list[Entry], are_compared: bool, choose: bool = True) -> Markup:
    """
    Returns the trees of a page and its search form.

    # Parameters

    entries : `List[Entry]`
    are_compared : `bool`
        True if each sentence has two trees.
    choose : `bool`
        True if some sentences may have no differences, and the entries are in the order of the
        file.
    """
    return render(
        "tree_list.html",
        entries=entries,
        relations=_relations(entries),
        has_order=are_compared and choose,
        page_size=PAGE_SIZE,
    )


def _las(gold: Sentence, predicted: Sentence, columns: Collection[str]) -> Optional[float]:
    if not {"heads", "deprels"} <= set(columns):
        return None
    (all_words,) = Errors([(gold, predicted)], ("heads", "deprels")).by_all()
    return 100 * all_words.right["LAS"] / all_words.words


def _relations(entries: list[Entry]) -> list[str]:
    """Returns the universal relations, which stand for their subtypes too, and the subtypes."""
    counts = Counter[str]()
    for sentence_entry in entries:
        counts.update(
            {name for label in sentence_entry.relations for name in (label, label.split(":")[0])}
        )
    return sorted(counts)
