"""The forms that a model sees of words, which keep theirs: spelled as its training data are."""

from collections.abc import Sequence
from functools import lru_cache, partial

from udify_allennlp.data.columns import LANG, Numbers
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.sentence_source import UNKNOWN, Told, told_of
from udify_allennlp.text import serbian, spaced_words
from udify_allennlp.text.bare import with_bare_forms, with_forms
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.gender_forms import has_gender_forms, plain_form, with_sign
from udify_allennlp.text.look_alikes import alphabet, are_mixed
from udify_allennlp.text.sentence import Columns, Sentence


class SeenForms:
    """
    The `bare` forms of words, in one alphabet (`look_alikes.py`), plain forms of gender-inclusive
    ones, Latin letters of Serbian in Cyrillic, if the known words of the model are Latin, and one
    word for Persian `spaced_words`.

    # Parameters

    vocab : `Numbers`
    schema : `Schema`
        The columns of its batches, of which the origins matter.
    """

    def __init__(self, vocab: Numbers, schema: Schema) -> None:
        self._known = KnownWords(vocab)
        self._origin = next((each for each in schema.origins if each.name == LANG), None)
        self._are_latin: dict[str, bool] = {}
        self._spaced = lru_cache(partial(_spaced_words, self._known))
        self._alphabet = lru_cache(lambda lang: alphabet(self._known.of(lang)))

    def sentences(self, sentences: Sequence[Sentence], told: Told) -> list[Sentence]:
        """
        Returns the sentences as the model sees them, given origins that precede their own.
        """
        bare = [*map(with_bare_forms, sentences)]
        for place, sentence in enumerate(bare):
            lang = told_of(told, LANG, place) or self._lang_of(sentence)
            if has_gender_forms(sentence.text, lang):
                bare[place] = with_forms(sentence, partial(plain_form, lang=lang))
            elif serbian.in_cyrillic(sentence.text) and self._is_latin(lang):
                bare[place] = with_forms(sentence, serbian.latin)
            elif lang in spaced_words.LANGUAGES:
                bare[place] = self._spaced(lang).joined(sentence)
            elif are_mixed(sentence.text) and self._known.of(lang):
                bare[place] = with_forms(sentence, partial(self._in_one_alphabet, lang))
        return bare

    def _in_one_alphabet(self, lang: str, form: str) -> str:
        words, found = self._known.of(lang), self._alphabet(lang).respelled(form)
        return form if form in words and found not in words else found

    def _is_latin(self, lang: str) -> bool:
        """Returns whether the known words of a language with two alphabets are Latin."""
        if lang not in serbian.LANGUAGES:
            return False
        if lang not in self._are_latin:
            langs = {lang, *map(treebank_language, serbian.TREEBANKS)}
            words = [word for each in langs for word in self._known.of(each)]
            self._are_latin[lang] = bool(words) and not any(map(serbian.in_cyrillic, words))
        return self._are_latin[lang]

    def _lang_of(self, sentence: Sentence) -> str:
        return self._origin.of(sentence) if self._origin else UNKNOWN


def _spaced_words(known: KnownWords, lang: str) -> spaced_words.SpacedWords:
    words = known.of(lang)

    def is_adjective(form: str) -> bool:
        return form in words and "ADJ" in words[form].values("upos")

    return spaced_words.SpacedWords(words, is_adjective)


def as_written(
    columns: Sequence[Columns], sentences: Sequence[Sentence], seen: Sequence[Sentence]
) -> None:
    """
    Changes the predicted columns of sentences, in place, to those of the words as written: their
    number, and lemmas in the letters of the forms.
    """
    for own, sentence, shown in zip(columns, sentences, seen):
        if shown is sentence:
            continue
        bare = with_bare_forms(sentence)
        if len(shown) < len(sentence):
            spaced_words.part(own, bare, shown)
        elif "lemmas" in own:
            words = zip(own["lemmas"], bare.forms, shown.forms)
            own["lemmas"] = [
                lemma if form == seen_form else _as_form(lemma, form)
                for lemma, form, seen_form in words
            ]


def _as_form(lemma: str, form: str) -> str:
    """Returns a lemma in the letters of a form; that of a form in two alphabets is in one."""
    if are_mixed(form):
        return lemma
    return serbian.cyrillic(lemma, form) if serbian.in_cyrillic(form) else with_sign(lemma, form)
