"""`allennlp ud-experiment`: UDify, Lang and UDify+Lang of both kinds over a list of treebanks."""

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError, check_for_gpu
from filelock import FileLock, Timeout

from udify_allennlp.apps.experiments.runs import Scorer, train_once
from udify_allennlp.apps.experiments.score_table import Score, ScoreTable
from udify_allennlp.apps.experiments.treebanks import Treebank, find_treebanks
from udify_allennlp.text.files import write_whole

logger = logging.getLogger(__name__)

UDIFY, LANG, BOTH, BOTH_ALL = "UDify", "Lang", "UDify+Lang", "UDify+Lang-all"
MODELS = (UDIFY, LANG, BOTH, BOTH_ALL)


@Subcommand.register("ud-experiment")
class Experiment(Subcommand):
    """
    Train and compare the thesis's three models (section 4.2) on many treebanks:

      UDify           one model, of the training files of all treebanks
      Lang            a model for each treebank
      UDify+Lang      a model for each treebank, started from UDify's encoder, as in the thesis
      UDify+Lang-all  the same, started from all of UDify's weights: a fourth, which is ours

    Each is given by its config, which takes its data from UD_TRAIN and UD_DEV, and UDify+Lang's the
    model it starts from from UD_MODEL; these are set for it. UD_ENCODER is yours to set. Instead
    of UDify's config, a trained model can be given. At least one of the four is needed.

      export UD_ENCODER=bert-base-multilingual-cased
      allennlp ud-experiment 'ud/UD_*' --out out/experiment \\
        --udify training_config/udify.jsonnet \\
        --lang training_config/udify_single_treebank.jsonnet \\
        --udify-lang training_config/udify_then_single_treebank.jsonnet \\
        --udify-lang-all training_config/udify_then_single_treebank_all_weights.jsonnet

    When it is interrupted, the same command goes on where it stopped. In --out there is a folder
    for each model, in it those of its runs, and under scores/ each parsed test file and its scores.
    scores.md, scores.tsv and scores.tex hold the table: official F1 for gold words, with macro
    averages by training sentences (none: zero-shot; low: below 1,000; medium: below 10,000; high)
    and of all but the zero-shot ones, always over the treebanks that all models have a score for;
    "(5 of 6)" says that some have none for one of six. They are written anew after each score.
    Treebanks without training data are scored with UDify only, those without a dev file are
    validated on their training file.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Train and compare UDify, Lang and UDify+Lang on many treebanks.",
        )
        subparser.add_argument("treebanks", nargs="+", help="folders of treebanks, or quoted globs")
        subparser.add_argument("--out", required=True, help="the folder of the experiment")
        subparser.add_argument("--udify", help="config of the model of all, or a trained model")
        subparser.add_argument(
            "--lang", help="config of the models of one treebank, trained from new"
        )
        subparser.add_argument(
            "--udify-lang", help="config of those started from UDify's encoder; needs --udify"
        )
        subparser.add_argument(
            "--udify-lang-all", help="config of those started from all its weights; needs --udify"
        )
        subparser.add_argument(
            "-o", "--overrides", default="", help="settings to change in all configs, as JSON"
        )
        subparser.add_argument(
            "--cuda-device",
            type=int,
            default=0 if torch.cuda.is_available() else -1,
            help="of scoring (default: the first GPU, if any); that of training is in the configs",
        )
        subparser.set_defaults(func=_experiment)
        return subparser


def _experiment(args: argparse.Namespace) -> None:
    given = (args.udify, args.lang, args.udify_lang, args.udify_lang_all)
    configs = dict(zip(MODELS, given))
    if not any(given):
        raise ConfigurationError("There is nothing to train: give --udify, --lang or --udify-lang.")
    if (configs[BOTH] or configs[BOTH_ALL]) and not configs[UDIFY]:
        raise ConfigurationError("--udify-lang starts from UDify's model: give --udify as well.")
    check_for_gpu(args.cuda_device)
    treebanks = find_treebanks(args.treebanks)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(out / ".lock", timeout=0).acquire()
    except Timeout:
        raise ConfigurationError(f"Another process is at work in {out}. Wait for it.") from None
    with lock:
        _run(out, treebanks, configs, args)


def _run(
    out: Path,
    treebanks: List[Treebank],
    configs: Dict[str, Optional[str]],
    args: argparse.Namespace,
) -> None:
    scores: List[Score] = []
    failed: List[str] = []
    for model, treebank, scorer in _runs(out, treebanks, configs, args, failed):
        values = scorer.scores(treebank.name, treebank.test)
        scores.append(Score(treebank.name, treebank.resources, model, values))
        _write_tables(out, scores)
    if scores:
        sys.stdout.write((out / "scores.md").read_text(encoding="utf-8"))
    if failed:
        raise ConfigurationError(
            f"{len(failed)} of the runs failed: {'; '.join(failed)}. The table holds the others. "
            "The same command tries them again."
        )


def _runs(
    out: Path,
    treebanks: List[Treebank],
    configs: Dict[str, Optional[str]],
    args: argparse.Namespace,
    failed: List[str],
) -> Iterator[Tuple[str, Treebank, Scorer]]:
    """Each model and treebank that can be scored, after the training it takes."""
    trainable = [treebank for treebank in treebanks if treebank.train]
    udify: Optional[Path] = None
    given = configs[UDIFY]
    if given:
        udify = _udify(out, trainable, given, args)
        scorer = Scorer(udify, out / UDIFY / "scores", args.cuda_device)
        yield from ((UDIFY, treebank, scorer) for treebank in treebanks)
        scorer.forget()
    for model in (LANG, BOTH, BOTH_ALL):
        for treebank in trainable if configs[model] else []:
            folder = out / model / treebank.name
            try:
                _train(str(configs[model]), _variables([treebank], udify), folder, args)
            except ValueError as error:  # of this treebank: a loss that is NaN, an invalid file
                failed.append(f"{model} of {treebank.name} ({' '.join(str(error).split())[:200]})")
                logger.error("%s", failed[-1])
                continue
            scorer = Scorer(folder, out / model / "scores", args.cuda_device)
            yield model, treebank, scorer
            scorer.forget()


def _udify(out: Path, treebanks: List[Treebank], given: str, args: argparse.Namespace) -> Path:
    """The trained model of all treebanks."""
    if os.path.isdir(given) or given.endswith(".tar.gz"):
        return Path(given)
    if not treebanks:
        raise ConfigurationError("None of the treebanks has a training file: nothing to train on.")
    return _train(given, _variables(treebanks, None), out / UDIFY / "model", args)


def _train(config: str, variables: Dict[str, str], folder: Path, args: argparse.Namespace) -> Path:
    params = Params.from_file(config, args.overrides, variables)
    return train_once(params, folder, getattr(args, "include_package", ()))


def _variables(treebanks: List[Treebank], udify: Optional[Path]) -> Dict[str, str]:
    variables = {
        "UD_TRAIN": ",".join(str(treebank.train) for treebank in treebanks),
        "UD_DEV": ",".join(
            # Of all together, those that have a dev file are enough.
            [t.dev for t in treebanks if t.dev]
            or [str(t.validation) for t in treebanks]
        ),
    }
    return variables if udify is None else {**variables, "UD_MODEL": str(udify)}


def _write_tables(out: Path, scores: List[Score]) -> None:
    rows = sorted(scores, key=lambda score: score.treebank)
    table = ScoreTable(rows, MODELS)
    texts = {"md": table.markdown(), "tsv": table.tsv(), "tex": table.latex()}
    for ending, text in texts.items():
        write_whole(out / f"scores.{ending}", [text.encode()])
