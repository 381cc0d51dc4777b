"""The features of `everyday_words`, for which the labels of a model are not enough."""

from collections.abc import Sequence
from typing import Optional

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.everyday_words import everyday_words
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.text import misc_column
from udify_allennlp.text.casing import lower
from udify_allennlp.text.sentence import Columns, Sentence


class EverydayFeatures:
    """
    Writes the features of words that training lacks. Without `KnownWords` it changes nothing.

    # Parameters

    vocab : `Numbers`
    """

    def __init__(self, vocab: Numbers) -> None:
        self._known = KnownWords(vocab)

    def apply(
        self,
        columns: Sequence[Columns],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str] = (),
    ) -> None:
        """
        Writes the features into the predicted `columns` of sentences, given the language and, if it
        is known, the treebank of each: of the annotations with the predicted UPOS, those that
        have most values in common with the predicted features.
        """
        if not self._known:
            return
        origins = zip(langs, treebanks or [""] * len(langs))
        for own, sentence, (lang, treebank) in zip(columns, sentences, origins):
            if everyday_words(lang) and "feats" in own and "upos" in own:
                words = zip(sentence.forms, own["upos"], own["feats"])
                own["feats"] = [
                    self._features(lang, treebank, form, upos, feats) or feats
                    for form, upos, feats in words
                ]

    def _features(
        self, lang: str, treebank: str, form: str, upos: str, feats: str
    ) -> Optional[str]:
        own = [word.feats for word in everyday_words(lang).get(form, ()) if word.upos == upos]
        spellings = (form, lower(form, lang))
        trained = (self._known.of(treebank).get(each) for each in spellings)
        if not own or any(word and word.values("feats") for word in trained):
            return None
        predicted = {*misc_column.entries(feats).items()}
        return max(own, key=lambda each: len(predicted & {*misc_column.entries(each).items()}))
