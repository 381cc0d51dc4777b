"""The dictionaries of the package simplemma."""

import importlib.util
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Optional

from udify_allennlp.text.casing import spellings
from udify_allennlp.text.scripts import scripts_of

SIMPLEMMA = "simplemma"
_CODES = {"no": ("nb", "nn"), "hr": ("hbs",), "sr": ("hbs",), "bs": ("hbs",), "sh": ("hbs",)}
_CODES["sme"] = ("se",)
"""simplemma's codes of languages that treebanks name differently."""
_DICTIONARIES = 16
"""Number of languages whose dictionaries are kept in memory: 1 to 61 MB each."""
_NO_LEMMA = re.compile(r"\s|^$|[\x00-\x1f]")
_HUNGARIAN = re.compile("([tk]|k[ae]t|kn[ae]k|kk[ae]l)")
"""Plural and accusative suffixes behind a linking vowel."""
_ESTONIAN = re.compile("(.+)(?:nud|[td]ud)")
"""Past participles, from the stem of the verb."""

Lookup = Callable[[str, str], Optional[str]]
"""A function from a form, in its original spelling, and a language to a lemma."""


@lru_cache(maxsize=1)
def simplemma_lookup() -> Optional[Lookup]:
    """
    Returns the dictionaries of the package simplemma, which the extra `lemmas` installs; `None`
    without it. Each is read at the first request for its language.
    """
    if importlib.util.find_spec(SIMPLEMMA) is None:
        return None
    from simplemma.strategies import DictionaryLookupStrategy
    from simplemma.strategies.dictionaries import StreamDictionaryFactory

    # Searched as they are stored: unpacked, that of German takes 107 MB instead of 19, twice as
    # long to load, and looks a word up in 1 us instead of 8.
    strategy = DictionaryLookupStrategy(StreamDictionaryFactory(_DICTIONARIES))

    def look_up(form: str, lang: str) -> Optional[str]:
        for code in _CODES.get(lang, (lang,)):
            try:
                lemma = strategy.exact_lemma(unicodedata.normalize("NFC", form), code)
            except ValueError:  # it has no such language
                return None
            if lemma is not None:
                return lemma
        return None

    return look_up


def ask(look_up: Lookup, form: str, lang: str, upos: str) -> Optional[str]:
    """
    Returns the lemma of a word in a lexicon, under any of its `spellings`. `None` if it is missing,
    or the entry is not a lemma but a phrase, or in another script.
    """
    for spelling in spellings(form, lang, upos):
        lemma = look_up(spelling, lang)
        if lemma is not None:
            lemma = _of_lemma(look_up, spelling, lemma, lang, upos)
            alike = scripts_of(lemma) <= scripts_of(form)
            return lemma if alike and not _NO_LEMMA.search(lemma) else None
    return None


def _of_lemma(look_up: Lookup, form: str, lemma: str, lang: str, upos: str) -> str:
    """
    Returns the lemma of an entry, or of another word form that simplemma has as one. In Hungarian,
    that is the possessive of a noun (`könyvet` has `könyve`, and `könyve` has `könyv`): of all such
    words of Szeged, 173 are right then, and none was before. In Estonian it is a participle of a
    verb (`kuulunud` has `kuulunu`): of EDT's, 296 of 305.
    """
    if lang == "hu" and upos == "NOUN" and lemma[-1:] in ("a", "e") and form.startswith(lemma):
        again = look_up(lemma, lang) if _HUNGARIAN.fullmatch(form, len(lemma)) else None
        return again or lemma
    participle = _ESTONIAN.fullmatch(form) if (lang, upos) == ("et", "VERB") else None
    if participle and not lemma.endswith("ma"):
        infinitive = participle[1] + "ma"
        return infinitive if look_up(infinitive, lang) == infinitive else lemma
    return lemma
