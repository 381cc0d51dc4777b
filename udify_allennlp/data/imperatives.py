"""
Imperatives: training is news and encyclopedias, which hardly have any, so a model mistakes them for
other forms of the verb. What follows tells them apart: they have no subject, and begin a sentence
or bear pronouns.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.features_of_upos import features_of
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.text import misc_column
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.verb_clitics import verbs_with_pronouns

NEEDED = frozenset(["upos", "feats", "lemmas", "heads", "deprels"])
"""The predicted columns that tell imperatives."""
_BEFORE = frozenset(["punct", "vocative", "discourse"])
_SUBJECTS = frozenset(["nsubj", "csubj", "expl"])
_NOT_FINITE = frozenset(["Inf", "Part", "Ger", "Conv"])
_FRENCH_NE = frozenset(["ne", "n'", "n’"])
_FRENCH_OBJECTS = frozenset(["me", "te", "se", "le", "la", "les", "lui", "leur", "y", "en"])
_FRENCH_OBJECTS |= {"m'", "t'", "l'", "m’", "t’", "l’"}
_FRENCH_SUBJECTS = frozenset(["-je", "-tu", "-il", "-elle", "-on", "-nous", "-vous", "-ils"])
_FRENCH_SUBJECTS |= {"-elles", "-ce", "-t"}
_FRENCH_AUXILIARIES = frozenset(["sois", "soyons", "soyez", "aie", "ayons", "ayez"])
_FRENCH_IMPERSONAL = frozenset(["reste à", "reste que", "reste qu'", "reste qu’"])
"""`Reste à savoir` is not an imperative."""
_SHORTENED = frozenset(["haben", "glauben", "denken", "finden", "hoffen", "kennen", "danken"])
"""German verbs that lack `ich` as often as they are imperatives: `Hab keine Zeit.`"""
_IBERIAN_WISHES = frozenset(["haber", "haver", "ser", "ir", "vivir", "viver"])
_ENGLISH_SHORTENED = frozenset(["thank", "hope", "love", "want", "wish", "guess", "think"])


class Verb(NamedTuple):
    """A verb without a subject."""

    form: str
    """In small letters."""
    lemma: str
    upos: str
    feats: Mapping[str, str]
    """Those that are predicted."""
    pronoun: str
    """The pronoun at its end, `""` if it has none."""
    following: str
    """The next word in small letters, `""` if there is none."""
    is_first: bool
    """True if it begins the sentence, but for names of those it addresses."""
    is_exclaimed: bool
    """True if the sentence ends in an exclamation mark."""


class Imperatives:
    """
    Writes the features of imperatives. Without `KnownWords` an archive keeps its predictions.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)
        self._annotates = lru_cache(maxsize=2**9)(self._has_imperatives)

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str] = (),
    ) -> None:
        """
        Writes them into the predicted `columns` of sentences, given the language and, if it is
        known, the treebank of each; not if the treebank annotates none.
        """
        if not self._known:
            return
        origins = zip(langs, treebanks or [""] * len(langs))
        for own, sentence, (lang, treebank) in zip(columns, sentences, origins):
            if lang in _FEATS and own.keys() >= NEEDED and self._annotates(treebank):
                for place, verb in verbs(sentence, own, lang):
                    own["feats"][place] = _FEATS[lang](verb) or own["feats"][place]

    def _has_imperatives(self, treebank: str) -> bool:
        packed = self._known.packed(treebank)
        own = features_of(treebank, packed).get("VERB", ()) if packed else ()
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
        feats = misc_column.entries(own["feats"][place])
        if own["upos"][place] not in ("VERB", "AUX") or feats.get("Mood") == "Imp":
            continue
        if place == first and heads[clause] >= 0:
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


def _scandinavian(feats: str, infinitive: str) -> Callable[[Verb], str]:
    """
    Returns the rule of a language whose imperative is the stem, or the infinitive if it does not
    end in this unstressed vowel, or in Swedish.
    """

    def rule(verb: Verb) -> str:
        stem = verb.lemma.removesuffix(infinitive)
        stems = {stem, stem[:-1] if stem[-2:-1] == stem[-1:] else stem}
        if infinitive == "a":
            stems.add(verb.lemma)
        is_past = verb.feats.get("Tense") == "Past" and verb.feats.get("Mood") == "Ind"
        is_one = verb.is_first and verb.form in stems and (verb.is_exclaimed or not is_past)
        return feats if is_one else ""

    return rule


def _german(verb: Verb) -> str:
    stem = verb.lemma.removesuffix("n").removesuffix("e")
    if not verb.is_first or verb.feats.get("Tense") == "Past":
        return ""
    if verb.is_exclaimed and verb.form in (f"{stem}t", f"{stem}et", "seid"):
        return "Mood=Imp|Number=Plur|Person=2|VerbForm=Fin"
    forms = {stem, f"{stem}e"} if verb.is_exclaimed else {stem}
    is_sure = verb.is_exclaimed or verb.lemma not in _SHORTENED
    return "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin" if verb.form in forms and is_sure else ""


def _english(verb: Verb) -> str:
    is_plain = verb.feats.get("VerbForm", "Inf") == "Inf" and "Mood" not in verb.feats
    is_one = verb.upos == "VERB" and verb.form == verb.lemma not in _ENGLISH_SHORTENED
    return "Mood=Imp|VerbForm=Fin" if verb.is_first and is_plain and is_one else ""


def _french(verb: Verb) -> str:
    is_other = verb.feats.get("VerbForm") in _NOT_FINITE or verb.feats.get("Mood") == "Cnd"
    is_other |= verb.feats.get("Tense") in ("Fut", "Imp", "Past")
    is_other |= verb.form == "vive" or f"{verb.form} {verb.following}" in _FRENCH_IMPERSONAL
    if not verb.is_first or is_other or verb.lemma == "importer":
        return ""
    if verb.upos == "AUX" and verb.form not in _FRENCH_AUXILIARIES:
        return ""
    plural = ("ez", "faites", "dites")
    for endings, person in ((("ons",), "Plur|Person=1"), (plural, "Plur|Person=2")):
        if verb.form.endswith(endings):
            return f"Mood=Imp|Number={person}|Tense=Pres|VerbForm=Fin"
    is_one = verb.form.endswith(("e", "s")) or verb.form == "va"
    return "Mood=Imp|Number=Sing|Person=2|Tense=Pres|VerbForm=Fin" if is_one else ""


def _is_present(verb: Verb) -> bool:
    """Returns whether a verb of a Romance language is in the present, or has no features."""
    is_finite = verb.feats.get("VerbForm") not in _NOT_FINITE
    mood, tense = verb.feats.get("Mood"), verb.feats.get("Tense", "Pres")
    # The future of the Portuguese subjunctive often has the same form.
    is_present = mood != "Cnd" and (tense == "Pres" or (mood, tense) == ("Sub", "Fut"))
    return verb.upos == "VERB" and is_finite and is_present


def _polite(verb: Verb) -> str:
    """Spanish and Portuguese: a subjunctive at the beginning or with a pronoun, as in `espere`."""
    form, lemma = verb.form, verb.lemma
    if not _is_present(verb) or lemma in _IBERIAN_WISHES or form.endswith(("ndo", "ía")):
        return ""
    stem = form.removesuffix("n").removesuffix("m")  # not `digamos`, which stays a subjunctive
    is_subjunctive = stem.endswith("e") if lemma.endswith("ar") else stem.endswith("a")
    if not is_subjunctive or not (verb.is_first or verb.pronoun):
        return ""
    number = "Sing" if form == stem else "Plur"
    return f"Mood=Imp|Number={number}|Person=3|VerbForm=Fin"


def _spanish(verb: Verb) -> str:
    form = verb.form
    is_one = verb.pronoun not in ("", "se") and _is_present(verb)
    if _polite(verb) or not is_one or form.endswith(("r", "ndo", "as", "es")):
        return _polite(verb)
    if form.endswith(("mos", "mo")):
        return "Mood=Imp|Number=Plur|Person=1|VerbForm=Fin"
    is_plural = form.endswith("d") or (verb.pronoun == "os" and form.endswith(("a", "e", "i")))
    return f"Mood=Imp|Number={'Plur' if is_plural else 'Sing'}|Person=2|VerbForm=Fin"


def _italian(verb: Verb) -> str:
    form = verb.form
    if verb.pronoun in ("", "si") or not _is_present(verb) or verb.feats.get("Mood") == "Sub":
        return ""
    if form.endswith(("r", "re", "ndo", "nte")):
        return ""
    endings = (("mo", "Plur|Person=1"), ("te", "Plur|Person=2"), ("", "Sing|Person=2"))
    person = next(person for ending, person in endings if form.endswith(ending))
    return f"Mood=Imp|Number={person}|Tense=Pres|VerbForm=Fin"


def _catalan(verb: Verb) -> str:
    if verb.pronoun in ("", "se", "es") or not _is_present(verb):
        return ""
    if verb.form.endswith(("r", "re", "nt")):
        return ""
    endings = (("em", "Plur|Person=1"), ("eu", "Plur|Person=2"), ("", "Sing|Person=2"))
    person = next(person for ending, person in endings if verb.form.endswith(ending))
    return f"Mood=Imp|Number={person}|VerbForm=Fin"


def _romanian(verb: Verb) -> str:
    is_other = verb.feats.get("VerbForm") in _NOT_FINITE or verb.upos != "VERB"
    is_other |= verb.feats.get("Tense") in ("Imp", "Pqp") or verb.form.endswith(
        ("nd", "ndu", "u", "se")
    )
    if is_other or not verb.is_first or verb.pronoun in ("", "-se"):
        return ""
    number = "Plur" if verb.form.endswith("ți") else "Sing"
    return f"Mood=Imp|Number={number}|Person=2|VerbForm=Fin"


def _finnish(verb: Verb) -> str:
    """The form after a verb of negation, which is an auxiliary, without one."""
    is_one = verb.is_first and verb.feats.get("Connegative") == "Yes"
    is_one &= verb.feats.get("Mood", "Ind") == "Ind"
    return "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin|Voice=Act" if is_one else ""


_FEATS: Mapping[str, Callable[[Verb], str]] = {
    "ca": _catalan,
    "da": _scandinavian("Mood=Imp", "e"),
    "de": _german,
    "en": _english,
    "es": _spanish,
    "fi": _finnish,
    "fr": _french,
    "it": _italian,
    "no": _scandinavian("Mood=Imp|VerbForm=Fin", "e"),
    "pt": _polite,
    "ro": _romanian,
    "sv": _scandinavian("Mood=Imp|VerbForm=Fin|Voice=Act", "a"),
}
"""The features of a verb by language, `""` if it is not an imperative."""
