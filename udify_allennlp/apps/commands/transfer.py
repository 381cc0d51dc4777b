"""`allennlp ud-experiment transfer`: systems trained on one language or a few, scored on many."""

import argparse
import filecmp
import json
import os
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.command import Action
from udify_allennlp.apps.commands.options import add_discard, add_study_options
from udify_allennlp.apps.studies.extra_metrics import WITHOUT_PUNCT
from udify_allennlp.apps.studies.runs import parse, write_json
from udify_allennlp.apps.studies.study import Study
from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks
from udify_allennlp.apps.studies.variants import variants_of
from udify_allennlp.archives.run_folder import fetched, weights_file
from udify_allennlp.data.aligned_vectors import find_vectors
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences, treebank_language, write_sentences
from udify_allennlp.text.files import fingerprint, size_and_time

METRICS = ("UAS", "LAS", "CLAS", *WITHOUT_PUNCT.names)


class Transfer(Action):
    """
    Train systems on one treebank, or on several at once, parse all treebanks with each, and compare
    the systems (Ahmad et al. 2019, Tables 2 and 3; Ji et al. 2023, Tables 2 and 4):

      export UD_VECTORS=vectors     # a folder with en.vec, fi.vec and so on, aligned
      allennlp ud-experiment transfer 'ud/UD_*' --source en_ewt --out out/transfer --seeds 1,2,3 \\
        --system SelfAtt-Graph=training_config/order_transfer/selfatt_graph.jsonnet \\
        --system RNN-Graph=training_config/order_transfer/rnn_graph.jsonnet \\
        --system SelfAtt-Stack=training_config/order_transfer/selfatt_stack.jsonnet \\
        --system RNN-Stack=training_config/order_transfer/rnn_stack.jsonnet

    A system can be a config with changes ('NAME=CONFIG JSON', as for `ablation`), or a trained
    model (NAME=out/udify/model.tar.gz, NAME=multilingual).

    Configs read their data from UD_TRAIN and UD_DEV, which the command sets. Every treebank with a
    test file is parsed. In the tables, treebanks of languages without a source treebank are
    zero-shot, even if they have training data, and their macro average over treebanks measures
    transfer. Other treebanks of the sources' languages are "language seen", with a separate
    average.

    UAS, LAS and CLAS are the scores of CoNLL 2018, which count every word; UAS_without_punct and
    LAS_without_punct exclude words with gold UPOS PUNCT or SYM, like Ahmad et al. The two kinds are
    not comparable.

    UPOS tags are inputs of these systems: the tags of the test files or, with --upos MODEL, the
    predictions of a model, such as UDify, which may tag its training treebanks better than others.

    Tables, seeds, differences and recovery after an interruption work as in `compare`.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--source",
            required=True,
            help="the treebank to train on, such as en_ewt, or several: en_ewt,ja_gsd",
        )
        parser.add_argument(
            "--system",
            action="append",
            required=True,
            metavar="NAME=WHAT",
            help="a name and the config of a system, or a trained model; repeat the option for "
            "more systems",
        )
        parser.add_argument(
            "--sentences",
            type=int,
            metavar="N",
            help="score the first N sentences of each test file (default: all)",
        )
        parser.add_argument(
            "--upos", metavar="MODEL", help="a trained model that predicts the UPOS of test files"
        )
        add_discard(parser)
        add_study_options(parser)

    def run(self, args: argparse.Namespace) -> None:
        _transfer(args)


def _transfer(args: argparse.Namespace) -> None:
    systems = variants_of(args.system, None, "--system")
    if args.sentences is not None and args.sentences < 1:
        raise ConfigurationError(f"--sentences is {args.sentences}. It must be at least 1.")
    treebanks = find_treebanks(args.treebanks)
    trainable = {treebank.name: treebank for treebank in treebanks if treebank.train}
    for name in args.source.split(","):
        if name not in trainable:
            raise ConfigurationError(
                f"--source {name} is not among the treebanks with training data "
                f"({', '.join(trainable)})."
            )
    sources = [trainable[name] for name in dict.fromkeys(args.source.split(","))]
    _check_vectors(treebanks)
    seen = {treebank_language(source.name) for source in sources}
    treebanks = [
        treebank if treebank in sources else _untrained(treebank, seen) for treebank in treebanks
    ]
    study = Study(args, treebanks, list(systems), METRICS, WITHOUT_PUNCT)
    with study.locked():
        folder = study.out
        if args.sentences is not None:
            folder = study.out / f"first_{args.sentences}"
            treebanks = [_first(treebank, args.sentences, folder) for treebank in treebanks]
        tagged = _with_upos(args, treebanks, folder / "upos") if args.upos else None
        for name, system in systems.items():
            if system.model:
                study.score(name, None, system.model, treebanks, tagged)
        # Seed by seed: what is interrupted has whole comparisons.
        for seed in study.seeds:
            for name, system in systems.items():
                if system.model:
                    continue
                folder = study.folder(name, seed) / "model"
                run = study.try_train(
                    name, system.config, sources, folder, seed, changes=system.changes
                )
                if run:
                    study.score(name, seed, run, treebanks, tagged)
        study.finish()


def _untrained(treebank: Treebank, seen: Collection[str]) -> Treebank:
    is_seen = treebank_language(treebank.name) in seen
    return treebank._replace(train=None, train_sentences=0, language_seen=is_seen)


def _check_vectors(treebanks: list[Treebank]) -> None:
    """
    Checks the vectors before training: a language without vectors would be parsed as unknown words.
    """
    folder: Optional[str] = os.environ.get("UD_VECTORS")
    if not folder or not os.path.isdir(folder):
        return
    paths = find_vectors(folder)
    missing = sorted({treebank_language(treebank.name) for treebank in treebanks} - paths.keys())
    if missing:
        raise ConfigurationError(
            f"UD_VECTORS, {folder}, has no vectors for {', '.join(missing)}. Add them, remove "
            "these treebanks, or unset it for systems without word inputs."
        )


def _first(treebank: Treebank, count: int, folder: Path) -> Treebank:
    """
    Returns the treebank with the first sentences of its test file, which is written if it changed.
    """
    folder.mkdir(exist_ok=True)
    path = folder / f"{treebank.name}.conllu"
    fresh = folder / f"{treebank.name}.new"
    write_sentences(islice(read_sentences(treebank.test), count), fresh)
    # One that stays as it is keeps its time, by which what was parsed of it is known.
    if path.exists() and filecmp.cmp(fresh, path, shallow=False):
        fresh.unlink()
    else:
        fresh.replace(path)
    return treebank._replace(test=str(path))


def _with_upos(
    args: argparse.Namespace, treebanks: list[Treebank], folder: Path
) -> dict[str, Path]:
    """
    Returns the test files with the UPOS that `--upos` predicts, made once for each model and file.
    """
    paths = {treebank.name: folder / f"{treebank.name}.conllu" for treebank in treebanks}
    model = size_and_time(weights_file(fetched(args.upos)))
    folder.mkdir(exist_ok=True)
    predictor = None
    for treebank in treebanks:
        path = paths[treebank.name]
        note = path.with_suffix(".json")
        source = {"source": [model, fingerprint([treebank.test])]}
        if path.exists() and note.exists() and json.loads(note.read_text()) == source:
            continue
        predictor = predictor or _tagger(args)
        gold = list(read_sentences(treebank.test))
        tagged = (
            sentence.replace(upos=parsed.upos)
            for sentence, parsed in zip(gold, parse(predictor, gold, treebank.name))
        )
        write_sentences(tagged, path)
        write_json(note, source)
    return paths


def _tagger(args: argparse.Namespace) -> ConlluPredictor:
    predictor = load_predictor(args.upos, args.cuda_device)
    if "upos" not in predictor.model.decoders:
        raise ConfigurationError(
            f"--upos {args.upos} is a model that does not predict UPOS. Name one that does."
        )
    return predictor
