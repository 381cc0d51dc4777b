"""Labels that consist of the values of several attributes, each with its own softmax."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from udify_allennlp.modules.adaptive_softmax import IGNORED


class AttributeSoftmax(torch.nn.Module):
    """
    `P(label) = prod_a P_a(value of a)`: attributes are independent given the word, so labels that
    no word of the training data has can be predicted.

    # Parameters

    input_dim : `int`
    sizes : `Sequence[int]`
        Number of values of each attribute, including its absence.
    label_smoothing : `float`
        Within each attribute, from 0 to below 1.
    """

    def __init__(self, input_dim: int, sizes: Sequence[int], label_smoothing: float = 0.0) -> None:
        super().__init__()
        self.sizes = list(sizes)
        self.label_smoothing = label_smoothing
        self.linear = torch.nn.Linear(input_dim, sum(self.sizes))

    def scores(self, x: torch.Tensor) -> Sequence[torch.Tensor]:
        """
        Returns scores for each attribute, `(words, values)` in float32, of words `(words,
        input_dim)`.
        """
        value_scores: Sequence[torch.Tensor] = self.linear(x).float().split(self.sizes, -1)
        return value_scores

    def loss(self, x: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """
        Returns minus the log-probability (nats, mean over words that have a label; 0 if none has)
        of `values` `(words, attributes)`, where a word without a label has `IGNORED`.
        """
        total = x.new_zeros((), dtype=torch.float32)
        for scores, gold in zip(self.scores(x), values.unbind(1)):
            total = total + F.cross_entropy(
                scores,
                gold,
                ignore_index=IGNORED,
                reduction="sum",
                label_smoothing=self.label_smoothing,
            )
        return total / (values != IGNORED).any(1).sum().clamp(min=1)

    def predict(self, x: torch.Tensor) -> torch.Tensor:
        """The most probable value of each attribute, `(words, attributes)`."""
        return torch.stack([scores.argmax(-1) for scores in self.scores(x)], 1)

    def chances(self, x: torch.Tensor, temperature: float = 1.0) -> torch.Tensor:
        """Returns the probability of the result of `predict`, `(words,)`."""
        tops = [(scores / temperature).softmax(-1).amax(-1) for scores in self.scores(x)]
        return torch.stack(tops).prod(0)
