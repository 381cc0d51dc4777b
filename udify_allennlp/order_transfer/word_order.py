"""
Differences in word order between languages, and their effect on transfer (Ahmad et al. 2019,
sections 2 and 4.3), computed from sentences and numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.text.conllu import check_tree
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import universal_deprel

ROOT = "ROOT"
"""Placeholder for the UPOS of ROOT, which is to the left of all words."""
ABSENT = 0.5
"""The share for types that a language lacks (the released code)."""
BUCKETS = ("<-2", "-2", "-1", "1", "2", ">2")
"""Distances from head to modifier in words, negative if the modifier is first (Table 4)."""


class ArcType(NamedTuple):
    """A kind of arc: the UPOS of modifier and head, and the universal relation."""

    modifier: str
    head: str
    deprel: str

    def __str__(self) -> str:
        return f"{self.modifier}>{self.head}>{self.deprel}"


_TABLE_6 = {
    "acl": "VERB>NOUN",
    "advcl": "VERB>VERB",
    "advmod": "ADV>VERB ADV>ADJ ADV>NOUN ADV>ADV",
    "amod": "ADJ>NOUN",
    "appos": "NOUN>NOUN",
    "aux": "AUX>VERB",
    "case": "ADP>NOUN ADP>PROPN ADP>PRON",
    "cc": "CCONJ>VERB CCONJ>NOUN CCONJ>ADJ CCONJ>PROPN",
    "ccomp": "VERB>VERB",
    "conj": "NOUN>NOUN VERB>VERB PROPN>PROPN ADJ>ADJ",
    "cop": "AUX>NOUN AUX>ADJ",
    "det": "DET>NOUN",
    "flat": "PROPN>PROPN",
    "iobj": "PRON>VERB",
    "mark": "SCONJ>VERB",
    "nmod": "NOUN>NOUN PROPN>NOUN PRON>NOUN",
    "nsubj": "NOUN>VERB PRON>VERB PROPN>VERB NOUN>ADJ NOUN>NOUN",
    "nummod": "NUM>NOUN",
    "obj": "NOUN>VERB PRON>VERB PROPN>VERB",
    "obl": "NOUN>VERB PROPN>VERB PRON>VERB NOUN>ADJ",
    "punct": "PUNCT>VERB PUNCT>NOUN PUNCT>PROPN PUNCT>ADJ PUNCT>NUM",
    "root": "VERB>ROOT NOUN>ROOT ADJ>ROOT",
    "xcomp": "VERB>VERB",
}
TABLE_6 = sorted(
    ArcType(modifier, head, deprel)
    for deprel, pairs in _TABLE_6.items()
    for modifier, head in (pair.split(">") for pair in pairs.split())
)
"""The 52 types of appendix B, Table 6, including those of ROOT and of punctuation."""


def arc_type(text: str) -> ArcType:
    """Returns `ADJ>NOUN>amod` as a type. Raises `ValueError` for any other form."""
    modifier, head, deprel = text.split(">")
    return ArcType(modifier, head, deprel)


class Directions(NamedTuple):
    """The number of arcs of a type, and of those in which the modifier stands before the head."""

    before: int
    total: int


def arc_types(sentence: Sentence) -> list[ArcType]:
    """The type of each word's arc."""
    upos = [ROOT, *sentence.upos]
    return [
        ArcType(modifier, upos[int(head)], universal_deprel(deprel))
        for modifier, head, deprel in zip(sentence.upos, sentence.heads, sentence.deprels)
    ]


def directions(sentences: Iterable[Sentence]) -> dict[ArcType, Directions]:
    """
    The arcs of some sentences, by type.

    # Raises

    `ConlluError` with file and line for a sentence that has no tree.
    """
    before: Counter[ArcType] = Counter()
    total: Counter[ArcType] = Counter()
    for sentence in sentences:
        check_tree(sentence)
        for word, (head, kind) in enumerate(zip(sentence.heads, arc_types(sentence)), start=1):
            total[kind] += 1
            before[kind] += word < int(head)
    return {kind: Directions(before[kind], count) for kind, count in total.items()}


def frequent_types(
    languages: Sequence[Mapping[ArcType, Directions]],
    share: float = 0.001,
    in_languages: int = 20,
    at_least: int = 1,
) -> list[ArcType]:
    """
    Returns the types with more than a `share` of the arcs, as a mean over languages, that at least
    `in_languages` languages have (appendix B); `at_least`, the number of arcs needed to have a
    type, is not in the paper.
    """
    shares: dict[ArcType, float] = defaultdict(float)
    having: dict[ArcType, int] = defaultdict(int)
    for counts in languages:
        words = sum(directions.total for directions in counts.values())
        for kind, directions in counts.items():
            shares[kind] += directions.total / words / len(languages)
            having[kind] += directions.total >= at_least
    return sorted(k for k in shares if shares[k] > share and having[k] >= in_languages)


def order_vector(
    counts: Mapping[ArcType, Directions],
    types: Sequence[ArcType] = tuple(TABLE_6),
    at_least: int = 1,
) -> numpy.ndarray:
    """
    Returns for each type the share of arcs with the modifier before the head, `(types,)`; `ABSENT`
    for types with fewer than `at_least` arcs (section 2).
    """
    type_directions = [counts.get(kind, Directions(0, 0)) for kind in types]
    shares = [
        d.before / d.total if d.total >= max(at_least, 1) else ABSENT for d in type_directions
    ]
    return numpy.array(shares, dtype=float)


def distance(first: numpy.ndarray, second: numpy.ndarray) -> float:
    """
    Returns the mean absolute difference of two vectors, from 0 to 1. The paper calls it "Manhattan"
    and has these means in its tables.
    """
    return float(numpy.abs(first - second).mean())


def distances(vectors: Sequence[numpy.ndarray]) -> numpy.ndarray:
    """Returns `distance` between all pairs, `(n, n)`."""
    rows = numpy.stack(list(vectors))
    pair_distances: numpy.ndarray = numpy.abs(rows[:, None] - rows[None]).mean(2)
    return pair_distances


def bucket(word: int, head: int) -> Optional[str]:
    """Returns the bucket of an arc among `BUCKETS`; `None` for the arc of ROOT."""
    if head == 0:
        return None
    between = word - head
    if abs(between) > 2:
        return BUCKETS[0] if between < 0 else BUCKETS[-1]
    return str(between)


def dependency_distances(sentences: Iterable[Sentence]) -> dict[str, float]:
    """
    Returns the share of each of the `BUCKETS` among the arcs between words, in percent (Table 4).

    # Raises

    `ConlluError` with file and line for a sentence that has no tree.
    """
    counts: Counter[Optional[str]] = Counter()
    for sentence in sentences:
        check_tree(sentence)
        counts.update(bucket(*arc) for arc in enumerate(map(int, sentence.heads), start=1))
    total = sum(counts[name] for name in BUCKETS)
    return {name: 100 * counts[name] / total if total else 0.0 for name in BUCKETS}


class Correlation(NamedTuple):
    """A correlation coefficient with its 95% confidence interval; `None` if undefined."""

    value: Optional[float]
    low: Optional[float]
    high: Optional[float]


def correlations(x: Sequence[float], y: Sequence[float]) -> dict[str, Correlation]:
    """
    Returns `pearson` and `spearman` of points, with intervals by Fisher's z; its variance is `1 /
    (n - 3)`, for ranks `(1 + r^2 / 2) / (n - 3)` (Bonett and Wright 2000). They are undefined for
    fewer than 5 points, or if all values of `x` or of `y` are equal. The paper correlates the
    distance from English with the loss in transfer: the mean of UAS and LAS for English minus that
    for the language.
    """
    if len(x) < 5 or min(len(set(x)), len(set(y))) < 2:
        return dict.fromkeys(("pearson", "spearman"), Correlation(None, None, None))
    from scipy.stats import pearsonr, spearmanr

    pearson, spearman = float(pearsonr(x, y).statistic), float(spearmanr(x, y).statistic)
    return {
        "pearson": _interval(pearson, 1 / (len(x) - 3)),
        "spearman": _interval(spearman, (1 + spearman**2 / 2) / (len(x) - 3)),
    }


def _interval(r: float, variance: float) -> Correlation:
    z, reach = numpy.arctanh(numpy.clip(r, -1 + 1e-12, 1 - 1e-12)), 1.96 * variance**0.5
    return Correlation(r, float(numpy.tanh(z - reach)), float(numpy.tanh(z + reach)))
