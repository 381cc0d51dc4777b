"""
The errors of a parse as pages of HTML that need nothing from outside: scores, confusions, errors by
label and length, and the worst sentences drawn.
"""

from collections import Counter
from html import escape
from typing import Dict, Iterable, List, Sequence, Tuple

from udify_allennlp.apps.analysis.errors.counts import Confusion, Errors, Kind
from udify_allennlp.scoring.official import METRICS
from udify_allennlp.scoring.undefined_scores import NOTE
from udify_allennlp.text.drawing.svg import STYLE

WORST = 100
"""Sentences that are drawn."""
MOST_CONFUSED = 15
_MOST_LABELS = 40

PAGE_STYLE = """
body { font: 15px/1.45 sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 80em; color: #222;
  background: #fff; color-scheme: light }
h1 { font-size: 1.5em; margin: 0 } h2 { font-size: 1.2em; margin: 2em 0 .3em }
p { margin: .3em 0; color: #555 } a { color: #1565c0 }
.wide { overflow-x: auto; margin: .5em 0 }
.beside { display: flex; flex-wrap: wrap; gap: 0 3em; align-items: flex-start }
.beside > div { max-width: 100% }
table.figures { border-collapse: collapse; font-variant-numeric: tabular-nums }
table.figures td, table.figures th { padding: .15em .8em .15em 0; text-align: right;
  white-space: nowrap; border-bottom: 1px solid #eee }
table.figures td:first-child, table.figures th:first-child { text-align: left }
table.figures td.to, table.figures th.to { text-align: left }
table.matrix { border-collapse: collapse; font-size: 12px; font-variant-numeric: tabular-nums }
table.matrix td { min-width: 1.9em; text-align: right; padding: .15em .3em }
table.matrix th { font-weight: 600; text-align: right; padding: .15em .4em }
table.matrix tr:first-child th { writing-mode: vertical-rl; transform: rotate(180deg);
  text-align: left }
table.matrix tr:first-child th:first-child { writing-mode: initial; transform: none;
  font-weight: 400; color: #777 }
table.matrix td.diagonal { background: #e8f5e9; color: #2e7d32 }
table.matrix td.none { color: #bbb }
table.matrix th:first-child { position: sticky; left: 0; background: #fff }
"""


def treebank_page(
    name: str, scores: Dict[str, float], errors: Errors, trees: str, tree_style: str
) -> str:
    """
    # Parameters

    name : `str`
        Of the treebank.
    scores : `Dict[str, float]`
        F1 by metric.
    errors : `Errors`
    trees : `str`
        The worst sentences, drawn.
    tree_style : `str`
        CSS of what stands around them.
    """
    sentences = len(errors.pairs)
    parts = [
        f"<h1>{escape(name)}</h1><p>{sentences:,} sentences, {errors.words:,} words</p>",
        scores_table([(name, scores, "")]),
    ]
    for kind, confusion in errors.confusions.items():
        parts.append(_confusions(kind, confusion))
    if errors.has_trees:
        parts.append(_relations(errors))
    tables = [("Length of the sentence", errors.by_length())]
    if errors.has_trees:
        tables.append(("Words to the gold head", errors.by_distance()))
    tables.append(("Gold UPOS", errors.by_upos()))
    drawn = "".join(_kinds(title, rows, errors.measures) for title, rows in tables)
    parts.append(f'<h2>Right, in per cent of words</h2><div class="beside">{drawn}</div>')
    parts.append(
        f"<h2>The worst sentences</h2><p>Those with most errors first, {WORST} at most. "
        '<span class="gold">── ✓ only in gold</span>, '
        f'<span class="pred">╌╌ ✗ only predicted</span></p>{trees}'
    )
    return page(name, "\n".join(parts), tree_style + STYLE)


def page(title: str, body: str, style: str = "") -> str:
    """A page by itself."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}{PAGE_STYLE}</style></head><body>\n"
        f"{body}\n</body></html>\n"
    )


def scores_table(rows: Sequence[Tuple[str, Dict[str, float], str]]) -> str:
    """
    A row for each treebank: its name, its scores, and the page that it links to, if any. Scores are
    those of CoNLL 2018, or of another task, which has all of its own.
    """
    given = dict.fromkeys(name for _, scores, _ in rows for name in scores)
    metrics: Sequence[str] = METRICS if not given or set(METRICS) & given.keys() else list(given)
    body = []
    for name, scores, link in rows:
        shown = f'<a href="{escape(link)}">{escape(name)}</a>' if link else escape(name)
        cells = [f"{scores[m]:.2f}" if m in scores else "-" for m in metrics]
        body.append([shown, *cells])
    note = any(metric not in scores for _, scores, _ in rows for metric in metrics)
    return _table(["", *map(escape, metrics)], body) + (f"<p>{escape(NOTE)}</p>" if note else "")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Cells are HTML; the first column and those in `left` start at the left."""
    cells = [[("th", text) for text in head], *([("td", text) for text in row] for row in rows)]
    lines = [
        "".join(
            f'<{tag}{" class=to" if column in left else ""}>{text}</{tag}>'
            for column, (tag, text) in enumerate(line)
        )
        for line in cells
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table class="figures">{body}</table></div>'


def _confusions(kind: str, confusion: Confusion) -> str:
    total = Counter[str]()
    for (label, guess), count in confusion.items():
        total[label] += count
        total[guess] += 0
    names = [name for name, _ in total.most_common(_MOST_LABELS)]
    wrong = Counter({pair: count for pair, count in confusion.items() if pair[0] != pair[1]})
    worst = max(wrong.values(), default=1)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        f"<tr><th>{escape(a)}</th>{''.join(_cell(a, b, confusion, worst) for b in names)}</tr>"
        for a in names
    )
    matrix = f'<table class="matrix"><tr><th>gold ↓ predicted →</th>{head}</tr>{rows}</table>'
    most = [
        [escape(a), escape(b), f"{count:,}", f"{100 * count / max(total[a], 1):.1f}"]
        for (a, b), count in wrong.most_common(MOST_CONFUSED)
    ]
    left_out = len(total) - len(names)
    note = f"<p>{left_out} rarer ones are left out.</p>" if left_out else ""
    title = "UPOS" if kind == "UPOS" else "universal relations, whatever the head"
    listed = _table(["gold", "predicted", "words", "% of gold"], most, left=[1])
    return (
        f"<h2>Confusions of {title}</h2>"
        f'<div class="beside"><div class="wide">{matrix}{note}</div><div>{listed}</div></div>'
    )


def _cell(gold: str, predicted: str, confusion: Confusion, worst: int) -> str:
    count = confusion[gold, predicted]
    title = f' title="{escape(gold)} as {escape(predicted)}: {count:,}"'
    if gold == predicted:
        return f'<td class="diagonal"{title}>{count or ""}</td>'
    if not count:
        return '<td class="none">·</td>'
    # A root: rare confusions are seen as well.
    strength = 0.08 + 0.72 * (count / worst) ** 0.5
    return f'<td style="background: rgba(229, 57, 53, {strength:.2f})"{title}>{count}</td>'


def _relations(errors: Errors) -> str:
    rows = []
    for name, gold, predicted, right in errors.labels():
        found, wanted = (f"{100 * right / n:.1f}" if n else "-" for n in (predicted, gold))
        f1 = f"{200 * right / (gold + predicted):.1f}"
        rows.append([escape(name), f"{gold:,}", f"{predicted:,}", found, wanted, f1])
    head = ["relation", "gold", "predicted", "precision", "recall", "F1"]
    return "<h2>Relations, right with their heads</h2>" + _table(head, rows)


def _kinds(title: str, rows: Sequence[Kind], measures: Sequence[str]) -> str:
    body: List[List[str]] = []
    for name, words, right in rows:
        shares = [f"{100 * right[measure] / words:.1f}" for measure in measures]
        body.append([escape(name), f"{words:,}", *shares])
    return f"<div>{_table([title, 'words', *measures], body)}</div>"
