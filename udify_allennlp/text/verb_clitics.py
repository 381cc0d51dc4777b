"""The UPOS of verbs with pronouns in one token, which the words of the token tell."""

from collections.abc import Iterator

from udify_allennlp.text.contractions import contracted
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.surfaces import surfaces

VERBS = ("VERB", "AUX")
PRONOUN = ("PRON",)
_PRONOUNS = {
    "ca": "me te se nos vos lo la li los les ne en ho hi em et es ens us els",
    "es": "me te se nos os lo la le los las les",
    "gl": "me te che se nos vos o a os as lo la los las lle lles no na nos nas",
    "it": "mi ti ci vi si lo la li le ne gli glie me te ce ve se",
    "pt": "me te se nos vos o a os as lo la los las lhe lhes no na nos nas",
}
_OF = {lang: frozenset(words.split()) for lang, words in _PRONOUNS.items()}
_NO_VERBS = frozenset(["con", "ecco", "en", "in", "non", "para", "per", "por"])
"""Other words before articles and pronouns: Italian `ecco` is an adverb."""


def verbs_with_pronouns(sentence: Sentence, lang: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """
    Yields the places of words in multiword tokens that are verbs with pronouns, each with the UPOS
    that it may have: Spanish `dímelo` is `di me lo`. Of 1,293 such tokens in training files, seven
    are annotated otherwise.
    """
    pronouns = _OF.get(lang)
    if not pronouns:
        return
    no_verbs = pronouns | contracted(lang) | _NO_VERBS
    place = 0
    for surface in surfaces(sentence):
        first, *others = map(str.lower, surface.words or [surface.text])
        if others and first not in no_verbs and pronouns.issuperset(others):
            yield place, VERBS
            yield from ((place + number, PRONOUN) for number in range(1, 1 + len(others)))
        place += 1 + len(others)
