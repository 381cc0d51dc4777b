"""
BERT without transformers, whose import takes longer than all other steps of a start together. It is
only for models whose weights are loaded: parameters have the same names as in transformers, and the
results are equal, bit by bit. Without this module, only costs change.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional

import torch
import torch.nn.functional as F

from udify_allennlp.kernels.attention import attention
from udify_allennlp.kernels.dropout import FastDropout

# Settings that BERT in the papers has, and so has the encoder here. What is not named has them.
_PLAIN: dict[str, Any] = {
    "add_cross_attention": False,
    "chunk_size_feed_forward": 0,
    "hidden_act": "gelu",
    "is_decoder": False,
    "model_type": "bert",
    "position_embedding_type": "absolute",
    "quantization_config": None,
}


class BertSettings:
    """
    The settings of an encoder, from its `config.json`; those that are missing are as in
    transformers' `BertConfig`.

    # Parameters

    settings : `dict[str, Any]`
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.vocab_size: int = settings.get("vocab_size", 30522)
        self.hidden_size: int = settings.get("hidden_size", 768)
        self.num_hidden_layers: int = settings.get("num_hidden_layers", 12)
        self.num_attention_heads: int = settings.get("num_attention_heads", 12)
        self.intermediate_size: int = settings.get("intermediate_size", 3072)
        self.hidden_act = "gelu"
        self.hidden_dropout_prob: float = settings.get("hidden_dropout_prob", 0.1)
        self.attention_probs_dropout_prob: float = settings.get("attention_probs_dropout_prob", 0.1)
        self.max_position_embeddings: int = settings.get("max_position_embeddings", 512)
        self.type_vocab_size: int = settings.get("type_vocab_size", 2)
        self.layer_norm_eps: float = settings.get("layer_norm_eps", 1e-12)
        self.initializer_range: float = settings.get("initializer_range", 0.02)
        self.pad_token_id: Optional[int] = settings.get("pad_token_id", 0)

    def for_transformers(self) -> Any:
        """The `BertConfig` of these settings."""
        from transformers import BertConfig

        config = BertConfig.from_dict(self.settings)
        config.num_hidden_layers = self.num_hidden_layers
        return config


def settings_of(folder: str) -> Optional[BertSettings]:
    """
    Returns the settings of the encoder in a folder; `None` if it is not a plain BERT.
    """
    try:
        settings = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # who loads it with transformers is told what is wrong
    plain = isinstance(settings, dict) and "model_type" in settings
    if not plain or any(settings.get(name, plain) != plain for name, plain in _PLAIN.items()):
        return None
    sizes = BertSettings(settings)
    return sizes if sizes.hidden_size % sizes.num_attention_heads == 0 else None


class BertOutput(NamedTuple):
    """All layers, the embeddings first, each `(batch, pieces, dim)`."""

    hidden_states: tuple[torch.Tensor, ...]

    @property
    def last_hidden_state(self) -> torch.Tensor:
        return self.hidden_states[-1]


class Bert(torch.nn.Module):
    """
    The encoder of Devlin et al. (2019) without a pooler, as transformers 5 computes it with our
    dropout and attention (`use_fast_dropout`, `use_fast_attention`), weights and their names
    included.

    # Parameters

    config : `BertSettings`
    """

    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)
        for module in self.modules():
            if isinstance(module, (torch.nn.Linear, torch.nn.Embedding)):
                torch.nn.init.normal_(module.weight, std=config.initializer_range)
            if isinstance(module, torch.nn.Linear):
                torch.nn.init.zeros_(module.bias)

    def get_input_embeddings(self) -> Any:
        """The table of wordpieces: an `Embedding`, or a `PackedEmbedding`."""
        return self.embeddings.word_embeddings

    def forward(
        self,
        input_ids: Optional[torch.Tensor] = None,
        attention_mask: Optional[torch.Tensor] = None,
        inputs_embeds: Optional[torch.Tensor] = None,
        position_ids: Optional[torch.Tensor] = None,
        output_hidden_states: bool = True,
        return_dict: bool = True,
        **of_attention: Any,
    ) -> BertOutput:
        """
        Returns all layers for wordpieces, given by ids `(batch, pieces)` or vectors
        `(batch, pieces, dim)`; the mask is not 0 on real pieces, `(batch, pieces)`, or True where a
        piece may attend, `(batch, 1, pieces, pieces)`. Positions `(batch, pieces)` are counted from
        the left by default. `output_hidden_states` and `return_dict` are those of transformers, and
        the rest is passed to the attention.
        """
        layers = self.layers(input_ids, attention_mask, inputs_embeds, position_ids, **of_attention)
        return BertOutput((*layers,))

    def layers(
        self,
        input_ids: Optional[torch.Tensor] = None,
        attention_mask: Optional[torch.Tensor] = None,
        inputs_embeds: Optional[torch.Tensor] = None,
        position_ids: Optional[torch.Tensor] = None,
        **of_attention: Any,
    ) -> Iterator[torch.Tensor]:
        """
        Yields the layers of `forward` one by one, so that a caller can keep a few vectors of each.
        """
        if inputs_embeds is None:
            inputs_embeds = self.embeddings.word_embeddings(input_ids)
        if attention_mask is not None and attention_mask.dim() == 2:
            # Without padding PyTorch needs no mask, and has a faster kernel then.
            attention_mask = None if attention_mask.all() else _seen(attention_mask.bool())
        state = self.embeddings(inputs_embeds, position_ids)
        yield state
        for layer in self.encoder.layer:
            state = layer(state, attention_mask, **of_attention)
            yield state

    def attend_with(self, function: Any) -> list[tuple[torch.nn.Module, int]]:
        """
        Makes the encoder attend with a function such as `attention` from now on. Returns the
        modules that attend, lowest layer first, and the widths of their heads.
        """
        layers: Any = self.encoder.layer
        modules = [layer.attention.self for layer in layers]
        for module in modules:
            module.attend = function
        return [(module, module.head_dim) for module in modules]


def _seen(mask: torch.Tensor) -> torch.Tensor:
    return mask[:, None, None, :].expand(-1, -1, mask.shape[1], -1)


class _Embeddings(torch.nn.Module):
    takes_packed = True
    """True if the table of wordpieces may be a `PackedEmbedding`."""

    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        dim = config.hidden_size
        self.word_embeddings = torch.nn.Embedding(
            config.vocab_size, dim, padding_idx=config.pad_token_id
        )
        self.position_embeddings = torch.nn.Embedding(config.max_position_embeddings, dim)
        self.token_type_embeddings = torch.nn.Embedding(config.type_vocab_size, dim)
        self.LayerNorm = torch.nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.dropout = FastDropout(config.hidden_dropout_prob)

    def forward(self, pieces: torch.Tensor, positions: Optional[torch.Tensor]) -> torch.Tensor:
        if positions is None:
            positions = torch.arange(pieces.shape[1], device=pieces.device).unsqueeze(0)
        # One segment, of type 0. In this order the sums are rounded as those of transformers.
        vectors = pieces + self.token_type_embeddings(torch.zeros_like(positions))
        return self.dropout(self.LayerNorm(vectors + self.position_embeddings(positions)))


class _Layers(torch.nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        layers = (_Layer(config) for _ in range(config.num_hidden_layers))
        self.layer = torch.nn.ModuleList(layers)


class _Layer(torch.nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        dim, inner = config.hidden_size, config.intermediate_size
        self.attention = _Attention(config)
        self.intermediate = torch.nn.ModuleDict({"dense": torch.nn.Linear(dim, inner)})
        self.output = _Output(config, inner)

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor], **more: Any) -> torch.Tensor:
        x = self.attention(x, mask, **more)
        return self.output(F.gelu(self.intermediate["dense"](x)), x)


class _Attention(torch.nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        self.self = _SelfAttention(config)
        self.output = _Output(config, config.hidden_size)

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor], **more: Any) -> torch.Tensor:
        return self.output(self.self(x, mask, **more), x)


class _SelfAttention(torch.nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        dim = config.hidden_size
        self.head_dim = dim // config.num_attention_heads
        self.query = torch.nn.Linear(dim, dim)
        self.key = torch.nn.Linear(dim, dim)
        self.value = torch.nn.Linear(dim, dim)
        self.rate = config.attention_probs_dropout_prob
        self.together: Any = None
        self.attend: Any = attention

    def merge_products(self) -> None:
        """
        Makes one product of three from now on, which rounds its input to 8 bits once; the results
        are the same. Only for parsing: its weights are copies.
        """
        layers = (self.query, self.key, self.value)
        sizes = layers[0].in_features, 3 * layers[0].out_features
        self.together = torch.nn.utils.skip_init(torch.nn.Linear, *sizes)
        with torch.no_grad():
            self.together.weight.copy_(torch.cat([layer.weight for layer in layers]))
            self.together.bias.copy_(torch.cat([layer.bias for layer in layers]))

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor], **more: Any) -> torch.Tensor:
        if self.together is None:
            products: Any = [linear(x) for linear in (self.query, self.key, self.value)]
        else:
            products = self.together(x).chunk(3, -1)
        query, key, value = (
            product.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for product in products
        )
        rate = self.rate if self.training else 0.0
        return self.attend(self, query, key, value, mask, rate, **more)[0].flatten(2)


class _Output(torch.nn.Module):
    """A linear layer, and a layer norm of the sum of its output and another vector."""

    def __init__(self, config: BertSettings, width: int) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(width, config.hidden_size)
        self.LayerNorm = torch.nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = FastDropout(config.hidden_dropout_prob)

    def forward(self, x: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return self.LayerNorm(self.dropout(self.dense(x)) + before)
