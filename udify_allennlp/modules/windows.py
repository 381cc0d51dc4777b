"""The windows of wordpieces that belong to some sentences of a batch."""

from typing import Dict, Mapping

import torch


def of_some(
    pieces: Mapping[str, torch.Tensor], windows: torch.Tensor, words: torch.Tensor
) -> Dict[str, torch.Tensor]:
    """
    The `wordpieces` that `Collator` would make of these sentences alone: as wide as they need.

    # Parameters

    pieces : `Mapping[str, torch.Tensor]`
        `ids` and `mask`, `(windows, width)`, and `first`, `(words,)`, of all sentences.
    windows, words : `torch.Tensor`
        `(windows,)` and `(words,)`, True on those of the sentences; one window at least.
    """
    mask = pieces["mask"][windows]
    width, old_width = int(mask.sum(1).max()), mask.shape[1]
    first = pieces["first"][words]
    window = (windows.long().cumsum(0) - 1).index_select(0, first // old_width)
    return {
        "ids": pieces["ids"][windows][:, :width],
        "mask": mask[:, :width],
        "first": window * width + first % old_width,
    }
