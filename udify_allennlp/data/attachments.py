"""
Arcs and deprels of the training treebanks by parts of speech: counts that correct the scores of a
network, which learns little of a small treebank among many.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple, Optional

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.deprel_odds import DEPREL_WORDS, DeprelOdds, arc_words, kinds
from udify_allennlp.data.known_words import ORIGINS
from udify_allennlp.data.packed_entries import damaged, packed_entry, packed_text, unpacked
from udify_allennlp.data.vocabulary_entries import has_entries
from udify_allennlp.text.sentence import Sentence

ATTACHMENTS = "attachments_labels"
"""
Namespace of the vocabulary: entries `language<tab>text`, the text compressed and in base 64. Each
line is of one kind of arc: `dependent head side<tab>odds ...<tab>other deprel rank deprel ...`. The
kind is the UPOS of both words, `ROOT_UPOS` for ROOT, and `<` if the dependent comes before its
head, else `>`. Then follow the log-odds of such an arc at each of `DISTANCES`, relative to any two
words of a sentence, or one for all, and the log-probabilities of deprels, first that of all others;
both in steps of `STEP` nats. The first line, of the kind `OTHERS`, is that of all other kinds.
"""
ROOT_UPOS = "^"
LEFT, RIGHT = "<", ">"
OTHERS = ("*", "*", LEFT)
DISTANCES = (1, 2, 3, 4, 6, 9, 14)
"""Upper bounds of the distances of words that are counted together; longer ones are another."""
STEP = 0.5
ARCS, DEPRELS = 0.4, 0.3
"""
Weights of the log-odds of arcs and of the log-probabilities of deprels, in nats; those of the model
have 1. Chosen on development sentences of 263 treebanks, of which LAS rises by 1.4 on average.
"""
STAND_INS = {
    **{"koi": "fi", "kpv": "fi", "mdf": "myv", "olo": "fi", "sms": "sme"},
    **{"bxr": "tr", "kmr": "fa", "lij": "it", "nmf": "kk"},
}
"""
Languages of which training has 17 to 30 sentences, with those whose arcs count instead: of the same
genus or, without one that has enough, with words in a similar order. Not for Kazakh, whose own 27
sentences are better. LAS of seven of them rises by 1.5 to 7.0, by 3.9 on average.
"""
_OF_STAND_INS = 2.0
"""How many times the weights count then: the network knows such a language least."""


class _Table(NamedTuple):
    """The kinds of arcs of a language."""

    numbers: Mapping[str, int]
    """The number of each UPOS; the next two are those of ROOT and of a UPOS that it lacks."""
    arcs: numpy.ndarray
    """Weighted log-odds, float32 `(dependent UPOS, head UPOS, side, distance)`."""
    deprels: numpy.ndarray
    """Weighted log-probabilities, float32 `(dependent UPOS, head UPOS, side, deprels)`."""

    @property
    def root(self) -> int:
        return len(self.numbers)

    def of(self, upos: Sequence[str]) -> numpy.ndarray:
        """Returns the numbers of UPOS."""
        return numpy.array([self.numbers.get(tag, self.root + 1) for tag in upos], numpy.int64)

    def times(self, factor: float) -> "_Table":
        return self._replace(arcs=self.arcs * factor, deprels=self.deprels * factor)


class KnownArcs:
    """
    The log-odds of arcs and the log-probabilities of deprels by the parts of speech of both words,
    and for deprels also by their features and forms (`deprel_odds.py`). They are those of the
    treebank, if it is annotated unlike the others of its language, otherwise the language's, or by
    the parts of speech those of its stand-in (`STAND_INS`).

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All deprels, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._vocab, self._labels = vocab, list(labels)
        self._has_entries = has_entries(vocab, ATTACHMENTS)
        self._tables = lru_cache(maxsize=ORIGINS)(self._table)
        self._odds = lru_cache(maxsize=ORIGINS)(self._deprel_odds)
        self._counted = lru_cache(maxsize=2**9)(self._origin)

    def __bool__(self) -> bool:
        return self._has_entries

    def of_batch(
        self, sentences: Sequence[Sentence], langs: Sequence[str], treebanks: Sequence[str]
    ) -> "BatchArcs":
        """
        Returns those of sentences with UPOS and features, given the language and the treebank of
        each word, `""` if unknown.

        # Raises

        `InputError` if the entry of a language or a treebank is damaged.
        """
        last = [end - 1 for end in accumulate(map(len, sentences))]
        origins = [(treebanks[word], langs[word]) for word in last]
        tables = [self._tables(self._counted(ATTACHMENTS, *own)) for own in origins]
        odds = [self._odds(self._counted(DEPREL_WORDS, *own)) for own in origins]
        return BatchArcs(sentences, [lang for _, lang in origins], tables, odds, len(self._labels))

    def _origin(self, namespace: str, treebank: str, lang: str) -> str:
        """Returns the treebank if it has an entry in a namespace, otherwise the language."""
        return treebank if packed_text(self._vocab, namespace, treebank) else lang

    def _deprel_odds(self, origin: str) -> DeprelOdds:
        return DeprelOdds(self._vocab, origin, self._labels)

    def _table(self, origin: str) -> Optional[_Table]:
        other = packed_text(self._vocab, ATTACHMENTS, STAND_INS.get(origin, ""))
        text = other or packed_text(self._vocab, ATTACHMENTS, origin)
        if not text:
            return None
        try:
            table = _table_of(unpacked(text).split("\n"), self._labels)
            return table.times(_OF_STAND_INS) if other else table
        except (ValueError, OverflowError, OSError, KeyError) as error:
            raise damaged("arcs", ATTACHMENTS, origin, error) from None


class BatchArcs:
    """
    The corrections of the arcs and deprels of a batch.

    # Parameters

    sentences : `Sequence[Sentence]`
    langs : `Sequence[str]`
        The language of each sentence, `""` if it is unknown.
    tables : `Sequence[Optional[_Table]]`
        That of each sentence's language or treebank, if there is one.
    odds : `Sequence[DeprelOdds]`
        Those of the same.
    labels : `int`
        The number of deprels.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        tables: Sequence[Optional[_Table]],
        odds: Sequence[DeprelOdds],
        labels: int,
    ) -> None:
        self._sentences, self._tables, self._count = sentences, tables, labels
        self._odds = [own for own, sentence in zip(odds, sentences) for _ in range(len(sentence))]
        self._words = list(chain.from_iterable(map(arc_words, sentences, langs)))
        self._upos = [
            table.of(sentence.upos) if table else numpy.zeros(len(sentence), dtype=numpy.int64)
            for sentence, table in zip(sentences, tables)
        ]

    def arcs(self, size: int) -> numpy.ndarray:
        """
        Returns what to add to the scores of arcs, float32 `(sentences, size, size)`, of dependents
        and heads, as in `DependencyScores.arcs`: ROOT, the words, padding.
        """
        found = numpy.zeros((len(self._tables), size, size), dtype=numpy.float32)
        for row, table, upos in zip(found, self._tables, self._upos):
            if table is not None:
                words, end = numpy.arange(len(upos)), len(upos) + 1
                side, distance = _places(words[:, None], words[None, :])
                row[1:end, 1:end] = table.arcs[upos[:, None], upos[None, :], side, distance]
                row[1:end, 0] = table.arcs[upos, table.root, 0, 0]
        return found

    def deprels(self, words: numpy.ndarray, heads: numpy.ndarray) -> numpy.ndarray:
        """
        Returns what to add to the log-probabilities of deprels, float32 `(arcs, labels)`, given the
        numbers of dependents and heads in the batch, `(arcs,)` each; of a head below 0, ROOT, 0.
        """
        found = numpy.zeros((len(words), self._count), dtype=numpy.float32)
        upos = numpy.concatenate(self._upos)
        sizes = [len(sentence) for sentence in self._sentences]
        tables = list({id(table): table for table in self._tables if table is not None}.values())
        for table in tables:
            has_table = numpy.repeat([own is table for own in self._tables], sizes)
            arcs = numpy.flatnonzero((heads >= 0) & has_table[words])
            some, governors = words[arcs], heads[arcs]
            side, _ = _places(some, governors)
            found[arcs] = table.deprels[upos[some], upos[governors], side]
        pairs = zip(words.tolist(), heads.tolist())
        for place, (word, head) in enumerate(pairs):
            if head >= 0:
                for kind in kinds(self._words[word], self._words[head]):
                    odds = self._odds[word].of(kind)
                    if odds is not None:
                        found[place] += odds
        return found


def _places(dependents: numpy.ndarray, heads: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns on which side of its head a word is, 0 before it, and the number of the distance."""
    distances = numpy.searchsorted(DISTANCES, numpy.abs(dependents - heads))
    return (dependents > heads).astype(numpy.int64), distances


class ArcKind(NamedTuple):
    """A line of an entry."""

    dependent: str
    head: str
    side: str
    odds: tuple[int, ...]
    """The log-odds at each distance, or one number for all distances, in steps of `STEP` nats."""
    other: int
    """The log-probability of each deprel that is not in `deprels`, in such steps."""
    deprels: Mapping[str, int]
    """The log-probabilities of deprels, in such steps."""


def attachments_entry(origin: str, kinds: Iterable[ArcKind]) -> str:
    """Returns the entry of a language or a treebank."""
    lines = []
    for kind in kinds:
        deprels = (cell for name, rank in kind.deprels.items() for cell in (name, str(rank)))
        cells = [
            f"{kind.dependent} {kind.head} {kind.side}",
            " ".join(map(str, kind.odds)),
            " ".join([str(kind.other), *deprels]),
        ]
        lines.append("\t".join(cells))
    return packed_entry(origin, "\n".join(lines))


def _table_of(lines: Sequence[str], labels: Sequence[str]) -> _Table:
    """Raises `ValueError` or `KeyError` if a line is damaged."""
    others, *kinds = [line.split("\t") for line in lines]
    named = sorted({name for kind, _, _ in kinds for name in kind.split(" ")[:2]} - {ROOT_UPOS})
    numbers = {name: number for number, name in enumerate(named)}
    places = {**numbers, ROOT_UPOS: len(named)}
    shape = (len(named) + 2, len(named) + 2, 2)
    arcs = numpy.zeros((*shape, len(DISTANCES) + 1), dtype=numpy.float32)
    deprels = numpy.zeros((*shape, len(labels)), dtype=numpy.float32)
    # Of words with a UPOS that training lacks, nothing is known.
    arcs[:-2, :-1] = int(others[1]) * (ARCS * STEP)
    deprels[:-2, :-2] = int(others[2]) * (DEPRELS * STEP)
    columns = {label: number for number, label in enumerate(labels)}
    for kind, odds, ranks in kinds:
        dependent, head, side = kind.split(" ")
        place = (places[dependent], places[head], (LEFT, RIGHT).index(side))
        arcs[place] = numpy.array(list(map(int, odds.split(" ")))) * (ARCS * STEP)
        other, *own = ranks.split(" ")
        deprels[place] = int(other) * (DEPRELS * STEP)
        for label, rank in zip(own[::2], own[1::2]):
            if label in columns:
                deprels[(*place, columns[label])] = int(rank) * (DEPRELS * STEP)
    return _Table(numbers, arcs, deprels)
