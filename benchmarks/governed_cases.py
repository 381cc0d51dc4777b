"""
Writes the cases that adpositions govern in treebanks (`udify_allennlp/data/governed_cases.txt`).

    python benchmarks/governed_cases.py FILE.conllu ... --out FILE
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp.data.governed_cases import governed
from udify_allennlp.data.language_sections import text_of_sections
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole

FEWEST, SHARE, TWICE = 5, 0.015, 2
"""
Minimum number of words with a case that an adposition governs; minimum share and number of those
with a case that it is taken to govern.
"""

_WORD = re.compile(r"[^\W\d_][^\s:]*")

Counts = Mapping[str, Counter[str]]


def counts_of(files: Iterable[str]) -> Mapping[str, Counts]:
    """Returns, by language and adposition, the number of words in each case that it governs."""
    found: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        for sentence in read_sentences(path):
            feats, forms = sentence.feats, sentence.forms
            for place, head in governed(sentence):
                case = misc_column.entries(feats[head]).get("Case")
                if case is not None:
                    found[lang][lower(forms[place], lang)][case] += 1
    return found


def lines_of(counts: Counts) -> Iterator[str]:
    """Yields the lines of a language."""
    forms_of: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for form, cases in counts.items():
        total = cases.total()
        least = max(TWICE, SHARE * total)
        own = tuple(sorted(case for case, count in cases.items() if count >= least))
        if total >= FEWEST and own and _WORD.fullmatch(form):
            forms_of[own].append(form)
    for own, forms in sorted(forms_of.items()):
        yield f"{' '.join(own)}: {' '.join(sorted(forms))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="training treebanks")
    parser.add_argument("--out", required=True, help="file to write")
    given = parser.parse_args()
    found = sorted(counts_of(given.files).items())
    text = text_of_sections({lang: lines_of(counts) for lang, counts in found})
    write_whole(Path(given.out), [text.encode()])


if __name__ == "__main__":
    main()
