"""
Calibration of a model's probabilities, and temperatures that improve it (Guo et al. 2017): of the
words with probability 0.9, nine in ten should be correct.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, cast

import numpy
import torch
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.tasks import Deps, Task
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.graph2graph.stepwise import StepwiseModel
from udify_allennlp.graph2graph.with_initial import WithInitial
from udify_allennlp.models import confidence
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.scoring.undefined_scores import filled
from udify_allennlp.text.sentence import Columns, Sentence, with_tags, with_trees
from udify_allennlp.text.universal_labels import attached

GRID = tuple(float(x) for x in numpy.geomspace(0.5, 4.0, 13))
"""Candidate temperatures; 1 is the fifth."""
BINS = 10
MOST = 1000
"""Maximum number of sentences: all labels of all words are computed for each temperature."""
_LEAST = 1e-6


class Bin(NamedTuple):
    """The words whose probability lies in one of ten bins."""

    words: int
    probability: float
    """The mean probability of the words."""
    right: float
    """The share of correct words."""


class Calibration(NamedTuple):
    """The calibration of one entry, such as `HeadProb`."""

    name: str
    right: float
    """The share of correct words."""
    before: list[Bin]
    after: list[Bin]
    temperature: float

    @staticmethod
    def error(bins: Sequence[Bin]) -> float:
        """
        Returns the expected calibration error: the mean distance between probability and share,
        over words.
        """
        total = sum(bin_.words for bin_ in bins)
        return sum(bin_.words * abs(bin_.probability - bin_.right) for bin_ in bins) / total


def calibrate(predictor: ConlluPredictor, sentences: Sequence[Sentence]) -> list[Calibration]:
    """
    Calibrates the entries of a model's decoders on gold sentences. A deprel counts where the head
    is correct and not ROOT. The temperatures are those in `GRID` with the lowest mean log loss of
    the words' correctness. If there are more than `MOST` sentences, an even sample is used.

    # Raises

    `ConfigurationError` if the sentences have no gold column that the model predicts, if the model
    attends to graphs, or if a decoder has no probabilities, such as a transition decoder.
    """
    if isinstance(predictor.model, (StepwiseModel, WithInitial)):
        raise ConfigurationError(
            "This model parses with a graph or in several passes, so its probabilities cannot be "
            "calibrated. Calibrate its initial parser, if it has one, and train this model again "
            "with the result."
        )
    decoders = cast(dict[str, Decoder], dict(predictor.model.decoders.items()))
    confidence.check(decoders, wanted=True, temperatures={})
    probable_by: defaultdict[str, list[numpy.ndarray]] = defaultdict(list)
    right: defaultdict[str, list[numpy.ndarray]] = defaultdict(list)
    columns = filled(sentences)
    some = sentences[:: max(1, math.ceil(len(sentences) / MOST))]
    for rows, batch in Tqdm.tqdm(predictor.batches(some), desc="parsing", unit=" batches"):
        golds = [some[row] for row in rows]
        for name, probable, is_right in _of_batch(predictor, batch, golds, columns):
            probable_by[name].append(probable)
            right[name].append(is_right)
    if not probable_by:
        raise ConfigurationError(
            "The sentences have no gold column that the model predicts. Name annotated files."
        )
    return [
        _fitted(name, numpy.concatenate(probable_by[name], 1), numpy.concatenate(right[name]))
        for name in probable_by
    ]


def _of_batch(
    predictor: ConlluPredictor,
    batch: dict[str, Any],
    golds: Sequence[Sentence],
    columns: Collection[str],
) -> Iterable[tuple[str, numpy.ndarray, numpy.ndarray]]:
    """
    Yields for each entry its probabilities `(temperatures, words)`, and a mask of the correct
    words.
    """
    part, sentences = predictor.model.part(**batch), list(golds)
    predictions: list[tuple[Decoder, Any, list[Sentence], list[Columns]]] = []
    with torch.no_grad():
        for _, decoder, scores in predictor.model.scored(part.batch, part.layout):
            if set(decoder.task.columns) <= set(columns):
                decoded = decoder.decode(scores, sentences)
                predictions.append((decoder, scores, sentences, decoded))
                sentences = list(with_tags(sentences, decoded))
        trees = [own for *_, own in predictions if all("heads" in each for each in own)]
        for decoder, scores, tagged, decoded in predictions:
            if decoder.follows_trees and trees:
                decoder.follow(scores, list(with_trees(sentences, trees[0])), decoded)
            by_temperature = [
                decoder.probabilities(
                    scores, tagged, decoded, dict.fromkeys(decoder.entries, temperature)
                )
                for temperature in GRID
            ]
            for name, counts, is_right in zip(
                decoder.entries, *_right(decoder.task, golds, decoded)
            ):
                chances = torch.stack([chances[name] for chances in by_temperature]).cpu().numpy()
                yield name, chances[:, counts], is_right[counts]


def _right(
    task: Task, golds: Sequence[Sentence], decoded: Sequence[Columns]
) -> tuple[list[numpy.ndarray], list[numpy.ndarray]]:
    """Returns for each entry of a task the words that count and the correct ones."""
    flags: list[list[bool]] = [[], []]
    if isinstance(task, Deps):
        for gold, new in zip(golds, decoded):
            for sentence_flags, more in zip(flags, attached(gold, new["heads"], new["deprels"])):
                sentence_flags += more
        heads, both = map(numpy.array, flags)
        is_root = numpy.array([head == "0" for new in decoded for head in new["heads"]])
        return [numpy.ones_like(heads), heads & ~is_root], [heads, both]
    (column,) = task.columns
    same = getattr(task, "same", lambda gold, new: gold == new)
    for gold, new in zip(golds, decoded):
        flags[0] += map(same, getattr(gold, column), new[column])
    return [numpy.ones(len(flags[0]), dtype=bool)], [numpy.array(flags[0], dtype=bool)]


def _fitted(name: str, chances: numpy.ndarray, right: numpy.ndarray) -> Calibration:
    """
    Returns the calibration for probabilities `(temperatures, words)` and a mask of correct words.
    """
    clipped = chances.clip(_LEAST, 1 - _LEAST)
    losses = -numpy.where(right, numpy.log(clipped), numpy.log1p(-clipped)).mean(1)
    best = int(losses.argmin())
    plain = GRID.index(min(GRID, key=lambda temperature: abs(temperature - 1)))
    before, after = (_bins(chances[index], right) for index in (plain, best))
    return Calibration(name, float(right.mean()), before, after, GRID[best])


def _bins(chances: numpy.ndarray, right: numpy.ndarray) -> list[Bin]:
    numbers = (chances * BINS).astype(int).clip(0, BINS - 1)
    members = [numbers == number for number in range(BINS)]
    return [
        Bin(int(inside.sum()), float(chances[inside].mean()), float(right[inside].mean()))
        for inside in members
        if inside.any()
    ]
