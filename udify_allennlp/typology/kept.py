"""A model that has the positions of some languages and no generator: smaller, and as good there."""

from typing import Any, Dict, Sequence

import torch

from udify_allennlp.typology.encoder import TypologyEncoder

_ENCODER = "embedder."
_MADE = tuple(f"{_ENCODER}{part}." for part in ("generators", "maps", "value_vectors"))
"""What makes positions, and is not needed once they are made."""


def keep_positions(
    encoder: TypologyEncoder,
    langs: Sequence[str],
    config: Dict[str, Any],
    state: Dict[str, torch.Tensor],
) -> None:
    """
    Change the config of a model and its weights so that it has the positions of `langs` and no
    generator, as Ji et al. (2023, appendix B) count the weights of inference.

    # Parameters

    encoder : `TypologyEncoder`
        That of the model, loaded.
    langs : `Sequence[str]`
    config : `Dict[str, Any]`
        Of the model, with its `embedder`; changed.
    state : `Dict[str, torch.Tensor]`
        Weights by name; changed.

    # Raises

    `ConfigurationError` if a language has no features.
    """
    with torch.no_grad():
        tables = encoder.position_vectors(langs)
    for name in [name for name in state if name.startswith(_MADE)]:
        del state[name]
    for number, table in enumerate(tables):
        state[f"{_ENCODER}generators.{number}.tables"] = table.cpu().contiguous()
    config["embedder"].update(generator={"type": "per_language"}, languages=list(langs))
    config["embedder"].pop("position_dim", None)
