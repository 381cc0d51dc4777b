"""`allennlp ud-ablation`: one config with changes, over treebanks and seeds, in one table."""

import argparse
import json
from typing import Any, Dict, List

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.experiments.study import Study, add_options, is_folder_name
from udify_allennlp.apps.experiments.treebanks import Treebank, find_treebanks


@Subcommand.register("ud-ablation")
class Ablation(Subcommand):
    """
    Train variants of one config on each treebank and compare them. A variant is a name and the
    settings that it changes, as JSON with dots in the names. The thesis's Table 4.3, layer
    attention for each task, for all together, and the plain sum, in one model of all treebanks:

      export UD_ENCODER=bert-base-multilingual-cased
      allennlp ud-ablation training_config/udify.jsonnet 'ud/UD_*' --out out/layers --joint \\
        --variant 'task={}' \\
        --variant 'global={"model.layer_attention": "global"}' \\
        --variant 'sum={"model.layer_attention": "sum"}'

    Without --joint each treebank with training data has a model of its own. Seeds, the tables, the
    differences and what happens after an interruption are those of ud-experiment.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description=self.__class__.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            help="Train and compare variants of a config on many treebanks.",
        )
        subparser.add_argument("config", help="the config that is varied")
        subparser.add_argument(
            "--variant",
            action="append",
            required=True,
            metavar="NAME=JSON",
            help="a name and what it changes; '{}' is the config as it is; give several",
        )
        subparser.add_argument(
            "--joint", action="store_true", help="one model of all treebanks for each variant"
        )
        add_options(subparser)
        subparser.set_defaults(func=_ablation)
        return subparser


def _ablation(args: argparse.Namespace) -> None:
    variants = _variants(args.variant)
    treebanks = find_treebanks(args.treebanks)
    study = Study(args, treebanks, list(variants))
    with study.locked():
        _run(study, args, treebanks, variants)
        study.finish()


def _run(
    study: Study,
    args: argparse.Namespace,
    treebanks: List[Treebank],
    variants: Dict[str, Dict[str, Any]],
) -> None:
    trainable = [treebank for treebank in treebanks if treebank.train]
    if not trainable:
        raise ConfigurationError("None of the treebanks has a training file: nothing to train on.")
    # The folder of a run, what it is trained on, and what it parses.
    runs = [(treebank.name, [treebank], [treebank]) for treebank in trainable]
    if args.joint:
        runs = [("model", trainable, treebanks)]
    # Seed by seed: what is interrupted has whole comparisons.
    for seed in study.seeds:
        for name, changes in variants.items():
            for folder, training, tests in runs:
                run = study.try_train(
                    name if args.joint else f"{name} of {folder}",
                    args.config,
                    training,
                    study.folder(name, seed) / folder,
                    seed,
                    changes=changes,
                )
                if run:
                    study.score(name, seed, run, tests)


def _variants(given: List[str]) -> Dict[str, Dict[str, Any]]:
    variants: Dict[str, Dict[str, Any]] = {}
    for text in given:
        name, _, changes = text.partition("=")
        try:
            found = json.loads(changes)
        except ValueError:
            found = None
        if not is_folder_name(name) or not isinstance(found, dict):
            raise ConfigurationError(
                f"--variant {text!r}: give a name and JSON, such as "
                """'global={"model.layer_attention": "global"}'."""
            )
        if name in variants:
            raise ConfigurationError(f"--variant {name!r} is given twice. Name each once.")
        variants[name] = found
    return variants
