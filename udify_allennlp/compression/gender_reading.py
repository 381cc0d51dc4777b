"""The grammatical gender of a translated entity, as a parser's trees have it."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from udify_allennlp.compression.gender_bias import FEMALE, MALE, NEUTRAL, Gender
from udify_allennlp.text.sentence import Sentence

_GENDERS = {"Masc": MALE, "Fem": FEMALE, "Neut": NEUTRAL}
_NOUNS = ("NOUN", "PROPN")
_AGREEING = ("det", "amod", "acl", "nmod")
"""Relations of dependents that agree with a noun, in the order in which they are asked."""


class ParsedWord(NamedTuple):
    """A word of a translation, with what says its gender."""

    form: str
    upos: str
    deprel: str
    head: int
    """The place of its head; itself for a root."""
    gender: Gender


def parsed_words(sentences: Iterable[Sentence]) -> list[ParsedWord]:
    """The words of a translation, which may be several sentences, in their order."""
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
    The gender of an entity.

    # Parameters

    words : `List[ParsedWord]`
        Of its translation.
    aligned : `Collection[int]`
        The places of the words that translate it: articles and adjectives may be among them.

    # Returns

    `Gender`
        That of its first noun; where the noun has none, such as an epicene, that of a word which
        agrees with it, then that of another aligned word. `None` if no word has one.
    """
    places = sorted(aligned)
    nouns = [place for place in places if words[place].upos in _NOUNS]
    for noun in nouns[:1]:
        if words[noun].gender:
            return words[noun].gender
        for relation in _AGREEING:
            for place, word in enumerate(words):
                if word.head == noun and place != noun and word.deprel == relation and word.gender:
                    return word.gender
    return next((words[place].gender for place in places if words[place].gender), None)
