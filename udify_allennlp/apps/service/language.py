"""The language of a text, and a warning if the model was not trained on it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.names import knows
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.language_guess import GUESSED_BY, Guess
from udify_allennlp.text.languages import language_name
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.sentence import Sentence


class Language(NamedTuple):
    """The language of a request's text."""

    code: str
    """The language without the treebank: `en` for `en_ewt`."""
    is_guessed: bool
    is_trained: Optional[bool]
    """True if the model was trained on it; `None` if its languages are unknown."""

    @property
    def name(self) -> str:
        return language_name(self.code)

    @property
    def warning(self) -> str:
        """A warning; empty if the model was trained on the language."""
        if self.is_trained is not False:
            return ""
        looks = f"The text looks {self.name}, which" if self.is_guessed else self.name
        return f"{looks} is not among the languages that the model was trained on: expect errors."

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "name": self.name,
            "guessed": self.is_guessed,
            "trained": self.is_trained,
        }


def languages_of(
    sentences: Sequence[Sentence], lang: Optional[str], model: ServedModel, guess: Optional[Guess]
) -> Iterator[Optional[Language]]:
    """
    Yields one language for all texts: `lang` if it is given, else a guess from the first sentences;
    `None` if no guess is possible.
    """
    code = lang
    if not code and guess is not None:
        text = ""
        for sentence in sentences:
            text += rebuild([sentence])
            if len(text) > GUESSED_BY:
                break
        code = guess(text, model.languages)
    if code:
        code = treebank_language(code)
        yield Language(code, not lang, knows(model, code) if model.languages else None)
    else:
        yield None
