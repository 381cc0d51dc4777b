"""`allennlp ud-forgotten BASE COMPRESSED FILE [FILE ...]`: the losses of a compressed model."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, Optional, Union

from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from udify_allennlp.apps.analysis.forgotten import biases, translations
from udify_allennlp.apps.analysis.forgotten.parsers import (
    METRICS,
    ParserScores,
    parser_scores,
    parser_tables,
)
from udify_allennlp.apps.analysis.forgotten.tables import Row, Tables, model_rows
from udify_allennlp.apps.analysis.output.files import names_of, new_folder
from udify_allennlp.apps.analysis.output.parsed_paths import gold_paths
from udify_allennlp.apps.analysis.output.screen import show
from udify_allennlp.apps.commands.command import Command
from udify_allennlp.apps.commands.options import MODEL, add_cuda_device, add_files, add_out
from udify_allennlp.archives.loading import archive_in
from udify_allennlp.archives.shipped import MULTILINGUAL
from udify_allennlp.parser import Parser
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.predictors.loading import no_parser
from udify_allennlp.text.named_files import split_names
from udify_allennlp.translation.architecture import is_pretrained
from udify_allennlp.translation.predictor import TranslationPredictor, pretrained_predictor
from udify_allennlp.translation.scores import PIECES

BASE = "base"
AnyPredictor = Union[ConlluPredictor, TranslationPredictor]


@Subcommand.register("ud-forgotten")
class Forgotten(Command):
    """
    Show what a compressed model has forgotten beyond its average: which treebanks, languages,
    labels or sentences lost most (Mohammadshahi 2023, chapter 5). Models are those of `ud-pack`, or
    any two for the same task.

      allennlp ud-forgotten multilingual small.tar.gz 'ud/*/*-ud-test.conllu' --out forgotten
      allennlp ud-forgotten out/ewt int8.tar.gz,int4.tar.gz en_ewt-ud-test.conllu --out forgotten
      allennlp ud-forgotten out/small100 small.tar.gz 'flores/devtest.*' --out forgotten

    Parsers are compared on treebanks with gold words: LAS, UFeats, Lemmas and UPOS by the number of
    words of the treebank in training, by whether the language was in training, and by how frequent
    labels are. In --out there will be models.tsv, treebanks.tsv, classes.tsv, labels.tsv and
    label_classes.tsv.

    Translation models are compared on aligned text: spBLEU by the resource class of pair, source
    and target; sentences that lose or win more than 0.5 of chrF3, the share of these in a language
    other than the target, and lambda, how much more scattered the attention to the source is
    (Equations 5.1 and 5.2). In --out: models.tsv, directions.tsv, classes.tsv, sentences.tsv,
    texts.tsv.

    --gender adds gender.tsv: psi and psi* (Equations 5.3 and 5.4) of translations of WinoMT, a
    folder with en.txt, en_pro.txt and en_anti.txt. Words are aligned by their statistics, and a
    parser, --reader, reads the gender of the entity. --senses adds senses.tsv, for the base and
    each compressed model in turn a file of rows: number of senses, correct sense, sense of the
    translation.

    A change is the relative change of the mean of a group, in percent.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("base", metavar="BASE", help=f"the original model: {MODEL}")
        several = "compressed models, comma-separated"
        parser.add_argument("compressed", metavar="COMPRESSED", help=several)
        add_files(parser, "files", "treebanks of a parser, or aligned texts")
        add_out(parser, "FOLDER", "the tables as TSV")
        parser.add_argument(
            "--sentences",
            type=int,
            metavar="N",
            help="take the first N sentences of each treebank or direction",
        )
        parser.add_argument(
            "--pieces", choices=PIECES, default=PIECES[0], help="the tokens that BLEU counts"
        )
        parser.add_argument("--gender", metavar="FOLDER", help="WinoMT, for translation models")
        parser.add_argument(
            "--gender-langs", metavar="LANGS", help="target languages of --gender, such as de,fr"
        )
        parser.add_argument(
            "--reader",
            metavar="MODEL",
            default=MULTILINGUAL,
            help=f"the parser that reads gender (default = {MULTILINGUAL})",
        )
        parser.add_argument(
            "--senses", nargs="+", metavar="FILE", help="senses of translations, a file per model"
        )
        add_cuda_device(parser)

    def run(self, args: argparse.Namespace) -> None:
        _compare(args)


def _compare(args: argparse.Namespace) -> None:
    paths = _paths(args)
    base = _load(args.base, args.cuda_device)
    _check(args, base, len(paths))
    tables = Tables(new_folder(args.out, "--out"))
    sizes = {name: _size(path) for name, path in {BASE: args.base, **paths}.items()}
    if isinstance(base, ConlluPredictor):
        _compare_parsers(args, tables, base, paths, sizes)
    else:
        _compare_translations(args, tables, base, paths, sizes)
    show(tables.text())


def _compare_parsers(
    args: argparse.Namespace,
    tables: Tables,
    base: ConlluPredictor,
    paths: Mapping[str, str],
    sizes: Mapping[str, Optional[int]],
) -> None:
    golds = gold_paths(args.files)
    scores = {BASE: parser_scores(base, golds, args.sentences)}
    for name, path in paths.items():
        predictor = _load_alike(path, args.cuda_device, ConlluPredictor)
        scores[name] = parser_scores(predictor, golds, args.sentences)
    means = {name: _means(model_scores) for name, model_scores in scores.items()}
    tables.write("models", model_rows(sizes, means), "Models, and means over treebanks")
    others = {name: model_scores for name, model_scores in scores.items() if name != BASE}
    parser_tables(tables, base.card, scores[BASE], others)


def _means(scores: ParserScores) -> dict[str, float]:
    rows = scores.by_treebank.values()
    values_of = {metric: [row[metric] for row in rows if metric in row] for metric in METRICS}
    return {metric: fmean(values) for metric, values in values_of.items() if values}


def _compare_translations(
    args: argparse.Namespace,
    tables: Tables,
    base: TranslationPredictor,
    paths: Mapping[str, str],
    sizes: Mapping[str, Optional[int]],
) -> None:
    sources = translations.pairs_by_direction(base, args.files, args.sentences)
    scores = {BASE: translations.translated(base, sources, args.pieces)}
    gender = _GenderRows(args) if args.gender else None
    if gender:
        gender.add(BASE, base)
    changed = {}
    for name, path in paths.items():
        other = _load_alike(path, args.cuda_device, TranslationPredictor)
        scores[name] = translations.translated(other, sources, args.pieces)
        texts = scores[BASE].texts, scores[name].texts
        changed[name] = other, list(translations.changed_sentences(sources, *texts))
        if gender:
            gender.add(name, other)
    means = {
        name: {metric: fmean(values.values()) for metric, values in model_scores.metrics.items()}
        for name, model_scores in scores.items()
    }
    tables.write("models", model_rows(sizes, means), "Models, and means over directions")
    translations.score_tables(
        tables,
        scores[BASE],
        {name: model_scores for name, model_scores in scores.items() if name != BASE},
    )
    translations.sentence_tables(tables, base, changed)
    if gender:
        biases.gender_table(tables, gender.rows())
    if args.senses:
        biases.sense_table(tables, dict(zip([BASE, *paths], args.senses)))


class _GenderRows:
    """The rows of gender.tsv, language by language."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._wino = biases.read_winomt(args.gender)
        self._langs = args.gender_langs.split(",")
        self._parser = Parser.load(args.reader)
        self._rows: list[Row] = []

    def add(self, name: str, predictor: TranslationPredictor) -> None:
        sentences = biases.sentences_of(self._wino)
        for lang in self._langs:
            texts = dict(zip(sentences, predictor.translate(sentences, "en", lang)))
            self._rows.append(
                [lang, name, *biases.gender_row(self._parser, lang, texts, self._wino)]
            )

    def rows(self) -> list[Row]:
        """The rows, sorted by language."""
        return sorted(self._rows, key=lambda row: self._langs.index(row[0]))


def _paths(args: argparse.Namespace) -> dict[str, str]:
    """Compressed models by name."""
    paths = split_names([args.compressed])
    names = [name.removesuffix(".tar.gz") for name in names_of(paths)]
    return {f"{name} model" if name == BASE else name: path for name, path in zip(names, paths)}


def _check(args: argparse.Namespace, base: AnyPredictor, count: int) -> None:
    """Raises `ConfigurationError` for options that do not fit, before anything is computed."""
    if args.sentences is not None and args.sentences < 1:
        raise ConfigurationError(f"--sentences is {args.sentences}. Use 1 or more.")
    if isinstance(base, ConlluPredictor):
        for name in ("gender", "senses"):
            if getattr(args, name):
                raise ConfigurationError(
                    f"--{name} is for translation models, and {args.base} parses. Remove it."
                )
    if bool(args.gender) != bool(args.gender_langs):
        raise ConfigurationError(
            "--gender and --gender-langs go together: name target languages, such as de,fr."
        )
    if args.senses and len(args.senses) != count + 1:
        raise ConfigurationError(
            f"--senses has {len(args.senses)} files for {count + 1} models. Give one for the base "
            "and one for each compressed model."
        )


def _load(path: str, cuda_device: int) -> AnyPredictor:
    check_for_gpu(cuda_device)
    if is_pretrained(path):
        return pretrained_predictor(path, cuda_device)
    archive = load_archive(path, cuda_device=cuda_device)
    predictor: Any = Predictor.from_archive(archive)
    if not isinstance(predictor, (ConlluPredictor, TranslationPredictor)):
        raise no_parser(path, archive.model)
    return predictor


def _load_alike(path: str, cuda_device: int, kind: Any) -> Any:
    predictor = _load(path, cuda_device)
    if not isinstance(predictor, kind):
        raise ConfigurationError(
            f"{path} is a different kind of model than BASE. Name two parsers, or two translation "
            "models."
        )
    return predictor


def _size(path: str) -> Optional[int]:
    archive = Path(archive_in(path))
    return archive.stat().st_size if archive.is_file() else None
