"""A new encoder: a word is the mean of learned vectors of its letters. See CONTRIBUTING.md."""

from collections.abc import Mapping
from typing import Any

import torch

from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.modules.layout import Layout


@WordEncoder.register("letters")
class LetterEncoder(WordEncoder):
    """An encoder without context: it does not see other words."""

    reads = ("forms",)
    unit = "words"
    num_layers = 1

    def __init__(self, dim: int = 64, buckets: int = 1000) -> None:
        super().__init__()
        self.letters = torch.nn.EmbeddingBag(buckets, dim, mode="mean")

    def get_output_dim(self) -> int:
        return self.letters.embedding_dim

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        forms: list[str] = batch["forms"]["strings"]  # each form of the batch once
        numbers = [ord(letter) % self.letters.num_embeddings for form in forms for letter in form]
        starts = torch.tensor([0, *map(len, forms[:-1])]).cumsum(0)
        device = self.letters.weight.device
        vectors = self.letters(torch.tensor(numbers).to(device), starts.to(device))
        return vectors.index_select(0, batch["forms"]["words"]).unsqueeze(0)
