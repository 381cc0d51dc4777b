"""The grammatical gender of a translated entity, according to a parser's trees."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from udify_allennlp.compression.gender_bias import FEMALE, MALE, NEUTRAL, Gender
from udify_allennlp.text.sentence import Sentence

_GENDERS = {"Masc": MALE, "Fem": FEMALE, "Neut": NEUTRAL}
_NOUNS = ("NOUN", "PROPN")
_ARTICLES, _OTHERS = ("det",), ("amod", "acl")
"""
Relations of dependents that agree with a noun: those that take precedence over it, and the others.
"""


class ParsedWord(NamedTuple):
    """A word of a translation, with its gender and its position in the tree."""

    form: str
    upos: str
    deprel: str
    head: int
    """The index of its head; its own for a root."""
    gender: Gender


def parsed_words(sentences: Iterable[Sentence]) -> list[ParsedWord]:
    """Returns the words of a translation, which may have several sentences, in order."""
    words: list[ParsedWord] = []
    for sentence in sentences:
        start = len(words) - 1
        columns = zip(
            sentence.forms, sentence.upos, sentence.deprels, sentence.heads, sentence.feats
        )
        for number, (form, upos, deprel, head, feats) in enumerate(columns, 1):
            place = start + (int(head) or number)
            words.append(ParsedWord(form, upos, deprel.split(":")[0], place, _gender(feats)))
    return words


def _gender(feats: str) -> Gender:
    for feature in feats.split("|"):
        name, _, value = feature.partition("=")
        if name == "Gender":
            return _GENDERS.get(value)  # of `Fem,Masc`, none
    return None


def entity_gender(words: list[ParsedWord], aligned: Collection[int]) -> Gender:
    """
    Returns the gender of an entity.

    # Parameters

    words : `List[ParsedWord]`
        The words of its translation.
    aligned : `Collection[int]`
        The indices of the words that translate it, possibly including articles and adjectives.

    # Returns

    `Gender`
        The gender of the article of its first noun, else of the noun, else of an adjective of it,
        else of another aligned word; `None` if no word has one. The article takes precedence, since
        the form of a noun often fits both genders (`la dentiste`, `die Vorgesetzte`).
    """
    places = sorted(aligned)
    nouns = [place for place in places if words[place].upos in _NOUNS]
    asked = [words[place] for place in places]
    for noun in nouns[:1]:
        parts = [word for place, word in enumerate(words) if word.head == noun != place]
        articles, others = (
            [word for name in names for word in parts if word.deprel == name]
            for names in (_ARTICLES, _OTHERS)
        )
        asked = [*articles, words[noun], *others, *asked]
    return next((word.gender for word in asked if word.gender), None)
