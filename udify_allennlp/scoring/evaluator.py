"""`allennlp evaluate`: scores of the output that `allennlp predict` would write."""

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from typing import Any, Optional, Union

import torch
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import dump_metrics, int_to_device
from allennlp.data import DataLoader
from allennlp.evaluation import Evaluator
from allennlp.models import Model
from allennlp.nn.util import move_to_device

from udify_allennlp.scoring.scorers import (
    ConllScorer,
    Parsed,
    Rows,
    Scorer,
    SegmentationScorer,
    SigmorphonScorer,
    WithoutPunctScorer,
)
from udify_allennlp.scoring.undefined_scores import filled
from udify_allennlp.text.conllu import treebank_names, write_sentences
from udify_allennlp.text.context_values import holding
from udify_allennlp.text.sentence import Sentence

Pair = tuple[Sequence[Sentence], Sequence[Sentence]]
"""
The gold sentences of a file, and the same with the predicted columns; or the sentences found in its
raw text.
"""


class Watcher:
    """
    A watcher, which receives the results of an evaluator and prints its tables. Programs pass one
    to `watched_by`; configs cannot, since they come with other people's models.
    """

    def scored(
        self,
        name: str,
        pairs: Sequence[tuple[Sentence, Sentence]],
        scores: dict[str, float],
        columns: set[str],
    ) -> None:
        """
        Receives the results of a file: its name, its gold and new sentences, its scores, and the
        columns that are both predicted and in gold.
        """

    def show(self, table: str) -> None:
        """Prints the table of all files so far."""
        sys.stdout.write(table)


_watcher: ContextVar[Optional[Watcher]] = ContextVar("watcher", default=None)


def watched_by(watcher: Watcher) -> AbstractContextManager[None]:
    """Makes evaluators in this thread report to `watcher` within the context."""
    return holding(_watcher, watcher)


@Evaluator.register("udify")
class TreebankEvaluator(Evaluator):
    """
    An evaluator that scores the output of `allennlp predict` by the official script of CoNLL 2018,
    unless another `scorer` is named.

    The score of a column that is missing in gold or that the model does not predict is `-` and not
    among the metrics, unless `official` scores are requested.

    Several files, as a glob or comma-separated, have one row each and their averages. Metrics are
    `LAS`, or `en_ewt_LAS` and `macro_LAS` for several files. If two belong to one treebank, rows
    and metrics have the names of the files.

    # Parameters

    scorer : `Optional[Scorer]`
        The scorer; by default that of the type, such as `sigmorphon` for `udify_sigmorphon`.
    official : `bool`
        For scorers by the script of CoNLL 2018; see `ConllScorer`.
    cuda_device : `Union[int, torch.device]`
        Given by AllenNLP.

    # Raises

    `ConfigurationError` if `official` is set for a scorer of another script.
    """

    scorer: type[Scorer] = ConllScorer
    """The default scorer."""

    def __init__(
        self,
        scorer: Optional[Scorer] = None,
        cuda_device: Union[int, torch.device] = -1,
        batch_serializer: Optional[Any] = None,
        official: bool = False,
    ) -> None:
        super().__init__(batch_serializer, cuda_device)
        self._scorer = self.scorer() if scorer is None else scorer
        if official:
            if not isinstance(self._scorer, ConllScorer):
                raise ConfigurationError(
                    "evaluation.official (--official) is for the scores of the CoNLL 2018 script, "
                    f"but this model is scored by {type(self._scorer).__name__}. Omit it."
                )
            self._scorer.official = True
        # AllenNLP calls it again for each path of a list; the last report has all of them.
        self._rows: Rows = []
        self._predicted: set[str] = set()

    def __call__(
        self,
        model: Model,
        data_loader: DataLoader,
        batch_weight_key: Optional[str] = None,
        metrics_output_file: Optional[Union[str, os.PathLike]] = None,
        predictions_output_file: Optional[Union[str, os.PathLike]] = None,
    ) -> dict[str, Any]:
        """Returns the metrics of the loader's sentences; writes them and the CoNLL-U on demand."""
        watcher = _watcher.get() or Watcher()
        files = self._predict(model, data_loader)
        if predictions_output_file is not None:
            write_sentences(
                (sentence for _, new in files.values() for sentence in new),
                os.fspath(predictions_output_file),
            )
        rows: Rows = []
        for name, (path, (golds, new)) in zip(treebank_names(list(files)), files.items()):
            score = self._scorer.score(Parsed(golds, new, path, self._predicted))
            rows.append((name, score))
            columns = filled(golds) & self._predicted
            watcher.scored(name, list(zip(golds, new)), self._scorer.scores(score), columns)
        self._rows += rows
        if self._rows:
            watcher.show(self._scorer.report(self._rows))
        metrics = self._metrics(rows)
        if metrics_output_file is not None:
            dump_metrics(os.fspath(Path(metrics_output_file)), metrics, log=True)
        return metrics

    def _metrics(self, rows: Rows) -> dict[str, float]:
        if len(rows) == 1:
            return dict(self._scorer.scores(rows[0][1]))
        scores = {name: self._scorer.scores(score) for name, score in rows}
        if rows:
            scores.update(self._scorer.averages(rows))
        return {
            f"{name}_{metric}": value
            for name, row in scores.items()
            for metric, value in row.items()
        }

    def _predict(self, model: Model, data_loader: DataLoader) -> dict[str, Pair]:
        """Returns the gold and predicted sentences by file."""
        check_for_gpu(self.cuda_device)
        data_loader.set_target_device(int_to_device(self.cuda_device))
        model.eval()
        model.get_metrics(reset=True)
        pairs: dict[str, list[Pair]] = {}
        with torch.no_grad():
            for batch in Tqdm.tqdm(data_loader, desc="parsing"):
                output = model(**move_to_device(batch, self.cuda_device))
                self._predicted.update(*output.get("columns", ()))
                for path, pair in model.gold_and_new(batch, output):
                    pairs.setdefault(path, []).append(pair)
        return {path: _joined(pairs[path]) for path in sorted(pairs)}


def _joined(pairs: Sequence[Pair]) -> Pair:
    """Returns the parts of a file, in order, as one."""
    ordered = sorted(pairs, key=lambda pair: pair[0][0].line if pair[0] else 0)
    golds, new = zip(*ordered)
    return list(chain.from_iterable(golds)), list(chain.from_iterable(new))


@Evaluator.register("udify_without_punct")
class WithoutPunctEvaluator(TreebankEvaluator):
    """`udify` with the scorer `without_punct`."""

    scorer = WithoutPunctScorer


@Evaluator.register("udify_segmentation")
class SegmentationEvaluator(TreebankEvaluator):
    """`udify` with the scorer `segmentation`."""

    scorer = SegmentationScorer


@Evaluator.register("udify_sigmorphon")
class SigmorphonEvaluator(TreebankEvaluator):
    """`udify` with the scorer `sigmorphon`."""

    scorer = SigmorphonScorer
