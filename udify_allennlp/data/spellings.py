"""Spellings of words: their characters, numbered by the vocabulary."""

from collections.abc import Sequence

import numpy

from udify_allennlp.data.columns import Numbers
from udify_allennlp.data.table import consecutive

NAMESPACE = "characters"
"""
Namespace of the vocabulary. It has an entry for padding, which is 0, and one for unknown
characters.
"""
ENDS = 20
"""
Number of characters at each end that are used of words longer than twice this: memory is bounded.
"""


def visible(form: str) -> str:
    """Returns the characters of a form that are used; see `ENDS`."""
    return form if len(form) <= 2 * ENDS else form[:ENDS] + form[-ENDS:]


class Spellings:
    """
    The spellings of some forms. Forms that differ only in unknown or unused characters share one.

    # Parameters

    forms : `Sequence[str]`
        Forms, none of them empty.
    vocab : `Numbers`
    """

    def __init__(self, forms: Sequence[str], vocab: Numbers) -> None:
        table = vocab.get_token_to_index_vocabulary(NAMESPACE)
        unknown = table[vocab._oov_token]
        # Numbers as the characters of a string: small, and quick to compare.
        spelled = [
            "".join(chr(table.get(character, unknown)) for character in visible(form))
            for form in forms
        ]
        distinct = sorted(set(spelled))
        places = {spelling: place for place, spelling in enumerate(distinct)}
        self._places = numpy.array([places[spelling] for spelling in spelled], dtype=numpy.int32)
        self._lengths = numpy.array([len(spelling) for spelling in distinct], dtype=numpy.int64)
        self._starts = numpy.cumsum(self._lengths) - self._lengths
        self._ids = numpy.frombuffer(
            "".join(distinct).encode("utf-32-le", "surrogatepass"), dtype="<u4"
        )

    def batch(self, forms: numpy.ndarray) -> dict[str, numpy.ndarray]:
        """
        Returns the spellings of a batch, each once, in the order of their numbers.

        - `ids` `(spellings, characters)` int64, 0 where there is none
        - `words` `(words,)` int64: the spelling of each word

        # Parameters

        forms : `numpy.ndarray`
            `(words,)`: the index of each word's form.
        """
        places, words = numpy.unique(self._places[forms], return_inverse=True)
        lengths = self._lengths[places]
        ids = numpy.zeros((len(places), lengths.max()), dtype=numpy.int64)
        ids[numpy.arange(ids.shape[1]) < lengths[:, None]] = self._ids[
            consecutive(self._starts[places], lengths)
        ]
        return {"ids": ids, "words": words.reshape(-1)}
