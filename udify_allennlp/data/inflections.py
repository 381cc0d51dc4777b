"""
The endings of languages of which training has a handful of sentences, with few of their forms: of
Moksha words, the features of one in three are on no word there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Optional

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.corrections import Correction
from udify_allennlp.data.known_words import NAMES, KnownWords, word_in_any_case
from udify_allennlp.data.language_sections import lines_of_language
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.sentence import Columns, Sentence

FILE = Path(__file__).with_name("inflections.txt")
"""
Sections `[language language ...]` of lines `UPOS features: ending ending/lemma ...`: a form with
the ending has these features, and its lemma has the ending after the slash instead, `-` for none;
without a slash the lemma is left to the model. A circumfix is written `prefix-ending`. An ending
whose lines all begin with `!` also decides the part of speech: that of one of these lines.
"""
_SHORTEST_STEM = 2
"""Minimum number of characters beside an ending."""
_NONE = "-"


class Reading(NamedTuple):
    """The annotation of a form by its ending."""

    feats: str
    lemma: Optional[str]
    """Its lemma, `None` if it does not follow from the ending."""


class _Inflection(NamedTuple):
    upos: str
    feats: str
    prefix: str
    ending: str
    lemma_ending: Optional[str]
    decides: bool
    """True if no other part of speech has the ending."""


def readings(lang: str, upos: str, form: str) -> list[Reading]:
    """
    Returns the readings of a form of a language as a part of speech by its longest ending there,
    which leaves at least two characters, none if it has no such ending.
    """
    low = lower(form, lang)
    spelling = form if upos == NAMES else low
    return [Reading(each.feats, _lemma(spelling, each)) for each in _found(lang, upos, low)]


def possible_upos(lang: str, form: str) -> tuple[str, ...]:
    """
    Returns the parts of speech that a form of a language may have by its longest ending among those
    of all parts of speech, for a noun with a capital also a name; none if it may have any.
    """
    found = _found(lang, "", lower(form, lang))
    if not all(each.decides for each in found):
        return ()
    tags = [each.upos for each in found]
    if "NOUN" in tags and form[:1].isupper():
        tags.append(NAMES)
    return tuple(dict.fromkeys(tags))


def upos_by_endings(
    known: KnownWords, sentence: Sentence, lang: str
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """
    Yields, with their places, the parts of speech, by their endings, of words that neither training
    nor `everyday_words` have.
    """
    if not has_inflections(lang):
        return
    for place, form in enumerate(sentence.forms):
        tags = possible_upos(lang, form) if _is_unknown(known, lang, form) else ()
        if tags:
            yield place, tags


class Inflections(Correction):
    """
    Writes the features and the lemmas of words that neither training nor `everyday_words` have, by
    their endings: of several readings the features that have most values in common with the
    predicted ones, and of several lemmas the predicted one, or the first. Without `KnownWords` it
    changes nothing.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)

    def __bool__(self) -> bool:
        return bool(self._known)

    def correct(self, own: Columns, sentence: Sentence, lang: str, treebank: str) -> None:
        """Writes them, by the predicted UPOS."""
        if not has_inflections(lang) or "upos" not in own:
            return
        for place, (form, upos) in enumerate(zip(sentence.forms, own["upos"])):
            if not _is_unknown(self._known, lang, form):
                continue
            found = readings(lang, upos, form)
            if found and "feats" in own:
                own["feats"][place] = feats = _most_alike(found, own["feats"][place])
                found = [each for each in found if each.feats == feats]
            lemmas = [each.lemma for each in found if each.lemma is not None]
            if lemmas and "lemmas" in own and own["lemmas"][place] not in lemmas:
                own["lemmas"][place] = lemmas[0]


def has_inflections(lang: str) -> bool:
    """Returns whether the endings of a language are known."""
    return bool(_inflections(lang))


def _is_unknown(known: KnownWords, lang: str, form: str) -> bool:
    """Returns whether neither training nor `everyday_words` have a form that ends in a letter."""
    return form[-1:].isalpha() and word_in_any_case(known.of(lang), form, lang) is None


def _most_alike(found: Iterable[Reading], feats: str) -> str:
    """Returns the features of readings that have most values in common with others."""
    values = {*misc_column.entries(feats).items()}

    def shared(other: str) -> int:
        return len(values & {*misc_column.entries(other).items()})

    return max((each.feats for each in found), key=shared)


def _lemma(form: str, inflection: _Inflection) -> Optional[str]:
    if inflection.lemma_ending is None:
        return None
    stem = form[len(inflection.prefix) : len(form) - len(inflection.ending)]
    return stem + inflection.lemma_ending


def _found(lang: str, upos: str, low: str) -> list[_Inflection]:
    """
    Returns the inflections with the longest affixes of a form in small letters, as a part of
    speech or, by default, as any.
    """
    by_affixes = _inflections(lang).get(upos, {})
    for size in range(len(low) - _SHORTEST_STEM, -1, -1):
        found = [
            each
            for front in range(size + 1)
            for each in by_affixes.get((low[:front], low[len(low) - size + front :]), ())
        ]
        if found:
            return found
    return []


@lru_cache(maxsize=64)
def _inflections(lang: str) -> Mapping[str, Mapping[tuple[str, str], list[_Inflection]]]:
    """Returns the inflections of a language by part of speech, `""` for all, and by affixes."""
    found: defaultdict[str, defaultdict[tuple[str, str], list[_Inflection]]]
    found = defaultdict(lambda: defaultdict(list))
    for line in lines_of_language(FILE, lang):
        start, affixes = line.split(": ")
        upos, feats = start.removeprefix("!").split(" ")
        for affix in affixes.split(" "):
            affix, slash, lemma_ending = affix.partition("/")
            prefix, hyphen, ending = affix.rpartition(_NONE)
            inflection = _Inflection(
                *(upos, feats, prefix, ending),
                lemma_ending.removeprefix(_NONE) if slash else None,
                start.startswith("!"),
            )
            for tag in (upos, ""):
                found[tag][prefix, ending].append(inflection)
    return found
