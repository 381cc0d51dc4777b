"""
Cases that adpositions govern: German `bei` has a dative, Russian `о` a prepositional or, seldom, an
accusative.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from udify_allennlp.data.language_sections import lines_of_language
from udify_allennlp.text.casing import lower
from udify_allennlp.text.sentence import Sentence

FILE = Path(__file__).with_name("governed_cases.txt")
"""
Sections `[language]` of lines `case case ...: form form ...`, lower-cased. It is made by
`benchmarks/governed_cases.py` from training treebanks.
"""

Cases = frozenset[str]


class GovernedCases:
    """
    The cases that the adpositions of a language govern.

    # Parameters

    lang : `str`
    """

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._cases: dict[str, Cases] = {}
        for line in lines_of_language(FILE, lang):
            cases, forms = line.split(": ")
            self._cases.update(dict.fromkeys(forms.split(" "), frozenset(cases.split(" "))))

    def of(self, sentence: Sentence) -> Mapping[int, Cases]:
        """Returns, by place, the cases that the words of a parsed sentence may have."""
        if not self._cases:
            return {}
        found = {
            place: self._cases.get(lower(sentence.forms[adposition], self._lang))
            for adposition, place in governed(sentence)
        }
        return {place: cases for place, cases in found.items() if cases is not None}


@lru_cache(maxsize=16)
def governed_cases(lang: str) -> GovernedCases:
    """Returns those of a language, none if it has none in `FILE`."""
    return GovernedCases(lang)


def governed(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """
    Yields the places of adpositions and of the words whose case they alone govern. Left out are
    adpositions of several words, words with several, and those with a number or another quantity,
    which may govern their case instead: Russian `через пять лет`.
    """
    adpositions: dict[int, list[int]] = {}
    others = set[int]()
    for place, (head, deprel) in enumerate(zip(map(int, sentence.heads), sentence.deprels)):
        relation, _, subtype = deprel.partition(":")
        if relation == "case":
            adpositions.setdefault(head - 1, []).append(place)
        elif relation in ("fixed", "goeswith", "nummod") or subtype.endswith("gov"):
            others.add(head - 1)
    for head, (place, *more) in adpositions.items():
        if not more and sentence.upos[place] == "ADP" and others.isdisjoint((place, head)):
            yield place, head
