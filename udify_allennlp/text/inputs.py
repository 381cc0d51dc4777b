"""The kinds of input of the parser: texts, words, sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence, half_character

Input = Union[str, Sentence, Sequence[str]]
"""A raw text, a sentence, or the words of one."""
_KINDS = "Use a text, a list of texts, a list of lists of words, or Sentences."


def inputs_of(source: Any, tokenized: Optional[bool] = None) -> list[Input]:
    """
    Returns the single inputs of `source`.

    # Parameters

    source : `Any`
        One input, or a collection of them.
    tokenized : `Optional[bool]`
        True if a list of strings is the words of one sentence. By default it is a list of texts.

    # Raises

    `InputError` for anything else, with a remedy and its position in a list.
    """
    if isinstance(source, Iterator):
        raise InputError(
            f"The parser does not accept {source!r:.60}, which may be endless. Use "
            "parser.stream(...) for one sentence at a time, or parser(list(...)) for all at once."
        )
    if isinstance(source, str) and tokenized:
        raise InputError(
            f"tokenized=True is for words, and {source!r:.60} is a text. Use "
            "parser([text.split()]), or omit tokenized."
        )
    if isinstance(source, (str, Sentence)):
        return [source]
    if not isinstance(source, Iterable):
        raise no_input(source)
    check_collection(source)
    items: list[Any] = list(source)
    if tokenized and items and all(isinstance(item, str) for item in items):
        return [items]
    for index, item in enumerate(items):
        check_input(item, index)
    return items


def check_collection(source: Any) -> None:
    """
    # Raises

    `InputError` for a collection that yields keys or the names of columns instead of texts.
    """
    if isinstance(source, Mapping) or getattr(source, "ndim", 1) > 1:
        raise InputError(
            f"The parser does not accept a {type(source).__name__}, which may hold more than "
            "texts. Name the texts in it, such as parser(list(table['text']))."
        )


def check_input(item: Any, index: int) -> None:
    """
    # Raises

    `InputError` if item number `index`, from 0, cannot be parsed.
    """
    if not isinstance(item, (str, Sentence, list, tuple)):
        raise no_input(item, index)


def no_input(item: Any, index: Optional[int] = None) -> InputError:
    """Returns the error for an input that cannot be parsed, with its place in a list."""
    place = "" if index is None else f" as item {index} of its input (the first is 0)"
    return InputError(f"The parser does not accept {item!r:.60}{place}. {_KINDS}")


def sentence_of_words(words: Sequence[str], index: int) -> Sentence:
    """
    Returns the sentence of these words.

    # Raises

    `InputError`, with the number of the sentence, from 0, if there are none, or CoNLL-U cannot hold
    them.
    """
    try:
        return Sentence.from_words(words)
    except ValueError as error:
        raise InputError(f"Sentence {index} (the first is 0): {error}") from None


def check_characters(text: str, index: int) -> None:
    """
    # Raises

    `InputError` if text number `index`, from 0, has half of a character.
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
    Yields the same items, once.

    # Raises

    `InputError` for anything that is not a `Sentence`, immediately for a single object.
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
        f"parse takes Sentences, such as those of read_sentences(path), not {item!r:.60}. Use "
        "parser(...) instead of parser.parse(...)."
    )
