"""
`allennlp predict MODEL FILE.conllu --output-file PARSED.conllu`, without further options; also for
`FILE.txt`.
"""

import argparse
import gc
import os
import sys
from collections.abc import Iterator
from typing import Optional

from allennlp.commands.predict import Predict, _get_predictor, _PredictManager
from allennlp.commands.subcommand import Subcommand
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm
from allennlp.predictors import Predictor

from udify_allennlp.apps.commands.command import AdaptedCommand
from udify_allennlp.apps.commands.error_report import add_iterations, change_settings
from udify_allennlp.apps.commands.options import (
    add_lang,
    add_tokenizer,
    one_word,
    take_several,
)
from udify_allennlp.apps.commands.predict_checks import (
    STANDARD_OUTPUT,
    check_kinds,
    check_outputs,
    check_raw_text_options,
    check_style,
)
from udify_allennlp.apps.commands.predict_files import Source, input_files
from udify_allennlp.apps.commands.predict_lines import (
    add_languages,
    check_no_languages,
    translate_lines,
)
from udify_allennlp.apps.commands.predict_outputs import (
    Results,
    begun,
    is_done,
    output_paths,
    write,
)
from udify_allennlp.graph2graph.refinement import RefinementModel
from udify_allennlp.kernels.packed_embedding import packed_embeddings
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, FIRST, ConlluPredictor
from udify_allennlp.predictors.loading import no_parser
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import compression
from udify_allennlp.text.input_kinds import TEXT
from udify_allennlp.text.newdoc import document_names
from udify_allennlp.text.output_kinds import check_output, print_sentences
from udify_allennlp.text.tokenizers import make_tokenizer
from udify_allennlp.translation.architecture import is_pretrained
from udify_allennlp.translation.predictor import TranslationPredictor, pretrained_predictor


@Subcommand.register("predict", exist_ok=True)
class PredictTreebank(AdaptedCommand):
    """
    Parse CoNLL-U or raw text. In CoNLL-U, only the columns that the model predicts change.

      allennlp predict multilingual text.txt --output-file parsed.conllu
      allennlp predict out/ewt/model.tar.gz text.conllu --output-file parsed.conllu
      allennlp predict out/ewt/model.tar.gz text.txt --lang en --output-file parsed.conllu
      echo "The dog sleeps." | allennlp predict multilingual -
      echo '{"sentence": "words between spaces"}' | allennlp predict out/ewt/model.tar.gz -

    The name of a file determines its format: .txt and .md are raw text, .conllu is CoNLL-U, .jsonl
    is lines of JSON. For other names and standard input, the beginning of the content determines
    it: an id and a tab, or a comment such as # sent_id, means CoNLL-U, an object JSON, anything
    else raw text. With --tokenizer, the input is always raw text. A folder stands for its .txt and
    .conllu files. The output file is CoNLL-U, lines of JSON (.jsonl) or a table with a row for each
    word (.csv, .tsv, .parquet), and appears only when it is complete; --output-dir makes one file
    for each input:

      allennlp predict multilingual texts --output-dir parsed --skip-bad-files

    An interrupted run keeps the sentences parsed so far in OUTPUT.part and continues after them
    with --resume.

    Translation models, and folders of M2M-100 or SMaLL-100, translate lines of text:

      allennlp predict out/small100 text.en --from en --to de --output-file text.de
    """

    original = Predict
    texts = {
        "output_file": "the file to write: CoNLL-U (.conllu or no ending), lines of JSON "
        "(.jsonl), a table of words (.csv, .tsv, .parquet), CoNLL columns for role models "
        "(.conll05, .conll09), brackets for phrase structure models (.mrg) (default: standard "
        "output, in CoNLL-U)",
        "batch_size": "number of sentences to read and sort by length together (default = "
        f"{BATCH_SIZE}; 1 for input - and for other predictors)",
        "silent": "show no progress bar; needs --output-file",
        "use_dataset_reader": "read the input as CoNLL-U, regardless of its name",
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
            "or .xz; for other names, and - for standard input, the content decides",
        )
        parser.add_argument(
            "--output-dir",
            metavar="FOLDER",
            help="a folder for one output file per input, with the same names, instead of "
            "--output-file",
        )
        parser.add_argument(
            "--output-format",
            metavar="ENDING",
            help="ending of the names in --output-dir: conllu (default), jsonl, csv, ...",
        )
        parser.add_argument(
            "--skip-bad-files",
            action="store_true",
            help="read all files first, skip those with errors, and list them; the exit status is "
            "1 if there are any",
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="continue an interrupted run of the same command: after the last finished file, "
            "and in CoNLL-U after the last sentence in OUTPUT.part",
        )
        parser.add_argument(
            "--encoding",
            help="encoding of raw text, such as latin-1 (default: UTF-8, or UTF-16 if a byte order "
            "mark or the first bytes show it)",
        )
        add_tokenizer(parser, more="; the input is then raw text, regardless of its name")
        add_lang(
            parser,
            ", or a treebank, such as fr_gsd, whose conventions for words and sentences a "
            "segmenter then follows (default: a segmenter guesses the language, rules are "
            "language-independent); models with the language of a sentence as input also receive "
            "it, even for CoNLL-U (default: the language in the file's name)",
        )
        parser.add_argument(
            "--probabilities",
            action="store_true",
            help="write the probability of each prediction to MISC, such as HeadProb=0.97",
        )
        add_iterations(parser)
        add_languages(parser)
        parser.add_argument(
            "--every-iteration",
            action="store_true",
            help="also write the trees after each pass of a refinement model, to parsed.1.conllu, "
            "parsed.2.conllu and so on, and those of the initial parser to parsed.0.conllu",
        )

    def run(self, args: argparse.Namespace) -> None:
        args.input_file = one_word(args.input_file, (".conllu", ".txt"))
        _predict(args)


def _predict(args: argparse.Namespace) -> None:
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    check_outputs(args)
    change_settings(args, **({"model.probabilities": True} if args.probabilities else {}))
    if is_pretrained(args.archive_file):
        predictor: Predictor = pretrained_predictor(args.archive_file, args.cuda_device)
    else:
        with packed_embeddings():
            predictor = _get_predictor(args)
        gc.freeze()  # the model stays to the end: the collector need not look at it
    if isinstance(predictor, TranslationPredictor):
        translate_lines(predictor, args)
        return
    check_no_languages(args)
    # AllenNLP's own predictor, of models that name none, can read instances of their reader alone.
    if type(predictor) is Predictor and not args.use_dataset_reader:
        raise no_parser(args.archive_file, predictor._model)
    if args.output_dir and not isinstance(predictor, ConlluPredictor):
        raise ConfigurationError("--output-dir is for parsers. Use --output-file.")
    if args.every_iteration and not isinstance(predictor._model, RefinementModel):
        raise ConfigurationError(
            f"--every-iteration is for models of type udify_refinement, and {args.archive_file} is "
            "not one. Omit it."
        )
    if isinstance(predictor, ConlluPredictor):
        if args.output_file:
            check_output(args.output_file, predictor.model.decoders)
            check_style(predictor, args.output_file)
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


def _refined(predictor: ConlluPredictor, args: argparse.Namespace) -> Iterator[Optional[str]]:
    """Yields the files to write; with `--every-iteration`, one for each number of passes."""
    if not args.every_iteration:
        yield args.output_file
        return
    model = predictor.model
    ending = compression(args.output_file)
    stem, kind = os.path.splitext(args.output_file.removesuffix(ending))
    for iterations in range(model.initial.least, model.iterations + 1):
        model.iterations = iterations
        yield f"{stem}.{iterations}{kind}{ending}"


def _is_good(source: Source, number: int) -> bool:
    """Returns whether a file can be read; if not, prints its error."""
    try:
        source.check(number)
        return True
    except (InputError, ConfigurationError) as error:
        sys.stderr.write(f"skipped {error}\n")
    except OSError as error:
        sys.stderr.write(f"skipped {source.files[number].path}: {error.strerror}\n")
    return False


def _parse(
    predictor: ConlluPredictor, args: argparse.Namespace, output_file: Optional[str]
) -> None:
    check_raw_text_options(args)
    files = input_files(
        args.input_file,
        bool(args.tokenizer),
        args.use_dataset_reader,
        args.lang,
        bool(args.output_dir),
    )
    targets = [output_file] if output_file not in STANDARD_OUTPUT else []
    if args.output_dir:
        os.makedirs(args.output_dir, exist_ok=True)
        targets = output_paths(
            files, args.output_dir, f".{(args.output_format or 'conllu').lstrip('.')}"
        )
        check_output(targets[0], predictor.model.decoders)
        check_style(predictor, targets[0])
    lang = predictor.language(args.lang)
    origins = predictor.origins_of(lang)
    check_kinds(predictor, files, args, lang)
    tokenizer = None
    if any(file.kind == TEXT for file in files):
        name = own_tokenizer(args.archive_file, args.tokenizer)
        tokenizer = make_tokenizer(name, lang)
    numbers = list(range(len(files)))  # of those that are parsed
    if args.output_dir and args.resume:
        numbers = [n for n in numbers if not is_done(files[n].path, targets[n])]
    skipped: list[str] = []
    if args.skip_bad_files:
        source = Source(files, predictor, tokenizer, args.encoding)
        is_good = {n: _is_good(source, n) for n in numbers}
        skipped = [files[n].path for n in numbers if not is_good[n]]
        numbers = [n for n in numbers if is_good[n]]
    if numbers:
        parsed = [files[n] for n in numbers]
        names = None
        if args.output_dir:
            targets = [targets[n] for n in numbers]
        elif len(parsed) > 1:
            names = document_names([file.path for file in parsed])
        source = Source(parsed, predictor, tokenizer, args.encoding, names, lang)
        _write(predictor, source, targets, args, origins)
    if skipped:
        raise InputError(
            f"{len(skipped)} of {len(files)} files were skipped, for the reasons above: "
            f"{', '.join(skipped)}. Correct or remove them."
        )


def _write(
    predictor: ConlluPredictor,
    source: Source,
    targets: list[str],
    args: argparse.Namespace,
    origins: dict[str, str],
) -> None:
    # Whoever types sentences wants to see each parsed, not a thousand at once.
    batch_size = args.batch_size or (1 if args.input_file == "-" else BATCH_SIZE)
    parts = [begun(target) if args.resume else None for target in targets]
    parsed = predictor.parse(source.sentences(parts), batch_size, FIRST, **origins)
    if not targets:
        print_sentences(parsed)
        return
    tasks = predictor.model.decoders
    shown = {"total": source.size, "unit": "B", "unit_scale": True, "smoothing": 0}
    with Tqdm.tqdm(disable=args.silent, **shown) as bar:  # closed before an error is shown
        results = Results(parsed, source.places, bar)
        if not args.output_dir:
            write(results.all(), targets[0], parts[0], tasks, source.files[0].kind)
            return
        for number, (file, target) in enumerate(zip(source.files, targets)):
            write(results.of(number), target, parts[number], tasks, file.kind)
