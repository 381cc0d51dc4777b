"""The choice of wordpieces that a masked language model has to guess (Devlin et al. 2019)."""

from typing import NamedTuple, Optional

import torch
from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError


class Vocabulary(NamedTuple):
    """The number of wordpieces, and the mask piece."""

    size: int
    mask_id: int


class Masking(FromParams):
    """
    Dynamic masking. Each chosen piece is replaced by the mask piece, replaced by a random piece, or
    kept (Sun et al. 2021, section 3.5: 15%, of which 80%, 10% and 10%).

    # Parameters

    rate : `float`
        Probability with which a piece is chosen, in (0, 1).
    masked, replaced : `float`
        The shares of the chosen pieces that become the mask piece, and a random piece; the rest
        stays.
    whole_words : `bool`
        True if the pieces of a word are chosen together.

    # Raises

    `ConfigurationError` if a share is out of range.
    """

    def __init__(
        self,
        rate: float = 0.15,
        masked: float = 0.8,
        replaced: float = 0.1,
        whole_words: bool = False,
    ) -> None:
        if not 0 < rate < 1 or min(masked, replaced) < 0 or masked + replaced > 1:
            raise ConfigurationError(
                f"model.masking has rate {rate}, masked {masked} and replaced {replaced}. The rate "
                "must be in (0, 1), and the shares at least 0 and at most 1 together."
            )
        self.rate, self.masked, self.replaced = rate, masked, replaced
        self.whole_words = whole_words

    def __call__(
        self,
        ids: torch.Tensor,
        word_of: torch.Tensor,
        vocabulary: Vocabulary,
        generator: Optional[torch.Generator] = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        ids, word_of : `torch.Tensor`
            `(windows, pieces)`: the pieces, and the word of each, 0 for special pieces and padding,
            which are never chosen.
        vocabulary : `Vocabulary`
        generator : `Optional[torch.Generator]`
            A generator on the CPU, so that every device draws the same; by default torch's for the
            device of `ids`, which training seeds and saves.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            The masked pieces, and a mask of the chosen ones: bool, `(windows, pieces)`.
        """

        def draw(count: int) -> torch.Tensor:
            device = ids.device if generator is None else "cpu"
            return torch.rand(count, generator=generator, device=device).to(ids.device)

        if self.whole_words:
            # No more words than pieces; numbers go on from window to window.
            of_words = draw(ids.numel() + 1) < self.rate
            chosen = of_words.index_select(0, word_of.flatten()).view_as(ids)
        else:
            chosen = draw(ids.numel()).view_as(ids) < self.rate
        chosen = chosen & (word_of > 0)
        fate = draw(ids.numel()).view_as(ids)
        any_piece = (draw(ids.numel()).view_as(ids) * vocabulary.size).long()
        any_piece = any_piece.clamp(max=vocabulary.size - 1)  # floats near 1 are rounded
        shown = torch.where(
            chosen & (fate < self.masked + self.replaced),
            torch.where(fate < self.masked, vocabulary.mask_id, any_piece),
            ids,
        )
        return shown, chosen
