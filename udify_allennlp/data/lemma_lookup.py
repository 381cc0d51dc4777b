"""
Lemmas that are looked up instead of predicted: for forms that a model is known to get wrong, and
for forms that its training data lacks.
"""

import importlib.util
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Optional

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.known_words import NAMES, NOT_ANNOTATED, KnownWords, word_in, words_in
from udify_allennlp.data.vocabulary_entries import entries, has_entries
from udify_allennlp.text.casing import lower, spellings
from udify_allennlp.text.lemma_rules import apply_rule, escape, unescape
from udify_allennlp.text.scripts import scripts_of
from udify_allennlp.text.sentence import Columns, Sentence

EXCEPTIONS = "lemma_exceptions_labels"
"""
Namespace of the vocabulary: entries `language<tab>UPOS<tab>lemma rule<tab>form form ...`; `_` is
any part of speech except PROPN.
"""
TRUSTED = "lemma_trusted_labels"
"""
Namespace of the vocabulary: entries `source<tab>language<tab>UPOS<tab>ending ending ...`, where the
source is trusted, for lemmas with these endings; word lists are trusted for all lemmas.
"""
OWN_FORMS = "lemma_own_forms_labels"
"""
Namespace of older archives, without `KnownWords`: entries `language<tab>form form ...`, in lower
case: forms of the training data whose lemma in simplemma is missing or different.
"""
NAMESPACES = (EXCEPTIONS, TRUSTED, OWN_FORMS)

WORD_LISTS, SIMPLEMMA = "words", "simplemma"
"""The sources. The archive holds the needed parts of word lists."""
ANY = "_"
ENDING = 2
"""Number of characters in a lemma's ending, which distinguishes lemmas of a part of speech."""
_ODD = 0.01
"""A form whose ending fewer lemmas have is hardly a lemma."""
_CODES = {"no": ("nb", "nn"), "hr": ("hbs",), "sr": ("hbs",), "bs": ("hbs",), "sh": ("hbs",)}
_CODES["sme"] = ("se",)
"""simplemma's codes of languages that treebanks name differently."""
_DICTIONARIES = 16
"""Number of languages whose dictionaries are kept in memory: 1 to 61 MB each."""
_UNINFLECTED = frozenset([NAMES, "NUM", "PUNCT", "SYM", "X"])
_TESTED = frozenset(["ADJ", "NOUN", "VERB"])
"""Parts of speech whose unknown forms have to end like a lemma to be one."""
_NO_LEMMA = re.compile(r"\s|^$|[\x00-\x1f]")

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
            alike = scripts_of(lemma) <= scripts_of(form)
            return lemma if alike and not _NO_LEMMA.search(lemma) else None
    return None


def trusted_entry(source: str, lang: str, upos: str, endings: Iterable[str] = ()) -> str:
    """An entry of `TRUSTED`."""
    ends = " ".join(map(escape, sorted(endings)))
    return "\t".join([source, lang, upos, *([ends] if ends else [])])


def exception_entries(lemmas: Mapping[tuple[str, str, str], str]) -> Iterator[str]:
    """Entries of `EXCEPTIONS` of lemma rules by language, UPOS or `ANY`, and form."""
    groups: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (lang, upos, form), rule in sorted(lemmas.items()):
        groups[lang, upos, rule].append(escape(form))
    for keys, forms in sorted(groups.items()):
        yield "\t".join([*keys, " ".join(forms)])


def checked_rule(namespace: str, entry: str) -> Optional[str]:
    """
    Returns the lemma rule of an entry, if it has one. Raises `ValueError` or `OverflowError` if it
    is not an entry of its namespace.
    """
    cells = entry.split("\t")
    if namespace == OWN_FORMS:
        allowed = len(cells) == 2
    elif namespace == EXCEPTIONS:
        allowed = len(cells) == 4
    else:
        allowed = len(cells) == (4 if cells[0] == SIMPLEMMA else 3)
    if not allowed:
        raise ValueError(f"{entry!r:.60} is not an entry of {namespace}.")
    unescape(entry)
    return cells[2] if namespace == EXCEPTIONS else None


class LemmaLookup:
    """
    A lookup of lemmas by treebank, language, form and UPOS: first among the archive's `KnownWords`
    of the treebank, then of the language, of which a predicted lemma may be any; then among its
    exceptions; then in simplemma, if it is installed, trusted for the language and the UPOS, and
    training does not know the form better.

    simplemma also replaces predicted lemmas that are another word than the form and no lemma to it,
    such as Greek `τμήματο` for `τμήματος`: of 870 such words in 39 test files, that makes 729 right
    that were wrong, and 21 wrong that were right; and forms that a model leaves as they are, unlike
    lemmas of their part of speech, such as Dutch `baalde` for `balen`: of 188 in 263 development
    files, 130 are right then, and 27 were before. Other lemmas stay as predicted, and names are
    looked up only among known words and the exceptions for names. The lookup is empty, and changes
    nothing, if the vocabulary has neither known words nor any of `NAMESPACES`.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._vocab = vocab
        self._known = KnownWords(vocab)
        self._has_exceptions = has_entries(vocab, EXCEPTIONS)
        # By language, made on demand: a text has few of them.
        self._exceptions: dict[str, dict[tuple[str, str], str]] = {}
        self._own_forms: dict[str, frozenset[str]] = {}
        self._lemma_endings: dict[tuple[str, str], Counter[str]] = {}  # by language and UPOS
        self._lemma = lru_cache(maxsize=2**14)(self._lemma_of)  # most words of a text are frequent
        self._endings = {
            tuple(keys): frozenset(map(unescape, endings.split(" ")))
            for source, *keys, endings in (entry.split("\t") for entry in entries(vocab, TRUSTED))
            if source == SIMPLEMMA
        }

    def __bool__(self) -> bool:
        return bool(self._known) or self._has_exceptions or bool(self._endings)

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str] = (),
    ) -> None:
        """
        Writes the lemmas that are found into the predicted `columns` of sentences, given the
        language and, if it is known, the treebank of each, by the predicted UPOS, or by the
        sentence's if UPOS is not predicted.
        """
        if not self:
            return
        origins = zip(langs, treebanks or [""] * len(langs))
        for own, sentence, (lang, treebank) in zip(columns, sentences, origins):
            if "lemmas" in own:
                words = zip(sentence.forms, own.get("upos", sentence.upos), own["lemmas"])
                own["lemmas"] = [self._lemma(lang, treebank, *word) for word in words]

    def __call__(self, lang: str, form: str, upos: str) -> Optional[str]:
        """
        Returns the lemma of a word in a language, by its code, apart from known words; `None` if it
        is not looked up.
        """
        exceptions = self._of(lang)
        for spelling in spellings(form, lang, upos):
            rule = exceptions.get((upos, spelling))
            if rule is None and upos != NAMES:
                rule = exceptions.get((ANY, spelling))
            if rule is not None:
                return apply_rule(spelling, rule, lang)
        endings = self._endings.get((lang, upos)) if upos != NAMES else None
        lemma = self._listed(lang, form, upos) if endings else None
        return lemma if endings and lemma is not None and lemma[-ENDING:] in endings else None

    def _lemma_of(self, lang: str, treebank: str, form: str, upos: str, predicted: str) -> str:
        """Returns the lemma of a word that is written."""
        for origin in (treebank, lang):
            lemmas = self._known_lemmas(origin, lang, form, upos)
            if lemmas:
                return predicted if predicted in lemmas else lemmas[0]
        found = self(lang, form, upos)
        return found or self._instead_of(predicted, lang, form, upos) or predicted

    def _known_lemmas(self, origin: str, lang: str, form: str, upos: str) -> list[str]:
        """
        Returns the lemmas that a form has with a UPOS in a treebank or a language, most frequent
        first.
        """
        words = self._known.of(origin)
        for spelling in (form, *spellings(form, lang, upos)) if words else ():
            for known, word in words_in(words, spelling):
                rules = [own.rule for own in word.analyses if own.upos == upos]
                # The lemma of an apostrophe that is punctuation is that apostrophe.
                known = spelling if upos == "PUNCT" else known
                lemmas = [apply_rule(known, rule, lang) for rule in rules if rule != NOT_ANNOTATED]
                if lemmas:
                    return lemmas
        return []

    def _instead_of(self, lemma: str, lang: str, form: str, upos: str) -> Optional[str]:
        """
        Returns simplemma's lemma of a word if it lacks the predicted one, or has it as a form of
        another word; `None` if it has no other. If the predicted one is the form itself, that must
        be unknown, and end as few lemmas do.
        """
        look_up = None if upos in _UNINFLECTED else simplemma_lookup()
        low = lower(lemma, lang)
        if look_up is None:
            return None
        if low == lower(form, lang):
            found = self._listed(lang, form, upos) if upos in _TESTED else None
            is_other = found is not None and lower(found, lang) != low
            return found if is_other and self._ends_oddly(form, lang, upos) else None
        known = look_up(lemma, lang)
        if known is not None and lower(known, lang) == low:
            return None
        return self._listed(lang, form, upos)

    def _ends_oddly(self, form: str, lang: str, upos: str) -> bool:
        """
        Returns whether a form is unknown, and its ending is rare among the lemmas of known words of
        its language and part of speech.
        """
        words = self._known.of(lang)
        if word_in(words, form) or word_in(words, lower(form, lang)):
            return False
        if (lang, upos) not in self._lemma_endings:
            lemmas = (
                apply_rule(known, analysis.rule, lang)
                for known, word in words.items()
                for analysis in word.analyses
                if analysis.upos == upos and analysis.rule != NOT_ANNOTATED
            )
            self._lemma_endings[lang, upos] = Counter(lemma[-ENDING:] for lemma in lemmas)
        counts = self._lemma_endings[lang, upos]
        return counts[lower(form, lang)[-ENDING:]] < _ODD * counts.total()

    def _listed(self, lang: str, form: str, upos: str) -> Optional[str]:
        """Returns simplemma's lemma of a form, unless training knows the form better."""
        look_up = simplemma_lookup()
        if look_up is None or lower(form, lang) in self._own_forms_of(lang):
            return None
        return ask(look_up, form, lang, upos)

    def _of(self, lang: str) -> dict[tuple[str, str], str]:
        """Returns the exceptions of a language, by UPOS and form."""
        if lang not in self._exceptions:
            exceptions: dict[tuple[str, str], str] = {}
            for entry in entries(self._vocab, EXCEPTIONS, lang):
                upos, rule, forms = entry.split("\t")
                exceptions.update({(upos, unescape(form)): rule for form in forms.split(" ")})
            self._exceptions[lang] = exceptions
        return self._exceptions[lang]

    def _own_forms_of(self, lang: str) -> frozenset[str]:
        if lang not in self._own_forms:
            forms = (
                form for entry in entries(self._vocab, OWN_FORMS, lang) for form in entry.split(" ")
            )
            self._own_forms[lang] = frozenset(map(unescape, forms))
        return self._own_forms[lang]
