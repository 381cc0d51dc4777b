"""Base class of models that attend to a graph which another model predicts first."""

from typing import Any

from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Task
from udify_allennlp.graph2graph.initial import InitialGraph
from udify_allennlp.models.multitask import MultitaskModel


class WithInitial(MultitaskModel):
    """
    # Parameters

    vocab : `Vocabulary`
    initial : `InitialGraph`
        The source of the graph. An `archive` also predicts its other columns, except those that
        this model predicts.
    **kwargs :
        As for `udify_multitask`.
    """

    def __init__(self, vocab: Vocabulary, initial: InitialGraph, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self.initial = initial

    def predicts(self) -> dict[str, tuple[Task, Vocabulary]]:
        return {**self.initial.predicts(), **super().predicts()}

    def check_fields(self, batch: Any, inputs: Any) -> None:
        super().check_fields(batch, {*inputs, *self.initial.gives})
        self.initial.check(inputs)

    def lower(self, precision: str) -> None:
        super().lower(precision)
        for parser in self.initial.parsers():
            parser.to(next(self.parameters()).device)
            parser.lower(precision)
