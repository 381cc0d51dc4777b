"""
Encoders under the heads of transformers, `AutoModelForSequenceClassification` and
`AutoModelForQuestionAnswering`, with the layer of UD pretraining above the encoder if it has one.
"""

import logging
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.encoders import UNLOADABLE, not_loaded
from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.pretrained import in_silence, number_of_positions
from udify_allennlp.encoders.structure_layer import load_layer
from udify_allennlp.modules.structure_integration import StructureLayer

logger = logging.getLogger(__name__)


def load_head(
    name: str, auto_class: str, integration: bool = True, **settings: Any
) -> torch.nn.Module:
    """
    Returns the encoder `name` (a folder, a hub name, or a trained model of ours) with a new head,
    in float32. The head's weights are drawn from torch's random numbers, as is BERT's pooler for a
    classifier if the encoder has none, such as one of `ud-export`.

    # Parameters

    name : `str`
    auto_class : `str`
        A class of transformers, such as `AutoModelForQuestionAnswering`.
    integration : `bool`
        True to use the layer that `ud-export` has written next to the encoder.
    **settings : `Any`
        Settings of the config, such as `num_labels`.

    # Raises

    `ConfigurationError` if the encoder cannot be loaded or transformers has no such head for it;
    errors of `load_layer` and `add_structure_layer`.
    """
    import transformers

    path = encoder_files.locate(name)
    try:
        with in_silence():
            head, report = getattr(transformers, auto_class).from_pretrained(
                path, trust_remote_code=False, output_loading_info=True, **settings
            )
    except UNLOADABLE as error:
        raise not_loaded(f"No {auto_class} could be made from {name!r}", error) from None
    inside = f"{head.base_model_prefix}."
    missing = sorted(
        key for key in report["missing_keys"] if key.startswith(inside) and ".pooler." not in key
    )
    if missing:
        logger.warning(
            "%s has no weights for %d part(s) of the encoder, such as %s: they are initialized "
            "randomly.",
            name,
            len(missing),
            missing[0],
        )
    layer = load_layer(path, head.config.hidden_size, True, None) if integration else None
    if layer is not None:
        add_structure_layer(head, layer)
    # transformers 5 keeps the checkpoint's dtype.
    return head.float()


def add_structure_layer(head: Any, layer: StructureLayer) -> None:
    """
    Lets the head read the vectors of `layer` in place of the encoder's topmost ones; its weights
    are trained and moved with the head's. The pieces of both texts are one sentence for the layer.

    # Raises

    `ConfigurationError` at the first batch if the encoder is given no mask by name, or has a pooler
    unlike BERT's.
    """

    def above(encoder: Any, args: Any, inputs: dict[str, Any], output: Any) -> Any:
        mask, pooler = inputs.get("attention_mask"), getattr(encoder, "pooler", None)
        pooled = None
        if mask is not None:
            output.last_hidden_state = layer(output.last_hidden_state, mask.bool())
            pooled = None if pooler is None else pooler(output.last_hidden_state)
        if mask is None or (pooled is not None and pooled.dim() != 2):
            raise ConfigurationError(
                f"{type(encoder).__name__} does not support the layer of UD pretraining below "
                "this head. Use --without-integration."
            )
        if pooled is not None:
            output.pooler_output = pooled
        return output

    head.structure_layer = layer
    head.base_model.register_forward_hook(above, with_kwargs=True)


def largest_window(head: Any, tokenizer_limit: int) -> int:
    """Returns the maximum number of pieces of an encoder and its tokenizer."""
    return min(tokenizer_limit, number_of_positions(head) or tokenizer_limit)
