"""A folder of runs and their scores, shared by the actions of `ud-experiment`."""

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

import numpy as np
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.params import with_overrides
from filelock import FileLock, Timeout

from udify_allennlp.apps.analysis.output.files import numbers
from udify_allennlp.apps.studies import differences
from udify_allennlp.apps.studies.external import external_scores
from udify_allennlp.apps.studies.extra_metrics import MoreFigures
from udify_allennlp.apps.studies.runs import Scorer, discard, is_discarded, train_once
from udify_allennlp.apps.studies.score_table import METRICS, Score, ScoreTable
from udify_allennlp.apps.studies.treebanks import Treebank
from udify_allennlp.config.settings import check_training
from udify_allennlp.scoring.official import scores_of
from udify_allennlp.scoring.undefined_scores import filled, honest
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import write_whole

logger = logging.getLogger(__name__)

SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")


SHOWN_ON_SCREEN = 40
"""With more differences than this, only those of averages are printed."""


def is_folder_name(name: str) -> bool:
    """Returns whether a folder can have this name: runs are in folders named after their model."""
    return name.strip(".") != "" and not set(name) & set("/\\")


class Study:
    """
    A folder of runs and scores: trains and scores each run once, and keeps the tables of all scores
    so far.

    # Parameters

    args : `argparse.Namespace`
        The options of `add_study_options` in `commands/options.py`.
    treebanks : `List[Treebank]`
    models : `Sequence[str]`
        The models, in the order of the table.
    metrics : `Sequence[str]`
        The columns of the table.
    more : `Optional[MoreFigures]`
        Scores in addition to those of CoNLL 2018.

    # Raises

    `ConfigurationError` if an option is wrong.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        treebanks: list[Treebank],
        models: Sequence[str],
        metrics: Sequence[str] = METRICS,
        more: Optional[MoreFigures] = None,
    ) -> None:
        check_for_gpu(args.cuda_device)
        self.out = Path(args.out)
        self.seeds: list[Optional[int]] = [None]
        if args.seeds:
            self.seeds = list(numbers(args.seeds, "--seeds"))
        self._args = args
        self._metrics = metrics
        self._more = more
        self._scores: list[Score] = []
        self._failed: list[str] = []
        self._to_discard: set[Path] = set()
        self._external: list[Score] = []
        if args.external:
            self._external = external_scores(args.external, treebanks, metrics)
        both = {score.model for score in self._external} & set(models)
        if both:
            raise ConfigurationError(
                f"{args.external} names {both.pop()}, which is a model of this study. Rename the "
                "external one."
            )
        self._models = [*dict.fromkeys(score.model for score in self._external), *models]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the folder against other processes."""
        self.out.mkdir(parents=True, exist_ok=True)
        try:
            lock = FileLock(self.out / ".lock", timeout=0).acquire()
        except Timeout:
            message = f"Another process is working in {self.out}. Wait for it to finish."
            raise ConfigurationError(message) from None
        with lock:
            yield

    def folder(self, model: str, seed: Optional[int]) -> Path:
        """Returns the folder for the runs of a model with a seed."""
        return self.out / model / ("" if seed is None else f"seed_{seed}")

    def train(
        self,
        config: str,
        treebanks: Sequence[Treebank],
        folder: Path,
        seed: Optional[int],
        start: Optional[Path] = None,
        changes: Optional[dict[str, Any]] = None,
        paths: Optional[Mapping[str, str]] = None,
    ) -> Path:
        """
        Trains the run in `folder`, with `config` and `changes`, on all `treebanks` at once. The
        config receives UD_TRAIN, UD_DEV, the model in the folder `start` as UD_MODEL, and `paths`.
        """
        variables = {
            "UD_TRAIN": ",".join(str(treebank.train) for treebank in treebanks),
            "UD_DEV": ",".join(
                # Of all together, those that have a dev file are enough.
                [t.dev for t in treebanks if t.dev] or [str(t.validation) for t in treebanks]
            ),
            **(paths or {}),
        }
        if start is not None:
            variables["UD_MODEL"] = str(start)
        params = Params.from_file(config, self._args.overrides, variables)
        if changes:
            params = Params(with_overrides(params.as_dict(quiet=True), changes))
        if seed is not None:
            params.params.update(dict.fromkeys(SEEDS, seed))
        check_training(params.as_dict(quiet=True))
        run = train_once(params, folder, getattr(self._args, "include_package", ()))
        if getattr(self._args, "discard_models", False) and not is_discarded(run):
            self._to_discard.add(run)
        return run

    def try_train(self, name: str, *args: Any, **kwargs: Any) -> Optional[Path]:
        """
        Trains as `train` does; a failure is reported at the end, and does not stop the other runs.
        """
        try:
            return self.train(*args, **kwargs)
        except ValueError as error:  # of this treebank: a loss that is NaN, an invalid file
            self._failed.append(f"{name} ({' '.join(str(error).split())[:200]})")
            logger.error("%s", self._failed[-1])
            return None

    def score(
        self,
        model: str,
        seed: Optional[int],
        run: Path,
        treebanks: Sequence[Treebank],
        input_files: Optional[Mapping[str, Path]] = None,
    ) -> None:
        """
        Adds the scores of a run on `treebanks` to the tables, which are written after each
        treebank. `input_files` are replacements of test files as the input of parsing, by name,
        such as files with predicted UPOS.
        """
        scorer = Scorer(run, self.folder(model, seed) / "scores", self._args.cuda_device)
        for treebank in treebanks:
            name = treebank.name
            source = str(input_files[name]) if input_files is not None else None
            counts = scorer.counts(name, treebank.test, source)
            golds = list(read_sentences(treebank.test))
            columns = filled(golds) & scorer.predicted(name)
            values = honest(scores_of(counts), columns)
            if self._more is not None:
                further = self._more.counts(golds, read_sentences(scorer.parsed(name)))
                values.update(self._more.scores_of(further))
                counts = np.concatenate([counts, further], axis=1)
            self._scores.append(
                Score(treebank.name, treebank.resources, model, values, seed, counts)
            )
            self._write_tables()
        if run in self._to_discard:
            discard(run)
            self._to_discard.remove(run)

    def finish(self) -> None:
        """
        Prints the table and writes the differences.

        # Raises

        `ConfigurationError` if runs failed.
        """
        names = differences.COUNTED + (self._more.names if self._more else ())
        scored = {name for score in self._scores for name in score.values}
        metrics = [name for name in self._metrics if name in names and name in scored]
        shown = [name for name in differences.SHOWN if name in metrics]
        if len(shown) < len(differences.SHOWN):  # what these models predict is other figures
            shown = metrics
        compared = differences.differences(self._sorted(), self._models, names)
        self._write("differences.tsv", differences.tsv(compared, metrics))
        self._write("differences.md", differences.markdown(compared, shown))
        if self._scores:
            sys.stdout.write((self.out / "scores.md").read_text(encoding="utf-8"))
        if len(compared) > SHOWN_ON_SCREEN:
            sys.stdout.write(f"\nAll differences: {self.out / 'differences.md'}\n")
            compared = [
                difference
                for difference in compared
                if difference.name.startswith(differences.MEAN)
            ]
        if compared:
            sys.stdout.write("\n" + differences.markdown(compared, shown))
        if self._failed:
            raise ConfigurationError(
                f"{len(self._failed)} of the runs failed: {'; '.join(self._failed)}. The table "
                "holds the others. Repeat the command to try them again."
            )

    def _sorted(self) -> list[Score]:
        return sorted([*self._external, *self._scores], key=lambda score: score.treebank)

    def _write_tables(self) -> None:
        table = ScoreTable(self._sorted(), self._models, self._metrics)
        self._write("scores.md", table.markdown())
        self._write("scores.tsv", table.tsv())
        self._write("scores.tex", table.latex())

    def _write(self, name: str, text: str) -> None:
        write_whole(self.out / name, [text.encode()])
