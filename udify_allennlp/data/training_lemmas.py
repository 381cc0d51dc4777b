"""The lemmas of the training treebanks, by their known words."""

from collections import Counter
from functools import lru_cache

from udify_allennlp.data.columns import LANG, Numbers, origin_names
from udify_allennlp.data.known_words import (
    NAMES,
    NOT_ANNOTATED,
    KnownWords,
    word_in_any_case,
    words_in,
    words_of,
)
from udify_allennlp.text.casing import lower, spellings
from udify_allennlp.text.lemma_rules import apply_rule

ENDING = 2
"""Number of characters in a lemma's ending, which distinguishes lemmas of a part of speech."""
_ODD = 0.01
"""A form whose ending fewer lemmas have is hardly a lemma."""
_CAPITAL = 0.3
"""Share of names with a capital in languages whose treebanks disagree about it."""
UNINFLECTED = frozenset([NAMES, "NUM", "PUNCT", "SYM", "X"])
"""Parts of speech without inflection, or whose words have any lemma."""


class TrainingLemmas:
    """
    The lemmas of `KnownWords`; false if there are none.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)
        self._trained = frozenset(origin_names(vocab, LANG))
        # By language, made on demand: a text has few of them.
        self._capitals: dict[str, bool] = {}
        self._missing: dict[str, bool] = {}
        # By language and UPOS.
        self._lemma_endings: dict[tuple[str, str], Counter[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def of_form(self, origin: str, lang: str, form: str, upos: str = "") -> list[str]:
        """
        Returns the lemmas that a form has with a UPOS, or with any, in a treebank or a language,
        most frequent first.
        """
        words = self._known.of(origin)
        written = (form, *spellings(form, lang, upos)) if words else ()
        found = [(each, *pair) for each in written for pair in words_in(words, each)]
        # The straight or curly apostrophe of the form is looked up first.
        for spelling, known, word in sorted(found, key=lambda one: one[1] not in written):
            rules = [own.rule for own in word.analyses if upos in ("", own.upos)]
            # The lemma of an apostrophe that is punctuation is that apostrophe.
            known = spelling if upos == "PUNCT" else known
            lemmas = [apply_rule(known, rule, lang) for rule in rules if rule != NOT_ANNOTATED]
            if lemmas:
                return lemmas
        return []

    def of_upos(self, lang: str, upos: str) -> Counter[str]:
        """
        Returns the lemmas of a language's known words with a UPOS, with the number of forms.
        """
        packed = self._known.packed(lang)
        return _lemmas(lang, packed, upos) if packed else Counter()

    def is_known(self, form: str, lang: str) -> bool:
        words = self._known.of(lang)
        return word_in_any_case(words, form, lang) is not None

    def is_unseen(self, lang: str) -> bool:
        """Returns whether the archive knows words, but none of a language."""
        return bool(self._known) and not self._known.packed(lang)

    def are_withheld(self, lang: str) -> bool:
        """Returns whether the archive lacks the words of a language that it was trained on."""
        return self.is_unseen(lang) and lang in self._trained

    def are_missing(self, lang: str) -> bool:
        """Returns whether a language's words are known, but without lemmas."""
        if lang not in self._missing:
            words = self._known.of(lang)
            self._missing[lang] = bool(words) and all(
                own.rule == NOT_ANNOTATED for word in words.values() for own in word.analyses
            )
        return self._missing[lang]

    def have_capitals(self, lang: str) -> bool:
        """Returns whether enough names of a language have lemmas with capitals."""
        if lang not in self._capitals:
            names = self.of_upos(lang, NAMES)
            capital = sum(count for name, count in names.items() if name[:1].isupper())
            self._capitals[lang] = capital > _CAPITAL * names.total()
        return self._capitals[lang]

    def keep_case(self, lang: str) -> bool:
        """Returns whether the case of signs is kept: in a language that training lacks, too."""
        return bool(self._known) and (self.is_unseen(lang) or self.have_capitals(lang))

    def ends_oddly(self, form: str, lang: str, upos: str) -> bool:
        """
        Returns whether the ending of a form is rare among the lemmas of known words of its language
        and part of speech.
        """
        if (lang, upos) not in self._lemma_endings:
            endings = self._lemma_endings[lang, upos] = Counter()
            for lemma, count in self.of_upos(lang, upos).items():
                endings[lemma[-ENDING:]] += count
        counts = self._lemma_endings[lang, upos]
        return counts[lower(form, lang)[-ENDING:]] < _ODD * counts.total()


@lru_cache(maxsize=2**6)
def _lemmas(lang: str, packed: str, upos: str) -> Counter[str]:
    """Returns `TrainingLemmas.of_upos`, given the text of the entry of the language."""
    return Counter(
        apply_rule(form, own.rule, lang)
        for form, word in words_of(lang, packed).items()
        for own in word.analyses
        if own.upos == upos and own.rule != NOT_ANNOTATED
    )
