"""
A masked language model at toy size that learns from treebanks, too: the first user of wordpieces
as nodes, of texts larger than memory, and of training in phases.
"""

from typing import Any

import torch
from allennlp.common import Lazy
from allennlp.data import Vocabulary
from allennlp.models import Model
from torch.nn import functional

from udify_allennlp.data.tasks import Upos
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.layout import Layout


@Decoder.register("toy_piece_tagger")
class PieceTagger(Decoder):
    """The UPOS of a word, from each of its pieces; that of the first piece is predicted."""

    unit = "wordpieces"

    def __init__(self, vocab: Vocabulary, input_dim: int):
        super().__init__(Upos())
        self._labels = vocab.get_index_to_token_vocabulary("upos_labels")
        self.output = torch.nn.Linear(input_dim, len(self._labels))

    def scores(self, encoded):
        return self.output(encoded.words), encoded.layout

    def loss(self, scores, gold):
        numbers, layout = scores
        labels = gold["upos"].to(numbers.device)
        return functional.cross_entropy(numbers, labels[layout.word_of - 1])

    def decode(self, scores, sentences):
        numbers, layout = scores
        best = iter(numbers[layout.first_of].argmax(-1).tolist())
        return [{"upos": [self._labels[next(best)] for _ in s.forms]} for s in sentences]


@WordEncoder.register("toy_words")
class Words(WordEncoder):
    """An encoder without wordpieces."""

    num_layers = 1

    def get_output_dim(self):
        return 8


@Model.register("toy_pretraining")
class ToyPretraining(MultitaskModel):
    """The loss is that of UPOS where a batch has them, else in training that of masked pieces."""

    def __init__(
        self,
        vocab: Vocabulary,
        embedder: WordEncoder,
        decoders: dict[str, Lazy[Decoder]],
        **kwargs: Any,
    ):
        super().__init__(vocab, embedder, decoders, **kwargs)
        dim = embedder.get_output_dim()
        self.masked = torch.nn.Linear(dim, embedder.transformer.config.vocab_size)
        self.extra = torch.nn.Linear(dim, dim)
        self.phases = []
        self.batches = []

    def start_phase(self, number):
        self.phases.append(number)

    def forward(self, layout, sentences, inputs=None, **fields):
        self.batches.append(tuple(sentence.forms[0] for sentence in sentences))
        if "upos" in fields or not self.training:
            return super().forward(layout, sentences, inputs, **fields)
        part = self.part(layout, sentences, inputs, **fields)
        pieces = Layout(**part.batch["piece_nodes"])
        wordpieces = part.batch["wordpieces"]
        ids, cells = wordpieces["ids"], wordpieces["pieces"]
        chosen = torch.rand(len(cells), device=cells.device) < 0.15
        masked = ids.flatten().index_fill(0, cells[chosen], self.embedder._mask_id).view_as(ids)
        batch = {**part.batch, "wordpieces": {**wordpieces, "ids": masked}}
        vectors = self.embedder.encode_pieces(batch, part.layout, pieces)[-1]
        vectors = vectors[-len(cells) :]
        if self.phases and self.phases[-1] == 2:
            vectors = vectors + self.extra(vectors).tanh()
        gold = ids.flatten()[cells][chosen]
        loss = functional.cross_entropy(self.masked(vectors[chosen]), gold, reduction="sum")
        return {"loss": loss / max(len(gold), 1)}
