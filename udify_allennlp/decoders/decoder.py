"""The base class of the decoders of all tasks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.tasks import Task
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.sentence import Columns, Sentence

__all__ = ["Columns", "Decoder", "Encoded"]


class Encoded(NamedTuple):
    """The input of a decoder: a batch as the encoder returns it."""

    words: torch.Tensor
    """
    `(words, dim)`: all words of the batch in the order of the `layout`, without padding; for a
    decoder whose `unit` is `wordpieces`, all wordpieces with their `layout`.
    """
    layout: Layout
    roots: Optional[torch.Tensor] = None
    """`(batch, dim)`: the ROOT of each sentence; `None` if the encoder has no vector for it."""
    inputs: dict[str, Any] = {}
    """The batch's `inputs`: given columns and origins; see `Collator`."""


class Decoder(torch.nn.Module, Registrable):
    """
    Base class of the decoders of one task. `scores` reads the words, once; `loss` and `decode` use
    its result. Scores that would be large, such as those of all labels of all arcs, are computed
    only when one of the two needs them.

    # Parameters

    task : `Task`
        The task to learn: its columns in the batch are `targets`.
    """

    inputs: tuple[str, ...] = ()
    """The names of the batch's `inputs` that it needs."""
    entries: tuple[str, ...] = ()
    """The names of the values of `probabilities`; empty if it has none."""
    follows_trees = False
    """True if predicted trees can change its predictions: `follow` then does it."""
    unit = "words"
    """
    The unit that it scores, `words` or `wordpieces`. In both cases the columns of the batch are of
    words: `word_of` and `first_of` of the layout map between the two.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns of the batch that `loss` needs."""
        return tuple(spec.name for spec in self.task.specs)

    def use_encoded_root(self) -> None:
        """Prepares for an encoder with a vector for ROOT: `roots` will be present."""

    def scores(self, encoded: Encoded) -> Any:
        """Returns the values that `loss` and `decode` need for the words of a batch."""
        raise NotImplementedError

    def loss(self, scores: Any, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Returns a scalar (nats, mean over words), for the `targets` in `gold`. Labels may still be
        on the CPU: a decoder moves the labels that it needs, and never makes the CPU wait for the
        GPU.
        """
        raise NotImplementedError

    def soft_loss(self, scores: Any, teacher: "Decoder", taught: Any) -> torch.Tensor:
        """
        Returns a scalar (nats, mean over words), the distance of its distributions from those of a
        trained decoder of the same task and labels, whose scores of the same batch are `taught`.

        # Raises

        `ConfigurationError` if it cannot learn from that decoder.
        """
        raise untaught(self)

    def decode(self, scores: Any, sentences: Sequence[Sentence]) -> list[Columns]:
        """
        Returns the predicted columns of each sentence of the batch, as strings. The UPOS of
        `sentences` are predicted ones, if the model predicts UPOS.
        """
        raise NotImplementedError

    def follow(
        self, scores: Any, sentences: Sequence[Sentence], columns: Sequence[Columns]
    ) -> None:
        """Changes the result of `decode` for sentences with predicted trees, if they matter."""

    def probabilities(
        self,
        scores: Any,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
        temperatures: Mapping[str, float],
    ) -> dict[str, torch.Tensor]:
        """
        Returns the probability of the decoded values: for each of the `entries`, named as in MISC,
        `(words,)`.

        # Parameters

        scores : `Any`
        sentences : `Sequence[Sentence]`
        columns : `Sequence[Columns]`
            The results of `decode`.
        temperatures : `Mapping[str, float]`
            For some entries, the divisor of the scores before the softmax; 1 for the others (Guo et
            al. 2017, temperature scaling).
        """
        raise NotImplementedError


def untaught(decoder: Decoder) -> ConfigurationError:
    return ConfigurationError(
        f"decoders.{decoder.task.name}: a {type(decoder).__name__} cannot learn from the teacher's "
        "decoder. Use the same type, labels and settings as the teacher."
    )
