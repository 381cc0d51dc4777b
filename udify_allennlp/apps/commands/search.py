"""`allennlp ud-search XPATH FILE ...`: constructions in trees, listed, counted or drawn."""

import argparse
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError
from markupsafe import Markup, escape
from rich.console import Console
from rich.text import Text

from udify_allennlp.apps.analysis.errors.tree_list import Entry, entry, listing
from udify_allennlp.apps.analysis.output.screen import ruled
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_files
from udify_allennlp.apps.pages.rendering import render
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.non_word_rows import comment
from udify_allennlp.text.search import Query, Value, marked_text, number_of, to_xml
from udify_allennlp.text.sentence import Sentence

MOST_DRAWN = 500
"""Number of sentences per page."""


class Hit(NamedTuple):
    """A sentence and the words found in it, with the values by which they are counted."""

    sentence: Sentence
    words: list[int]
    values: list[tuple[str, ...]]


class Totals:
    """The number of sentences, words and hits so far."""

    def __init__(self) -> None:
        self.read = self.sentences = self.words = 0
        self.values = Counter[tuple[str, ...]]()

    def __str__(self) -> str:
        return f"{self.words:,} words in {self.sentences:,} of {self.read:,} sentences"


@Subcommand.register("ud-search")
class SearchTrees(Command):
    """
    Find constructions in CoNLL-U files of any size with XPath, the query language of XML: list the
    sentences, count the words found, draw the trees. Needs the extra `search`.

    A sentence is an element `sentence`; its words are elements `word`, each inside its head.
    Columns (id, form, lemma, upos, xpos, feats, head, deprel, misc) and features (Case, Number_psor
    for Number[psor]) are attributes. These commands find all passives with an agent, the agents of
    "write", objects before their verbs, and verbs without a subject:

      allennlp ud-search "//word[word/@deprel='aux:pass' and word/@deprel='obl:agent']" *.conllu
      allennlp ud-search "//word[@lemma='write']/word[@deprel='obl:agent']" treebanks --count lemma
      allennlp ud-search "//word[@deprel='obj' and @id < ../@id]" en.conllu --page objects.html
      allennlp ud-search "//word[@upos='VERB' and not(word/@deprel='nsubj')]" treebank.conllu.gz

    Regular expressions work, too: //word[re:test(@form, '^un', 'i')]. An expression that selects
    sentences finds their roots: /sentence[count(.//word) > 50]. With --count, --page or --out,
    sentences are not listed.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("xpath", metavar="XPATH", help="XPath for the words to find; quote it")
        add_files(parser, "files", "CoNLL-U, plain, .gz or .xz")
        parser.add_argument(
            "--count",
            action="append",
            metavar="VALUE",
            help="count the words found by a column (lemma), a feature (Case), or XPath relative "
            "to the word (../@lemma); several count combinations",
        )
        parser.add_argument(
            "--page",
            metavar="FILE",
            help=f"the web page to write: the first {MOST_DRAWN} trees, with the words found "
            "marked",
        )
        parser.add_argument(
            "--out", metavar="FILE", help="the file to write: the sentences found, as CoNLL-U"
        )
        parser.add_argument(
            "--limit", type=int, metavar="N", help="stop after N sentences (default: find all)"
        )

    def run(self, args: argparse.Namespace) -> None:
        if args.limit is not None and args.limit < 1:
            raise ConfigurationError(f"--limit is {args.limit}. Use 1 or more.")
        try:
            query, values = Query(args.xpath), [Value(of) for of in args.count or ()]
        except ImportError as error:
            raise ConfigurationError(str(error)) from None
        paths, totals = files_of(args.files), Totals()
        is_listed = not (args.count or args.page or args.out)
        with closing(_hits(query, values, paths, totals, is_quiet=is_listed)) as all_hits:
            hits = islice(all_hits, args.limit)
            if is_listed:
                _list(hits, several=len(paths) > 1)
            else:
                _write(hits, args, totals)
        if args.count:
            _show(_table(args.count, totals.values))
        sys.stderr.write(f"{totals}\n")


def _hits(
    query: Query, values: Sequence[Value], paths: Sequence[str], totals: Totals, is_quiet: bool
) -> Generator[Hit, None, None]:
    sentences = (sentence for path in paths for sentence in read_sentences(path))
    with Tqdm.tqdm(sentences, desc="searching", unit=" sentences", disable=is_quiet) as bar:
        for sentence in bar:
            totals.read += 1
            words = query.words(to_xml(sentence))
            if words:
                rows = [tuple(value(word) for value in values) for word in words]
                totals.sentences += 1
                totals.words += len(words)
                totals.values.update(rows)
                yield Hit(sentence, [number_of(word) for word in words], rows)


def _list(hits: Iterator[Hit], several: bool) -> None:
    """Prints a line for each sentence: its file if there are several, its name, its text."""
    console = Console(highlight=False, soft_wrap=True) if sys.stdout.isatty() else None
    for sentence, words, _ in hits:
        source = comment(sentence, "sent_id") or f"line {sentence.line}"
        names = [sentence.path, source] if several else [source]
        parts = marked_text(sentence, words)
        if console:
            styled = [(text, "bold red" if is_found else "") for text, is_found in parts]
            console.print(Text.assemble((" ".join(names), "cyan"), "  ", *styled))
        else:
            text = "".join(f"[{text}]" if is_found else text for text, is_found in parts)
            sys.stdout.write("\t".join([*names, text]) + "\n")


def _write(hits: Iterator[Hit], args: argparse.Namespace, totals: Totals) -> None:
    entries: list[Entry] = []

    def drawn() -> Iterator[Sentence]:
        for sentence, words, _ in hits:
            if args.page and len(entries) < MOST_DRAWN:
                entries.append(_entry(len(entries) + 1, sentence, words))
            yield sentence

    if args.out:
        write_sentences(drawn(), args.out)
    else:
        for _ in drawn():
            pass
    if args.page:
        page = render(
            "search.html",
            title=args.xpath,
            totals=str(totals),
            drawn=len(entries),
            found=totals.sentences,
            counts=_table(args.count, totals.values) if args.count else [],
            trees=listing(entries, are_compared=False),
        )
        write_whole(args.page, [page.encode()])


def _entry(number: int, sentence: Sentence, words: list[int]) -> Entry:
    parts = marked_text(sentence, words)
    text = Markup("").join(
        Markup("<mark>{}</mark>").format(text) if is_found else escape(text)
        for text, is_found in parts
    )
    return entry(number, sentence, text=text, found=words)


def _table(names: Sequence[str], values: Counter[tuple[str, ...]]) -> list[list[str]]:
    rows = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return [["words", *names], *([str(count), *cells] for cells, count in rows)]


def _show(rows: list[list[str]]) -> None:
    if sys.stdout.isatty():
        Console().print(ruled(rows))
    else:
        sys.stdout.write("".join("\t".join(row) + "\n" for row in rows))
