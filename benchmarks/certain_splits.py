"""
Counts of split tokens in treebanks, for the certain multiword tokens of the package.

    python benchmarks/certain_splits.py FILE.conllu ...

Files are named by paths or globs, and may be compressed. A row is printed for the closed classes of
each language: its treebanks that split any of the forms, the number of tokens, the share that is
split, and the forms of which less than 97% are split. Another one is printed for its verbs with
pronouns (`enclitics.py`), of which those count that are split into the same words, and the others
are named.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.contractions import contractions
from udify_allennlp.text.enclitics import enclitics
from udify_allennlp.text.surfaces import surfaces

CONTRACTIONS, VERBS = "contractions", "verbs"
ENOUGH = 0.97
"""Share of the tokens of a form that are split."""


def tokens(path: str, lang: str) -> Iterator[tuple[str, str, bool]]:
    """
    Yields for each certain token of a file its kind, its form, lower-cased, and whether it is split
    as we do.
    """
    for sentence in read_sentences(path):
        for surface in surfaces(sentence):
            form = surface.text.lower()
            if form in contractions(lang):
                yield CONTRACTIONS, form, len(surface.words) > 1
            elif words := enclitics(surface.text, lang):
                yield VERBS, form, tuple(word.lower() for word in surface.words) == words


def rows(paths: Iterable[str]) -> Iterator[tuple[str, str, str, int, float, list[str]]]:
    """Yields the language, kind, treebanks, the number of tokens, their share, and rare forms."""
    counts: defaultdict[tuple[str, str], defaultdict[str, Counter[tuple[str, bool]]]]
    counts = defaultdict(lambda: defaultdict(Counter))
    for path in paths:
        treebank = treebank_name(path)
        lang = treebank_language(treebank)
        for kind, form, is_split in tokens(path, lang):
            counts[lang, kind][treebank][form, is_split] += 1
    for (lang, kind), by_treebank in sorted(counts.items()):
        # A treebank that splits none of them has other conventions.
        splitting = {
            treebank: found
            for treebank, found in by_treebank.items()
            if any(is_split for _, is_split in found)
        }
        total: Counter[tuple[str, bool]] = sum(splitting.values(), Counter())
        number = total.total()
        share = sum(count for (_, is_split), count in total.items() if is_split) / max(1, number)
        rare = [
            f"{form} {total[form, True]} of {total[form, True] + total[form, False]}"
            for form in sorted({form for form, _ in total})
            if total[form, False] > (1 - ENOUGH) / ENOUGH * total[form, True]
        ]
        yield lang, kind, " ".join(sorted(splitting)), number, share, rare


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="CoNLL-U files or globs")
    paths = [path for name in parser.parse_args().files for path in expand_paths(name)]
    print("lang", "kind", "tokens", "split", "below 97%", "treebanks", sep="\t")
    for lang, kind, treebanks, number, share, rare in rows(paths):
        shown = ", ".join(rare) or "-"
        print(lang, kind, number, f"{100 * share:.2f}", shown, treebanks, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
