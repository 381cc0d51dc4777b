"""The scores of a segmenter's network, by PyTorch."""

from typing import Any

import numpy
import torch


class TorchScores:
    """
    See `NetworkScores`.

    # Parameters

    model : `Any`
        A `Segmenter`.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.reach: int = model.network.reach

    @torch.no_grad()
    def guess(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        counts: numpy.ndarray,
    ) -> numpy.ndarray:
        arrays = (self._tensor(array) for array in (hashes, classes, text_of, counts))
        return _array(self._model.guesses(*arrays))

    @torch.no_grad()
    def flags(
        self,
        hashes: numpy.ndarray,
        classes: numpy.ndarray,
        text_of: numpy.ndarray,
        is_text: numpy.ndarray,
        shares: numpy.ndarray,
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        # Without masks and several texts a short text takes half the time.
        logits, vectors = self._model.flagged(
            self._tensor(hashes),
            self._tensor(classes),
            self._tensor(text_of) if len(shares) > 1 else None,
            None if is_text.all() else self._tensor(is_text),
            self._tensor(shares),
        )
        return _array(logits), _array(vectors)

    @torch.no_grad()
    def rules(self, vectors: numpy.ndarray) -> numpy.ndarray:
        weight = self._model.rules.weight
        return _array(self._model.rules(self._tensor(vectors).to(weight.dtype)))

    def _tensor(self, array: numpy.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self._model.flags.weight.device)


def _array(tensor: torch.Tensor) -> numpy.ndarray:
    return tensor.float().cpu().numpy()
