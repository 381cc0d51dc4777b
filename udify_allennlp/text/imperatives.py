"""Imperatives by language: the forms of verbs that may be one, and their features."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

_NOT_FINITE = frozenset(["Inf", "Part", "Ger", "Conv"])
_FRENCH_AUXILIARIES = frozenset(["sois", "soyons", "soyez", "aie", "ayons", "ayez"])
_FRENCH_IMPERSONAL = frozenset(["reste à", "reste que", "reste qu'", "reste qu’"])
"""`Reste à savoir` is not an imperative."""
_SHORTENED = frozenset(["haben", "glauben", "denken", "finden", "hoffen", "kennen", "danken"])
"""German verbs that lack `ich` as often as they are imperatives: `Hab keine Zeit.`"""
_WITHOUT_PERSONS = frozenset(["stimmen", "passen", "reichen", "klappen", "schmecken", "gelten"])
_GERMAN_IMPERSONAL = frozenset(["geht nicht", "geht klar", "geht doch", "geht so", "geht los"])
_GERMAN_IMPERSONAL |= {"kommt nicht", "kommt drauf", "kommt darauf"}
"""`Stimmt!` and `Geht nicht!` lack `das`."""
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


def _person(form: str, first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """Returns number and person, given the endings of the first and the second person plural."""
    if form.endswith(first):
        return "Number=Plur|Person=1"
    return f"Number={'Plur' if form.endswith(second) else 'Sing'}|Person=2"


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
    is_plural = verb.form in (f"{stem}t", f"{stem}et", "seid")
    is_plural &= f"{verb.form} {verb.following}" not in _GERMAN_IMPERSONAL
    if is_plural and verb.is_exclaimed and verb.lemma not in _WITHOUT_PERSONS:
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
    person = _person(verb.form, ("ons",), ("ez", "faites", "dites"))
    is_one = verb.form.endswith(("e", "s", "ez")) or verb.form == "va"
    return f"Mood=Imp|{person}|Tense=Pres|VerbForm=Fin" if is_one else ""


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
    polite = _polite(verb)
    is_one = verb.pronoun not in ("", "se") and _is_present(verb)
    if polite or not is_one or verb.form.endswith(("r", "ndo", "as", "es")):
        return polite
    plural = ("d", "a", "e", "i") if verb.pronoun == "os" else ("d",)
    return f"Mood=Imp|{_person(verb.form, ('mos', 'mo'), plural)}|VerbForm=Fin"


def _italian(verb: Verb) -> str:
    is_one = verb.pronoun not in ("", "si") and _is_present(verb)
    is_one &= verb.feats.get("Mood") != "Sub"
    if not is_one or verb.form.endswith(("r", "re", "ndo", "nte")):
        return ""
    return f"Mood=Imp|{_person(verb.form, ('mo',), ('te',))}|Tense=Pres|VerbForm=Fin"


def _catalan(verb: Verb) -> str:
    is_one = verb.pronoun not in ("", "se", "es") and _is_present(verb)
    if not is_one or verb.form.endswith(("r", "re", "nt")):
        return ""
    return f"Mood=Imp|{_person(verb.form, ('em',), ('eu',))}|VerbForm=Fin"


def _romanian(verb: Verb) -> str:
    is_other = verb.feats.get("VerbForm") in _NOT_FINITE or verb.upos != "VERB"
    is_other |= verb.feats.get("Tense") in ("Imp", "Pqp")
    is_other |= verb.form.endswith(("nd", "ndu", "u", "se"))
    if is_other or not verb.is_first or verb.pronoun in ("", "-se"):
        return ""
    return f"Mood=Imp|{_person(verb.form, (), ('ți',))}|VerbForm=Fin"


def _finnish(verb: Verb) -> str:
    """The form after a verb of negation, which is an auxiliary, without one."""
    is_one = verb.is_first and verb.feats.get("Connegative") == "Yes"
    is_one &= verb.feats.get("Mood", "Ind") == "Ind"
    return "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin|Voice=Act" if is_one else ""


IMPERATIVES: Mapping[str, Callable[[Verb], str]] = {
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
