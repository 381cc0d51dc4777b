"""Two files of the same sentences, such as gold and parsed."""

from collections.abc import Iterator
from itertools import zip_longest

from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.sentence import Sentence, fault


def paired(first: str, second: str) -> Iterator[tuple[Sentence, Sentence]]:
    """
    Yields the pairs of sentences of two files, without comparing their words.

    # Raises

    `ConlluError` at the end of one file if the other has more.
    """
    both = zip_longest(read_sentences(first), read_sentences(second))
    for number, (one, other) in enumerate(both):
        if one is None or other is None:
            short = first if one is None else second
            raise ConlluError(
                f"{first} and {second} have different numbers of sentences: {short} has {number}. "
                "Name two files of the same sentences."
            )
        yield one, other


def check_same_words(gold: Sentence, other: Sentence) -> None:
    """Raises `ConlluError` if the two do not have the same words."""
    if gold.forms != other.forms:
        what = f"the words differ from those of {gold.path}:{gold.line}"
        remedy = "Name two files of the same sentences in the same order."
        raise fault(other.path, other.line, what, remedy)
