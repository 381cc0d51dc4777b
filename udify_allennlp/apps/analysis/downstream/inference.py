"""Natural language inference, scored by accuracy (Conneau et al. 2018, XNLI)."""

from collections.abc import Sequence
from typing import Any

import numpy
import torch
from allennlp.common import Tqdm

from udify_allennlp.apps.analysis.downstream.fine_tuning import Inputs, Padding, outputs
from udify_allennlp.apps.analysis.downstream.sentence_pairs import (
    LABELS,
    SentencePair,
    read_pairs,
)
from udify_allennlp.apps.analysis.downstream.task import Task

_AT_ONCE = 1000


class Inference(Task[SentencePair]):
    """Labels of pairs of sentences; the longer sentence is truncated to fit `max_pieces`."""

    auto_class = "AutoModelForSequenceClassification"
    head_settings = {
        "id2label": dict(enumerate(LABELS)),
        "label2id": {label: number for number, label in enumerate(LABELS)},
    }
    metric = "accuracy"
    columns = ("pairs", "accuracy")
    metrics = ("accuracy",)
    ending = ".tsv"
    read = staticmethod(read_pairs)

    def training_inputs(self, examples: Sequence[SentencePair]) -> tuple[list[Inputs], str]:
        inputs = self._inputs(examples)
        for row, pair in zip(inputs, examples):
            row["labels"] = LABELS.index(pair.label)
        return [*inputs], f"{len(examples):,} pairs"

    def predict(
        self,
        head: torch.nn.Module,
        examples: Sequence[SentencePair],
        pad: Padding,
        batch_size: int,
        title: str = "predicting",
    ) -> tuple[list[str], dict[str, int]]:
        labels = [""] * len(examples)
        inputs = self._inputs(examples)
        for row, output, place in outputs(head, inputs, pad, batch_size, title):
            labels[row] = LABELS[int(output.logits[place].argmax())]
        return labels, {}

    @staticmethod
    def scores(
        predicted: Sequence[str], examples: Sequence[SentencePair], path: str
    ) -> dict[str, Any]:
        correct = sum(label == pair.label for label, pair in zip(predicted, examples, strict=True))
        return {"pairs": len(examples), "accuracy": 100 * correct / len(examples)}

    @staticmethod
    def written(predicted: Sequence[str], examples: Sequence[SentencePair]) -> str:
        """A label per line, in the order of the file."""
        return "".join(f"{label}\n" for label in predicted)

    def _inputs(self, pairs: Sequence[SentencePair]) -> list[dict[str, Any]]:
        inputs: list[dict[str, Any]] = []
        for start in Tqdm.tqdm(range(0, len(pairs), _AT_ONCE), desc="wordpieces"):
            some = pairs[start : start + _AT_ONCE]
            encoded = self.tokenizer.pretrained(
                [pair.premise for pair in some],
                [pair.hypothesis for pair in some],
                truncation="longest_first",
                max_length=self.max_pieces,
            )
            inputs += [
                {name: numpy.array(encoded[name][row], numpy.int32) for name in encoded}
                for row in range(len(some))
            ]
        return inputs
