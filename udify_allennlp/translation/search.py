"""Translation by the beam search of transformers, which starts according to the placement."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import M2M_100, place, target_codes
from udify_allennlp.translation.subwords import BOS, EOS, PAD, Subwords


class Search(NamedTuple):
    """Settings of the search."""

    beam_size: int
    """1 is greedy."""
    max_length: int
    """Maximum number of pieces of a translation."""


def translate(
    network: Any, pairs: Sequence[Pair], subwords: Subwords, placement: str, search: Search
) -> list[str]:
    """
    Returns the translations of a batch of sources, in any directions. Scores of finished
    translations are divided by their length, as in fairseq and transformers.

    # Raises

    `ConfigurationError` if a language has no code, or a number is below 1.
    """
    from transformers import GenerationConfig

    if search.beam_size < 1 or search.max_length < 1:
        raise ConfigurationError(
            f"model has beam_size {search.beam_size} and max_length {search.max_length}. Both must "
            "be at least 1."
        )
    device = network.device
    placed = place(pairs, subwords, placement).to(device)
    settings = GenerationConfig(
        num_beams=search.beam_size,
        max_new_tokens=search.max_length + (placement == M2M_100),
        do_sample=False,
        # Of beams alone: greedy search warns of them.
        **({"early_stopping": True, "length_penalty": 1.0} if search.beam_size > 1 else {}),
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        decoder_start_token_id=EOS,
    )
    codes = target_codes(pairs, subwords, placement)
    forced = [] if codes is None else [_FirstPiece(codes.to(device), search.beam_size)]
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = network.generate(
            input_ids=placed.input_ids,
            attention_mask=placed.attention_mask,
            logits_processor=forced,
            generation_config=settings,
        )
    return [subwords.text(row[1:]) for row in rows.tolist()]


class _FirstPiece:
    """
    A processor that makes the first piece of each translation the code of its language, like
    `forced_bos_token_id` of transformers for a single language. It counts in the length by which
    scores are divided.
    """

    def __init__(self, codes: torch.Tensor, beam_size: int) -> None:
        self._codes = codes.repeat_interleave(beam_size)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if input_ids.shape[1] > 1:
            return scores
        forced = torch.full_like(scores, -torch.inf)
        return forced.scatter(1, self._codes.unsqueeze(1), 0.0)
