"""
A translation model at toy size, from characters to characters: the first user of sampling by
directions, and of commands for models that are not parsers.
"""

import random
from collections import Counter
from typing import Any, Optional

import numpy
import torch
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary
from allennlp.data.fields import MetadataField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import Token
from allennlp.models import Model
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from udify_allennlp.data.bucket_sampler import BucketSampler, Sizes
from udify_allennlp.data.group_sampling import GroupSampling

START, END = "<s>", "</s>"


@DatasetReader.register("toy_pairs")
class PairReader(DatasetReader):
    """Lines of `DIRECTION<tab>SOURCE<tab>TARGET`."""

    def _read(self, file_path):
        with open(file_path) as file:
            for line in file:
                yield self.text_to_instance(*line.rstrip("\n").split("\t"))

    def text_to_instance(self, direction, source, target):
        tokens = [Token(token) for token in (START, END, direction, *source, *target)]
        fields = {
            "tokens": TextField(tokens, {"tokens": SingleIdTokenIndexer()}),
            "pair": MetadataField((direction, source, target)),
        }
        return Instance(fields)


@DataLoader.register("toy_pairs")
class PairLoader(DataLoader):
    """Exactly `per_direction` pairs of each direction in an epoch."""

    epochs: list[Counter] = []
    """Number of pairs of each direction, by epoch, of all loaders."""

    def __init__(
        self,
        reader: DatasetReader,
        data_path: Any,
        per_direction: int,
        batch_size: int = 8,
        cuda_device: Optional[int] = None,
    ):
        self._instances = list(reader.read(data_path))
        self._pairs = [instance["pair"].metadata for instance in self._instances]
        names = sorted({direction for direction, _, _ in self._pairs})
        self._groups = numpy.array([names.index(direction) for direction, _, _ in self._pairs])
        lengths = numpy.array([max(map(len, pair[1:])) for pair in self._pairs])
        self._sizes = Sizes(numpy.ones_like(lengths), lengths, lengths)
        self._sampling = GroupSampling(per_group=per_direction)
        self._sampler = BucketSampler(batch_size)

    def corpora(self):
        return {"toy_pairs": "CC0 1.0"}

    def __len__(self):
        rows = self._sampling.rows(self._groups, 0)
        return self._sampler.count(self._sizes.of(rows))

    def __iter__(self):
        seed = random.getrandbits(62)
        rows = self._sampling.rows(self._groups, seed)
        self.epochs.append(Counter(self._pairs[row][0] for row in rows))
        for batch in self._sampler.batches(self._sizes.of(rows), seed):
            yield {"pairs": [self._pairs[row] for row in rows[batch]]}

    def iter_instances(self):
        return iter(self._instances)

    def index_with(self, vocab):
        pass

    def set_target_device(self, device):
        pass


@Model.register("toy_translation")
class ToyTranslation(Model):
    """The direction and the source, read by one recurrent network, start another one."""

    def __init__(self, vocab: Vocabulary, dim: int = 96, **kwargs: Any):
        super().__init__(vocab, **kwargs)
        self.embedding = torch.nn.Embedding(vocab.get_vocab_size(), dim)
        self.encoder = torch.nn.GRU(dim, dim)
        self.decoder = torch.nn.GRU(dim, dim)

    def forward(self, pairs):
        sources = [self._ids([direction, *source, END]) for direction, source, _ in pairs]
        packed = torch.nn.utils.rnn.pack_sequence(
            [self.embedding(ids) for ids in sources], enforce_sorted=False
        )
        state = self.encoder(packed)[1]
        targets = [self._ids([START, *target, END]) for _, _, target in pairs]
        gold = pad_sequence([ids[1:] for ids in targets], padding_value=-100)
        given = pad_sequence([ids[:-1] for ids in targets])
        hidden = self.decoder(self.embedding(given), state)[0]
        scores = hidden @ self.embedding.weight.T
        output = {"loss": functional.cross_entropy(scores.flatten(0, 1), gold.flatten())}
        if not self.training:
            output["texts"] = self._generate(state)
        return output

    def _generate(self, state, most=20):
        """Greedily."""
        token = self._ids([START]).expand(1, state.shape[1])
        tokens = []
        for _ in range(most):
            hidden, state = self.decoder(self.embedding(token), state)
            token = (hidden @ self.embedding.weight.T).argmax(-1)
            tokens.append(token[0])
        rows = torch.stack(tokens, 1).tolist()
        texts = [[self.vocab.get_token_from_index(number) for number in row] for row in rows]
        return ["".join(row[: row.index(END)] if END in row else row) for row in texts]

    def _ids(self, tokens):
        return torch.tensor([self.vocab.get_token_index(token) for token in tokens]).view(
            (-1,) if len(tokens) > 1 else (1, 1)
        )
