"""Vectors of words from their characters."""

from collections.abc import Sequence
from typing import Any

import torch
from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.kernels.products import linear

_PADDING, _UNKNOWN = 0, 1


class CharacterFeatures(torch.nn.Module, FromParams):
    """
    Features from the spelling of a word, added to its vector for some tasks; the thesis suggests
    them as future work for features and lemmas (conclusion).

    They are convolutions of several widths over the characters, with the largest value of each
    filter in the word (Kim et al. 2016, section 2.1), followed by a linear layer for each task.
    Departures: the ends of a word are marked by zeros on both sides of it, and there is no highway
    layer.

    # Parameters

    num_characters : `int`
        Number of characters, including padding, 0, and the unknown one, 1.
    output_dim : `int`
        Width of the word vectors.
    tasks : `Sequence[str]`
        The tasks that use characters.
    dim : `int`
        Width of a character's vector.
    widths : `Sequence[int]`
        Numbers of characters per convolution: odd, so that both ends of a word are treated alike.
    filters : `int`
        Number of filters per convolution.
    dropout : `float`
        Dropout rate on the largest values.
    unknown_probability : `float`
        Probability with which a character becomes the unknown one in training, so that its vector
        is learned.

    # Raises

    `ConfigurationError` if there are no characters, no tasks or no widths, or a width is even.
    """

    def __init__(
        self,
        num_characters: int,
        output_dim: int,
        tasks: Sequence[str] = ("feats", "lemma"),
        dim: int = 64,
        widths: Sequence[int] = (3, 5),
        filters: int = 128,
        dropout: float = 0.33,
        unknown_probability: float = 0.01,
    ) -> None:
        super().__init__()
        if num_characters <= _UNKNOWN + 1:
            raise ConfigurationError(
                "model.characters has no characters: the training data has none. Set "
                "dataset_reader.characters to true."
            )
        if not tasks or not widths or any(width < 1 or width % 2 == 0 for width in widths):
            raise ConfigurationError(
                f"model.characters has tasks {list(tasks)} and widths {list(widths)}. Name at "
                "least one of each; a width is an odd number."
            )
        self.unknown_probability = unknown_probability
        self.widths = list(widths)
        self.embedding = torch.nn.Embedding(num_characters, dim, padding_idx=_PADDING)
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(dim, filters, width, padding="same") for width in widths
        )
        self.skips_padding = True
        """True if padding is left out on a CPU outside training: products then depend on words."""
        self.dropout = FastDropout(dropout)
        self.outputs = torch.nn.ModuleDict(
            {task: torch.nn.Linear(filters * len(widths), output_dim) for task in tasks}
        )

    def forward(self, ids: torch.Tensor, words: torch.Tensor) -> dict[str, torch.Tensor]:
        """
        Returns by task the vectors to add to the word vectors, `(words, output_dim)`. Each spelling
        is computed once, for any number of words.

        # Parameters

        ids : `torch.Tensor`
            `(spellings, characters)`; 0 after the end of a word, which has at least one character.
        words : `torch.Tensor`
            `(words,)`: the spelling of each word.
        """
        is_padding = ids == _PADDING
        if self.training:
            drawn = torch.rand(ids.shape, device=ids.device) < self.unknown_probability
            ids = ids.masked_fill(drawn & ~is_padding, _UNKNOWN)
        if self.skips_padding and ids.is_cpu and not self.training:
            largest = self._largest_of_words(ids, is_padding)
        else:
            characters = self.embedding(ids).transpose(1, 2)
            features = [
                convolution(characters).masked_fill(is_padding.unsqueeze(1), -torch.inf).amax(-1)
                for convolution in self.convolutions
            ]
            largest = torch.cat(features, -1)
        spellings = self.dropout(largest.relu())
        return {
            task: output(spellings).index_select(0, words) for task, output in self.outputs.items()
        }

    def _largest_of_words(self, ids: torch.Tensor, is_padding: torch.Tensor) -> torch.Tensor:
        """
        Returns the same as convolutions over `ids`, three quarters of which are padding: products
        of the windows around each character. A GPU would wait for their number.
        """
        margin = max(self.widths) // 2
        padded = torch.nn.functional.pad(ids, (margin, margin))
        row, column = (~is_padding).nonzero(as_tuple=True)
        features = []
        for width, convolution in zip(self.widths, self.convolutions):
            window = torch.arange(width) + margin - width // 2
            near = self.embedding(padded[row.unsqueeze(1), column.unsqueeze(1) + window])
            weight: Any = convolution.weight
            bias: Any = convolution.bias
            features.append(linear(near.flatten(1), weight.transpose(1, 2).flatten(1), bias))
        lengths = (~is_padding).sum(1)
        return torch.segment_reduce(torch.cat(features, -1), "max", lengths=lengths, axis=0)
