"""Warnings of languages that a model was not trained on, guessed from raw text."""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Optional, Protocol

from udify_allennlp.text import norwegian
from udify_allennlp.text.lang_comment import with_lang
from udify_allennlp.text.language_guess import GUESSED_BY, beginning, language_guesser
from udify_allennlp.text.languages import as_relative, language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence

logger = logging.getLogger(__name__)

_WORD = re.compile(r"\w+")
Relative = Callable[[str], Optional[str]]


class Training(Protocol):
    """The training of a model, such as its card describes it."""

    @property
    def languages(self) -> Collection[str]:
        """The codes of the languages; empty if they are unknown."""

    def has_seen(self, lang: str) -> bool:
        """Returns whether a language was among them; true if they are unknown."""


class UnseenLanguages:
    """
    A logger of warnings, one for each language. Nothing is guessed if py3langid is missing, or if
    the training languages are unknown.

    # Parameters

    training : `Training`
        The card of the model, or the settings of an exported one.
    relative : `Callable[[str], Optional[str]]`
        Returns the training language that replaces another one in the model, if there is one; see
        `MultitaskModel.relative`.
    """

    def __init__(self, training: Training, relative: Relative = lambda lang: None) -> None:
        self._training = training
        self._relative = relative
        self._warned: set[str] = set()

    def look_at(self, text: str) -> Optional[str]:
        """
        Guesses the language of a text by its beginning: returns its code, or `None` if it cannot be
        guessed.
        """
        guess = language_guesser() if self._training.languages else None
        code = guess(text, self._training.languages) if guess is not None else None
        if code is None or code in self._warned or self._training.has_seen(code):
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

    def with_languages(
        self, sentences: Iterable[Sentence], code: Optional[str], treebank: Optional[str] = None
    ) -> Iterator[Sentence]:
        """
        Yields the sentences of one text with the comment `# lang`: `code`, or a guess if it is
        `None`; in Norwegian text without a `treebank`, the standard of the sentence, or that of the
        beginning of the text if the sentence could be in either.
        """
        text = ""
        if code is None or code == norwegian.LANGUAGE:
            text, sentences = beginning(sentences)
        if code is None:
            code = self.look_at(text)
        if code != norwegian.LANGUAGE or treebank:
            return (with_lang(sentence, code) if code else sentence for sentence in sentences)
        main = norwegian.standard_of(_WORD.findall(text)) or norwegian.DEFAULT
        return (
            with_lang(sentence, norwegian.standard_of(sentence.forms) or main)
            for sentence in sentences
        )

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
