"""Warnings of languages that a model has not seen, guessed from raw text."""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Optional

from udify_allennlp.archives.card import Card, as_relative
from udify_allennlp.text.language_guess import GUESSED_BY, Guess, language_guesser
from udify_allennlp.text.languages import language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence

logger = logging.getLogger(__name__)

Relative = Callable[[str], Optional[str]]


class UnseenLanguages:
    """
    Warns of each language once. Nothing is guessed where py3langid is missing, or where the card
    does not say what the model has seen.

    # Parameters

    card : `Card`
        Of the model.
    relative : `Callable[[str], Optional[str]]`
        The language as which the model parses another, if there is one; `MultitaskModel.relative`.
    """

    def __init__(self, card: Card, relative: Relative = lambda lang: None) -> None:
        self._card = card
        self._relative = relative
        self._warned: set[str] = set()

    def look_at(self, text: str) -> Optional[str]:
        """Guess the language of a text, by its beginning: its code, if it can be guessed."""
        guess = _guesser() if self._card.languages else None
        code = guess(text, self._card.languages) if guess is not None else None
        if code is None or code in self._warned or self._card.has_seen(code):
            return code
        self._warned.add(code)
        relative = self._relative(code)
        logger.warning(
            "A text looks %s (%s), which the model has not seen in training: expect errors. %sIf "
            "it is in another language, name that (--lang, or lang=...).",
            language_name(code),
            code,
            f"{as_relative(relative)} " if relative else "",
        )
        return code

    def guessed(self, sentences: Iterable[Sentence]) -> tuple[Optional[str], Iterator[Sentence]]:
        """The language of one text, if it can be guessed, and its sentences, all of them."""
        remaining, held, text = iter(sentences), [], ""
        for sentence in remaining:
            held.append(sentence)
            text += rebuild([sentence])
            if len(text) > GUESSED_BY:
                break
        return self.look_at(text), chain(held, remaining)

    def watch(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences of one text; its language is guessed once enough of them have passed."""
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


@lru_cache(maxsize=1)
def _guesser() -> Optional[Guess]:
    """It takes a second to load."""
    return language_guesser()
