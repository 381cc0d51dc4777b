"""The interface of a task, for the command that trains and scores encoders on it."""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.downstream.fine_tuning import Inputs, Padding
from udify_allennlp.data.wordpieces import WordpieceTokenizer

E = TypeVar("E")


class Task(Generic[E]):
    """
    A task with one encoder's wordpieces.

    # Parameters

    tokenizer : `WordpieceTokenizer`
    max_pieces : `int`
        Maximum number of pieces of a sequence, including special ones.
    """

    auto_class: ClassVar[str]
    """The head, a class of transformers."""
    head_settings: ClassVar[dict[str, Any]] = {}
    metric: ClassVar[str]
    """The score that selects an epoch."""
    columns: ClassVar[tuple[str, ...]]
    """Names of the counts and scores of a file; means are those of the `metrics`."""
    metrics: ClassVar[tuple[str, ...]]
    ending: ClassVar[str]
    """The suffixes of input files and of prediction files."""

    def __init__(self, tokenizer: WordpieceTokenizer, max_pieces: int) -> None:
        self.tokenizer = tokenizer
        self.max_pieces = max_pieces
        if not tokenizer.pretrained.num_special_tokens_to_add(pair=True):
            raise ConfigurationError(
                "The tokenizer of the encoder puts no special pieces around two texts. Use an "
                "encoder such as BERT or XLM-R."
            )

    @staticmethod
    def read(path: str) -> list[E]:
        """Returns the examples of a file. Raises the errors of its reader."""
        raise NotImplementedError

    @staticmethod
    def check(examples: Sequence[E], path: str, scored: bool) -> None:
        """
        Raises `InputError` for a file that cannot be used for training or, if `scored`, for scores.
        """

    def training_inputs(self, examples: Sequence[E]) -> tuple[list[Inputs], str]:
        """Returns arguments of the head with targets, and a line of counts for the log."""
        raise NotImplementedError

    def predict(
        self,
        head: torch.nn.Module,
        examples: Sequence[E],
        pad: Padding,
        batch_size: int,
        title: str = "predicting",
    ) -> tuple[list[str], dict[str, int]]:
        """Returns a prediction for each example, and counts by column."""
        raise NotImplementedError

    @staticmethod
    def scores(predicted: Sequence[str], examples: Sequence[E], path: str) -> dict[str, Any]:
        """Returns counts and scores in percent by column."""
        raise NotImplementedError

    @staticmethod
    def written(predicted: Sequence[str], examples: Sequence[E]) -> str:
        """Returns predictions as the text of a file."""
        raise NotImplementedError
