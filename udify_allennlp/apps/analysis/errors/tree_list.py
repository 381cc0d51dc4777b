"""
Drawn trees below each other, as a part of a page of HTML: some at a time, found by text, by
relation and by their errors. Without JavaScript all are shown, in the order of the file.
"""

from collections import Counter
from html import escape
from typing import Collection, List, NamedTuple, Optional, Tuple

from udify_allennlp.apps.analysis.errors.counts import Errors
from udify_allennlp.text.drawing.svg import COLUMNS, differences, runs_leftwards, tree_svg
from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.sentence import Sentence

PAGE_SIZE = 25
"""Trees that are shown at a time."""


class Entry(NamedTuple):
    """A sentence of the list."""

    html: str
    relations: Tuple[str, ...]
    """As they are written in either tree, each once."""
    differences: Tuple[int, ...]
    """Words that differ, by `COLUMNS`; zeros without a second tree."""


def entry(
    number: int,
    gold: Sentence,
    predicted: Optional[Sentence] = None,
    columns: Collection[str] = (),
) -> Entry:
    """
    A sentence, drawn.

    # Parameters

    number : `int`
        What it is called.
    gold, predicted : `Sentence`
    columns : `Collection[str]`
        Those that both have: with trees among them, the sentence shows its LAS.

    # Raises

    `ConlluError` if the words of the two differ, or a head cannot be drawn.
    """
    drawing = tree_svg(gold, predicted)
    relations = sorted({*gold.deprels, *(predicted or gold).deprels} - {"_"})
    wrong: Tuple[int, ...] = (0,) * len(COLUMNS)
    marks = badge = ""
    if predicted is not None:
        found = differences(gold, predicted)
        wrong = tuple(map(sum, zip(*found)))
        las = _las(gold, predicted, columns)
        badge = _badge(wrong) + ("" if las is None else f' <span class="las">LAS {las:.0f}</span>')
        off = {
            label
            for cells, *labels in zip(found, gold.deprels, predicted.deprels)
            if any(cells[COLUMNS.index("head") :])
            for label in labels
        }
        score = 100.0 if las is None else las
        marks = (
            f' data-errors="{sum(wrong)}" data-las="{score:.2f}" data-off="{_listed(sorted(off))}"'
        )
    source = escape(comment(gold, "sent_id") or f"line {gold.line}")
    text = escape(comment(gold, "text") or " ".join(gold.forms))
    direction = "rtl" if runs_leftwards(gold) else "ltr"  # where scrolling starts
    html = (
        f'<details open class="entry{" wrong" if any(wrong) else ""}" '
        f'data-rel="{_listed(relations)}"{marks}><summary>'
        f'<span class="number">{number}</span> <code>{source}</code> {badge} '
        f'<bdi class="text" dir="auto">{text}</bdi></summary>'
        f'<div class="scroll" dir="{direction}">{drawing}</div></details>\n'
    )
    return Entry(html, tuple(relations), wrong)


def listing(entries: List[Entry], are_compared: bool, choose: bool = True) -> str:
    """
    The trees of a page and what finds them.

    # Parameters

    entries : `List[Entry]`
    are_compared : `bool`
        Whether there are two trees of each sentence.
    choose : `bool`
        Whether some may be without differences, and they are not in an order of their own.
    """
    pages = (
        '<button id="back" aria-label="page before">◀</button> <span id="where"></span> '
        '<button id="next" aria-label="page after">▶</button>'
    )
    bar = [
        f"<span>{pages}</span>",
        '<input type="search" id="find" placeholder="find text or id" aria-label="find">',
        _select("relation", ["any relation", *_relations(entries)]),
    ]
    if are_compared and choose:
        bar.append(
            _select("order", ["in the order of the file", "most errors first", "lowest LAS"])
        )
        bar.append('<label><input type="checkbox" id="only"> only with differences</label>')
    return (
        f'<nav id="bar" hidden>{" ".join(bar)}</nav>\n<div id="trees">'
        f'{"".join(each.html for each in entries)}</div><script>{_SCRIPT % PAGE_SIZE}</script>'
    )


def _las(gold: Sentence, predicted: Sentence, columns: Collection[str]) -> Optional[float]:
    if not {"heads", "deprels"} <= set(columns):
        return None
    (all_words,) = Errors([(gold, predicted)], ("heads", "deprels")).by_all()
    return 100 * all_words.right["LAS"] / all_words.words


def _badge(wrong: Tuple[int, ...]) -> str:
    if not any(wrong):
        return '<span class="same">same</span>'
    named = ", ".join(f"{count} {name}" for name, count in zip(COLUMNS, wrong) if count)
    return f'<span class="badge">{named}</span>'


def _relations(entries: List[Entry]) -> List[str]:
    """Universal ones, which stand for their subtypes too, and subtypes."""
    found = Counter[str]()
    for each in entries:
        found.update({name for label in each.relations for name in (label, label.split(":")[0])})
    return sorted(found)


def _listed(labels: List[str]) -> str:
    return escape(" ".join(labels))


def _select(name: str, values: List[str]) -> str:
    first, *others = (
        f'<option value="{escape(value)}">{escape(value)}</option>' for value in values
    )
    first = first.replace(f'value="{escape(values[0])}"', 'value=""')
    return f'<select id="{name}" aria-label="{name}">{first}{"".join(others)}</select>'


LIST_STYLE = """
nav { position: sticky; top: 0; background: #fff; padding: .6em 0; z-index: 1; display: flex;
  flex-wrap: wrap; gap: .4em .8em; align-items: center }
nav[hidden] { display: none }
nav button, nav select, nav input { font: inherit; max-width: 100% }
.entry { border-top: 1px solid #ddd; padding: .5em 0; content-visibility: auto;
  contain-intrinsic-size: auto 320px }
.entry[hidden] { display: none }
summary { cursor: pointer; line-height: 1.6 }
.number { color: #777 } code { color: #777; font-size: .85em; overflow-wrap: anywhere }
.badge { background: #fdecea; color: #b71c1c; border-radius: 3px; padding: 0 .4em;
  font-size: .85em }
.las { font-size: .85em; color: #555 }
.same { color: #2e7d32; font-size: .85em }
.gold { color: #1565c0 } .pred { color: #c62828 }
.scroll { overflow-x: auto; padding: .3em 0 }
"""

_SCRIPT = """
const size = %d, all = [...document.querySelectorAll('.entry')];
const get = id => document.getElementById(id);
const texts = all.map(entry => entry.querySelector('summary').textContent.toLowerCase());
const orders = {
  'most errors first': (a, b) => b.dataset.errors - a.dataset.errors,
  'lowest LAS': (a, b) => a.dataset.las - b.dataset.las || b.dataset.errors - a.dataset.errors,
};
let shown = all, page = 0;
function show() {
  const pages = Math.max(1, Math.ceil(shown.length / size));
  page = Math.min(Math.max(page, 0), pages - 1);
  const now = shown.slice(page * size, (page + 1) * size);
  all.forEach(entry => entry.hidden = true);
  now.forEach(entry => entry.hidden = false);
  get('trees').append(...now);
  get('where').textContent = `page ${page + 1} of ${pages}, ${shown.length} sentences`;
}
function choose() {
  const text = get('find').value.toLowerCase(), only = get('only') && get('only').checked;
  const relation = get('relation').value, order = get('order') && orders[get('order').value];
  const has = entry => (only ? entry.dataset.off : entry.dataset.rel).split(' ')
    .some(label => label === relation || label.startsWith(relation + ':'));
  shown = all.filter((entry, i) => texts[i].includes(text) && (!relation || has(entry))
    && (!only || entry.classList.contains('wrong')));
  if (order) shown.sort(order);
  page = 0;
  show();
}
get('back').onclick = () => { page--; show(); };
get('next').onclick = () => { page++; show(); };
get('find').oninput = get('relation').onchange = choose;
for (const id of ['order', 'only']) if (get(id)) get(id).onchange = choose;
get('bar').hidden = false;
choose();
"""
