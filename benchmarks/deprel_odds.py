"""
Writes how probable deprels are by the features of both words in treebanks
(`udify_allennlp/data/deprel_odds.txt`), and by their forms (a vocabulary of an archive).

    python benchmarks/deprel_odds.py FILE.conllu ... [--alone FILE.conllu ...]
        [--out FILE] [--words FILE]

--alone has treebanks that are annotated unlike the others of their languages.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import log
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from known_trees import weight_of, write_entries

from udify_allennlp.data.deprel_odds import STEP, ArcWord, arc_words, kinds, word_deprels_entry
from udify_allennlp.data.language_sections import text_of_sections
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole

FEWEST, FEWEST_OF_WORDS = 10, 4
"""Minimum number of arcs of a kind, by features and by a form."""
LEAST = 0.5
"""Minimum average of the absolute log-odds (nats) of the arcs of a kind; others say little."""
_SMOOTHING = 20.0
"""Number of arcs by which those of a kind are smoothed, as those of their UPOS are."""

Kinds = defaultdict[str, Counter[str]]
"""Deprels by the names of kinds."""


class Counts:
    """The arcs of a language."""

    def __init__(self) -> None:
        self.sentences = 0
        self._features: Kinds = defaultdict(Counter)
        self._words: Kinds = defaultdict(Counter)
        self._pairs: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)

    def add(self, dependent: ArcWord, head: ArcWord, deprel: str) -> None:
        of_features, *of_words = kinds(dependent, head)
        self._features[of_features][deprel] += 1
        for kind in of_words:
            self._words[kind][deprel] += 1
        self._pairs[dependent.upos, head.upos][deprel] += 1

    def features(self) -> Iterator[str]:
        """Yields the lines of kinds by features."""
        return self._lines(self._features, FEWEST)

    def words(self) -> Iterator[str]:
        """Yields the lines of kinds by forms."""
        return self._lines(self._words, FEWEST_OF_WORDS)

    def _lines(self, counted: Kinds, fewest: int) -> Iterator[str]:
        weight = weight_of(self.sentences)
        for kind, counts in sorted(counted.items()):
            total = counts.total()
            if total < fewest:
                continue
            pair = self._pairs[tuple(kind.split(" ", 2)[:2])]
            other = log(_SMOOTHING / (total + _SMOOTHING))
            odds = {}
            for deprel, count in counts.items():
                chance = (pair[deprel] + 0.5) / (pair.total() + 10)
                smoothed = (count + _SMOOTHING * chance) / (total + _SMOOTHING)
                odds[deprel] = log(smoothed / chance)
            if sum(abs(odds[deprel]) * count for deprel, count in counts.items()) < LEAST * total:
                continue
            of_others = round(weight * other / STEP)
            ranks = {deprel: round(weight * own / STEP) for deprel, own in odds.items()}
            cells = [
                f"{deprel} {rank}"
                for deprel, rank in sorted(ranks.items(), key=lambda pair: (-pair[1], pair[0]))
                if rank != of_others
            ]
            if of_others or any(ranks.values()):
                yield f"{kind}\t{' '.join([str(of_others), *cells])}"


def counts_of(files: Iterable[str], alone: Iterable[str] = ()) -> Mapping[str, Counts]:
    """Returns the counts of each language, and of each treebank that stands `alone`."""
    own = {treebank_name(file): counts for file in alone for counts in _counts([file]).values()}
    return {**_counts(files), **own}


def _counts(files: Iterable[str]) -> Mapping[str, Counts]:
    found: defaultdict[str, Counts] = defaultdict(Counts)
    for path in expand_paths(files):
        lang = treebank_language(treebank_name(path))
        counts = found[lang]
        for sentence in read_sentences(path):
            counts.sentences += 1
            words = arc_words(sentence, lang)
            for word, head, deprel in zip(words, sentence.heads, sentence.deprels):
                if head != "0":
                    counts.add(word, words[int(head) - 1], deprel)
    return found


def write_words(counts: Mapping[str, Counts], path: Path) -> None:
    """Writes the vocabulary of deprels by forms."""
    lines = ((lang, list(own.words())) for lang, own in sorted(counts.items()))
    write_entries(path, (word_deprels_entry(lang, own) for lang, own in lines if own))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="training treebanks")
    parser.add_argument("--alone", nargs="*", default=[], help="treebanks unlike the others")
    parser.add_argument("--out", metavar="FILE", help="file of deprels by features to write")
    parser.add_argument("--words", metavar="FILE", help="vocabulary of deprels by forms to write")
    given = parser.parse_args()
    counts = counts_of(given.files, given.alone)
    if given.out:
        text = text_of_sections({lang: own.features() for lang, own in sorted(counts.items())})
        write_whole(Path(given.out), [text.encode()])
    if given.words:
        write_words(counts, Path(given.words))


if __name__ == "__main__":
    main()
