"""`allennlp ud-view FILE.conllu --out PAGE.html`: trees to look at in a browser."""

import argparse
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import Sentence, read_sentences
from udify_allennlp.text.drawing.svg import COLUMNS, STYLE, differences, runs_leftwards, tree_svg
from udify_allennlp.text.extra_rows import comment
from udify_allennlp.text.files import write_whole

PAGE_SIZE = 25
"""Trees that are shown at a time."""

Pair = Tuple[Sentence, Optional[Sentence]]


@Subcommand.register("ud-view")
class ViewTrees(Subcommand):
    """
    Draw the trees of a CoNLL-U file in one HTML page that needs nothing else: open it in a browser.
    Multiword tokens are brackets under their words. Empty nodes stand grey in their place; point at
    the number of one to read its enhanced dependencies.

    With --predicted, the words of both files must be the same. What only FILE has is blue, solid
    and marked ✓; what only the other file has is red, dashed and marked ✗. Differences are counted
    for each sentence and for all, as strings: the figures of the shared task are those of `allennlp
    evaluate`. The page shows 25 sentences at a time and can be searched; it also works without
    JavaScript, then with all sentences below each other.

      allennlp ud-view en_ewt-ud-dev.conllu --out trees.html
      allennlp ud-view en_ewt-ud-dev.conllu --predicted parsed.conllu --out errors.html
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Draw the trees of a CoNLL-U file as a web page.",
        )
        subparser.add_argument("file", help="CoNLL-U, plain, .gz or .xz; the gold file of two")
        subparser.add_argument("--predicted", help="a second file of the same sentences")
        subparser.add_argument("--out", required=True, help="the HTML page to write")
        subparser.set_defaults(func=_view)
        return subparser


def _view(args: argparse.Namespace) -> None:
    entries, counts, words, wrong = [], [0] * len(COLUMNS), 0, 0
    for number, (gold, predicted) in enumerate(_pairs(args.file, args.predicted), start=1):
        found = [] if predicted is None else differences(gold, predicted)
        own = [sum(column) for column in zip(*found)] or [0] * len(COLUMNS)
        counts = [total + count for total, count in zip(counts, own)]
        words += len(gold)
        wrong += any(own)
        entries.append(entry(number, gold, predicted, own))
    totals = None if args.predicted is None else _totals(counts, words, len(entries), wrong)
    write_whole(args.out, [_page(Path(args.file).name, entries, totals).encode()])


def _pairs(gold_path: str, predicted_path: Optional[str]) -> Iterator[Pair]:
    golds = Tqdm.tqdm(read_sentences(gold_path), desc="drawing", unit=" sentences")
    if predicted_path is None:
        yield from ((gold, None) for gold in golds)
        return
    for gold, predicted in zip_longest(golds, read_sentences(predicted_path)):
        if gold is None or predicted is None:
            raise ConfigurationError(
                f"{gold_path} and {predicted_path} have different numbers of sentences. "
                "Give two files of the same sentences."
            )
        yield gold, predicted


def entry(number: int, gold: Sentence, predicted: Optional[Sentence], counts: List[int]) -> str:
    """A sentence of the page, drawn; `counts` are its differences, by `COLUMNS`."""
    badge = ""
    if any(counts):
        named = ", ".join(f"{count} {name}" for name, count in zip(COLUMNS, counts) if count)
        badge = f'<span class="badge">{named}</span>'
    elif predicted is not None:
        badge = '<span class="same">same</span>'
    source = escape(comment(gold, "sent_id") or f"line {gold.line}")
    text = escape(comment(gold, "text") or " ".join(gold.forms))
    direction = "rtl" if runs_leftwards(gold) else "ltr"  # where scrolling starts
    return (
        f'<details open class="entry{" wrong" if any(counts) else ""}"><summary>'
        f'<span class="number">{number}</span> <code>{source}</code> {badge} '
        f'<bdi class="text" dir="auto">{text}</bdi></summary>'
        f'<div class="scroll" dir="{direction}">{tree_svg(gold, predicted)}</div></details>\n'
    )


def _totals(counts: List[int], words: int, sentences: int, wrong: int) -> str:
    rows = "".join(
        f"<tr><td>{name}</td><td>{count}</td><td>{100 * count / max(words, 1):.2f}%</td></tr>"
        for name, count in zip(COLUMNS, counts)
    )
    return (
        '<p class="legend"><span class="gold">── ✓ only in gold</span> &nbsp; '
        '<span class="pred">╌╌ ✗ only predicted</span> &nbsp; grey: the same in both</p>'
        f"<table><tr><th>differs</th><th>words</th><th>of {words}</th></tr>{rows}"
        f"<tr><td>any, by sentence</td><td>{wrong}</td>"
        f"<td>{100 * wrong / max(sentences, 1):.2f}%</td></tr></table>"
    )


def _page(name: str, entries: List[str], totals: Optional[str]) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(name)}</title><style>{PAGE_STYLE}{STYLE}</style></head><body>\n"
        f"<h1>{escape(name)}</h1><p>{len(entries)} sentences</p>{totals or ''}"
        f"{listing(entries, bool(totals))}</body></html>\n"
    )


def listing(entries: List[str], are_compared: bool) -> str:
    """The trees of a page, some at a time, and what finds them."""
    only = '<label><input type="checkbox" id="only"> only with differences</label>'
    return (
        '<nav id="bar" hidden><button id="back">◀</button> <span id="where"></span> '
        '<button id="next">▶</button> <input type="search" id="find" placeholder="find text or id">'
        f" {only if are_compared else ''}</nav>\n"
        f"{''.join(entries)}<script>{_SCRIPT % PAGE_SIZE}</script>"
    )


PAGE_STYLE = """
body { font: 15px sans-serif; margin: 1.5em; color: #222; background: #fff }
h1 { font-size: 1.3em; margin: 0 }
table { border-collapse: collapse; margin: .7em 0 }
td, th { padding: .15em 1em .15em 0; text-align: right } td:first-child, th:first-child
{ text-align: left }
nav { position: sticky; top: 0; background: #fff; padding: .6em 0; z-index: 1 }
.entry { border-top: 1px solid #ddd; padding: .5em 0; content-visibility: auto;
  contain-intrinsic-size: auto 320px }
.entry[hidden] { display: none }
summary { cursor: pointer; line-height: 1.6 }
.number { color: #777 } code { color: #777; font-size: .85em }
.badge { background: #fdecea; color: #b71c1c; border-radius: 3px; padding: 0 .4em;
  font-size: .85em }
.same { color: #2e7d32; font-size: .85em }
.gold { color: #1565c0 } .pred { color: #c62828 }
.scroll { overflow-x: auto; padding: .3em 0 }
"""

_SCRIPT = """
const size = %d, all = [...document.querySelectorAll('.entry')];
const get = id => document.getElementById(id);
const texts = all.map(entry => entry.querySelector('summary').textContent.toLowerCase());
let shown = all, page = 0;
function show() {
  const pages = Math.max(1, Math.ceil(shown.length / size));
  page = Math.min(Math.max(page, 0), pages - 1);
  const now = new Set(shown.slice(page * size, (page + 1) * size));
  all.forEach(entry => entry.hidden = !now.has(entry));
  get('where').textContent = `page ${page + 1} of ${pages}, ${shown.length} sentences`;
}
function choose() {
  const text = get('find').value.toLowerCase(), only = get('only') && get('only').checked;
  shown = all.filter((entry, i) =>
    texts[i].includes(text) && (!only || entry.classList.contains('wrong')));
  page = 0;
  show();
}
get('back').onclick = () => { page--; show(); };
get('next').onclick = () => { page++; show(); };
get('find').oninput = choose;
if (get('only')) get('only').onchange = choose;
get('bar').hidden = false;
show();
"""
