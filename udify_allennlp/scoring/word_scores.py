"""Scores of development data, counted batch by batch on the strings that would be written."""

from collections import Counter
from collections.abc import Sequence
from typing import Optional

from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric

from udify_allennlp.data.tasks import STANDARD, Task, task_of
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns


class WordScores(Metric):
    """
    The percentage of correct words, as the CoNLL 2018 script counts them for gold words: universal
    features and universal deprels only, and a gold lemma `_` always counts as correct.

    Each task defines correctness; only predicted columns have scores. In a distributed run the
    final scores (`reset=True`) cover all processes, intermediate ones only one.

    # Parameters

    tasks : `Optional[List[Task]]`
        The tasks to score, in order of display; by default the predicted columns of CoNLL-U.
    """

    def __init__(self, tasks: Optional[list[Task]] = None) -> None:
        self._tasks = list(map(task_of, STANDARD)) if tasks is None else list(tasks)
        self._right: dict[str, int] = Counter()
        self._words: dict[str, int] = Counter()

    def __call__(self, sentences: Sequence[Sentence], columns: Sequence[Columns]) -> None:
        """Counts gold `sentences`, each with the columns predicted for it."""
        for gold, predicted in zip(sentences, columns):
            for task in self._tasks:
                if all(column in predicted for column in task.columns):
                    for name, right in task.right(gold, predicted).items():
                        self._right[name] += right
                        self._words[name] += len(gold)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """
        Returns the scores in percent, by the names of the CoNLL 2018 script; empty if nothing was
        scored.
        """
        scores = {}
        for name in self._names():
            words, right = self._words[name], self._right[name]
            if reset:  # Every process gets here: only then may they talk to each other.
                words, right = dist_reduce_sum(words), dist_reduce_sum(right)
            if words:
                scores[name] = 100.0 * right / words
        if reset:
            self.reset()
        return scores

    def _names(self) -> list[str]:
        return [name for task in self._tasks for name in task.metrics]

    def reset(self) -> None:
        self._right.clear()
        self._words.clear()
