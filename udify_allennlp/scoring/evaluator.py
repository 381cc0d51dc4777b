"""`allennlp evaluate`: what `allennlp predict` would write, scored."""

import itertools
import os
import sys
from pathlib import Path
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Generic,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
    Union,
)

import torch
from allennlp.common import Tqdm
from allennlp.common.checks import check_for_gpu
from allennlp.common.util import dump_metrics, int_to_device
from allennlp.data import DataLoader
from allennlp.evaluation import Evaluator
from allennlp.models import Model
from allennlp.nn.util import move_to_device

from udify_allennlp.scoring import ignore_punct as without_punct
from udify_allennlp.scoring import official, sigmorphon
from udify_allennlp.scoring.undefined_scores import filled, honest, macro_average
from udify_allennlp.text.conllu import treebank_names, write_sentences
from udify_allennlp.text.sentence import Sentence

Pair = Tuple[Sequence[Sentence], Sequence[Sentence]]
"""The gold sentences of a file, and the same with the predicted columns; or the sentences that its
raw text was found to have."""
Score = TypeVar("Score")
Rows = List[Tuple[str, Score]]
"""The scores of treebanks, by name."""


watchers: List[
    Callable[[str, Sequence[Tuple[Sentence, Sentence]], Dict[str, float], Set[str]], None]
] = []
"""
Called with the name of each file that was scored, its pairs, its scores, and the columns that are
predicted and that gold has. Programs add to it, never configs: these come with others' models.
"""


def _write(report: str) -> None:
    sys.stdout.write(report)


show: Callable[[str], Any] = _write
"""Where a table goes; programs put another function in its place."""


class Parsed(NamedTuple):
    """A treebank and its parse."""

    golds: Sequence[Sentence]
    new: Sequence[Sentence]
    """The same sentences, or those that their raw text was found to have."""
    path: str
    """Of the gold file, for messages."""
    columns: Collection[str]
    """Which are predicted."""


class Scorer(Generic[Score]):
    """How the predictions of a treebank are scored, and how scores are told."""

    def score(self, parsed: Parsed) -> Score:
        """The score of a treebank."""
        raise NotImplementedError

    def scores(self, score: Score) -> Dict[str, float]:
        """Numbers by the names of metrics."""
        raise NotImplementedError

    def averages(self, rows: Rows) -> Dict[str, Dict[str, float]]:
        """Of several treebanks, numbers by the names of averages and of metrics."""
        raise NotImplementedError

    def report(self, rows: Rows) -> str:
        """What is printed: a row for each treebank, and the averages of several."""
        raise NotImplementedError


class ConllScorer(Scorer[Dict[str, float]]):
    """
    The measures of CoNLL 2018: F1 in per cent, and the macro average.

    # Parameters

    official : `bool`
        Give all figures of the shared task's script, also those of columns that gold leaves empty
        or that are not predicted, which are right whatever a parser does; see
        `undefined_scores.py`.
    """

    metrics: Sequence[str] = official.METRICS

    def __init__(self, official: bool = False) -> None:
        self._official = official

    def score(self, parsed: Parsed) -> Dict[str, float]:
        scores = official.official_scores(parsed.golds, parsed.new, parsed.path)
        if self._official:
            return scores
        return honest(scores, filled(parsed.golds) & set(parsed.columns))

    def scores(self, score: Dict[str, float]) -> Dict[str, float]:
        return score

    def averages(self, rows: Rows) -> Dict[str, Dict[str, float]]:
        return {"macro": macro_average(rows, self.metrics)}

    def report(self, rows: Rows) -> str:
        return official.report(rows, self.metrics)


class SegmentationScorer(ConllScorer):
    """The same of tokens, sentences and words, for what has no trees."""

    metrics = official.SEGMENTATION

    def score(self, parsed: Parsed) -> Dict[str, float]:
        scores = official.scores_of(
            official.segmentation_counts(parsed.golds, parsed.new, parsed.path)
        )
        return {metric: scores[metric] for metric in self.metrics}


class WithoutPunctScorer(ConllScorer):
    """The same, and attachment without punctuation in columns of their own."""

    metrics = (*official.METRICS, *without_punct.METRICS)

    def score(self, parsed: Parsed) -> Dict[str, float]:
        # In a file of punctuation only nothing is counted.
        found = without_punct.of_sentences(zip(parsed.golds, parsed.new)).scores()
        return {**super().score(parsed), **found}


class SigmorphonScorer(Scorer[sigmorphon.Counts]):
    """SIGMORPHON 2019, task 2; see `sigmorphon.py`."""

    def score(self, parsed: Parsed) -> sigmorphon.Counts:
        return sigmorphon.total(
            sigmorphon.count(gold.lemmas, gold.feats, its.lemmas, its.feats)
            for gold, its in zip(parsed.golds, parsed.new)
        )

    def scores(self, score: sigmorphon.Counts) -> Dict[str, float]:
        return score.scores()

    def averages(self, rows: Rows) -> Dict[str, Dict[str, float]]:
        return sigmorphon.averages(rows)

    def report(self, rows: Rows) -> str:
        return sigmorphon.report(rows)


@Evaluator.register("udify", constructor="conll")
@Evaluator.register("udify_without_punct", constructor="without_punct")
@Evaluator.register("udify_segmentation", constructor="segmentation")
@Evaluator.register("udify_sigmorphon", constructor="sigmorphon")
class TreebankEvaluator(Evaluator):
    """
    Scores what `allennlp predict` would write: `udify` by the official script of CoNLL 2018,
    `udify_without_punct` also without the words that are PUNCT or SYM, `udify_segmentation` by that
    script, too, but tokens, sentences and words alone, and `udify_sigmorphon` as SIGMORPHON 2019,
    task 2, does.

    A figure of a column that gold leaves empty, or that the model does not predict, is `-` and none
    of the metrics, unless all of the script's own are asked for.

    Several files, as a glob or separated by commas, give one row each and their averages. Metrics
    are `LAS`, or `en_ewt_LAS` and `macro_LAS` where there are several files. Where two are of one
    treebank, rows and metrics have the names of the files.

    # Parameters

    scorer : `Scorer`
    official : `bool`
        Of `udify`: see `ConllScorer`.
    cuda_device : `Union[int, torch.device]`
        Given by AllenNLP.
    """

    def __init__(
        self,
        scorer: Scorer,
        cuda_device: Union[int, torch.device] = -1,
        batch_serializer: Optional[Any] = None,
    ) -> None:
        super().__init__(batch_serializer, cuda_device)
        self._scorer = scorer
        # AllenNLP calls it again for each path of a list; the last report has all of them.
        self._rows: Rows = []
        self._predicted: Set[str] = set()

    @classmethod
    def conll(
        cls,
        cuda_device: Union[int, torch.device] = -1,
        batch_serializer: Optional[Any] = None,
        official: bool = False,
    ) -> "TreebankEvaluator":
        """With the measures of CoNLL 2018."""
        return cls(ConllScorer(official), cuda_device, batch_serializer)

    @classmethod
    def without_punct(
        cls, cuda_device: Union[int, torch.device] = -1, batch_serializer: Optional[Any] = None
    ) -> "TreebankEvaluator":
        """With the official script of CoNLL 2018, and without punctuation beside it."""
        return cls(WithoutPunctScorer(), cuda_device, batch_serializer)

    @classmethod
    def segmentation(
        cls, cuda_device: Union[int, torch.device] = -1, batch_serializer: Optional[Any] = None
    ) -> "TreebankEvaluator":
        """With that script, for a segmenter."""
        return cls(SegmentationScorer(), cuda_device, batch_serializer)

    @classmethod
    def sigmorphon(
        cls, cuda_device: Union[int, torch.device] = -1, batch_serializer: Optional[Any] = None
    ) -> "TreebankEvaluator":
        """With the scores of SIGMORPHON 2019, task 2."""
        return cls(SigmorphonScorer(), cuda_device, batch_serializer)

    def __call__(
        self,
        model: Model,
        data_loader: DataLoader,
        batch_weight_key: Optional[str] = None,
        metrics_output_file: Optional[Union[str, os.PathLike]] = None,
        predictions_output_file: Optional[Union[str, os.PathLike]] = None,
    ) -> Dict[str, Any]:
        """The metrics of the loader's sentences; writes them and the CoNLL-U on demand."""
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
            for watch in watchers:
                columns = filled(golds) & self._predicted
                watch(name, list(zip(golds, new)), self._scorer.scores(score), columns)
        self._rows += rows
        if self._rows:
            show(self._scorer.report(self._rows))
        metrics = self._metrics(rows)
        if metrics_output_file is not None:
            dump_metrics(os.fspath(Path(metrics_output_file)), metrics, log=True)
        return metrics

    def _metrics(self, rows: Rows) -> Dict[str, float]:
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

    def _predict(self, model: Model, data_loader: DataLoader) -> Dict[str, Pair]:
        """By file."""
        check_for_gpu(self.cuda_device)
        data_loader.set_target_device(int_to_device(self.cuda_device))
        model.eval()
        model.get_metrics(reset=True)
        files: Dict[str, Pair] = {}
        pairs: List[Tuple[Sentence, Sentence]] = []
        with torch.no_grad():
            for batch in Tqdm.tqdm(data_loader, desc="parsing"):
                output = model(**move_to_device(batch, self.cuda_device))
                if "documents" in batch:
                    for document, found in zip(batch["documents"], output["sentences"]):
                        files[document.path] = document.sentences, found
                    continue
                self._predicted.update(*output["columns"])
                pairs += [
                    (gold, gold.replace(**columns))
                    for gold, columns in zip(batch["sentences"], output["columns"])
                ]
        pairs.sort(key=lambda pair: (pair[0].path, pair[0].line))
        for path, group in itertools.groupby(pairs, key=lambda pair: pair[0].path):
            golds, new = zip(*group)
            files[path] = golds, new
        return files
