"""
Drawn trees below each other, as a part of a page of HTML: some at a time, found by text, by
relation and by their errors. Without JavaScript all are shown, in the order of the file.
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
"""Trees that are shown at a time."""


class Entry(NamedTuple):
    """A sentence of the list."""

    html: Markup
    relations: tuple[str, ...]
    """As they are written in either tree, each once."""
    differences: tuple[int, ...]
    """Words that differ, by `COLUMNS`; zeros without a second tree."""


def entry(
    number: int,
    gold: Sentence,
    predicted: Optional[Sentence] = None,
    columns: Collection[str] = (),
    text: Optional[Markup] = None,
    found: Collection[int] = (),
) -> Entry:
    """
    A sentence, drawn.

    # Parameters

    number : `int`
        What it is called.
    gold, predicted : `Sentence`
    columns : `Collection[str]`
        Those that both have: with trees among them, the sentence shows its LAS.
    text : `Optional[Markup]`
        Its text as HTML, instead of its comment `# text`.
    found : `Collection[int]`
        Words that are marked in the drawing.

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
        Whether there are two trees of each sentence.
    choose : `bool`
        Whether some may be without differences, and they are not in an order of their own.
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
    """Universal ones, which stand for their subtypes too, and subtypes."""
    counts = Counter[str]()
    for sentence_entry in entries:
        counts.update(
            {name for label in sentence_entry.relations for name in (label, label.split(":")[0])}
        )
    return sorted(counts)
