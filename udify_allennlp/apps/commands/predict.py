"""
`allennlp predict MODEL FILE.conllu --output-file PARSED.conllu`, with no further flags; the same
with `FILE.txt`.
"""

import argparse
import itertools
import os
import sys
from typing import Iterator, List, Optional

from allennlp.commands.predict import Predict, _get_predictor, _PredictManager
from allennlp.commands.subcommand import Subcommand
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path, open_compressed
from allennlp.common.tqdm import Tqdm
from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from udify_allennlp.apps.commands.command import AdaptedCommand
from udify_allennlp.apps.commands.error_report import add_iterations, change_settings
from udify_allennlp.apps.commands.options import (
    add_lang,
    add_tokenizer,
    one_word,
    take_several,
)
from udify_allennlp.archives.card import language_prefix
from udify_allennlp.graph2graph.refinement import RefinementModel
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, ConlluPredictor, block
from udify_allennlp.predictors.loading import no_parser
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.conllu import Sentence, expand_paths, treebank_name
from udify_allennlp.text.files import check_writable, compression
from udify_allennlp.text.input_kinds import CONLLU, JSON, TEXT, InputFile, look_at
from udify_allennlp.text.json_lines import read_json_lines
from udify_allennlp.text.output_kinds import check_output, write_output
from udify_allennlp.text.raw_text import Tokenizer, lines_in, read_lines, read_text
from udify_allennlp.text.roles.files import holds_roles
from udify_allennlp.text.roles.styles import style_of_name
from udify_allennlp.text.tokenizers import make_tokenizer

STANDARD_OUTPUT = (None, "-", "/dev/stdout")


@Subcommand.register("predict", exist_ok=True)
class PredictTreebank(AdaptedCommand):
    """
    Parse CoNLL-U or raw text. Of CoNLL-U only the columns that the model predicts change.

      allennlp predict multilingual text.txt --output-file parsed.conllu
      allennlp predict out/ewt/model.tar.gz text.conllu --output-file parsed.conllu
      allennlp predict out/ewt/model.tar.gz text.txt --lang en --output-file parsed.conllu
      echo "The dog sleeps." | allennlp predict multilingual -
      echo '{"sentence": "words between spaces"}' | allennlp predict out/ewt/model.tar.gz -

    The name of a file says what it holds: .txt and .md raw text, .conllu CoNLL-U, .jsonl lines of
    JSON; of other names, and standard input, its beginning does: an id and a tab, or a comment such
    as # sent_id, is CoNLL-U, an object is JSON, all else raw text. With a --tokenizer it is raw
    text whatever it is called. The output file is CoNLL-U, lines of JSON (.jsonl) or a table with a
    row for each word (.csv, .tsv, .parquet), and appears whole or not at all.
    """

    original = Predict
    texts = {
        "output_file": "the file to write: CoNLL-U (.conllu or no ending), lines of JSON (.jsonl), "
        "a table of words (.csv, .tsv, .parquet), of models of roles CoNLL columns (.conll05, "
        ".conll09) (default: standard output, in CoNLL-U)",
        "batch_size": "sentences to sort by length at a time "
        f"(default = {BATCH_SIZE}; 1 for input - and for other predictors)",
        "silent": "no progress bar; needs --output-file",
        "use_dataset_reader": "read the input as CoNLL-U whatever its name is",
        "overrides": 'settings to change, as JSON: \'{"model.precision": "bfloat16"}\'',
        "predictor": "not needed with our models, whose predictor is udify",
    }
    hidden = ("dataset_reader_choice", "multitask_head", "predictor_args")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.set_defaults(batch_size=None)
        take_several(
            parser,
            "input_file",
            "raw text (.txt, .md), CoNLL-U (.conllu) or lines of JSON (.json, .jsonl), plain, .gz "
            "or .xz; other names, and - for standard input, are what they begin as",
        )
        add_tokenizer(parser, more="; the input is then raw text whatever its name is")
        add_lang(
            parser,
            ", or a treebank, such as fr_gsd, whose words and sentences a segmenter then gives "
            "(default: a segmenter guesses it, rules are those of no language); models that ask "
            "for the language of sentences are told it, too, and of CoNLL-U (default: what the "
            "file's name says)",
        )
        parser.add_argument(
            "--probabilities",
            action="store_true",
            help="say in MISC how sure the model is of each prediction, such as HeadProb=0.97",
        )
        add_iterations(parser)
        parser.add_argument(
            "--every-iteration",
            action="store_true",
            help="of a model that refines its trees: those after each pass, in files named after "
            "--output-file: parsed.1.conllu, parsed.2.conllu and so on, and parsed.0.conllu for "
            "the parser before it",
        )

    def run(self, args: argparse.Namespace) -> None:
        args.input_file = one_word(args.input_file, (".conllu", ".txt"))
        _predict(args)


def _predict(args: argparse.Namespace) -> None:
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    if args.silent and not args.output_file:
        raise ConfigurationError("--silent leaves nothing to do. Give --output-file as well.")
    if args.output_file:
        check_writable(args.output_file)
    if args.every_iteration and (args.output_file in STANDARD_OUTPUT or args.input_file == "-"):
        raise ConfigurationError(
            "--every-iteration reads its input several times and writes several files. Name an "
            "input file and an --output-file."
        )
    change_settings(args, **({"model.probabilities": True} if args.probabilities else {}))
    predictor = _get_predictor(args)
    # AllenNLP's own predictor, of models that name none, can read instances of their reader alone.
    if type(predictor) is Predictor and not args.use_dataset_reader:
        raise no_parser(args.archive_file, predictor._model)
    if args.every_iteration and not isinstance(predictor._model, RefinementModel):
        raise ConfigurationError(
            f"--every-iteration is for models of type udify_refinement, which {args.archive_file} "
            "is not. Leave it out."
        )
    if isinstance(predictor, ConlluPredictor):
        if args.output_file:
            check_output(args.output_file, "roles" in predictor.model.decoders)
            _check_style(predictor, args.output_file)
        for output_file in _refined(predictor, args):
            _parse(predictor, args, output_file)
        return
    _PredictManager(
        predictor,
        args.input_file,
        args.output_file,
        1 if args.batch_size is None else args.batch_size,
        not args.silent,
        args.use_dataset_reader,
        args.multitask_head,
    ).run()


def _check_style(predictor: ConlluPredictor, path: str) -> None:
    """Whether the file can hold the roles that the model labels."""
    decoders, style = predictor.model.decoders, style_of_name(path)
    formats = decoders["roles"].formats if "roles" in decoders else []
    if formats and style and style not in formats:
        raise ConfigurationError(
            f"{path}: columns of {style} cannot hold the roles that this model labels. Name it "
            f".{formats[0]} or .conllu."
        )


def _refined(predictor: ConlluPredictor, args: argparse.Namespace) -> Iterator[Optional[str]]:
    """Files to write; with `--every-iteration` the model makes so many passes for each."""
    if not args.every_iteration:
        yield args.output_file
        return
    model = predictor.model
    ending = compression(args.output_file)
    stem, kind = os.path.splitext(args.output_file.removesuffix(ending))
    for iterations in range(model.initial.least, model.iterations + 1):
        model.iterations = iterations
        yield f"{stem}.{iterations}{kind}{ending}"


def _parse(
    predictor: ConlluPredictor, args: argparse.Namespace, output_file: Optional[str]
) -> None:
    files = _files(args)
    kind = files[0].kind
    total: Optional[int] = None
    lang = predictor.language(args.lang)
    origins = predictor.origins_of(lang)
    if kind == TEXT:
        tokenizer = make_tokenizer(own_tokenizer(args.archive_file, args.tokenizer), lang)
        texts: Iterator[Iterator[Sentence]] = _read_texts(files, tokenizer)
        if not lang:
            texts = map(predictor.unseen.watch, texts)
        sentences: Iterator[Sentence] = itertools.chain.from_iterable(texts)
    elif kind == CONLLU:
        if lang and not predictor.reader.schema.langs and not args.use_dataset_reader:
            raise ConfigurationError(
                f"{files[0].path} holds CoNLL-U, and --lang is for raw text: the model does not "
                "ask for the language of words. Leave it out, or add --tokenizer for raw text."
            )
        total = _count([each.path for each in files])
        for code in filter(None, (_language(each.path) for each in files if not lang)):
            predictor.meet(code)
        sentences = itertools.chain.from_iterable(_read_conllu(predictor, each) for each in files)
    else:
        lines = itertools.chain.from_iterable(map(_read_json, files))
        sentences = map(predictor.sentence_of, lines)
    # Whoever types sentences wants to see each parsed, not a thousand at once.
    batch_size = args.batch_size or (1 if args.input_file == "-" else BATCH_SIZE)
    parsed = predictor.parse(sentences, batch_size, **origins)
    if output_file in STANDARD_OUTPUT:
        _print(parsed)
    else:
        shown = {"total": total, "unit": " sentences", "smoothing": 0, "disable": args.silent}
        with Tqdm.tqdm(parsed, **shown) as bar:  # closed before anything is said of an error
            roles = "roles" in predictor.model.decoders
            write_output(bar, output_file, roles, is_text=kind == TEXT)


def _files(args: argparse.Namespace) -> List[InputFile]:
    """The input, all of one kind."""
    if args.use_dataset_reader:
        if args.tokenizer or args.lang:
            raise ConfigurationError(
                "--tokenizer and --lang are for raw text, which what --use-dataset-reader reads is "
                "not. Leave them out, or --use-dataset-reader."
            )
        paths = ["/dev/stdin" if path == "-" else path for path in _paths(args.input_file)]
        return [InputFile(path, CONLLU, None) for path in paths]
    files = [look_at(path, sys.stdin.buffer) for path in _paths(args.input_file)]
    if args.tokenizer:
        return [each._replace(kind=TEXT) for each in files]
    other = next((each for each in files if each.kind != files[0].kind), None)
    if other:
        raise ConfigurationError(
            f"{files[0].path} holds {files[0].kind} and {other.path} {other.kind}. Parse each by "
            "itself, or add --tokenizer if both are raw text."
        )
    if args.lang and files[0].kind == JSON:
        raise ConfigurationError(
            f"--lang is for raw text, and {files[0].path} holds lines of JSON, whose words stand "
            "between spaces. Leave it out."
        )
    return files


def _paths(text: str) -> List[str]:
    if text == "-":
        return [text]
    if "://" in text:
        return [str(cached_path(text))]
    return expand_paths([text] if os.path.exists(text) else text.split(","))


def _read_texts(files: List[InputFile], tokenizer: Tokenizer) -> Iterator[Iterator[Sentence]]:
    """The sentences of each file."""
    ids = itertools.count(1)  # through all files: no two sentences of one output share an id
    for path, _, opened in files:
        lines = read_lines(path) if opened is None else lines_in(opened, path)
        yield read_text(lines, tokenizer, ids, path)


def _read_conllu(predictor: ConlluPredictor, given: InputFile) -> Iterator[Sentence]:
    if given.lines is None:
        return predictor.reader.sentences([given.path])
    return predictor.reader.sentences_in(given.lines, given.path)


def _read_json(given: InputFile) -> Iterator[JsonDict]:
    """The lines without empty ones."""
    if given.lines is not None:
        yield from read_json_lines(given.lines, given.path)
        return
    with open_compressed(given.path, "rb", encoding=None) as file:
        yield from read_json_lines(file, given.path)


def _language(path: str) -> Optional[str]:
    """The language of a file that is named as the treebanks of UD are, `en_ewt-ud-test.conllu`."""
    return language_prefix(treebank_name(path)) if "-ud-" in os.path.basename(path) else None


def _count(paths: List[str]) -> Optional[int]:
    """
    How many sentences there are, for the progress bar: each has one word 1. `None` if a file is a
    pipe, which cannot be read twice, or compressed, or in columns of roles.
    """
    if any(map(holds_roles, paths)):
        return None
    if not all(os.path.isfile(path) and not path.endswith((".gz", ".xz")) for path in paths):
        return None
    count = 0
    for path in paths:
        with open(path, "rb") as file:
            count += sum(line.startswith(b"1\t") for line in file)
    return count


def _print(sentences: Iterator[Sentence]) -> None:
    for sentence in sentences:
        # Bytes: CoNLL-U is UTF-8 whatever the terminal's encoding is.
        sys.stdout.buffer.write(block(sentence).encode("utf-8"))
        sys.stdout.flush()
