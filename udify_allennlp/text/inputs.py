"""What the parser can be called with, told apart: texts, words, sentences."""

from typing import Any, Iterable, Iterator, List, Optional, Sequence, Union

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence

Input = Union[str, Sentence, Sequence[str]]
"""A raw text, a sentence, or the words of one."""
_KINDS = "Give it a text, a list of texts, a list of lists of words, or Sentences."


def inputs_of(source: Any, tokenized: Optional[bool] = None) -> List[Input]:
    """
    The single inputs of `source`.

    # Parameters

    source : `Any`
        One input, or a collection of them.
    tokenized : `Optional[bool]`
        Whether strings are words. By default they are texts, but that a list of strings without
        spaces is refused: it may be meant as words.

    # Raises

    `InputError` for anything else, which says what to type.
    """
    if isinstance(source, Iterator):
        raise InputError(
            f"The parser was given {source!r:.60}, which may have no end. Type parser.stream(...) "
            "for one sentence after the other, or parser(list(...)) for all at once."
        )
    if isinstance(source, str) and tokenized:
        raise InputError(
            f"tokenized=True is for words, and {source!r:.60} is a text. Type "
            "parser([text.split()]), or leave tokenized out."
        )
    if isinstance(source, (str, Sentence)):
        return [source]
    if not isinstance(source, Iterable):
        raise no_input(source)
    items: List[Any] = list(source)
    if not items or not all(isinstance(item, str) for item in items):
        return items
    if tokenized:
        return [items]
    if tokenized is None and not any(len(item.split()) > 1 for item in items):
        raise InputError(
            f"The parser was given a list of strings without spaces, {items!r:.60}. If they are "
            "the words of one sentence, type parser(words, tokenized=True); if each is a text, "
            "parser(texts, tokenized=False)."
        )
    return items


def no_input(item: Any) -> InputError:
    """The error for what cannot be parsed."""
    return InputError(f"The parser was given {item!r:.60}. {_KINDS}")


def only_sentences(items: Iterable[Any]) -> Iterable[Sentence]:
    """
    The same items, to go through once.

    # Raises

    `InputError`, at once if it is a single thing, for what is no `Sentence`.
    """
    if isinstance(items, (str, Sentence)) or not isinstance(items, Iterable):
        raise _no_sentence(items)
    return map(_sentence, items)


def _sentence(item: Any) -> Sentence:
    if not isinstance(item, Sentence):
        raise _no_sentence(item)
    return item


def _no_sentence(item: Any) -> InputError:
    return InputError(
        f"parse takes many Sentences, as read_sentences(path) gives them, and was given "
        f"{item!r:.60}. Type parser(...) instead of parser.parse(...)."
    )
