"""The placement of language codes: pairs of sentences as tensors."""

from collections.abc import Sequence
from typing import NamedTuple, Optional

import torch
from torch.nn.utils.rnn import pad_sequence

from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.subwords import EOS, PAD, Subwords

SMALL_100, M2M_100 = "small100", "m2m100"
PLACEMENTS = (SMALL_100, M2M_100)
"""
`small100`: the target's code at the encoder's start and none in the decoder (Mohammadshahi 2023,
section 6.2.1; which code is specified only by the released code). `m2m100`: the source's code at
the encoder's start, the target's as the decoder's first piece (Fan et al. 2020).
"""


class Placed(NamedTuple):
    """A batch; the first axis of all tensors is pairs."""

    input_ids: torch.Tensor
    """`(batch, source)`: code, pieces and `</s>`."""
    attention_mask: torch.Tensor
    """`(batch, source)`: 1 on all but padding."""
    decoder_input_ids: torch.Tensor
    """`(batch, target)`: the initial `</s>`, and all labels but the last."""
    labels: torch.Tensor
    """`(batch, target)`: for `m2m100` the code, then pieces and `</s>`."""
    is_label: torch.Tensor
    """
    `(batch, target)`: True on pieces and `</s>`, which the other placement has to predict, too.
    """

    def to(self, device: torch.device) -> "Placed":
        return Placed(*(each.to(device) for each in self))


def place(pairs: Sequence[Pair], subwords: Subwords, placement: str) -> Placed:
    """
    Returns tensors for a network.

    # Raises

    `ConfigurationError` if a language has no code.
    """
    sources, given, labels, known = [], [], [], []
    for pair in pairs:
        source_code, target_code = map(subwords.code, pair.direction)
        code = target_code if placement == SMALL_100 else source_code
        sources.append(torch.tensor([code, *pair.source, EOS]))
        first = [] if placement == SMALL_100 else [target_code]
        target = [*first, *pair.target, EOS]
        labels.append(torch.tensor(target))
        given.append(torch.tensor([EOS, *target[:-1]]))
        known.append(torch.tensor([False] * len(first) + [True] * (len(target) - len(first))))
    input_ids = pad_sequence(sources, batch_first=True, padding_value=PAD)
    lengths = torch.tensor([len(source) for source in sources])
    return Placed(
        input_ids,
        (torch.arange(input_ids.shape[1]) < lengths.unsqueeze(1)).long(),
        pad_sequence(given, batch_first=True, padding_value=PAD),
        pad_sequence(labels, batch_first=True, padding_value=PAD),
        pad_sequence(known, batch_first=True, padding_value=False),
    )


def target_codes(
    pairs: Sequence[Pair], subwords: Subwords, placement: str
) -> Optional[torch.Tensor]:
    """Returns the code that translations begin with, `(batch,)`; `None` if they have none."""
    if placement == SMALL_100:
        return None
    return torch.tensor([subwords.code(pair.direction[1]) for pair in pairs])
