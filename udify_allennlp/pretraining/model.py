"""
A masked language model that learns universal dependencies and uses them as input (Sun et al. 2021).
"""

import os
from collections.abc import Container, Mapping
from typing import Any, Optional, Union, cast

import torch
import torch.nn.functional as F
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.nn.util import dist_reduce_sum

from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.biaffine import ACTIVATIONS
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.structure_integration import Integration, StructureLayer
from udify_allennlp.pretraining import masking as pieces_to_guess
from udify_allennlp.pretraining.masked_head import MaskedHead, load_head
from udify_allennlp.pretraining.masking import Masking
from udify_allennlp.pretraining.structure_decoder import StructureDecoder
from udify_allennlp.pretraining.subword_trees import with_ends
from udify_allennlp.text.sentence import Columns

DEPS = "deps"
_MASK_SEED = 0
_PIECES_AT_ONCE = 64
"""Number of pieces that are scored at a time: the scores take 64 MB for 250,000 pieces."""
_FIXED = ("layer_attention", "layer_dropout", "dropout", "initial_beta", "characters")


@Model.register("udify_pretraining")
class PretrainingModel(MultitaskModel):
    """
    A model that learns from treebanks and from masked texts, with the trainer `udify_phased`
    (Algorithm 1). In the first phase masked pieces are predicted from the topmost layer of the
    encoder, from the second phase on from the layer above, which reads the soft structure;
    structure is always learned from the topmost layer of the encoder. In training, the loss of a
    batch with heads is that of the decoders, and otherwise that of masked pieces. Both are means,
    while the paper prints sums.

    Scores of annotated sentences include `masked_loss` in addition to the scores of their trees:
    the loss per masked piece, in nats, with the same masks each time.

    Each window of wordpieces is a separate text for masking. All parameters of `udify_multitask`
    apply as well, except those of layer mixtures and characters.

    # Parameters

    vocab : `Vocabulary`
    embedder : `WordEncoder`
        `udify_encoder` with `root` special, [CLS], and `mask_probability` 0.
    decoders : `Dict[str, Decoder]`
        `deps` is a `udify_structure_decoder`; others may be added.
    masking : `Optional[Masking]`
        Masking; by default that of the paper.
    tied : `bool`
        True if the scores of pieces use the encoder's table of pieces. The paper does not specify
        this.
    masked_head_from : `Optional[str]`
        A `model_name` whose masked language model head initializes ours; by default it is new.
    reading : `str`
        The kind of integration of structure; see `Integration`.
    use_integration : `bool`
        True if there is a layer above the encoder (Table 7, w/o Universal Structure Integration).
    use_usl_loss : `bool`
        True if structure is learned from treebanks (Table 7, Structure Only); if false, no phase
        may use treebanks.

    # Raises

    `ConfigurationError` if the encoder or the decoder of `deps` has another type or other settings,
    and the errors of the classes above.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        embedder: WordEncoder,
        decoders: dict[str, Lazy[Decoder]],
        masking: Optional[Masking] = None,
        tied: bool = True,
        masked_head_from: Optional[str] = None,
        reading: str = "intended",
        use_integration: bool = True,
        use_usl_loss: bool = True,
        **kwargs: Any,
    ) -> None:
        for name in _FIXED:
            if name in kwargs:
                raise ConfigurationError(
                    f"A model of type udify_pretraining has no {name}, since its decoders read the "
                    "topmost layer. Remove it."
                )
        if (
            not isinstance(embedder, HuggingFaceEncoder)
            or embedder.mask_probability
            or not embedder.encodes_root
            or embedder.root_piece is not None
        ):
            raise ConfigurationError(
                "A model of type udify_pretraining masks pieces itself and uses [CLS] as ROOT. "
                "Set model.embedder.type to udify_encoder, root to special and mask_probability "
                "to 0."
            )
        if embedder.structure_layer is not None:
            raise ConfigurationError(
                "The encoder of a model of type udify_pretraining already has a structure layer "
                "(structure_layer.json). Set model.embedder.integration to false, since the model "
                "makes its own."
            )
        if embedder._mask_id is None:
            raise ConfigurationError(
                "The tokenizer of model.embedder has no mask piece. Use the encoder of a masked "
                "language model."
            )
        super().__init__(
            vocab,
            embedder,
            decoders,
            layer_attention="last",
            layer_dropout=0.0,
            dropout=0.0,
            **kwargs,
        )
        structure = dict(self._decoders()).get(DEPS)
        if not isinstance(structure, StructureDecoder):
            raise ConfigurationError(
                "A model of type udify_pretraining learns structure. Set model.decoders.deps.type "
                "to udify_structure_decoder."
            )
        config = embedder.transformer.config
        dim = embedder.get_output_dim()
        table = self._table()
        self.masking = masking or Masking()
        self._pieces_known = pieces_to_guess.Vocabulary(len(table), embedder._mask_id)
        activation = getattr(config, "hidden_act", "gelu")
        activation = activation if activation in ACTIVATIONS else "gelu"
        self.masked_head = MaskedHead(dim, table, tied, activation)
        if masked_head_from is not None:
            load_head(self.masked_head, masked_head_from)
        self.integration: Optional[Integration] = None
        if use_integration:
            self.integration = Integration(
                dim,
                structure.num_labels,
                config.num_attention_heads,
                getattr(config, "intermediate_size", 4 * dim),
                reading=reading,
            )
        self.use_usl_loss = use_usl_loss
        self.reads_whole_tables = tied
        self.phase = 1
        # Saved: an archive guesses pieces as the model did.
        self._saved_phase: torch.Tensor
        self.register_buffer("_saved_phase", torch.tensor(1))
        self._masked_loss, self._masked_pieces = 0.0, 0

    def start_phase(self, number: int) -> None:
        """Prepares for a phase before each update; phases are numbered from 1."""
        if number != self.phase:
            self.phase = number
            self._saved_phase.fill_(number)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        incompatible_keys = super().load_state_dict(state_dict, *args, **kwargs)
        self.phase = int(self._saved_phase)
        return incompatible_keys

    def forward(self, *args: Any, **fields: Any) -> dict[str, Any]:
        if not self.training:
            return super().forward(*args, **fields)
        if "heads" not in fields:
            return {"loss": self.masked_loss(self.part(*args, **fields))}
        if not self.use_usl_loss:
            raise ConfigurationError(
                "model.use_usl_loss is false, but an update would learn from treebanks. Set "
                "rates: { treebanks: 0 } in each of trainer.phases."
            )
        return super().forward(*args, **fields)

    def part(self, *args: Any, **fields: Any) -> BatchSubset:
        """
        Returns the batch of `udify_multitask`, with the [SEP] of each sentence among its
        wordpieces.
        """
        part = super().part(*args, **fields)
        wordpieces = part.batch["wordpieces"]
        pieces, cells = with_ends(Layout(**part.batch["piece_nodes"]), wordpieces["pieces"])
        wordpieces = {**wordpieces, "pieces": cells}
        batch = {**part.batch, "wordpieces": wordpieces, "piece_nodes": pieces._asdict()}
        return part._replace(batch=batch)

    def masked_loss(self, part: BatchSubset) -> torch.Tensor:
        """
        Returns a scalar (nats, mean over the pieces to predict) for a batch; 0 if none was drawn.
        """
        ids = part.batch["wordpieces"]["ids"]
        assert part.layout.word_of is not None
        shown, chosen = self.masking(ids, part.layout.word_of, self._pieces_known)
        vectors = self.vectors(part, shown)[chosen]
        return self._loss_of(vectors, ids[chosen]) / max(len(vectors), 1)

    def _loss_of(self, vectors: torch.Tensor, pieces: torch.Tensor) -> torch.Tensor:
        """Returns the sum over pieces."""
        scores = self.masked_head(vectors, self._table())
        return F.cross_entropy(scores.float(), pieces, reduction="sum")

    def output(
        self, loss: Optional[torch.Tensor], columns: list[Columns], part: BatchSubset
    ) -> dict[str, Any]:
        if not self.training and part.gold:
            self._score_masks(part)
        return super().output(loss, columns, part)

    @torch.no_grad()
    def _score_masks(self, part: BatchSubset) -> None:
        ids = part.batch["wordpieces"]["ids"]
        assert part.layout.word_of is not None
        generator = torch.Generator().manual_seed(_MASK_SEED)
        masked = self.masking(ids, part.layout.word_of, self._pieces_known, generator)
        vectors = self.vectors(part, masked[0])[masked[1]]
        pieces = ids[masked[1]]
        for some in zip(vectors.split(_PIECES_AT_ONCE), pieces.split(_PIECES_AT_ONCE)):
            self._masked_loss += float(self._loss_of(*some))
        self._masked_pieces += len(pieces)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        metrics = super().get_metrics(reset)
        loss, pieces = self._masked_loss, self._masked_pieces
        if reset:
            # Each process of a distributed run has seen a part of the pieces.
            loss, pieces = dist_reduce_sum(loss), dist_reduce_sum(pieces)
        if pieces:
            metrics["masked_loss"] = loss / pieces
        if reset:
            self._masked_loss, self._masked_pieces = 0.0, 0
        return metrics

    def structure_layer(self) -> Optional[StructureLayer]:
        if self.integration is None or self.phase == 1:
            return None
        return StructureLayer(
            cast(StructureDecoder, self.decoders[DEPS]).structure, self.integration
        )

    def vectors(self, part: BatchSubset, ids: torch.Tensor) -> torch.Tensor:
        """
        Returns the model's vectors of windows `ids` `(windows, pieces)`, special pieces included:
        `(windows, pieces, dim)`, in the first phase from the topmost layer of the encoder, later
        from the layer of integration, if there is one.
        """
        mask = part.batch["wordpieces"]["mask"]
        nodes = self._states(part.batch, part.layout, ids)
        if self.integration is None or self.phase == 1:
            return nodes
        structure = cast(StructureDecoder, self.decoders[DEPS]).structure
        soft = structure.soft(structure(nodes, mask))
        return cast(torch.Tensor, self.integration(nodes, soft, mask))

    def _states(self, batch: Mapping[str, Any], layout: Layout, ids: torch.Tensor) -> torch.Tensor:
        """Returns the topmost layer of all cells of the windows, `(windows, pieces, dim)`."""
        cells = torch.arange(ids.numel(), device=ids.device)
        # Each window is a sentence, whose first special piece is ROOT.
        windows = Layout(cells.view_as(ids) + 1, cells)
        wordpieces = {**batch["wordpieces"], "ids": ids, "pieces": cells}
        layers = self.embedder.encode_pieces({**batch, "wordpieces": wordpieces}, layout, windows)
        return layers[-1][-len(cells) :].view(*ids.shape, -1)

    def check_fields(self, batch: Container[str], inputs: Container[str]) -> None:
        super().check_fields(batch, inputs)
        if "word_of" not in batch:
            raise ConfigurationError(
                "A model of type udify_pretraining needs word_of, which the reader does not "
                "provide. Set dataset_reader.word_of to true."
            )

    def _table(self) -> torch.Tensor:
        table: Any = self.embedder
        return cast(torch.Tensor, table.transformer.get_input_embeddings().weight)

    @classmethod
    def _load(
        cls,
        config: Params,
        serialization_dir: Union[str, "os.PathLike[str]"],
        weights_file: Optional[Union[str, "os.PathLike[str]"]] = None,
        cuda_device: int = -1,
    ) -> Model:
        # The archive brings the weights of the head, too.
        config["model"].pop("masked_head_from", None)
        return super()._load(config, serialization_dir, weights_file, cuda_device)
