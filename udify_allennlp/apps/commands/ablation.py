"""`allennlp ud-experiment ablation`: variants of one config, compared over treebanks and seeds."""

import argparse
import itertools
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Action
from udify_allennlp.apps.commands.options import add_discard, add_study_options
from udify_allennlp.apps.studies.extra_metrics import ROLES
from udify_allennlp.apps.studies.jackknife import check_folds, jackknife
from udify_allennlp.apps.studies.score_table import METRICS
from udify_allennlp.apps.studies.study import Study
from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks
from udify_allennlp.apps.studies.variants import Variant, parse_training, variants_of

ROLE_METRICS = ("span_P", "span_R", "span_F1", "dep_P", "dep_R", "dep_F1", "pred_F1", "sense_F1")


class _Run(NamedTuple):
    """A run of the study: its folder, its training data, and the treebanks that it parses."""

    folder: str
    training: list[Treebank]
    tests: list[Treebank]


class Ablation(Action):
    """
    Train variants of one config on each treebank and compare them. A variant is a name and the
    settings that it changes, as JSON with dotted names. This reproduces Table 4.3 of the thesis
    (layer attention per task, shared layer attention, and the plain sum, each in one model of all
    treebanks):

      export UD_ENCODER=bert-base-multilingual-cased
      allennlp ud-experiment ablation udify 'ud/UD_*' --out out/layers --joint \\
        --variant 'task={}' \\
        --variant 'global={"model.layer_attention": "global"}' \\
        --variant 'sum={"model.layer_attention": "sum"}'

    A variant can have another config, with or without changes (NAME=CONFIG, 'NAME=CONFIG JSON'), or
    be a trained model (NAME=out/udify/model.tar.gz; NAME=multilingual is the shipped model).
    --initial names the variant whose model the configs of the others get as UD_INITIAL, and
    UD_PREDICTED, the folder with its parse of the training file; configs for refinement need both.
    With --jackknife N, the training file is parsed by models that have not seen the part that they
    parse, as ud-jackknife does; see there.

      allennlp ud-experiment ablation graph2graph/rngtr ud/UD_Turkish-IMST \\
        --out out/refined --seeds 1,2,3 --initial UDify \\
        --variant UDify=training_config/udify_single_treebank.jsonnet \\
        --variant SynTr=training_config/graph2graph/syntr.jsonnet \\
        --variant 'UDify+RNGTr={}' --variant 'one pass={"model.iterations": 1}'

    With --roles, the table has the scores of semantic roles, and differences are differences in F1.

    Without --joint, each treebank with training data gets its own model. Seeds, tables, differences
    and recovery after an interruption work as in `compare`.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("config", help="config of variants that specify none")
        parser.add_argument(
            "--variant",
            action="append",
            required=True,
            metavar="NAME=WHAT",
            help="a name and its changes to the config ('{}' for none); repeat the option for more "
            "variants",
        )
        parser.add_argument(
            "--initial", metavar="NAME", help="the variant whose trees the others refine"
        )
        parser.add_argument(
            "--jackknife",
            type=int,
            metavar="N",
            help="parse UD_PREDICTED with models trained on the other N - 1 parts of the training "
            "file",
        )
        parser.add_argument("--roles", action="store_true", help="score semantic roles")
        parser.add_argument(
            "--joint", action="store_true", help="train one model per variant on all treebanks"
        )
        add_discard(parser)
        add_study_options(parser)

    def run(self, args: argparse.Namespace) -> None:
        _ablation(args)


def _ablation(args: argparse.Namespace) -> None:
    variants = variants_of(args.variant, args.config)
    if args.initial and args.initial not in variants:
        raise ConfigurationError(
            f"--initial {args.initial!r} is not a --variant. Name one of {', '.join(variants)}."
        )
    if args.initial and args.discard_models:
        raise ConfigurationError(
            "--discard-models removes the model that --initial names, which the other variants "
            "start from. Omit one of the two."
        )
    if args.jackknife is not None and (not args.initial or variants[args.initial].model):
        raise ConfigurationError(
            "--jackknife trains the parser that --initial names on parts of the training file, so "
            "that parser must be a --variant with a config, not a trained model."
        )
    treebanks = find_treebanks(args.treebanks)
    if args.jackknife is not None:
        check_folds(
            args.jackknife, [str(treebank.train) for treebank in treebanks if treebank.train]
        )
    scores = (ROLE_METRICS, ROLES) if args.roles else (METRICS, None)
    study = Study(args, treebanks, list(variants), *scores)
    with study.locked():
        _run(study, args, treebanks, variants)
        study.finish()


def _run(
    study: Study,
    args: argparse.Namespace,
    treebanks: list[Treebank],
    variants: dict[str, Variant],
) -> None:
    trainable = [treebank for treebank in treebanks if treebank.train]
    if not trainable:
        raise ConfigurationError(
            "None of the treebanks has a training file, so there is nothing to train on. Add a "
            "treebank with one."
        )
    for name, variant in variants.items():
        if variant.model:
            study.score(name, None, variant.model, treebanks)
    runs = [_Run(treebank.name, [treebank], [treebank]) for treebank in trainable]
    if args.joint:
        runs = [_Run("model", trainable, treebanks)]
    # Seed by seed: what is interrupted has whole comparisons. What others refine comes first.
    order = sorted(variants, key=lambda name: name != args.initial)
    for seed in study.seeds:
        paths: dict[str, Optional[dict[str, str]]] = {}
        for name, run in itertools.product(order, runs):
            variant = variants[name]
            model = variant.model
            # None: what it refines could not be trained.
            if model is None and paths.get(run.folder, {}) is not None:
                model = study.try_train(
                    name if args.joint else f"{name} of {run.folder}",
                    variant.config,
                    run.training,
                    study.folder(name, seed) / run.folder,
                    seed,
                    changes=variant.changes,
                    paths=paths.get(run.folder),
                )
                if model:
                    study.score(name, seed, model, run.tests)
            if name == args.initial:
                paths[run.folder] = (
                    _initial(study, args, variant, run, model, seed) if model else None
                )


def _initial(
    study: Study,
    args: argparse.Namespace,
    variant: Variant,
    run: _Run,
    model: Path,
    seed: Optional[int],
) -> dict[str, str]:
    """
    Returns the settings that configs of refinement need, once the parses of the training files
    exist.
    """
    its = study.folder(args.initial, None if variant.model else seed)
    predicted = its / ("jackknifed" if args.jackknife else "predicted") / run.folder
    if args.jackknife:
        _jackknife(study, args, variant, run.training, predicted, seed)
    else:
        parse_training(model, run.training, predicted, args.cuda_device)
    return {"UD_INITIAL": str(model), "UD_PREDICTED": str(predicted)}


def _jackknife(
    study: Study,
    args: argparse.Namespace,
    variant: Variant,
    treebanks: list[Treebank],
    folder: Path,
    seed: Optional[int],
) -> None:
    def train(files: list[str], run: Path) -> Path:
        others = [treebank._replace(train=path) for treebank, path in zip(treebanks, files)]
        return study.train(variant.config, others, run / "model", seed, changes=variant.changes)

    files = [str(treebank.train) for treebank in treebanks]
    jackknife(files, folder, args.jackknife, train, args.cuda_device)
