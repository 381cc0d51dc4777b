"""
Counts of split tokens in treebanks, for the list of certain multiword tokens of the package.

    python benchmarks/certain_splits.py FILE.conllu ...

Files are named by paths or globs, and may be compressed. A row is printed for each language: its
treebanks that split any of the forms, the number of tokens, the share that is split, and the forms
of which less than 97% are split.
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
from udify_allennlp.text.surfaces import surfaces

ENOUGH = 0.97
"""Share of the tokens of a form that are split."""


def tokens(path: str, forms: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yields the tokens of a file with certain forms, lower-cased, and whether they are split."""
    known = {*forms}
    for sentence in read_sentences(path):
        for surface in surfaces(sentence):
            form = surface.text.lower()
            if form in known:
                yield form, len(surface.words) > 1


def rows(paths: Iterable[str]) -> Iterator[tuple[str, str, int, float, list[str]]]:
    """Yields the language, its treebanks, the number of tokens, their share, and rare forms."""
    counts: defaultdict[str, defaultdict[str, Counter[tuple[str, bool]]]]
    counts = defaultdict(lambda: defaultdict(Counter))
    for path in paths:
        treebank = treebank_name(path)
        lang = treebank_language(treebank)
        if contractions(lang):
            counts[lang][treebank].update(tokens(path, contractions(lang)))
    for lang, by_treebank in sorted(counts.items()):
        # A treebank that splits none of them has other conventions.
        splitting = {
            treebank: found
            for treebank, found in by_treebank.items()
            if any(is_split for _, is_split in found)
        }
        total: Counter[tuple[str, bool]] = sum(splitting.values(), Counter())
        number = total.total()
        share = sum(total[form, True] for form in contractions(lang)) / max(1, number)
        rare = [
            f"{form} {total[form, True]} of {total[form, True] + total[form, False]}"
            for form in contractions(lang)
            if total[form, False] > (1 - ENOUGH) / ENOUGH * total[form, True]
        ]
        yield lang, " ".join(sorted(splitting)), number, share, rare


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="CoNLL-U files or globs")
    paths = [path for name in parser.parse_args().files for path in expand_paths(name)]
    print("lang", "tokens", "split", "below 97%", "treebanks", sep="\t")
    for lang, treebanks, number, share, rare in rows(paths):
        print(lang, number, f"{100 * share:.2f}", ", ".join(rare) or "-", treebanks, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
