"""Morphological features, each attribute separately."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Feats
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.modules.adaptive_softmax import IGNORED
from udify_allennlp.modules.attribute_softmax import AttributeSoftmax
from udify_allennlp.text.sentence import Columns, Sentence, by_sentence

_NONE = "_"


class FeatsScores(NamedTuple):
    words: torch.Tensor
    """The input of the softmaxes over attributes, `(words, input_dim)`."""
    whole: Any
    """The input of the softmax over whole strings, if there is one."""


@Decoder.register("udify_feats_by_attribute_decoder")
class FeatsByAttributeDecoder(Decoder):
    """
    A softmax over the values of each attribute, such as `Case`, including one for its absence
    (thesis, sections 2.3 and 3.3.1, which finds whole strings more accurate). With `whole`, a
    softmax over whole strings decides, and the attributes are an additional loss, as in Kondratyuk
    et al. (2018), which the thesis reports to gain little.

    Our choices: the losses of all attributes are added, unweighted; several values of an attribute
    (`Gender=Fem,Masc`) are a separate value.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    whole : `bool`
    label_smoothing : `float`
        Thesis: 0.03.
    adaptive, min_labels :
        Settings of the softmax over whole strings; see `TagDecoder`.

    # Raises

    `ConfigurationError` if the data has no feats.
    """

    entries = ("FeatsProb",)
    table: torch.Tensor

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        whole: bool = False,
        label_smoothing: float = 0.03,
        adaptive: bool = True,
        min_labels: int = 1000,
    ) -> None:
        task = Feats()
        super().__init__(task)
        cells = vocab.get_index_to_token_vocabulary(task.namespace)
        labels = [_features(cells[index]) for index in range(len(cells))]
        self._values = _values(labels)
        if not self._values:
            raise ConfigurationError(
                "decoders.feats has no attributes: the training data has no feats. Add 'feats' to "
                "dataset_reader.tasks, or remove the decoder."
            )
        self.whole: Optional[TagDecoder] = None
        if whole:
            settings = (adaptive, label_smoothing, min_labels)
            self.whole = TagDecoder(vocab, task, input_dim, *settings)
            self.inputs = self.whole.inputs
        sizes = [len(values) for values in self._values.values()]
        self.output = AttributeSoftmax(input_dim, sizes, label_smoothing)
        numbers = [
            [values.index(label.get(name, _NONE)) for name, values in self._values.items()]
            for label in labels
        ]
        # Not saved: it follows from the vocabulary. The last row is that of no label.
        table = torch.tensor([*numbers, [IGNORED] * len(sizes)])
        self.register_buffer("table", table, persistent=False)

    def scores(self, encoded: Encoded) -> FeatsScores:
        whole = None if self.whole is None else self.whole.scores(encoded)
        return FeatsScores(encoded.words, whole)

    def loss(self, scores: FeatsScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        labels = gold["feats"].to(scores.words.device, non_blocking=True)
        loss = self.output.loss(scores.words, self.table[labels])  # IGNORED is the last row
        return loss if self.whole is None else loss + self.whole.loss(scores.whole, gold)

    def decode(self, scores: FeatsScores, sentences: Sequence[Sentence]) -> list[Columns]:
        if self.whole is not None:
            return self.whole.decode(scores.whole, sentences)
        names = list(self._values.values())
        cells = (
            "|".join(v[number] for v, number in zip(names, row) if number) or _NONE
            for row in self.output.predict(scores.words).tolist()
        )
        return [{"feats": own} for own in by_sentence(cells, sentences)]

    def probabilities(
        self,
        scores: FeatsScores,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
        temperatures: Mapping[str, float],
    ) -> dict[str, torch.Tensor]:
        if self.whole is not None:
            return self.whole.probabilities(scores.whole, sentences, columns, temperatures)
        (entry,) = self.entries
        return {entry: self.output.chances(scores.words, temperatures.get(entry, 1.0))}


def _features(cell: str) -> dict[str, str]:
    """Returns the features of a cell, `Case=Nom` by `Case`, and so on."""
    return (
        {} if cell == _NONE else {feature.partition("=")[0]: feature for feature in cell.split("|")}
    )


def _values(labels: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """
    Returns for each attribute, in the order of a cell, its features; the first is `_`, for none.
    """
    names = sorted({name for label in labels for name in label}, key=lambda name: name.lower())
    return {
        name: [_NONE, *sorted({label[name] for label in labels if name in label})] for name in names
    }
