"""The kinds of input of the parser: texts, words, sentences."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence, half_character

Input = Union[str, Sentence, Sequence[str]]
"""A raw text, a sentence, or the words of one."""
_KINDS = "Give it a text, a list of texts, a list of lists of words, or Sentences."


def inputs_of(source: Any, tokenized: Optional[bool] = None) -> list[Input]:
    """
    The single inputs of `source`.

    # Parameters

    source : `Any`
        One input, or a collection of them.
    tokenized : `Optional[bool]`
        Whether a list of strings is the words of one sentence. By default it is a list of texts.

    # Raises

    `InputError` for anything else, which says what to type, and where in a list it stands.
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
    items: list[Any] = list(source)
    if tokenized and items and all(isinstance(item, str) for item in items):
        return [items]
    for index, item in enumerate(items):
        check_input(item, index)
    return items


def check_input(item: Any, index: int) -> None:
    """
    # Raises

    `InputError` if item number `index`, the first is 0, cannot be parsed.
    """
    if not isinstance(item, (str, Sentence, list, tuple)):
        raise no_input(item, index)


def no_input(item: Any, index: Optional[int] = None) -> InputError:
    """Returns the error for an input that cannot be parsed, with its place in a list."""
    place = "" if index is None else f" as item {index} of its input (the first is 0)"
    return InputError(f"The parser was given {item!r:.60}{place}. {_KINDS}")


def check_characters(text: str, index: int) -> None:
    """
    # Raises

    `InputError` if text number `index`, the first is 0, has half of a character.
    """
    half = half_character(text)
    if half is not None:
        raise InputError(
            f"Text {index} (the first is 0) has {text[half]!r} at character {half}, half of a "
            "character, which UTF-8 cannot hold. Repair it: "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        )


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
