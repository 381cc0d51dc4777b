"""Vectors of a frozen encoder with learned ones of words, characters and UPOS, in context."""

from collections.abc import Mapping
from typing import Any, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.spellings import NAMESPACE
from udify_allennlp.data.tasks import Form, Task, Upos
from udify_allennlp.encoders.context_encoder import ContextEncoder
from udify_allennlp.encoders.kept_vectors import KeptVectors
from udify_allennlp.encoders.word_encoder import WordEncoder, num_labels
from udify_allennlp.modules.characters import CharacterFeatures
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.node_encoder import NodeEncoder

_WORDS = "words"


@WordEncoder.register("udify_frozen_vectors")
class FrozenVectorEncoder(ContextEncoder):
    """
    A word is represented by its topmost vector in another encoder, which is not trained, through a
    linear map, concatenated with trained vectors of the word, of its characters and of its UPOS
    (Sun et al. 2021, section 4.1: 300, and 100 each; across languages only UPOS). ROOT, a learned
    vector, and the words pass through `layers`. The paper does not specify how wordpiece vectors
    become word vectors, nor the layers above them: we use the first piece, and an LSTM.

    # Parameters

    vocab : `Vocabulary`
    below : `WordEncoder`
        The frozen encoder, such as `udify_encoder`, without dropout and masking here.
    layers : `Lazy[NodeEncoder]`
        `udify_lstm` or `udify_position_attention`.
    below_dim : `Optional[int]`
        Width of the map; `None` for no map.
    form_dim, upos_dim : `int`
        Widths of the vectors of words and of UPOS, which must be inputs of the reader, `form` and
        `upos`; 0 for none. Words that training has not seen share one vector.
    character_dim : `int`
        Width of the vector of a word's characters; 0 for none.
    characters : `Optional[Lazy[CharacterFeatures]]`
        Settings of the character features; by default those of the class.
    word_dropout : `float`
        Probability of dropping each vector of a word in training, except the one from below.
    output_dropout : `float`
        See `ContextEncoder`.
    keep_below : `int`
        Megabytes of main memory for the vectors of the encoder below in training; see
        `KeptVectors`.

    # Raises

    `ConfigurationError` if the encoder below gives ROOT a vector, a width is negative, or the data
    lacks a needed input.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        below: WordEncoder,
        layers: Lazy[NodeEncoder],
        below_dim: Optional[int] = 300,
        form_dim: int = 0,
        upos_dim: int = 0,
        character_dim: int = 0,
        characters: Optional[Lazy[CharacterFeatures]] = None,
        word_dropout: float = 0.0,
        output_dropout: float = 0.0,
        keep_below: int = 0,
    ) -> None:
        super().__init__(word_dropout, output_dropout)
        if below.encodes_root:
            raise ConfigurationError(
                "embedder.below gives ROOT a vector, but this encoder has its own for ROOT. Set "
                "its root to 'learned'."
            )
        widths = {"form_dim": form_dim, "upos_dim": upos_dim, "character_dim": character_dim}
        for name, width in {**widths, "below_dim": below_dim or 0}.items():
            if width < 0:
                raise ConfigurationError(f"embedder.{name} is {width}. It must be 0 or more.")
        if keep_below and (below.reads != ("wordpieces",) or below.inputs):
            raise ConfigurationError(
                "embedder.keep_below is for an encoder below that reads only wordpieces. Set it "
                "to 0."
            )
        self.below = below.requires_grad_(False)
        self.model_name = below.model_name
        self.reads = (*below.reads, *(("characters",) if character_dim else ()))
        self.inputs = below.inputs
        self.unit = below.unit
        self._keep_below = keep_below
        self._below_kept: Optional[KeptVectors] = None
        dim = below.get_output_dim()
        self.map: Optional[torch.nn.Linear] = None
        if below_dim:
            self.map = torch.nn.Linear(dim, below_dim)
        self.tables = torch.nn.ModuleDict()
        tasks: tuple[tuple[Task, str], ...] = ((Form(), "form_dim"), (Upos(), "upos_dim"))
        for task, setting in tasks:
            if widths[setting]:
                missing = (
                    f"embedder.{setting} is {widths[setting]}, but the data has no such "
                    "input. Add it to dataset_reader, or set this to 0."
                )
                count = num_labels(vocab, task, missing, "inputs")
                # 0 is one that training has not seen.
                self.tables[task.name] = torch.nn.Embedding(1 + count, widths[setting])
                self.inputs = (*self.inputs, task.name)
        self.characters: Optional[CharacterFeatures] = None
        if character_dim:
            self.characters = (characters or Lazy(CharacterFeatures)).construct(
                num_characters=vocab.get_vocab_size(NAMESPACE),
                output_dim=character_dim,
                tasks=[_WORDS],
            )
        self.build((below_dim or dim) + sum(widths.values()), layers)

    def words(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        with torch.no_grad():
            vectors = (self._below_kept or self.below)(batch, layout)[-1]
        parts = [vectors if self.map is None else self.map(vectors)]
        for name, table in self.tables.items():
            parts.append(self.without_some(table(batch["inputs"][name] + 1)))
        if self.characters is not None:
            parts.append(self.without_some(self.characters(**batch["characters"])[_WORDS]))
        return torch.cat(parts, 1)

    def train(self, mode: bool = True) -> "FrozenVectorEncoder":
        super().train(mode)
        self.below.eval()
        if mode and self._keep_below and self._below_kept is None:
            self._below_kept = KeptVectors(self.below, self.below.num_layers - 1, self._keep_below)
        return self

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self._below_kept = None  # the weights go to another device
        return super()._apply(*args, **kwargs)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self._below_kept = None
        super()._load_from_state_dict(*args, **kwargs)
