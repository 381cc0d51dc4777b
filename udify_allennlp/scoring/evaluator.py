"""`allennlp evaluate` with the CoNLL 2018 script's figures."""

import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from allennlp.common import Tqdm
from allennlp.common.checks import check_for_gpu
from allennlp.common.util import dump_metrics, int_to_device
from allennlp.data import DataLoader
from allennlp.evaluation import Evaluator
from allennlp.models import Model
from allennlp.nn.util import move_to_device

from udify_allennlp.scoring.official import macro_average, official_scores, table
from udify_allennlp.text.conllu import Sentence, treebank_names, write_sentences

Pair = Tuple[Sentence, Sentence]


@Evaluator.register("udify")
class ConllEvaluator(Evaluator):
    """
    Scores a model by the official script, run on what `allennlp predict` would write.

    Several files, as a glob or separated by commas, give one row each and their macro average.
    Metrics are F1 in per cent: `LAS`, or `en_ewt_LAS` where there are several files. Where two are
    of one treebank, rows and metrics have the names of the files.

    # Parameters

    cuda_device : `Union[int, torch.device]`
        Given by AllenNLP.
    """

    def __init__(
        self, cuda_device: Union[int, torch.device] = -1, batch_serializer: Optional[Any] = None
    ) -> None:
        super().__init__(batch_serializer, cuda_device)
        self._rows: List[Tuple[str, Dict[str, float]]] = []

    def __call__(
        self,
        model: Model,
        data_loader: DataLoader,
        batch_weight_key: Optional[str] = None,
        metrics_output_file: Optional[Union[str, os.PathLike]] = None,
        predictions_output_file: Optional[Union[str, os.PathLike]] = None,
    ) -> Dict[str, Any]:
        """The official metrics of the loader's sentences; writes them and the CoNLL-U on demand."""
        pairs = self._predict(model, data_loader)
        files: Dict[str, List[Pair]] = {}
        for pair in sorted(pairs, key=lambda pair: (pair[0].path, pair[0].line)):
            files.setdefault(pair[0].path, []).append(pair)
        if predictions_output_file is not None:
            write_sentences(
                (new for pairs in files.values() for _, new in pairs),
                os.fspath(predictions_output_file),
            )
        rows = [
            (name, official_scores([gold for gold, _ in pairs], [new for _, new in pairs], path))
            for name, (path, pairs) in zip(treebank_names(list(files)), files.items())
        ]
        self._rows += rows
        if self._rows:
            sys.stdout.write(table(self._rows))
        metrics = dict(rows[0][1]) if len(rows) == 1 else _by_treebank(rows)
        if metrics_output_file is not None:
            dump_metrics(os.fspath(Path(metrics_output_file)), metrics, log=True)
        return metrics

    def _predict(self, model: Model, data_loader: DataLoader) -> List[Pair]:
        check_for_gpu(self.cuda_device)
        data_loader.set_target_device(int_to_device(self.cuda_device))
        model.eval()
        model.get_metrics(reset=True)
        pairs: List[Pair] = []
        with torch.no_grad():
            for batch in Tqdm.tqdm(data_loader, desc="parsing"):
                output = model(**move_to_device(batch, self.cuda_device))
                pairs += [
                    (gold, gold.replace(**columns))
                    for gold, columns in zip(batch["sentences"], output["columns"])
                ]
        return pairs


def _by_treebank(rows: List[Tuple[str, Dict[str, float]]]) -> Dict[str, float]:
    metrics = {f"{name}_{metric}": value for name, row in rows for metric, value in row.items()}
    if rows:
        metrics.update({f"macro_{name}": value for name, value in macro_average(rows).items()})
    return metrics
