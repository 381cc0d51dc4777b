"""Counts of errors in a parse by label, length and sentence, for gold words."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from udify_allennlp.data.tasks import Feats, Lemma, Upos
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import universal_deprel

Pair = tuple[Sentence, Sentence]
"""A gold sentence and its parse."""
Confusion = Counter[tuple[str, str]]
"""Counts of predicted labels for each gold label."""
LENGTHS = (5, 10, 20, 30, 50)
"""Upper bounds of the classes of sentence length, in words."""
DISTANCES = (1, 2, 5, 10)
"""Upper bounds of the classes of distance to the gold head, in words."""


class Kind(NamedTuple):
    """A kind of word: the number of its words, and of its correct words by measure."""

    name: str
    words: int
    right: dict[str, int]


class Label(NamedTuple):
    """
    A relation: the numbers of its gold words, its predicted words, and the correct ones, whose head
    is correct too.
    """

    name: str
    gold: int
    predicted: int
    right: int


class _Word(NamedTuple):
    upos: str
    deprel: str
    length: str
    distance: str
    right: dict[str, bool]


class Errors:
    """
    # Parameters

    pairs : `Sequence[Pair]`
        Gold and parsed sentences with the same words.
    columns : `Collection[str]`
        Columns that are predicted and that gold has; only these are counted.
    """

    def __init__(self, pairs: Sequence[Pair], columns: Collection[str]) -> None:
        self.pairs = pairs
        self.has_trees = {"heads", "deprels"} <= set(columns)
        self._checks = [check for check in _CHECKS if set(check[1]) <= set(columns)]
        self.measures = [name for name, *_ in self._checks]
        self._words = [word for pair in pairs for word in self._of(*pair)]
        self.confusions: dict[str, Confusion] = {}
        """Confusions of UPOS and of universal relations, if they are counted."""
        if "upos" in columns:
            self.confusions["UPOS"] = Counter(
                pair for gold, new in pairs for pair in zip(gold.upos, new.upos)
            )
        if self.has_trees:
            self.confusions["relations"] = Counter(
                (universal_deprel(a), universal_deprel(b))
                for gold, new in pairs
                for a, b in zip(gold.deprels, new.deprels)
            )

    @property
    def words(self) -> int:
        return len(self._words)

    def by_all(self) -> list[Kind]:
        """Returns all words as one kind; an empty list if there are no words."""
        return self._kinds(["all"] * len(self._words), ["all"])

    def by_length(self) -> list[Kind]:
        """Returns the kinds of words by sentence length."""
        return self._kinds((word.length for word in self._words), _classes(LENGTHS))

    def by_distance(self) -> list[Kind]:
        """Returns the kinds of words by distance to the gold head."""
        return self._kinds((word.distance for word in self._words), ["root", *_classes(DISTANCES)])

    def by_upos(self) -> list[Kind]:
        """Returns the kinds of words by gold UPOS, the most frequent first."""
        names = [name for name, _ in Counter(word.upos for word in self._words).most_common()]
        return self._kinds((word.upos for word in self._words), names)

    def labels(self) -> list[Label]:
        """Returns the counts of each universal relation, the most frequent first."""
        confusion = self.confusions["relations"]
        gold: Counter[str] = Counter()
        predicted: Counter[str] = Counter()
        for (label, guess), count in confusion.items():
            gold[label] += count
            predicted[guess] += count
        right = Counter(word.deprel for word in self._words if word.right["LAS"])
        names = sorted({*gold, *predicted}, key=lambda name: (-gold[name], name))
        return [Label(name, gold[name], predicted[name], right[name]) for name in names]

    def worst(self, number: int) -> list[Pair]:
        """
        Returns the sentences with the most errors, by LAS or, without trees, by another measure;
        among equals, shorter sentences come first. Sentences without errors are left out.
        """
        measure = self.measures[-1] if self.measures else ""
        counted = []
        words = iter(self._words)
        for pair in self.pairs:
            sentence_words = [next(words) for _ in range(len(pair[0]))]
            wrong = sum(not word.right.get(measure, True) for word in sentence_words)
            counted.append((wrong, -len(sentence_words), pair))
        ranked = sorted(counted, key=lambda row: row[:2], reverse=True)
        return [pair for wrong, _, pair in ranked[:number] if wrong]

    def _kinds(self, kinds: Iterable[str], names: Sequence[str]) -> list[Kind]:
        words: Counter[str] = Counter()
        right: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for kind, word in zip(kinds, self._words):
            words[kind] += 1
            right[kind].update(name for name, is_right in word.right.items() if is_right)
        return [
            Kind(name, words[name], {measure: right[name][measure] for measure in self.measures})
            for name in names
            if words[name]
        ]

    def _of(self, gold: Sentence, new: Sentence) -> list[_Word]:
        right = {
            name: [check(*cells) for cells in zip(*_cells(gold, columns), *_cells(new, columns))]
            for name, columns, check in self._checks
        }
        length = _class_of(len(gold), LENGTHS)
        return [
            _Word(
                upos,
                universal_deprel(deprel),
                length,
                _distance(number, head),
                {name: flags[number - 1] for name, flags in right.items()},
            )
            for number, (upos, deprel, head) in enumerate(
                zip(gold.upos, gold.deprels, gold.heads), start=1
            )
        ]


def _cells(sentence: Sentence, columns: Sequence[str]) -> list[list[str]]:
    return [getattr(sentence, name) for name in columns]


# As `scoring/official.py` counts them for gold words: the measure, its columns, and whether a word
# is right by its gold cells and then the others.
_CHECKS = (
    ("UPOS", ("upos",), Upos.same),
    ("UFeats", ("feats",), Feats.same),
    ("Lemmas", ("lemmas",), Lemma.same),
    ("UAS", ("heads",), lambda a, b: a == b),
    (
        "LAS",
        ("heads", "deprels"),
        lambda a, d, b, e: a == b and universal_deprel(d) == universal_deprel(e),
    ),
)


def _distance(word: int, head: str) -> str:
    if not head.isdecimal():  # gold has no trees
        return ""
    return "root" if head == "0" else _class_of(abs(int(head) - word), DISTANCES)


@cache  # asked for each word
def _classes(ends: tuple[int, ...]) -> list[str]:
    starts = [1, *(end + 1 for end in ends)]
    named = [str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends)]
    return [*named, f"over {ends[-1]}"]


def _class_of(number: int, ends: tuple[int, ...]) -> str:
    return _classes(ends)[sum(number > end for end in ends)]
