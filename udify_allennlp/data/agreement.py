"""
Agreement of the features of a word with those of its head, by counts of the training treebanks:
German articles and nouns have the same case, and nouns one that their preposition governs. A
network that predicts each word's features alone often breaks this.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Optional

import numpy

from udify_allennlp.data.agreement_odds import (
    AGREEMENT,
    FINITE,
    AgreementOdds,
    ArcType,
    kind_of,
)
from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.governed_cases import governed_cases
from udify_allennlp.data.known_words import ORIGINS
from udify_allennlp.data.packed_entries import damaged, packed_text, unpacked
from udify_allennlp.data.vocabulary_entries import has_entries
from udify_allennlp.text import misc_column
from udify_allennlp.text.sentence import Columns, Sentence, by_sentence
from udify_allennlp.text.universal_labels import universal_deprel

CANDIDATES = 8
"""Number of labels of such a word, the most probable ones, of which the best is chosen."""
UNGOVERNED = 4.0
"""
What another case than those that an adposition governs costs (nats). On 60 development sentences of
each of 140 treebanks, 67 of the words that change are right then, and 12 were before; with 3, 62
and 9, and with 5, 71 and 16.
"""
_ROUNDS = 3
"""Maximum number of times that a sentence is gone through."""

Candidates = Sequence[tuple[int, float]]
"""The numbers of the most probable labels of a word, and their log-probabilities."""


class Agreement:
    """
    Chooses features of words that go together with those of their heads and dependents: from the
    most probable labels of each word, those with the highest sum of the model's log-probabilities
    and weighted log-odds of arcs, less the costs of cases that are not governed, found by changing
    one word at a time, where an arc is broken: of an article and a noun, first that which is less
    probable.

    # Parameters

    vocab : `Numbers`
    labels : `Sequence[str]`
        All labels of features, in the order of their numbers.
    """

    def __init__(self, vocab: Numbers, labels: Sequence[str]) -> None:
        self._vocab, self._labels = vocab, list(labels)
        self._has_entries = has_entries(vocab, AGREEMENT)
        self._numbers = {label: number for number, label in enumerate(labels)} if self else {}
        self._tables = lru_cache(maxsize=ORIGINS)(self._table)
        self._values = lru_cache(maxsize=2**12)(misc_column.entries)

    def __bool__(self) -> bool:
        return self._has_entries

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        likely: Callable[[Sequence[int]], Sequence[Candidates]],
    ) -> None:
        """
        Replaces, in `columns`, the features of sentences that do not agree.

        # Parameters

        sentences : `Sequence[Sentence]`
            With predicted UPOS and trees.
        langs : `Sequence[str]`
            The language of each word; empty if it is unknown.
        likely : `Callable[[Sequence[int]], Sequence[Candidates]]`
            Returns the candidates of the words at some positions.

        # Raises

        `InputError` if the entry of a language is damaged.
        """
        graphs, start, numbers = [], 0, self.numbers_of(columns)
        for sentence in sentences:
            odds = self._tables(langs[start])
            if odds is not None:
                graphs.append(_Graph(sentence, langs[start], start, odds, numbers))
            start += len(sentence)
        broken = [place for graph in graphs for place in graph.broken]
        if not broken:
            return
        candidates = dict(zip(broken, likely(broken)))
        for graph in graphs:
            graph.correct(candidates)
        cells = (self._labels[number] for number in numbers)
        for own, new in zip(columns, by_sentence(cells, sentences)):
            own["feats"] = list(new)

    def numbers_of(self, columns: Sequence[Columns]) -> list[int]:
        """Returns the numbers of the features of all words in `columns`."""
        return [self._numbers[cell] for own in columns for cell in own["feats"]]

    def _table(self, lang: str) -> Optional[AgreementOdds]:
        text = packed_text(self._vocab, AGREEMENT, lang)
        if not text:
            return None
        try:
            kinds = dict(map(kind_of, unpacked(text).split("\n")))
        except (ValueError, OverflowError, OSError) as error:
            raise damaged("features", AGREEMENT, lang, error) from None
        return AgreementOdds(kinds, lambda label: self._values(self._labels[label]))


class _Graph:
    """
    The arcs of a sentence whose kinds are known, and those from subjects to auxiliaries, with the
    labels of all words of a batch.
    """

    def __init__(
        self, sentence: Sentence, lang: str, start: int, odds: AgreementOdds, labels: list[int]
    ) -> None:
        self._odds, self._labels = odds, labels
        cases = governed_cases(lang).of(sentence)
        self._cases = {start + place: own for place, own in cases.items()}
        upos, heads = sentence.upos, [int(head) - 1 for head in sentence.heads]
        deprels = [*map(universal_deprel, sentence.deprels)]
        auxiliaries: defaultdict[int, list[int]] = defaultdict(list)
        for place, (head, deprel) in enumerate(zip(heads, deprels)):
            if deprel in ("aux", "cop"):
                auxiliaries[head].append(place)
        self._arcs: list[tuple[ArcType, int, int]] = []
        for place, (head, deprel) in enumerate(zip(heads, deprels)):
            if head < 0:
                continue
            kind = ArcType(deprel, upos[place], upos[head])
            if kind in odds.kinds:
                self._arcs.append((kind, start + place, start + head))
            if deprel == "nsubj" and kind._replace(head="VERB") in odds.kinds:
                verbs = (head, *auxiliaries[head])
                finite = next((x for x in verbs if odds.has_person(labels[start + x])), head)
                if finite != head or kind not in odds.kinds:
                    of_finite = kind._replace(head=FINITE)
                    self._arcs.append((of_finite, start + place, start + finite))
        places = {
            place
            for kind, dependent, head in self._arcs
            if odds.is_broken(kind, labels[dependent], labels[head])
            for place in (dependent, head)
        }
        others = {
            place for place, own in self._cases.items() if not odds.may_have(labels[place], own)
        }
        agreeing = {dependent for _, dependent, head in self._arcs if head in others}
        self.broken = sorted(places | others | agreeing)
        """
        The positions of the words of broken arcs, and of those whose case is not governed, with
        their dependents.
        """

    def correct(self, candidates: Mapping[int, Candidates]) -> None:
        """
        Changes labels of the words of broken arcs, given their candidates with log-probabilities.
        """
        labels = self._labels
        arcs_of: dict[int, list[tuple[ArcType, int, int]]] = {place: [] for place in self.broken}
        for arc in self._arcs:
            for place in arc[1:]:
                if place in arcs_of:
                    arcs_of[place].append(arc)

        def best(place: int) -> tuple[float, int]:
            """Returns by how much another label of a word is better, 0 if none is, and the best."""
            own, totals, cases = labels[place], {}, self._cases.get(place)
            for label, score in candidates[place]:
                labels[place] = label
                if cases is not None and not self._odds.may_have(label, cases):
                    score -= UNGOVERNED
                totals[label] = score + sum(
                    self._odds.weighted(kind, labels[dependent], labels[head])
                    for kind, dependent, head in arcs_of[place]
                )
            labels[place] = own
            chosen = max(totals, key=totals.__getitem__, default=own)
            return totals.get(chosen, 0.0) - totals.get(own, -numpy.inf), chosen

        for _ in range(_ROUNDS):
            before = [labels[place] for place in self.broken]
            gains = {place: best(place)[0] for place in self.broken}
            for place in sorted(self.broken, key=gains.__getitem__, reverse=True):
                labels[place] = best(place)[1]
            if before == [labels[place] for place in self.broken]:
                return
