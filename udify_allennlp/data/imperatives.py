"""
Imperatives: training is news and encyclopedias, which hardly have any, so a model mistakes them for
other forms of the verb. What follows tells them apart: they have no subject, and begin a sentence
or bear pronouns.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.corrections import Correction
from udify_allennlp.data.features_of_upos import features_of
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.text import misc_column
from udify_allennlp.text.imperatives import IMPERATIVES, Verb
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.verb_clitics import verbs_with_pronouns

_NEEDED = frozenset(["upos", "feats", "lemmas", "heads", "deprels"])
"""The predicted columns that tell imperatives."""
_BEFORE = frozenset(["punct", "vocative", "discourse"])
_SUBJECTS = frozenset(["nsubj", "csubj", "expl"])
_FRENCH_NE = frozenset(["ne", "n'", "n’"])
_FRENCH_OBJECTS = frozenset(["me", "te", "se", "le", "la", "les", "lui", "leur", "y", "en"])
_FRENCH_OBJECTS |= {"m'", "t'", "l'", "m’", "t’", "l’"}
_FRENCH_SUBJECTS = frozenset(["-je", "-tu", "-il", "-elle", "-on", "-nous", "-vous", "-ils"])
_FRENCH_SUBJECTS |= {"-elles", "-ce", "-t"}


class Imperatives(Correction):
    """
    Writes the features of imperatives. Without `KnownWords` an archive keeps its predictions.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)
        self._annotates = lru_cache(maxsize=2**9)(self._has_imperatives)

    def __bool__(self) -> bool:
        return bool(self._known)

    def correct(self, own: Columns, sentence: Sentence, lang: str, treebank: str) -> None:
        """
        Writes their features, unless the treebank annotates none.
        """
        if lang in IMPERATIVES and own.keys() >= _NEEDED and self._annotates(treebank):
            for place, verb in verbs(sentence, own, lang):
                own["feats"][place] = IMPERATIVES[lang](verb) or own["feats"][place]

    def _has_imperatives(self, treebank: str) -> bool:
        own = features_of(self._known, treebank).get("VERB", ())
        return not own or any("Mood=Imp" in feats for feats in own)


def verbs(sentence: Sentence, own: Columns, lang: str) -> Iterator[tuple[int, Verb]]:
    """Yields, with their places, the verbs of a sentence that may be imperatives."""
    forms = [form.lower() for form in sentence.forms]
    if "?" in forms[-2:]:
        return
    heads = [int(head) - 1 for head in own["heads"]]
    relations = [deprel.split(":")[0] for deprel in own["deprels"]]
    pronouns = _pronouns(sentence, forms, lang)
    first = _first(forms, relations, lang)
    for place in sorted({first, *pronouns} - {len(forms)}):
        is_copula = relations[place] == "cop" and heads[heads[place]] < 0
        clause = heads[place] if is_copula else place
        if own["upos"][place] not in ("VERB", "AUX") or (place == first and heads[clause] >= 0):
            continue
        feats = misc_column.entries(own["feats"][place])
        if feats.get("Mood") == "Imp":
            continue
        others = {each for each, head in enumerate(heads) if head == clause} - {place}
        if place in pronouns:
            others.discard(place + 1)
        if any(relations[each] == "aux" for each in others) or any(
            relations[each] in _SUBJECTS and "Case=Acc" not in own["feats"][each].split("|")
            for each in others
        ):
            continue
        following = forms[place + 1] if place + 1 < len(forms) else ""
        verb = (forms[place], own["lemmas"][place], own["upos"][place], feats)
        context = (pronouns.get(place, ""), following, place == first, "!" in forms[-2:])
        yield place, Verb(*verb, *context)


def _pronouns(sentence: Sentence, forms: Sequence[str], lang: str) -> dict[int, str]:
    """Returns the pronouns at the ends of verbs, by the places of these."""
    if lang in ("fr", "ro"):
        return {
            place: form
            for place, form in enumerate(forms[1:])
            if form.startswith("-") and not _can_be_subject(form, forms[place])
        }
    found = verbs_with_pronouns(sentence, lang)
    return {place: forms[place + 1] for place, tags in found if "VERB" in tags}


def _can_be_subject(pronoun: str, verb: str) -> bool:
    """Returns whether a pronoun after a French verb may be its subject: `raconte-nous` has none."""
    ending = {"-nous": "ons", "-vous": "ez"}.get(pronoun, "")
    return pronoun.removeprefix("-t") in _FRENCH_SUBJECTS and verb.endswith(ending)


def _first(forms: Sequence[str], relations: Sequence[str], lang: str) -> int:
    """
    Returns the place of the first word of a sentence that may be a verb, after what it addresses
    and French `ne`, or its length.
    """
    place = next(
        (each for each, relation in enumerate(relations) if relation not in _BEFORE), len(forms)
    )
    if lang == "fr" and forms[place : place + 1] and forms[place] in _FRENCH_NE:
        place += 1
        while place < len(forms) and forms[place] in _FRENCH_OBJECTS:
            place += 1
    return place
