"""
Writes the words of treebanks, with all their annotations, as the vocabulary with which a model
corrects its predictions for them (`KnownWords`).

    python benchmarks/known_words.py FILE.conllu ... --out known_words_labels.txt
    python benchmarks/known_words.py FILE.conllu ... --alone FILE.conllu --out ...

--alone has treebanks whose words do not count for their languages.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from edition_data import TREES

from udify_allennlp.data.columns import UNLABELLED
from udify_allennlp.data.known_words import (
    EMPTY,
    NOT_ANNOTATED,
    Analysis,
    Treebank,
    Word,
    known_words_entry,
)
from udify_allennlp.data.label_limits import MISSING_LEMMA
from udify_allennlp.data.reading import read_table
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.unannotated_columns import without_left_out
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.files import write_whole

TASKS = ("upos", "feats", "lemma")
NOISE = 0.1
"""A lemma with less than this share of the occurrences of a form and UPOS is taken for an error."""

Counts = dict[str, Counter[Analysis]]
"""How often each form of a treebank has each of its annotations."""


def write(files: Sequence[str], target: Path, alone: Sequence[str] = ()) -> None:
    """
    Writes the words of treebanks, the largest of each language first, and those of treebanks that
    stand `alone`.
    """
    treebanks: defaultdict[str, list[Treebank]] = defaultdict(list)
    for treebank in _treebanks(files):
        treebanks[treebank_language(treebank.name)].append(treebank)
    for file in alone:
        (treebank,) = _treebanks([file])
        treebanks[treebank.name].append(treebank)
    lines = (f"{known_words_entry(origin, own)}\n" for origin, own in sorted(treebanks.items()))
    write_whole(target, ["".join(lines).encode()])


def _treebanks(files: Sequence[str]) -> Iterator[Treebank]:
    """Yields the treebanks, the largest first."""
    reader = UniversalDependenciesReader(tasks=list(TASKS), check_trees=False)
    table = read_table(reader, files)
    learned = without_left_out(table, reader.schema)
    names, of_row = table.treebanks
    counts: defaultdict[str, Counts] = defaultdict(lambda: defaultdict(Counter))
    poor: defaultdict[str, set[str]] = defaultdict(set)
    for row, number in enumerate(of_row):
        name = names[number]
        treebank = name.removesuffix(TREES)
        values = zip(*(table.values(row, task) for task in TASKS), learned.values(row, "feats"))
        for form, (upos, feats, rule, own) in zip(table.sentence(row).forms, values):
            if name != treebank:
                feats = NOT_ANNOTATED
            elif feats == EMPTY and own == UNLABELLED:
                poor[treebank].add(upos)
            rule = NOT_ANNOTATED if rule == MISSING_LEMMA else rule
            counts[treebank][form][Analysis(upos, feats, rule)] += 1
    sizes = {name: sum(map(Counter.total, words.values())) for name, words in counts.items()}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        yield _treebank(name, frozenset(poor[name]), counts[name])


def _treebank(name: str, poor: frozenset[str], counts: Counts) -> Treebank:
    """Returns a treebank, without features if it annotates none but others of its language do."""
    if poor and all(own.feats == EMPTY for analyses in counts.values() for own in analyses):
        counts = {form: _without_features(analyses) for form, analyses in counts.items()}
        poor = frozenset()
    words = {form: _word(own) for form, own in counts.items()}
    return Treebank(name, poor, words)


def _word(counts: Counter[Analysis]) -> Word:
    """Returns a form, most frequent analyses first, without lemmas that are rare for their UPOS."""
    lemmas, totals = Counter[tuple[str, str]](), Counter[str]()
    for analysis, count in counts.items():
        lemmas[analysis.upos, analysis.rule] += count
        totals[analysis.upos] += count
    found: dict[Analysis, None] = {}
    for own in sorted(counts, key=lambda analysis: (-counts[analysis], analysis)):
        is_noise = lemmas[own.upos, own.rule] < NOISE * totals[own.upos]
        found[own._replace(rule=NOT_ANNOTATED) if is_noise else own] = None
    return Word(tuple(found), counts.total() == 1)


def _without_features(analyses: Counter[Analysis]) -> Counter[Analysis]:
    found: Counter[Analysis] = Counter()
    for analysis, count in analyses.items():
        found[analysis._replace(feats=NOT_ANNOTATED)] += count
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--alone", nargs="*", default=[], help="treebanks unlike the others")
    parser.add_argument("--out", required=True, help="vocabulary file to write")
    given = parser.parse_args()
    write(given.files, Path(given.out), given.alone)
    return 0


if __name__ == "__main__":
    sys.exit(main())
