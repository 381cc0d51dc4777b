"""Warnings of languages that a model was not trained on, guessed from raw text."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Optional

from udify_allennlp.archives.card import Card, as_relative
from udify_allennlp.text.language_guess import GUESSED_BY, beginning, language_guesser
from udify_allennlp.text.languages import language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence

logger = logging.getLogger(__name__)

Relative = Callable[[str], Optional[str]]


class UnseenLanguages:
    """
    A logger of warnings, one for each language. Nothing is guessed if py3langid is missing, or if
    the card does not contain the training languages.

    # Parameters

    card : `Card`
        The card of the model.
    relative : `Callable[[str], Optional[str]]`
        Returns the training language that replaces another one in the model, if there is one; see
        `MultitaskModel.relative`.
    """

    def __init__(self, card: Card, relative: Relative = lambda lang: None) -> None:
        self._card = card
        self._relative = relative
        self._warned: set[str] = set()

    def look_at(self, text: str) -> Optional[str]:
        """
        Guesses the language of a text by its beginning: returns its code, or `None` if it cannot be
        guessed.
        """
        guess = language_guesser() if self._card.languages else None
        code = guess(text, self._card.languages) if guess is not None else None
        if code is None or code in self._warned or self._card.has_seen(code):
            return code
        self._warned.add(code)
        relative = self._relative(code)
        logger.warning(
            "A text looks %s (%s), which the model was not trained on: expect errors. %sIf it is "
            "in another language, specify it (--lang, or lang=...).",
            language_name(code),
            code,
            f"{as_relative(relative)} " if relative else "",
        )
        return code

    def guessed(self, sentences: Iterable[Sentence]) -> tuple[Optional[str], Iterator[Sentence]]:
        """Returns the language of one text, if it can be guessed, and all its sentences."""
        text, all_sentences = beginning(sentences)
        return self.look_at(text), all_sentences

    def watch(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yields the sentences of one text; its language is guessed after enough of them."""
        text: Optional[str] = ""
        for sentence in sentences:
            if text is not None:
                text += rebuild([sentence])
                if len(text) > GUESSED_BY:
                    self.look_at(text)
                    text = None
            yield sentence
        if text is not None:
            self.look_at(text)
