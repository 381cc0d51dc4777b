"""The teacher of a translation model."""

from collections.abc import Sequence
from typing import Any, Optional

import torch

from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import place
from udify_allennlp.translation.subwords import Subwords
from udify_allennlp.translation.teacher_cache import TeacherCache, as_scores, best_pieces


class Teacher:
    """
    A trained network that returns distributions over pieces. It is not a module, so its owner does
    not save, train or move it.

    # Parameters

    network : `Any`
        An M2M-100 network of transformers.
    subwords : `Subwords`
        The student's subwords.
    placement : `str`
        The placement of its codes, which may differ from the student's.
    device : `Optional[str]`
        Its device, such as `cuda:1`; by default the student's.
    cache : `Optional[TeacherCache]`
        A cache of its best pieces, so that each pair is computed once.
    """

    def __init__(
        self,
        network: Any,
        subwords: Subwords,
        placement: str,
        device: Optional[str] = None,
        cache: Optional[TeacherCache] = None,
    ) -> None:
        self._network = network.eval().requires_grad_(False)
        self._subwords = subwords
        self._placement = placement
        self._device = device
        self._cache = cache

    def scores(self, pairs: Sequence[Pair], device: torch.device) -> torch.Tensor:
        """
        Returns `(tokens, pieces)` on `device`, before the softmax: for each piece and `</s>` of the
        targets in turn, given the previous gold pieces. The code in M2M-100's decoder has no row.
        From a cache, only the best pieces have scores; the others have -inf.
        """
        if self._cache is None:
            return self._asked(pairs, device)
        known = [self._cache.get(pair) for pair in pairs]
        new = [pair for pair, best in zip(pairs, known) if best is None]
        if new:
            lengths = [len(pair.target) + 1 for pair in new]
            asked = self._asked(new, device).split(lengths)
            self._cache.put([(p, best_pieces(s, self._cache.top)) for p, s in zip(new, asked)])
            known = [self._cache.get(pair) for pair in pairs]
        size = self._network.config.vocab_size
        return torch.cat([as_scores(best, size, device) for best in known if best is not None])

    def _asked(self, pairs: Sequence[Pair], device: torch.device) -> torch.Tensor:
        where = torch.device(self._device) if self._device is not None else device
        self._network.to(where)
        with torch.no_grad():
            scores, _ = piece_scores(self._network, pairs, self._subwords, self._placement, where)
        return scores.to(device)


def piece_scores(
    network: Any, pairs: Sequence[Pair], subwords: Subwords, placement: str, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Returns the scores of a network for the targets of a batch, given their gold prefixes.

    # Returns

    `Tuple[torch.Tensor, torch.Tensor]`
        Scores before the softmax, `(tokens, pieces)`, and the gold labels, `(tokens,)`, sentence
        after sentence, in the same order for networks with different placements.
    """
    placed = place(pairs, subwords, placement).to(device)
    hidden = network.model(
        input_ids=placed.input_ids,
        attention_mask=placed.attention_mask,
        decoder_input_ids=placed.decoder_input_ids,
        use_cache=False,
    ).last_hidden_state
    # Padding is left out before the largest product.
    return network.lm_head(hidden[placed.is_label]), placed.labels[placed.is_label]
