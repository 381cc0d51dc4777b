"""A Hugging Face encoder that gives every layer's vector of every word."""

import functools
from typing import Any, Callable, Dict, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders import TokenEmbedder

from udify_allennlp.data import encoder_files
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.kernels.attention import use_fast_attention
from udify_allennlp.kernels.dropout import use_fast_dropout

_CONFIG_FILE = "config.json"
# What the dropout rates are called in the configs of BERT, DistilBERT, ELECTRA and their like.
_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")


@TokenEmbedder.register("udify_encoder")
class Encoder(TokenEmbedder):
    """
    All layers of a pretrained encoder at the first wordpiece of each word, with input masking
    (thesis, sections 3.3.1, 3.4.3 and 3.4.4).

    # Parameters

    model_name : `str`
        A folder or a hub name, anything `AutoModel` loads.
    dropout : `Optional[float]`
        Of the encoder's hidden states and attention (thesis: 0.2); by default the encoder's own.
    mask_probability : `float`
        Probability with which a wordpiece, never a special one, becomes the mask piece in
        training (thesis: 0.2).
    load_weights : `bool`
        False builds the encoder without its pretrained weights: an archive brings its own.
    gradient_checkpointing : `bool`
        Recompute activations in the backward pass: less memory, about a third more time.
    compile : `Optional[str]`
        A backend of `torch.compile`, such as `inductor`: it takes about a minute at the start. On
        a CPU the forward pass gained 5% (torch 2.13, 12 layers of 384), so it is off by default.
    serialization_dir : `Optional[str]`
        The run's folder, given by AllenNLP: it keeps a copy of the encoder's config.

    # Raises

    `ConfigurationError` if the encoder cannot be loaded, a rate is outside [0, 1), or masking is
    asked of a tokenizer that has no mask piece.
    """

    def __init__(
        self,
        model_name: str,
        dropout: Optional[float] = None,
        mask_probability: float = 0.2,
        load_weights: bool = True,
        gradient_checkpointing: bool = False,
        compile: Optional[str] = None,
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__()
        for name, rate in (("dropout", dropout or 0.0), ("mask_probability", mask_probability)):
            if not 0 <= rate < 1:
                raise ConfigurationError(f"embedder.{name} is {rate}: it must be in [0, 1).")
        tokenizer = WordpieceTokenizer(model_name, serialization_dir)
        if mask_probability and tokenizer.mask_id is None:
            raise ConfigurationError(
                f"embedder.mask_probability is {mask_probability}, but the tokenizer of "
                f"{model_name!r} has no mask piece. Set mask_probability to 0."
            )
        self.mask_probability = mask_probability
        self._mask_id = tokenizer.mask_id
        self._unmaskable = (tokenizer.start_id, tokenizer.end_id)
        self.transformer = _load(model_name, dropout, load_weights, serialization_dir)
        use_fast_dropout(self.transformer)
        self._takes_full_masks = use_fast_attention(self.transformer)
        if gradient_checkpointing:
            self.transformer.gradient_checkpointing_enable()
        if compile is not None:
            # One program for all lengths and batch sizes; weights keep their names.
            self.transformer.compile(backend=compile, dynamic=True)
        self.num_layers: int = self.transformer.config.num_hidden_layers
        self._dim: int = self.transformer.config.hidden_size

    def get_output_dim(self) -> int:
        return self._dim

    def forward(  # type: ignore[override]
        self, ids: torch.Tensor, mask: torch.Tensor, first: torch.Tensor
    ) -> torch.Tensor:
        """
        `ids` and `mask` `(windows, pieces)`, `first` `(words,)`, as `WordpieceField` makes them.
        Gives `(layers, words, dim)`.
        """
        ids = self.mask_input(ids, mask)
        output = self.transformer(
            input_ids=ids,
            attention_mask=self._attention_mask(mask),
            output_hidden_states=True,
            return_dict=True,
        )
        # The first hidden state is the embedding table's output, not a layer's (Eq 3.1).
        layers = [layer.flatten(0, 1).index_select(0, first) for layer in output.hidden_states[1:]]
        return torch.stack(layers)

    def _attention_mask(self, mask: torch.Tensor) -> torch.Tensor:
        if mask.device.type == "cpu" or not self._takes_full_masks:
            return mask.long()
        # transformers would ask whether any piece is padding, which waits for the GPU.
        return mask[:, None, None, :].expand(-1, -1, mask.shape[1], -1)

    def mask_input(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """`ids` with masked pieces; the same `ids` outside training."""
        if not self.training or not self.mask_probability or self._mask_id is None:
            return ids
        chosen = torch.rand(ids.shape, device=ids.device) < self.mask_probability
        for special in self._unmaskable:
            chosen &= ids != special
        return ids.masked_fill(chosen & mask, self._mask_id)


def _load(
    model_name: str, dropout: Optional[float], load_weights: bool, serialization_dir: Optional[str]
) -> Any:
    from transformers import AutoConfig, AutoModel

    path = encoder_files.source(model_name, serialization_dir, _CONFIG_FILE)
    rates: Dict[str, float] = {}
    try:
        config = AutoConfig.from_pretrained(path, trust_remote_code=False)
        encoder_files.keep(config, serialization_dir, _CONFIG_FILE)
        if dropout is not None:
            rates = {name: dropout for name in _DROPOUTS if hasattr(config, name)}
            for name, rate in rates.items():
                setattr(config, name, rate)
        if load_weights:
            build = functools.partial(
                AutoModel.from_pretrained, model_name, config=config, trust_remote_code=False
            )
        else:
            build = functools.partial(AutoModel.from_config, config)
        model = without_pooler(build)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"No encoder could be loaded from model_name {model_name!r}: "
            f"{str(error).splitlines()[0]} Give the name of a model on the Hugging Face hub, or a "
            "folder saved with save_pretrained."
        ) from None
    if dropout is not None and not rates:
        raise ConfigurationError(
            f"embedder.dropout is {dropout}, but the config of {model_name!r} names its rates in a "
            "way we do not know. Leave dropout out, and set the rates in the folder's config.json."
        )
    # transformers 5 keeps a checkpoint's dtype, and half precision on a CPU is 50 times slower.
    return model.float()


def without_pooler(build: Callable[..., Any]) -> Any:
    """
    The encoder that `build` makes. The pooler of BERT and its like is left out, since it feeds no
    task and is not trained; other encoders do not know the setting.
    """
    try:
        return build(add_pooling_layer=False)
    except TypeError:
        return build()
