"""`allennlp evaluate` with the scores of SIGMORPHON 2019, task 2."""

import os
import sys
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from allennlp.common.util import dump_metrics
from allennlp.data import DataLoader
from allennlp.evaluation import Evaluator
from allennlp.models import Model

from udify_allennlp.scoring.evaluator import ConllEvaluator
from udify_allennlp.scoring.sigmorphon import Counts, averages, count, table, total
from udify_allennlp.text.conllu import treebank_names, write_sentences


@Evaluator.register("udify_sigmorphon")
class SigmorphonEvaluator(ConllEvaluator):
    """
    Scores what `allennlp predict` would write as the shared task does; see `sigmorphon.py`.

    Metrics are `LemmaAcc`, `LemmaLev`, `MsdAcc` and `MsdF1`, or `en_ewt_LemmaAcc` and so on where
    there are several treebanks; these also have averages, `macro_LemmaAcc` and `micro_LemmaAcc`.

    # Parameters

    cuda_device : `Union[int, torch.device]`
        Given by AllenNLP.
    """

    def __init__(
        self, cuda_device: Union[int, torch.device] = -1, batch_serializer: Optional[Any] = None
    ) -> None:
        super().__init__(cuda_device, batch_serializer)
        self._treebanks: List[Tuple[str, Counts]] = []

    def __call__(
        self,
        model: Model,
        data_loader: DataLoader,
        batch_weight_key: Optional[str] = None,
        metrics_output_file: Optional[Union[str, os.PathLike]] = None,
        predictions_output_file: Optional[Union[str, os.PathLike]] = None,
    ) -> Dict[str, Any]:
        """The metrics of the loader's sentences; writes them and the CoNLL-U on demand."""
        pairs = self._predict(model, data_loader)
        pairs.sort(key=lambda pair: (pair[0].path, pair[0].line))
        if predictions_output_file is not None:
            write_sentences((new for _, new in pairs), os.fspath(predictions_output_file))
        files: Dict[str, List[Counts]] = {}
        for gold, new in pairs:
            counts = count(gold.lemmas, gold.feats, new.lemmas, new.feats)
            files.setdefault(gold.path, []).append(counts)
        rows = [
            (name, total(counts))
            for name, counts in zip(treebank_names(list(files)), files.values())
        ]
        # AllenNLP calls it again for each path of a list; the last table has all of them.
        self._treebanks += rows
        if self._treebanks:
            sys.stdout.write(table(self._treebanks))
        metrics = _metrics(rows)
        if metrics_output_file is not None:
            dump_metrics(os.fspath(metrics_output_file), metrics, log=True)
        return metrics


def _metrics(rows: List[Tuple[str, Counts]]) -> Dict[str, float]:
    if len(rows) == 1:
        return rows[0][1].scores()
    scores = {name: counts.scores() for name, counts in rows}
    if rows:
        scores.update(averages(rows))
    return {
        f"{name}_{metric}": value for name, row in scores.items() for metric, value in row.items()
    }
