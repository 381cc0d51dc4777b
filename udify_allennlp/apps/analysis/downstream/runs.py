"""Runs of a task: an encoder fine-tuned with a seed, its predictions and scores by file."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.downstream.fine_tuning import Padding, Settings, fine_tune
from udify_allennlp.apps.analysis.downstream.heads import largest_window, load_head
from udify_allennlp.apps.analysis.downstream.held_out import split
from udify_allennlp.apps.analysis.downstream.task import Task
from udify_allennlp.apps.analysis.output.files import names_of
from udify_allennlp.apps.analysis.output.result_store import Record
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.text.files import compression, write_whole

logger = logging.getLogger(__name__)

Files = Mapping[str, Sequence[Any]]
"""Examples by path."""


class Plan(NamedTuple):
    """A task and the amounts of training, the same for all encoders and seeds."""

    task: type[Task[Any]]
    make_task: Callable[[WordpieceTokenizer, int], Task[Any]]
    """The task with an encoder's tokenizer and sequences of at most this many pieces."""
    max_pieces: Optional[int]
    """The user's choice; by default that of the task, or the encoder's limit."""
    default_pieces: int
    integration: bool
    settings: Settings
    """Its seed is that of the run."""
    device: torch.device


class Learner(NamedTuple):
    """An encoder under a new head, with the task and the batches in its wordpieces."""

    head: torch.nn.Module
    task: Task[Any]
    pad: Padding


def make_learner(encoder: str, plan: Plan) -> Learner:
    """
    Loads an encoder and makes its head.

    # Raises

    `ConfigurationError` from `load_head`, the tokenizer and the task, or if the encoder takes fewer
    than `max_pieces` pieces.
    """
    torch.manual_seed(plan.settings.seed)
    cls = plan.task
    head = load_head(encoder, cls.auto_class, plan.integration, **cls.head_settings)
    tokenizer = WordpieceTokenizer(encoder)
    limit = largest_window(head, tokenizer.max_pieces)
    if plan.max_pieces is not None and plan.max_pieces > limit:
        raise ConfigurationError(
            f"--max-pieces is {plan.max_pieces}, but {encoder} takes {limit}. Lower it."
        )
    task = plan.make_task(tokenizer, plan.max_pieces or min(plan.default_pieces, limit))
    return Learner(head.to(plan.device), task, Padding(tokenizer.pretrained, plan.device))


def run(
    name: str,
    encoder: str,
    plan: Plan,
    train_files: Files,
    dev_files: Files,
    test_files: Files,
    predictions: Path,
) -> Record:
    """
    Fine-tunes and scores an encoder.

    # Parameters

    name : `str`
        The encoder's name in tables.
    encoder : `str`
    plan : `Plan`
    train_files, dev_files, test_files : `Files`
        Without `dev_files`, a tenth of the training examples selects the epoch.
    predictions : `Path`
        The folder for predictions on the test files.

    # Returns

    `Record`
        `model`, `seed`, `integration` (whether there is a layer above the encoder), `training`
        (counts), `epochs`, and `files` with counts and scores of each.
    """
    head, task, pad = make_learner(encoder, plan)
    seed, batch_size = plan.settings.seed, plan.settings.batch_size
    train, dev = (
        [example for examples in files.values() for example in examples]
        for files in (train_files, dev_files)
    )
    if not dev_files:
        train, dev = split(train, seed)
        task.check(dev, "the tenth of --train that selects the epoch", scored=False)
    inputs, counts = task.training_inputs(train)
    logger.info("%s, seed %d: training on %s", name, seed, counts)
    if not inputs:
        raise ConfigurationError(
            f"--train has no usable examples ({counts}). Name more or other files."
        )

    def select() -> float:
        predicted, _ = task.predict(head, dev, pad, batch_size, "selecting")
        return float(task.scores(predicted, dev, "")[task.metric])

    epochs = fine_tune(head, inputs, pad, plan.settings, select, f"{name}, seed {seed}")
    results = []
    for path, short in zip(test_files, names_of([*test_files])):
        examples = test_files[path]
        predicted, counted = task.predict(head, examples, pad, batch_size, short)
        file = short.removesuffix(compression(short))
        target = Path(predictions, name.strip("/"), str(seed), file.strip("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, [task.written(predicted, examples).encode()])
        results.append({"file": file, **task.scores(predicted, examples, path), **counted})
    return {
        "model": name,
        "seed": seed,
        "integration": hasattr(head, "structure_layer"),
        "training": counts,
        "epochs": epochs,
        "files": results,
    }


def table(results: Sequence[Record], task: type[Task[Any]]) -> list[list[Any]]:
    """Returns a row per run and file, and the mean of a run's files."""
    rows: list[list[Any]] = [["model", "seed", "file", *task.columns]]
    for result in results:
        files = result["files"]
        if len(files) > 1:
            files = [*files, {"file": "mean", **_means(files, task.metrics)}]
        for file in files:
            cells = (file.get(column) for column in task.columns)
            rows.append([result["model"], result["seed"], file["file"], *cells])
    return rows


def _means(files: Sequence[Record], metrics: Sequence[str]) -> dict[str, float]:
    """The means of the scores that all files have."""
    return {
        name: sum(file[name] for file in files) / len(files)
        for name in metrics
        if all(name in file for file in files)
    }
