"""The treebanks of Norwegian and Japanese sentences that none is named for."""

from collections.abc import Sequence

from udify_allennlp.data.columns import LANG, TREEBANK, Numbers, origin_names
from udify_allennlp.data.known_words import KnownWords
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.sentence_source import Told, told_of
from udify_allennlp.text import japanese, norwegian
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.sentence import Sentence


class Standards:
    """
    The treebanks of Norwegian and Japanese sentences: with neither that of Bokmål nor that of
    Nynorsk, lemmas are a mixture, and so are Japanese ones of today's and older annotation
    (`japanese.py`). Without `KnownWords` an archive keeps its predictions.

    # Parameters

    vocab : `Numbers`
    schema : `Schema`
        The columns of its batches, of which the origins matter.
    """

    def __init__(self, vocab: Numbers, schema: Schema) -> None:
        own = {origin.name: origin for origin in schema.origins} if KnownWords(vocab) else {}
        self._lang, self._treebank = own.get(LANG), own.get(TREEBANK)
        treebanks = origin_names(vocab, TREEBANK) if self._treebank else []
        self._japanese = japanese.TREEBANK if japanese.TREEBANK in treebanks else ""

    def told(self, sentences: Sequence[Sentence], told: Told) -> Told:
        """Returns these origins of sentences, with the treebanks of Norwegian and Japanese ones."""
        if self._lang is None or self._treebank is None:
            return told
        found: list[str] = []
        for place, sentence in enumerate(sentences):
            lang = told_of(told, LANG, place) or self._lang.of(sentence)
            treebank = told_of(told, TREEBANK, place)
            if lang in (norwegian.LANGUAGE, japanese.LANGUAGE):
                named = treebank or self._treebank.of(sentence)
                treebank = self._standard(sentence, lang, named)
            found.append(treebank)
        return {**told, TREEBANK: found} if any(found) else told

    def _standard(self, sentence: Sentence, lang: str, named: str) -> str:
        """Returns the treebank of a sentence in one of the two languages, by the one it names."""
        if lang == norwegian.LANGUAGE:
            return norwegian.treebank_of(sentence.forms, named, lang_of(sentence))
        return named if treebank_language(named) == lang else self._japanese
