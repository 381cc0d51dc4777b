"""`allennlp ud-positions`: positions that a model makes from typology."""

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import torch
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.languages.position_results import Distances, PositionResults, Text
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import add_cuda_device, add_files, add_out
from udify_allennlp.modules.position_generators import TYPOLOGY
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import (
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.named_files import files_of
from udify_allennlp.typology import features as typology
from udify_allennlp.typology.encoder import TypologyEncoder


@Subcommand.register("ud-positions")
class Positions(Command):
    """
    Inspect the positions of a model that generates them from typology (Ji et al. 2023, sections 5
    and 6). MODEL is an archive or a run folder:

      allennlp ud-positions out/relative_attn --out positions --langs en,ja,fi,hi,ar
      allennlp ud-positions out/relative_attn --out positions --text 'ud/*/en_ewt-ud-test.conllu'
      allennlp ud-positions out/relative_attn --out positions \\
        --probe en_ewt-ud-test.conllu hi_pud-ud-test.conllu

    FOLDER will hold
      similarity.tsv     for each pair of languages the mean cosine of their positions and the
                         distance of the languages (Figure 1a); similarity.png; with matplotlib
      correlation.tsv    the correlation of the two; the 95% intervals are too narrow, since
                         they treat the pairs as independent of each other
      maps.png           cosines between the first 50 positions of a language (Figures 3 and 6)
      shift.tsv          for ATTN, whether a position attends to its left or right: percentage of
                         the middle positions, and all of them in shift.png (Figure 4)
      substitution.tsv   with --text: LAS on its sentences with the positions of each language
                         instead of its own (Figure 1b); substitution.png
      probe.tsv          with --probe: a network learns to distinguish the sentences of two files;
                         then it receives held-out sentences of the first file with the positions of
                         each language (Figure 2): percentage that it still assigns the first

    --flip changes single features of a language: it:87A=1 is Italian with adjectives before nouns,
    value 1 of 87A in the feature set that the model was trained with. For URIEL, use names with 0
    or 1, and several where one fact is two features: it:SVO=0,SOV=1.

    Random features and other feature sets need separate runs, which `allennlp ud-experiment
    transfer` trains and compares.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("model", metavar="MODEL", help="a model whose embedder is udify_typology_positions")
        add_out(parser, "FOLDER")
        add("--langs", help="languages, such as en,fo,ja (default: those of training)")
        distance = (
            "distance between languages: wals6, wals19 or uriel (the share of features that "
            "differ), or "
        )
        add("--distance", default="wals19", help=distance + "a distances.tsv of ud-word-order")
        texts = "CoNLL-U of one language, with gold trees"
        add_files(parser, "--text", texts, required=False)
        add("--probe", nargs=2, metavar="FILE", help="CoNLL-U files of two languages")
        add(
            "--flip",
            metavar="LANG:FEATURE=VALUE",
            help="also show a language with changed features",
        )
        add(
            "--sentences",
            type=int,
            default=500,
            help="maximum number of sentences per file (default = 500)",
        )
        add("--seed", type=int, default=0, help="random seed of the probe")
        add_cuda_device(parser)

    def run(self, args: argparse.Namespace) -> None:
        _positions(args)


def _positions(args: argparse.Namespace) -> None:
    figures.need_scipy()
    if args.sentences < 4:
        raise ConfigurationError(f"--sentences is {args.sentences}. It must be at least 4.")
    predictor = load_predictor(args.model, args.cuda_device)
    encoder = predictor.model.embedder
    if not isinstance(encoder, TypologyEncoder):
        raise ConfigurationError(
            f"{args.model} has no positions of languages: its embedder is not "
            "udify_typology_positions. Name another model."
        )
    langs = list(dict.fromkeys((args.langs or ",".join(encoder.languages)).split(",")))
    if len(langs) < 2:
        raise ConfigurationError(f"--langs is {','.join(langs)}. Name at least two languages.")
    distances = Distances(args.distance)
    generators: Any = encoder.generators
    values = encoder.values_of(langs)
    names = list(langs)
    if args.flip:
        if generators[0].sees != TYPOLOGY:
            raise ConfigurationError(
                f"--flip changes features of a language, and {args.model} uses none. Omit it."
            )
        name, changed = _flipped(args.flip, encoder)
        names.append(name)
        values = torch.cat([values, changed])
    text = _text(args.text, args.sentences) if args.text else None
    pair = [_text([path], args.sentences) for path in args.probe or []]
    if len({lang for lang, _ in pair}) == 1:
        raise ConfigurationError(
            f"--probe {' '.join(args.probe)}: both files are of one language. Name files of two "
            "languages."
        )
    numbers = encoder.numbers_of([*langs, *(name.split(":")[0] for name in names[len(langs) :])])
    draw = figures.available()
    results = PositionResults(new_folder(args.out, "--out"), predictor, langs, distances, draw)
    with torch.no_grad():
        results.similarity(names, encoder.generate(values, numbers))
        results.shifts(names, values)
    if text is not None:
        results.substitution(text)
    if pair:
        results.probe(pair[0], pair[1], args.seed)


def _text(names: Sequence[str], count: int) -> Text:
    paths, shown = files_of(names), " ".join(names)
    langs = {treebank_language(treebank_name(path)) for path in paths}
    if len(langs) > 1:
        raise ConfigurationError(
            f"{shown} has several languages: {', '.join(sorted(langs))}. Name files of one "
            "language."
        )
    sentences = [sentence for path in paths for sentence in read_sentences(path)][:count]
    if len(sentences) < 4:
        raise ConfigurationError(
            f"{shown} has {len(sentences)} sentences. At least four are needed."
        )
    return Text(langs.pop(), sentences)


def _flipped(text: str, encoder: TypologyEncoder) -> tuple[str, torch.Tensor]:
    """
    Returns the name under which the changed language is shown, and its values, `(1, features)`.
    """
    lang, _, changes = text.partition(":")
    bits = typology.is_bits(encoder.features)
    features = typology.features_of(encoder.features)
    tops = {spec.name: 1 if bits else len(spec.values) for spec in features}
    values = encoder.values_of([lang])
    for change in changes.split(","):
        feature, _, value = change.partition("=")
        if feature not in tops or not value.isdecimal() or int(value) > tops[feature]:
            alike = get_close_matches(feature, tops, n=1) or [features[0].name]
            raise ConfigurationError(
                f"--flip is {text!r}. Specify a language, a feature of {encoder.features} and its "
                f"value, such as it:{alike[0]}=1."
            )
        place = list(tops).index(feature)
        if int(values[0, place]) == int(value):
            raise ConfigurationError(
                f"--flip is {text!r}, but {lang} has {feature}={value} already. Use another value."
            )
        values[0, place] = int(value)
    return text, values
