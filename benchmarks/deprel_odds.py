"""
Writes how probable deprels are by the features of both words in treebanks
(`udify_allennlp/data/deprel_odds.txt`).

    python benchmarks/deprel_odds.py FILE.conllu ... --out FILE
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import log
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from known_trees import weight_of

from udify_allennlp.data.deprel_odds import STEP, Kind
from udify_allennlp.data.language_sections import text_of_sections
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole

FEWEST = 10
"""Minimum number of arcs of a kind."""
LEAST = 0.5
"""Minimum average of the absolute log-odds (nats) of the arcs of a kind; others say little."""
_SMOOTHING = 20.0
"""Number of arcs by which those of a kind are smoothed, as those of their UPOS are."""


class Counts:
    """The arcs of a language."""

    def __init__(self) -> None:
        self.sentences = 0
        self._kinds: defaultdict[Kind, Counter[str]] = defaultdict(Counter)
        self._pairs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add(self, kind: Kind, deprel: str) -> None:
        self._kinds[kind][deprel] += 1
        self._pairs[kind.dependent, kind.head][deprel] += 1

    def lines(self) -> Iterator[str]:
        weight = weight_of(self.sentences)
        for kind, counts in sorted(self._kinds.items()):
            total = counts.total()
            if total < FEWEST:
                continue
            pair = self._pairs[kind.dependent, kind.head]
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
                yield f"{' '.join(kind)}\t{' '.join([str(of_others), *cells])}"


def counts_of(files: Iterable[str]) -> Mapping[str, Counts]:
    """Returns the counts of each language."""
    found: defaultdict[str, Counts] = defaultdict(Counts)
    for path in expand_paths(files):
        counts = found[treebank_language(treebank_name(path))]
        for sentence in read_sentences(path):
            counts.sentences += 1
            upos, feats = sentence.upos, sentence.feats
            heads = [int(head) - 1 for head in sentence.heads]
            for place, (head, deprel) in enumerate(zip(heads, sentence.deprels)):
                if head >= 0:
                    tags, both = (upos[place], upos[head]), (feats[place], feats[head])
                    counts.add(Kind.of(tags, both), deprel)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("files", nargs="+", help="training treebanks")
    parser.add_argument("--out", required=True, help="file to write")
    given = parser.parse_args()
    found = sorted(counts_of(given.files).items())
    text = text_of_sections({lang: counts.lines() for lang, counts in found})
    write_whole(Path(given.out), [text.encode()])


if __name__ == "__main__":
    main()
