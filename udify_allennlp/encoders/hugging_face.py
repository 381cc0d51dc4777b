"""A Hugging Face encoder that returns every layer's vector of every word."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.bert import Bert
from udify_allennlp.encoders.pretrained import (
    compile_layers,
    load_encoder,
    number_of_positions,
    too_long,
    with_weights,
)
from udify_allennlp.encoders.structure_layer import load_layer
from udify_allennlp.encoders.word_encoder import WordEncoder
from udify_allennlp.kernels.attention import use_fast_attention
from udify_allennlp.kernels.dropout import use_fast_dropout
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.pooling import FIRST, POOLING, pool
from udify_allennlp.modules.structure_integration import StructureLayer

logger = logging.getLogger(__name__)

ROOTS = ("learned", "special", "piece")


@WordEncoder.register("udify_encoder")
class HuggingFaceEncoder(WordEncoder):
    """
    All layers of a pretrained encoder at the first wordpiece of each word (or at others, with
    `pooling`), with input masking (thesis, sections 3.3.1, 3.4.3 and 3.4.4).

    # Parameters

    model_name : `str`
        A folder or a hub name, anything that `AutoModel` loads; or one of our trained models (an
        archive or a run folder), whose encoder is used.
    dropout : `Optional[float]`
        Dropout rate of the encoder's hidden states and attention (thesis: 0.2); by default the
        encoder's own.
    mask_probability : `float`
        Probability with which a wordpiece, never a special one, becomes the mask piece in
        training (thesis: 0.2).
    load_weights : `bool`
        False to build the encoder without its pretrained weights, since an archive has its own.
    gradient_checkpointing : `bool`
        True to recompute activations in the backward pass (Chen et al. 2016): less memory, about a
        third more time, the same gradients. Off by default, as in the papers.
    compile : `Optional[str]`
        A backend of `torch.compile`, such as `inductor`: it takes about a minute at the start. On
        a CPU the forward pass gained 5% (torch 2.13, 12 layers of 384), so it is off by default.
    root : `str`
        The vector of ROOT. `learned`: a vector that a decoder learns, added to the words after the
        encoder (released code). `special`: that of the first special piece of the sentence.
        `piece`: that of a learned piece after the first special one, which attends and is attended
        to (Mohammadshahi 2023, Eq 3.2); windows are then a piece longer.
    layers : `Optional[int]`
        Number of layers to use, the lowest ones (Mohammadshahi 2023, section 2.4.4: 6 of 12); by
        default all.
    pooling : `str`
        The pooling of a word's pieces: `first`, `last`, or the element-wise `mean` or `max` of all
        of them (section 3.1: no discernible difference). All but `first` need `piece_nodes` of the
        reader.
    integration : `bool`
        True if an encoder that was pretrained with universal dependencies and exported by
        `ud-export` includes the layer above that reads its soft trees (Sun et al. 2021), as its
        topmost layer. Never with `layers`.
    serialization_dir : `Optional[str]`
        The run folder, given by AllenNLP: it keeps a copy of the encoder's config.

    # Raises

    `ConfigurationError` if the encoder cannot be loaded, a rate is outside [0, 1), masking is
    requested but the tokenizer has no mask piece, `root` or `pooling` is unknown, or windows with a
    piece for ROOT are longer than the encoder takes.
    """

    reads: tuple[str, ...] = ("wordpieces",)
    gives = ("words", "wordpieces")
    pretrained = True
    takes_start = True

    def __init__(
        self,
        model_name: str,
        dropout: Optional[float] = None,
        mask_probability: float = 0.2,
        load_weights: bool = True,
        gradient_checkpointing: bool = False,
        compile: Optional[str] = None,
        serialization_dir: Optional[str] = None,
        root: str = "learned",
        layers: Optional[int] = None,
        pooling: str = FIRST,
        integration: bool = True,
    ) -> None:
        super().__init__()
        if pooling not in POOLING:
            raise ConfigurationError(
                f"embedder.pooling is {pooling!r}. Use one of {', '.join(POOLING)}."
            )
        self.pooling = pooling
        if pooling != FIRST:
            self.reads = (*self.reads, "piece_nodes")
        if root not in ROOTS:
            raise ConfigurationError(f"embedder.root is {root!r}. Use one of {', '.join(ROOTS)}.")
        for name, rate in (("dropout", dropout or 0.0), ("mask_probability", mask_probability)):
            if not 0 <= rate < 1:
                raise ConfigurationError(f"embedder.{name} is {rate}. It must be in [0, 1).")
        tokenizer = WordpieceTokenizer(model_name, serialization_dir)
        if mask_probability and tokenizer.mask_id is None:
            raise ConfigurationError(
                f"embedder.mask_probability is {mask_probability}, but the tokenizer of "
                f"{model_name!r} has no mask piece. Set mask_probability to 0."
            )
        self.model_name = model_name
        self.tokenizer = tokenizer
        self.mask_probability = mask_probability
        self._mask_id = tokenizer.mask_id
        self.end_ids = (tokenizer.start_id, tokenizer.end_id)
        self.transformer, self._own_config = load_encoder(
            model_name,
            dropout,
            load_weights,
            serialization_dir,
            layers,
            plain=not (gradient_checkpointing or compile),
        )
        self._takes_full_masks = isinstance(self.transformer, Bert)
        if not isinstance(self.transformer, Bert):
            use_fast_dropout(self.transformer)
            self._takes_full_masks = use_fast_attention(self.transformer)
        if gradient_checkpointing:
            self.transformer.gradient_checkpointing_enable()
        if compile is not None:
            compile_layers(self.transformer, compile)
        self.looks_for_padding = True
        """
        Whether a batch without padding is encoded without a mask, which is faster; false if the
        operations may not depend on the data.
        """
        self.positions = number_of_positions(self.transformer)
        """Maximum number of pieces of a window; None for any number."""
        self.max_pieces = min(tokenizer.max_pieces, self.positions or tokenizer.max_pieces)
        self.num_layers: int = self.transformer.config.num_hidden_layers
        self._dim: int = self.transformer.config.hidden_size
        self.structure_layer: Optional[StructureLayer] = None
        if integration and layers is None:
            self.structure_layer = load_layer(
                model_name, self._dim, load_weights, serialization_dir, dropout
            )
        if self.structure_layer is not None:
            self.num_layers += 1
        self.encodes_root = root != "learned"
        self.root_piece: Optional[torch.nn.Parameter] = None
        if root == "piece":
            pieces = self.transformer.get_input_embeddings()
            self.root_piece = torch.nn.Parameter(pieces.weight.detach().mean(0))

    def get_output_dim(self) -> int:
        return self._dim

    def as_transformers(self, attention: Optional[str] = None) -> Any:
        """
        Returns the plain encoder with the config that the pretrained encoder came with; see
        `WordEncoder`.
        """
        additions = self.additions()
        if additions:
            logger.warning(
                "The encoder is used without the parts that were trained in addition to its "
                "layers: %s.",
                ", ".join(additions),
            )
        return with_weights(self._own_config, self.transformer.state_dict(), attention)

    def additions(self) -> list[str]:
        """Returns the parts that an encoder of transformers cannot have, for messages."""
        return [] if self.root_piece is None else ["the piece for ROOT"]

    def forward(self, batch: Mapping[str, Any], layout: Layout) -> torch.Tensor:
        """
        Returns the layers of each word by its `pooling`, and of the ROOTs if it encodes these.
        """
        if self.pooling == FIRST:
            return self._encode(batch, layout, batch["wordpieces"]["first"], layout)
        pieces = Layout(**batch["piece_nodes"])
        vectors = self.encode_pieces(batch, layout, pieces)
        assert pieces.first_of is not None
        roots = vectors.shape[1] - len(pieces.places)
        words = pool(vectors[:, roots:], pieces.first_of, self.pooling)
        return torch.cat([vectors[:, :roots], words], 1)

    def encode_pieces(
        self, batch: Mapping[str, Any], layout: Layout, pieces: Layout
    ) -> torch.Tensor:
        return self._encode(batch, layout, batch["wordpieces"]["pieces"], pieces)

    def _encode(
        self, batch: Mapping[str, Any], layout: Layout, cells: torch.Tensor, units: Layout
    ) -> torch.Tensor:
        """
        Returns the layers at `cells` of `ids.flatten()`, the positions of the words or pieces of
        `units`.
        """
        ids, mask = (batch["wordpieces"][name] for name in ("ids", "mask"))
        text = self.text(self.mask_input(ids, mask), batch, layout)
        if "start" in batch:
            text = self._with_start(text, batch["start"], cells // ids.shape[1], units)
        places = cells
        if self.encodes_root:
            # The first piece of the first word of each sentence is in the sentence's first window.
            own_window = cells.index_select(0, units.nodes[:, 1] - 1) // ids.shape[1]
            if self.root_piece is None:
                roots = own_window * ids.shape[1]
            else:
                text, mask = self._with_root_piece(text, mask)
                # A column more before each piece, and one in each window above it.
                places = cells + cells // ids.shape[1] + 1
                roots = own_window * mask.shape[1] + 1
            places = torch.cat([roots, places])
        if self.positions is not None and mask.shape[1] > self.positions:
            raise too_long(mask.shape[1], self.positions)
        layers = self._layers(self._attention_mask(mask), text, self.relations(batch, layout))
        # The first hidden state is the embedding table's output, not a layer's (Eq 3.1).
        next(layers)
        vectors = []
        for layer in layers:
            vectors.append(layer.flatten(0, 1).index_select(0, places))
        if self.structure_layer is not None:
            layer = self.structure_layer(layer, mask)
            vectors.append(layer.flatten(0, 1).index_select(0, places))
        return torch.stack(vectors)

    def _layers(
        self, mask: torch.Tensor, text: dict[str, torch.Tensor], relations: dict[str, Any]
    ) -> Iterator[torch.Tensor]:
        """The output of the embedding table, and of each layer, `(windows, pieces, dim)`."""
        if isinstance(self.transformer, Bert):
            return self.transformer.layers(**text, **relations, attention_mask=mask)
        output = self.transformer(
            **text,
            **relations,
            attention_mask=mask,
            output_hidden_states=True,
            return_dict=True,
        )
        return iter(output.hidden_states)

    def text(
        self, ids: torch.Tensor, batch: Mapping[str, Any], layout: Layout
    ) -> dict[str, torch.Tensor]:
        """
        Returns the input of the transformer: the pieces' `input_ids`, or their vectors
        `inputs_embeds`.
        """
        return {"input_ids": ids}

    def relations(self, batch: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
        """Returns further inputs of the attention."""
        return {}

    def _with_start(
        self,
        text: dict[str, torch.Tensor],
        start: torch.Tensor,
        window: torch.Tensor,
        units: Layout,
    ) -> dict[str, torch.Tensor]:
        """
        Returns the pieces' vectors, with `start` `(batch, dim)` added to the first of each window.

        # Parameters

        window : `torch.Tensor`
            The window of each unit, `(units,)`.
        """
        vectors = text.get("inputs_embeds")
        if vectors is None:
            vectors = self.transformer.get_input_embeddings()(text["input_ids"])
        # Windows stand in the order of their sentences: one without the beginning of a word is of
        # the same sentence as the window before it.
        sentences = torch.zeros(len(vectors), dtype=torch.long, device=vectors.device)
        sentences[window] = units.sentence_of
        window_start = start.index_select(0, sentences.cummax(0).values).to(vectors.dtype)
        first = (vectors[:, 0] + window_start).unsqueeze(1)
        return {"inputs_embeds": torch.cat([first, vectors[:, 1:]], 1)}

    def _with_root_piece(
        self, text: dict[str, torch.Tensor], mask: torch.Tensor
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Returns the windows with ROOT after their first piece, as vectors, and their mask."""
        assert self.root_piece is not None
        limit, width = self.max_pieces, mask.shape[1] + 1
        if width > limit:
            raise ConfigurationError(
                f"embedder.root is 'piece': with ROOT a window has {width} pieces, but the encoder "
                f"takes only {limit}. Set dataset_reader.root_piece to true."
            )
        vectors = text.get("inputs_embeds")
        if vectors is None:
            vectors = self.transformer.get_input_embeddings()(text["input_ids"])
        root = self.root_piece.to(vectors.dtype).expand(len(mask), 1, -1)
        vectors = torch.cat([vectors[:, :1], root, vectors[:, 1:]], 1)
        return {"inputs_embeds": vectors}, torch.cat([mask[:, :1], mask], 1)

    def _attention_mask(self, mask: torch.Tensor) -> torch.Tensor:
        looks = self.looks_for_padding and mask.device.type == "cpu"
        if looks or not self._takes_full_masks:
            return mask.long()
        # transformers would ask whether any piece is padding, which waits for the GPU.
        return mask[:, None, None, :].expand(-1, -1, mask.shape[1], -1)

    def mask_input(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Returns `ids` with masked pieces; the same `ids` outside training."""
        if not self.training or not self.mask_probability or self._mask_id is None:
            return ids
        chosen = torch.rand(ids.shape, device=ids.device) < self.mask_probability
        for special in self.end_ids:
            chosen &= ids != special
        return ids.masked_fill(chosen & mask, self._mask_id)
