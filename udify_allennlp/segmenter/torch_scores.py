"""The scores of a segmenter's network, by PyTorch."""

from typing import Any

import numpy
import torch

from udify_allennlp.segmentation.scores import Characters


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
    def guess(self, characters: Characters, counts: numpy.ndarray) -> numpy.ndarray:
        return _array(self._model.guesses(*map(self._tensor, (*characters, counts))))

    @torch.no_grad()
    def flags(
        self, characters: Characters, is_text: numpy.ndarray, shares: numpy.ndarray
    ) -> tuple[numpy.ndarray, numpy.ndarray]:
        # Without masks and several texts a short text takes half the time.
        logits, vectors = self._model.flagged(
            self._tensor(characters.hashes),
            self._tensor(characters.classes),
            self._tensor(characters.text_of) if len(shares) > 1 else None,
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
