"""
Lemmas that are looked up instead of predicted: for forms that a model is known to get wrong, and
for forms that its training data lacks.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Optional

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.corrections import Correction
from udify_allennlp.data.dictionaries import SIMPLEMMA, ask, simplemma_lookup
from udify_allennlp.data.known_words import EMPTY, NAMES
from udify_allennlp.data.training_lemmas import ENDING, UNINFLECTED, TrainingLemmas
from udify_allennlp.data.vocabulary_entries import entries, has_entries
from udify_allennlp.text import separable_verbs, ser_or_ir
from udify_allennlp.text.casing import lower, spellings
from udify_allennlp.text.lemma_rules import apply_rule, escape, unescape
from udify_allennlp.text.sentence import Columns, Sentence
from udify_allennlp.text.sound_lemmas import (
    abbreviates,
    sound_lemma,
    with_capitals,
    with_case,
)

_SUPPLETIVE = frozenset(["AUX", "DET", "PRON"])
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

WORD_LISTS = "words"
"""The source beside `SIMPLEMMA`: the archive holds the needed parts of word lists."""
ANY = "_"
_TESTED = frozenset(["ADJ", "NOUN", "VERB"])
"""Parts of speech whose unknown forms have to end like a lemma to be one."""


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


def _beside_others(lemmas: list[str], sentence: Sentence, lang: str) -> list[str]:
    """Returns the lemmas of a sentence, corrected where they depend on other words."""
    if lang == separable_verbs.LANGUAGE:
        lemmas = separable_verbs.without_missing_particles(sentence.forms, lemmas)
    for place, _ in ser_or_ir.forms_of_ir(sentence, lang):
        if lemmas[place] != EMPTY:
            lemmas[place] = ser_or_ir.LEMMA
    return lemmas


class LemmaLookup(Correction):
    """
    A lookup of lemmas by treebank, language, form and UPOS: first among the archive's `KnownWords`
    of the treebank, then of the language, of which a predicted lemma may be any; then among its
    exceptions; then in simplemma, if it is installed and training does not know the form better.
    Counts are of words whose lemma changes in test files, unless said otherwise.

    - **Trusted** for the language and the UPOS, simplemma decides, unless training has the
      predicted lemma and not simplemma's: of 46 such words 32 predicted lemmas are right, such as
      Spanish `venir` of `venga`, and 13 of simplemma's (`vengar`).
    - **For a language that training lacks** it decides: of 812 words of Bulgarian, Estonian and
      Hungarian, 617 are right then, and 95 were before.
    - **No lemma**: it replaces predicted lemmas that are another word than the form and no lemma to
      it, such as Greek `τμήματο` for `τμήματος`: of 870, 729 wrong ones are right then, and 21
      right ones wrong.
    - **The form itself** it replaces if that ends unlike lemmas of its part of speech, such as
      Dutch `baalde` for `balen`: of 188 in development files, 130 are right then, and 27 were
      before; or if training has simplemma's lemma for other forms with their part of speech, such
      as German `dir` for `du`: of 144, 112 are right then, and 25 were before.
    - **Names** with a capital get its lemma if the predicted one is not the form, or the form ends
      as few names do, such as Polish `Londyn` for `Londynie`: of 198, 160 are right then, and 9
      were before. Where a language's treebanks disagree, and none is named, names keep capitals:
      Spanish `Madrid`, not `madrid` as in one of them.
    - **Lemmas that no word has** are corrected for other unknown forms (`sound_lemmas.py`), such as
      Hungarian `1995-` for `1995-ben`: of 53 words that are right before or after, 45 are right
      then, and 8 were before. Without lemmas in training, as in Telugu, the form is one.

    The lookup is empty, and changes nothing, if the vocabulary has neither known words nor any of
    `NAMESPACES`.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._vocab = vocab
        self._training = TrainingLemmas(vocab)
        self._has_exceptions = has_entries(vocab, EXCEPTIONS)
        # By language, made on demand: a text has few of them.
        self._exceptions: dict[str, dict[tuple[str, str], str]] = {}
        self._own_forms: dict[str, frozenset[str]] = {}
        self._lemma = lru_cache(maxsize=2**14)(self._lemma_of)  # most words of a text are frequent
        self._endings = {
            tuple(keys): frozenset(map(unescape, endings.split(" ")))
            for source, *keys, endings in (entry.split("\t") for entry in entries(vocab, TRUSTED))
            if source == SIMPLEMMA
        }

    def __bool__(self) -> bool:
        return bool(self._training) or self._has_exceptions or bool(self._endings)

    def correct(self, own: Columns, sentence: Sentence, lang: str, treebank: str) -> None:
        """
        Writes the lemmas that are found, by the predicted UPOS, or by the sentence's if UPOS is not
        predicted.
        """
        if "lemmas" in own:
            words = zip(sentence.forms, own.get("upos", sentence.upos), own["lemmas"])
            lemmas = [self._lemma(lang, treebank, *word) for word in words]
            # Without known words an archive keeps its predictions.
            own["lemmas"] = _beside_others(lemmas, sentence, lang) if self._training else lemmas

    def __call__(self, lang: str, form: str, upos: str) -> Optional[str]:
        """
        Returns the lemma of a word in a language, by its code, apart from known words; `None` if it
        is not looked up.
        """
        return self._excepted(lang, form, upos) or self._trusted(lang, form, upos)

    def _lemma_of(self, lang: str, treebank: str, form: str, upos: str, predicted: str) -> str:
        """Returns the lemma of a word that is written."""
        lemma = self._known_lemma(lang, treebank, form, upos, predicted)
        if lemma is None:
            lemma = self._unknown_lemma(lang, form, upos, predicted)
            if not treebank and self._training.keep_case(lang):
                lemma = with_case(form, lemma, upos)
        if upos != NAMES or treebank:
            return lemma
        return self._with_capital(lemma, lang, form)

    def _known_lemma(
        self, lang: str, treebank: str, form: str, upos: str, predicted: str
    ) -> Optional[str]:
        """Returns the lemma of a known word or an exception; `None` for other words."""
        for origin in (treebank, lang):
            lemmas = self._training.of_form(origin, lang, form, upos)
            if lemmas:
                return predicted if predicted in lemmas else lemmas[0]
        return self._excepted(lang, form, upos)

    def _unknown_lemma(self, lang: str, form: str, upos: str, predicted: str) -> str:
        if not self._training:
            return self._looked_up(lang, form, upos, predicted)
        if self._training.are_missing(lang):
            return predicted if predicted == EMPTY else form
        if not self._is_learned(lang, form, upos, predicted):
            predicted = sound_lemma(form, predicted, self._training.of_upos(lang, upos))
        found = self._looked_up(lang, form, upos, predicted)
        is_found = not form.endswith(".") or found.endswith(".") or abbreviates(form, found)
        return found if is_found else predicted

    def _is_learned(self, lang: str, form: str, upos: str, lemma: str) -> bool:
        """
        Returns whether training has a lemma of a form, or may have it: of a language whose words
        the archive lacks, or of a word such as an article, which may have no letter in common with
        its lemma.
        """
        if self._training.are_withheld(lang) or lemma in self._training.of_form(lang, lang, form):
            return True
        return upos in _SUPPLETIVE and lemma in self._training.of_upos(lang, upos)

    def _looked_up(self, lang: str, form: str, upos: str, predicted: str) -> str:
        if upos == NAMES:
            return self._name_instead_of(predicted, lang, form) or predicted
        found = self._trusted(lang, form, upos)
        if found is None and self._training.is_unseen(lang) and upos not in UNINFLECTED:
            found = self._listed(lang, form, upos)
        if found is None:
            return self._instead_of(predicted, lang, form, upos) or predicted
        known = self._training.of_upos(lang, upos) if found != predicted else ()
        return predicted if predicted in known and found not in known else found

    def _excepted(self, lang: str, form: str, upos: str) -> Optional[str]:
        """Returns the lemma of a word among the exceptions."""
        exceptions = self._of(lang)
        for spelling in spellings(form, lang, upos):
            rule = exceptions.get((upos, spelling))
            if rule is None and upos != NAMES:
                rule = exceptions.get((ANY, spelling))
            if rule is not None:
                return apply_rule(spelling, rule, lang)
        return None

    def _trusted(self, lang: str, form: str, upos: str) -> Optional[str]:
        """Returns simplemma's lemma of a word, if it is trusted."""
        endings = self._endings.get((lang, upos)) if upos != NAMES else None
        lemma = self._listed(lang, form, upos) if endings else None
        return lemma if endings and lemma is not None and lemma[-ENDING:] in endings else None

    def _instead_of(self, lemma: str, lang: str, form: str, upos: str) -> Optional[str]:
        """
        Returns simplemma's lemma of a word if it lacks the predicted one, or has it as a form of
        another word; `None` if it has no other. If the predicted one is the form itself, that must
        be unknown, and either end as few lemmas do, or training has simplemma's lemma.
        """
        look_up = None if upos in UNINFLECTED else simplemma_lookup()
        low = lower(lemma, lang)
        if look_up is None:
            return None
        if low == lower(form, lang):
            found = self._listed(lang, form, upos)
            if found is None or lower(found, lang) == low or self._training.is_known(form, lang):
                return None
            if found in self._training.of_upos(lang, upos):
                return found
            is_odd = upos in _TESTED and self._training.ends_oddly(form, lang, upos)
            return found if is_odd else None
        known = look_up(lemma, lang)
        if known is not None and lower(known, lang) == low:
            return None
        return self._listed(lang, form, upos)

    def _name_instead_of(self, lemma: str, lang: str, form: str) -> Optional[str]:
        """
        Returns simplemma's lemma of a name if both it and the predicted one have a capital, and the
        predicted one is not the form, or the form ends as few names do.
        """
        if not lemma[:1].isupper():
            return None
        found = self._listed(lang, form, NAMES)
        if found is None or found == lemma or not found[:1].isupper():
            return None
        if lemma != form or self._training.is_unseen(lang):
            return found
        return found if self._training.ends_oddly(form, lang, NAMES) else None

    def _with_capital(self, lemma: str, lang: str, form: str) -> str:
        """
        Returns the lemma of a name, with the capitals of its form if enough names of the language
        have one.
        """
        if not (form[:1].isupper() and lemma[:1].islower() and self._training.have_capitals(lang)):
            return lemma
        return with_capitals(form, lemma, lang)

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
