"""The attention of a translation to its source."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import M2M_100, place
from udify_allennlp.translation.subwords import Subwords


def cross_attention(
    network: Any, pairs: Sequence[Pair], subwords: Subwords, placement: str
) -> list[torch.Tensor]:
    """
    Returns for each pair the attention of its target pieces to its source pieces,
    `(source, target)`, on the CPU: the mean over all layers and heads. Codes, `</s>` and padding
    are excluded, and the rest is not renormalized.
    """
    placed = place(pairs, subwords, placement).to(network.device)
    with torch.no_grad(), _with_weights(network):
        layers = network.model(
            input_ids=placed.input_ids,
            attention_mask=placed.attention_mask,
            decoder_input_ids=placed.decoder_input_ids,
            use_cache=False,
            output_attentions=True,
        ).cross_attentions
    mean = torch.stack([layer.float().mean(1) for layer in layers]).mean(0).cpu()
    # The source is behind its code; of the target the place of a piece is where it is predicted.
    first = 1 if placement == M2M_100 else 0
    return [
        attention[first : first + len(pair.target), 1 : 1 + len(pair.source)].t()
        for attention, pair in zip(mean, pairs)
    ]


@contextmanager
def _with_weights(network: Any) -> Iterator[None]:
    """Switches to an implementation of attention that returns its weights, within the context."""
    usual = network.config._attn_implementation
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(usual)
