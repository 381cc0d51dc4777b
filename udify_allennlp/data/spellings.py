"""How words are spelled: their characters, numbered by the vocabulary."""

from typing import Any, Dict, List, Optional, Sequence

import numpy
import torch
from allennlp.data.fields import Field
from allennlp.data.vocabulary import Vocabulary

from udify_allennlp.data.table import ranges

NAMESPACE = "characters"
"""Of the vocabulary. It has an entry for padding, which is 0, and one for unknown characters."""
ENDS = 20
"""Of a longer word than twice this, so many characters at each end are seen: memory is bounded."""


def visible(form: str) -> str:
    """The characters of a form that are seen; `ENDS` says which."""
    return form if len(form) <= 2 * ENDS else form[:ENDS] + form[-ENDS:]


class Spellings:
    """
    The spellings of some forms. Forms that are spelled alike, for their unknown characters or for
    characters that are not seen, are one.

    # Parameters

    forms : `Sequence[str]`
        None of them empty.
    vocab : `Vocabulary`
    """

    def __init__(self, forms: Sequence[str], vocab: Vocabulary) -> None:
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

    def batch(self, forms: numpy.ndarray) -> Dict[str, torch.Tensor]:
        """
        The spellings of a batch, each once, in the order of their numbers.

        - `ids` `(spellings, characters)` int64, 0 where there is none
        - `words` `(words,)` int64: the spelling of each word

        # Parameters

        forms : `numpy.ndarray`
            `(words,)`: the place of each word's form.
        """
        places, words = numpy.unique(self._places[forms], return_inverse=True)
        lengths = self._lengths[places]
        ids = numpy.zeros((len(places), lengths.max()), dtype=numpy.int64)
        ids[numpy.arange(ids.shape[1]) < lengths[:, None]] = self._ids[
            ranges(self._starts[places], lengths)
        ]
        return {"ids": torch.from_numpy(ids), "words": torch.from_numpy(words.reshape(-1))}


class CharactersField(Field[Dict[str, torch.Tensor]]):
    """
    The spelling of each word of a sentence; of a batch, that of all words. See `Spellings.batch`
    for the tensors.

    # Parameters

    forms : `Sequence[str]`
    """

    __slots__ = ["forms", "_spellings"]

    def __init__(self, forms: Sequence[str]) -> None:
        self.forms = list(forms)
        self._spellings: Optional[Spellings] = None

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        counts = counter[NAMESPACE]
        for form in self.forms:
            for character in visible(form):
                counts[character] += 1

    def index(self, vocab: Vocabulary) -> None:
        self._spellings = Spellings(self.forms, vocab)

    def get_padding_lengths(self) -> Dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: Dict[str, int]) -> Dict[str, torch.Tensor]:
        if self._spellings is None:
            raise ValueError("index the field of characters with a vocabulary first")
        return self._spellings.batch(numpy.arange(len(self.forms)))

    def batch_tensors(self, tensor_list: List[Dict[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
        parts = [tensors["ids"].numpy() for tensors in tensor_list]
        width = max(ids.shape[1] for ids in parts)
        rows = numpy.concatenate([numpy.pad(i, ((0, 0), (0, width - i.shape[1]))) for i in parts])
        # Rows in the order of their numbers, as in `Spellings`: padding comes before any character.
        ids, places = numpy.unique(rows, axis=0, return_inverse=True)
        starts = numpy.cumsum([0, *map(len, parts)])
        words = [tensors["words"].numpy() + start for tensors, start in zip(tensor_list, starts)]
        places = places.reshape(-1)[numpy.concatenate(words)]
        return {"ids": torch.from_numpy(ids), "words": torch.from_numpy(places)}

    def human_readable_repr(self) -> Any:
        return [visible(form) for form in self.forms]

    def __str__(self) -> str:
        return f"CharactersField of {len(self.forms)} words"
