"""Loading of encoders of transformers."""

import copy
import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.bert import Bert, BertSettings, settings_of
from udify_allennlp.kernels.no_init import NoRandomInit

logger = logging.getLogger(__name__)

_CONFIG_FILE = "config.json"
# What the dropout rates are called in the configs of BERT, DistilBERT, ELECTRA and their like.
_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")


def load_encoder(
    model_name: str,
    dropout: Optional[float],
    load_weights: bool,
    serialization_dir: Optional[str],
    layers: Optional[int],
    plain: bool = True,
) -> tuple[Any, Any]:
    """
    Returns the encoder for the parameters of `HuggingFaceEncoder`, in float32, and its config with
    its original dropout rates. A `plain` encoder whose weights are loaded next is a `Bert` if its
    config allows it.
    """
    path = encoder_files.source(model_name, serialization_dir, _CONFIG_FILE)
    settings = settings_of(path) if plain and not load_weights else None
    if settings is not None:
        if layers is not None:
            _cut(settings, layers)
        own_settings = copy.copy(settings)
        if dropout is not None:
            settings.hidden_dropout_prob = settings.attention_probs_dropout_prob = dropout
        return Bert(settings), own_settings
    from transformers import AutoConfig, AutoModel

    rates: dict[str, float] = {}
    try:
        config = AutoConfig.from_pretrained(path, trust_remote_code=False)
        if layers is not None:
            _cut(config, layers)
        encoder_files.keep(config.save_pretrained, serialization_dir, _CONFIG_FILE)
        own_config = copy.deepcopy(config)
        if dropout is not None:
            rates = {name: dropout for name in _DROPOUTS if hasattr(config, name)}
            for name, rate in rates.items():
                setattr(config, name, rate)
        if load_weights:
            model = _pretrained(encoder_files.locate(model_name), config)
        else:
            model = without_pooler(functools.partial(AutoModel.from_config, config))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"No encoder could be loaded from model_name {model_name!r}: "
            f"{str(error).splitlines()[0]} Use the name of a model on the Hugging Face hub, or a "
            "folder saved with save_pretrained."
        ) from None
    if dropout is not None and not rates:
        raise ConfigurationError(
            f"embedder.dropout is {dropout}, but the config of {model_name!r} has unknown names "
            "for its rates. Omit dropout, and set the rates in the folder's config.json."
        )
    # transformers 5 keeps a checkpoint's dtype, and half precision on a CPU is 50 times slower.
    return model.float(), own_config


def compile_layers(transformer: Any, backend: str) -> None:
    """
    Compiles the layers of an encoder with a backend of `torch.compile`: one program for all layers,
    lengths and batch sizes. transformers records hidden states around the layers in a way that
    cannot be compiled.

    # Raises

    `ConfigurationError` if the layers are not found.
    """
    number = transformer.config.num_hidden_layers
    for module in transformer.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == number:
            for layer in module:
                layer.forward = torch.compile(layer.forward, backend=backend, dynamic=True)
            return
    raise ConfigurationError(
        f"embedder.compile is {backend!r}, but a {type(transformer).__name__} has no list of "
        f"{number} layers. Omit compile."
    )


def with_weights(
    config: Any, weights: Mapping[str, torch.Tensor], attention: Optional[str] = None
) -> Any:
    """
    A plain encoder of transformers in float32 that shares these weights.

    # Parameters

    config : `Union[PretrainedConfig, BertSettings]`
    weights : `Mapping[str, torch.Tensor]`
        All of them, by name.
    attention : `Optional[str]`
        One of the implementations of transformers, such as `eager`.
    """
    from transformers import AutoModel

    if isinstance(config, BertSettings):
        config = config.for_transformers()
    with NoRandomInit():  # every weight is loaded below
        build = functools.partial(AutoModel.from_config, copy.deepcopy(config))
        model = in_float32(build, attention)
    model.load_state_dict(weights, assign=True)
    return model


def number_of_positions(transformer: torch.nn.Module) -> Optional[int]:
    """
    Returns the number of pieces for which an encoder has learned positions; `None` for other kinds
    of positions.
    """
    for name, module in transformer.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            # RoBERTa and its like count from behind the number of the padding piece.
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - unused
    return None


def too_long(pieces: int, positions: int) -> ConfigurationError:
    """Returns the error for windows that are longer than an encoder's positions."""
    return ConfigurationError(
        f"dataset_reader.max_pieces allows windows of {pieces} pieces, but the encoder has "
        f"{positions} positions. Set it to at most {positions}."
    )


def in_float32(build: Callable[..., Any], attention: Optional[str] = None) -> Any:
    """
    Returns the encoder that `build` makes, without a pooler, with one of transformers' attentions.
    """
    settings = {} if attention is None else {"attn_implementation": attention}
    # transformers 5 keeps the checkpoint's dtype.
    return without_pooler(functools.partial(build, **settings)).float()


def _pretrained(path: str, config: Any) -> Any:
    """
    Loads the checkpoint without its additional parts, such as heads of other tasks and layers above
    those of `config`, which transformers would report in a table; missing weights are reported.
    """
    from transformers import AutoModel

    load = functools.partial(
        AutoModel.from_pretrained,
        path,
        config=config,
        trust_remote_code=False,
        output_loading_info=True,
    )
    with in_silence():
        model, report = without_pooler(load)
    missing = sorted(report["missing_keys"])
    if missing:
        logger.warning(
            "%s has no weights for %d part(s) of the encoder, such as %s: they are initialized "
            "randomly.",
            path,
            len(missing),
            missing[0],
        )
    return model


@contextmanager
def in_silence() -> Iterator[None]:
    """Silences transformers, except for errors, within the context."""
    from transformers.utils import logging as of_transformers

    verbosity = of_transformers.get_verbosity()
    of_transformers.set_verbosity_error()
    try:
        yield
    finally:
        of_transformers.set_verbosity(verbosity)


def _cut(config: Any, layers: int) -> None:
    # A run's copy of the config has as many already.
    if not 1 <= layers <= config.num_hidden_layers:
        raise ConfigurationError(
            f"embedder.layers is {layers}, but the encoder has {config.num_hidden_layers}. Use 1 "
            f"to {config.num_hidden_layers}."
        )
    config.num_hidden_layers = layers


def without_pooler(build: Callable[..., Any]) -> Any:
    """
    Returns the encoder that `build` makes. The pooler of BERT and similar encoders is left out,
    since no task uses it and it is not trained; other encoders do not have the setting.
    """
    try:
        return build(add_pooling_layer=False)
    except TypeError:
        return build()
