"""Counts of gold, predicted and correct items, with their precision, recall and F1."""

from typing import NamedTuple


class Counts(NamedTuple):
    """The numbers of gold items, of predicted items, and of correct ones."""

    gold: int = 0
    predicted: int = 0
    right: int = 0

    def __add__(self, other: tuple[int, ...]) -> "Counts":  # type: ignore[override]
        return Counts(*(a + b for a, b in zip(self, other)))

    @property
    def precision(self) -> float:
        """Precision in percent; 0 if nothing is predicted."""
        return 100 * self.right / max(self.predicted, 1)

    @property
    def recall(self) -> float:
        return 100 * self.right / max(self.gold, 1)

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0
