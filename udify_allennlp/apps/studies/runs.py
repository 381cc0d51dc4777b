"""Training runs and scores, which are kept on disk and not repeated."""

import io
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np
from allennlp.commands.train import train_model
from allennlp.common import Params, Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.card import card_of
from udify_allennlp.archives.run_folder import has_checkpoint, keep_archive_alone, weights_file
from udify_allennlp.data.tasks import Task, task_of
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences
from udify_allennlp.text.files import fingerprint, size_and_time, write_whole

logger = logging.getLogger(__name__)

_DISCARDED = "discarded.json"


def train_once(params: Params, folder: Path, packages: Sequence[str] = ()) -> Path:
    """
    Returns the folder with a model trained by `params`. A finished model is left as it is; an
    interrupted training continues from its last checkpoint. Only the archive is kept at the end.
    `packages` are packages that the processes of distributed training import in addition to this
    one.

    # Raises

    `ConfigurationError` if the folder has other settings; and the errors of training.
    """
    # Not model.tar.gz: AllenNLP writes that too when a run is interrupted.
    done = folder / "trained.json"
    settings = json.loads(json.dumps(params.as_dict(quiet=True)))
    if done.exists():
        if json.loads(done.read_text()) != settings:
            raise ConfigurationError(
                f"{folder} was trained with other settings or data. Use the original ones, remove "
                "the folder, or name another --out."
            )
        return folder
    started = has_checkpoint(folder)
    logger.info("%s %s", "continuing with" if started else "training", folder)
    train_model(
        params,
        str(folder),
        recover=started,
        force=not started,
        include_package=list(packages),
        return_model=False,
    )
    write_json(done, settings)
    keep_archive_alone(folder)
    return folder


def discard(run: Path) -> None:
    """
    Removes the model of a run whose scores are kept; a note in its place records its identity.
    """
    file = weights_file(run)
    write_json(run / _DISCARDED, size_and_time(file))
    file.unlink()


def is_discarded(run: Path) -> bool:
    return (run / _DISCARDED).exists()


def _model_of(run: Path) -> Any:
    """Returns the values that identify the model of a run, also after `discard`."""
    if is_discarded(run):
        return json.loads((run / _DISCARDED).read_text())
    return size_and_time(weights_file(run))


class Scorer:
    """
    A parser of test files with one model, which is loaded when it is first needed.

    # Parameters

    run : `Path`
        The folder of a trained model, or its archive.
    folder : `Path`
        The folder for parsed files and scores.
    cuda_device : `int`
    """

    def __init__(self, run: Path, folder: Path, cuda_device: int) -> None:
        self._run = run
        self._folder = folder
        self._cuda_device = cuda_device
        self._predictor: Optional[ConlluPredictor] = None

    def parsed(self, name: str) -> Path:
        """Returns the path of the parsed test file of the treebank `name`."""
        return self._folder / f"{name}.conllu"

    def counts(self, name: str, test: str, input_file: Optional[str] = None) -> np.ndarray:
        """
        Returns `official_counts` of the treebank `name`, whose `test` file is parsed from
        `input_file`, by default from the test file itself.
        """
        path = self._folder / f"{name}.json"
        counts = self._folder / f"{name}.npy"
        # Scores of another model or of another file are not taken for these.
        files = [test] if input_file is None else [test, input_file]
        source = [_model_of(self._run), *(fingerprint([file]) for file in files)]
        record = json.loads(path.read_text()) if path.exists() else {}
        if record.get("source") != source or not counts.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            gold = list(read_sentences(test))
            sentences = gold if input_file is None else list(read_sentences(input_file))
            parsed = parse(self._loaded(), sentences, name)
            write_sentences(parsed, self.parsed(name))
            new_counts = official_counts(gold, parsed, test)
            buffer = io.BytesIO()
            np.save(buffer, new_counts, allow_pickle=False)
            write_whole(counts, [buffer.getvalue()])
            columns = sorted(self._loaded().predicted)
            write_json(
                path, {"source": source, "scores": scores_of(new_counts), "columns": columns}
            )
        return np.load(counts, allow_pickle=False)

    def predicted(self, name: str) -> set[str]:
        """
        Returns the columns of the parsed test file that the model predicted, not copied from its
        input.
        """
        record = json.loads((self._folder / f"{name}.json").read_text())
        return set(record["columns"]) if "columns" in record else _of_tasks(self._run)

    def _loaded(self) -> ConlluPredictor:
        if is_discarded(self._run):
            raise ConfigurationError(
                f"{self._run}: the model was discarded after scoring, and its parses or test file "
                "have changed since. Remove the folder to train it again."
            )
        if self._predictor is None:
            self._predictor = load_predictor(self._run, self._cuda_device)
        return self._predictor


def parse(predictor: ConlluPredictor, sentences: list[Sentence], name: str) -> list[Sentence]:
    """Returns the parses of the sentences, with a progress bar called `name`."""
    parsed = predictor.parse(sentences)
    bar = Tqdm.tqdm(parsed, total=len(sentences), desc=f"parsing {name}", unit=" sentences")
    return list(bar)


def _of_tasks(run: Path) -> set[str]:
    """Returns the columns of a model's tasks, for scores that were stored without them."""
    names = Task.list_available()
    tasks = [task_of(name) for name in card_of(str(run)).tasks if name in names]
    return {column for task in tasks for column in task.columns}


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a file that appears only when it is complete."""
    write_whole(path, [json.dumps(value, indent=1).encode(), b"\n"])
