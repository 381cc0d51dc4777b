"""`allennlp ud-experiment`: UDify, Lang and UDify+Lang over many treebanks, and other studies."""

import argparse
from pathlib import Path
from typing import Optional

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.ablation import Ablation
from udify_allennlp.apps.commands.command import Action, CommandGroup
from udify_allennlp.apps.commands.options import add_study_options
from udify_allennlp.apps.commands.transfer import Transfer
from udify_allennlp.apps.studies.study import Study
from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks
from udify_allennlp.apps.studies.variants import trained_model

UDIFY, LANG, BOTH, BOTH_ALL = "UDify", "Lang", "UDify+Lang", "UDify+Lang-all"
MODELS = (UDIFY, LANG, BOTH, BOTH_ALL)


class Compare(Action):
    """
    Train and compare the thesis's three models (section 4.2) on many treebanks:

      UDify           one model, trained on the training files of all treebanks
      Lang            one model per treebank
      UDify+Lang      one model per treebank, started from UDify's encoder, as in the thesis
      UDify+Lang-all  the same, started from all of UDify's weights (our addition)

    Each model is specified by its config, which reads its data from UD_TRAIN and UD_DEV and, for
    UDify+Lang, its initial model from UD_MODEL; the command sets these. Set UD_ENCODER yourself. A
    trained model can take the place of UDify's config. Specify at least one of the four.

      export UD_ENCODER=bert-base-multilingual-cased
      allennlp ud-experiment compare 'ud/UD_*' --out out/experiment --seeds 1,2,3 \\
        --udify training_config/udify.jsonnet \\
        --lang training_config/udify_single_treebank_thesis.jsonnet \\
        --udify-lang training_config/udify_then_single_treebank.jsonnet \\
        --udify-lang-all training_config/udify_then_single_treebank_all_weights.jsonnet

    After an interruption, the same command continues where it stopped. --out will hold a folder for
    each model with the folders of its runs, and under scores/ each parsed test file and its scores.
    scores.md, scores.tsv and scores.tex hold the table: official F1 on gold words, with macro
    averages by number of training sentences (none: zero-shot; low: below 1,000; medium: below
    10,000; high) and over all treebanks but the zero-shot ones. Averages are always over the
    treebanks that all models have a score for; "(5 of 6)" means that a score is missing for one of
    six. Runs with several seeds are one row: their mean ± their standard deviation. The files are
    rewritten after each score.

    differences.md and differences.tsv show for each pair of models the gain of one over the other,
    with a 95% interval (paired bootstrap over sentences) and, for several seeds each, a second
    interval for the variation between seeds (Welch's t). A gain is bold where p is below 0.05 by
    both.

    --external adds rows for other systems to the table, from a TSV file with the columns treebank,
    model, UPOS, LAS and so on. docs/results/thesis.tsv has the scores of the thesis.

    Treebanks without training data are scored with UDify only; treebanks without a dev file are
    validated on their training file.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--udify", help="config of the model trained on all treebanks, or a trained model"
        )
        parser.add_argument(
            "--lang", help="config of models trained on one treebank each, from scratch"
        )
        parser.add_argument(
            "--udify-lang",
            help="config of models that start from UDify's encoder; requires --udify",
        )
        parser.add_argument(
            "--udify-lang-all",
            help="config of models that start from all of UDify's weights; requires --udify",
        )
        add_study_options(parser)

    def run(self, args: argparse.Namespace) -> None:
        _compare(args)


@Subcommand.register("ud-experiment")
class Experiment(CommandGroup):
    """
    Train and score models on many treebanks, over seeds, with one table and the significance of
    each difference. After an interruption, the same command continues where it stopped.

      allennlp ud-experiment compare 'ud/UD_*' --out out/experiment --udify udify \\
        --lang udify_single_treebank_thesis
      allennlp ud-experiment ablation udify 'ud/UD_*' --out out/layers --joint \\
        --variant 'task={}' --variant 'sum={"model.layer_attention": "sum"}'
      allennlp ud-experiment transfer 'ud/UD_*' --source en_ewt --out out/transfer \\
        --system UDify=multilingual
    """

    actions = {"compare": Compare, "ablation": Ablation, "transfer": Transfer}


def _compare(args: argparse.Namespace) -> None:
    chosen = (args.udify, args.lang, args.udify_lang, args.udify_lang_all)
    configs = {model: config for model, config in zip(MODELS, chosen) if config}
    if not configs:
        raise ConfigurationError("There is nothing to train. Add --udify, --lang or --udify-lang.")
    if (BOTH in configs or BOTH_ALL in configs) and UDIFY not in configs:
        raise ConfigurationError("--udify-lang starts from UDify's model. Add --udify.")
    treebanks = find_treebanks(args.treebanks)
    study = Study(args, treebanks, MODELS)
    with study.locked():
        _run(study, treebanks, configs)
        study.finish()


def _run(study: Study, treebanks: list[Treebank], configs: dict[str, str]) -> None:
    trainable = [treebank for treebank in treebanks if treebank.train]
    udify: dict[Optional[int], Path] = {}
    if UDIFY in configs:
        udify = _udify(study, trainable, configs[UDIFY])
        for seed, run in udify.items():
            study.score(UDIFY, seed, run, treebanks)
    for model in (LANG, BOTH, BOTH_ALL):
        for treebank in trainable if model in configs else []:
            for seed in study.seeds:
                folder = study.folder(model, seed) / treebank.name
                start = None if model == LANG else udify.get(seed, udify.get(None))
                trained = study.try_train(
                    f"{model} of {treebank.name}", configs[model], [treebank], folder, seed, start
                )
                if trained:
                    study.score(model, seed, trained, [treebank])


def _udify(study: Study, treebanks: list[Treebank], config: str) -> dict[Optional[int], Path]:
    """
    Returns the trained model of all treebanks by seed; a model that was trained elsewhere has none.
    """
    trained = trained_model(config)
    if trained:
        return {None: trained}
    if not treebanks:
        raise ConfigurationError(
            "None of the treebanks has a training file, so there is nothing to train on. Add a "
            "treebank with one."
        )
    return {
        seed: study.train(config, treebanks, study.folder(UDIFY, seed) / "model", seed)
        for seed in study.seeds
    }
