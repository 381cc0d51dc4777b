"""
`allennlp predict MODEL FILE.conllu --output-file PARSED.conllu`, with no further flags; the same
with `FILE.txt`.
"""

import argparse
import itertools
import os
import sys
from typing import Dict, Iterable, Iterator, List, Optional

from allennlp.commands.predict import Predict, _get_predictor, _PredictManager
from allennlp.commands.subcommand import Subcommand
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path, open_compressed
from allennlp.common.tqdm import Tqdm
from allennlp.common.util import JsonDict

from udify_allennlp.apps.commands.error_report import add_iterations, change_settings
from udify_allennlp.apps.commands.train_evaluate import teach
from udify_allennlp.archives.card import language_of
from udify_allennlp.graph2graph.refinement import RefinementModel
from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, ConlluPredictor, block
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.conllu import Sentence, expand_paths, treebank_name, write_sentences
from udify_allennlp.text.files import check_writable, compression, whole_file
from udify_allennlp.text.json_lines import read_json_lines
from udify_allennlp.text.languages import listed
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import is_text, read_lines, read_text
from udify_allennlp.text.roles.files import holds_roles, write_roles
from udify_allennlp.text.roles.styles import style_of_name
from udify_allennlp.text.tokenizers import CHOICES, DEFAULT, make_tokenizer

_DESCRIPTION = """\
Parse CoNLL-U or raw text. Of CoNLL-U only the columns that the model predicts change.

    allennlp predict multilingual text.txt --output-file parsed.conllu
    allennlp predict out/ewt/model.tar.gz text.conllu --output-file parsed.conllu
    allennlp predict out/ewt/model.tar.gz text.txt --lang en --output-file parsed.conllu
    echo '{"sentence": "words between spaces"}' | allennlp predict out/ewt/model.tar.gz -

The output file appears whole or not at all.
"""
STANDARD_OUTPUT = (None, "-", "/dev/stdout")


@Subcommand.register("predict", exist_ok=True)
class PredictTreebank(Predict):
    """
    AllenNLP's `predict`; where the predictor is ours, flags can be left out.

    Then input is raw text if its name ends in `.txt` or a `--tokenizer` is given, and else read by
    the dataset reader unless its name ends in `.json` or `.jsonl` or is `-`; several files are
    given by a glob or separated by commas. The output file appears whole or not at all, with a
    progress bar unless `--silent`; without one, CoNLL-U goes to standard output.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = super().add_subparser(parser)
        subparser.set_defaults(func=_predict, batch_size=None)
        subparser.add_argument(
            "--tokenizer",
            help=f"for raw text: {CHOICES} (default: the model's own segmenter if it holds one, "
            f"else {DEFAULT}; a name not in .txt is that of raw text only with this option)",
        )
        subparser.add_argument(
            "--lang",
            help="language of raw text, by code or name as listed below, such as fr or French, or "
            "a treebank, such as fr_gsd, whose words and sentences a segmenter then gives "
            "(default: a segmenter guesses it, rules are those of no language); models that ask "
            "for the language of sentences are told it, too, and of CoNLL-U (default: what the "
            "file's name says)",
        )
        subparser.add_argument(
            "--probabilities",
            action="store_true",
            help="say in MISC how sure the model is of each prediction, such as HeadProb=0.97",
        )
        add_iterations(subparser)
        subparser.add_argument(
            "--every-iteration",
            action="store_true",
            help="of a model that refines its trees: those after each pass, in files named after "
            "--output-file: parsed.1.conllu, parsed.2.conllu and so on, and parsed.0.conllu for "
            "the parser before it",
        )
        subparser.epilog = f"languages:\n{listed()}"
        texts = {
            "input_file": "CoNLL-U or, with a name in .txt, raw text (plain, .gz or .xz), several "
            "files by a glob or separated by commas; or lines of JSON: a name in .json or .jsonl, "
            "or - for standard input",
            "output_file": "the file to write: CoNLL-U, lines of JSON with a name in .jsonl, of "
            "models of roles CoNLL columns in .conll05 or .conll09 (default: standard output)",
            "batch_size": "sentences to sort by length at a time "
            f"(default = {BATCH_SIZE}; 1 for input - and for other predictors)",
            "silent": "no progress bar; needs --output-file",
            "use_dataset_reader": "read the input as CoNLL-U whatever its name is",
            "overrides": 'settings to change, as JSON: \'{"model.precision": "bfloat16"}\'',
            "predictor": "not needed with our models, whose predictor is udify",
        }
        hidden = ("dataset_reader_choice", "multitask_head", "predictor_args")
        teach(subparser, _DESCRIPTION, texts, hidden)
        return subparser


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
    if args.every_iteration and not isinstance(predictor._model, RefinementModel):
        raise ConfigurationError(
            f"--every-iteration is for models of type udify_refinement, which {args.archive_file} "
            "is not. Leave it out."
        )
    if isinstance(predictor, ConlluPredictor):
        if args.output_file:
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
    total: Optional[int] = None
    origins: Dict[str, str] = {}
    asks = predictor.reader.schema.langs
    if _holds_text(args, asks):
        lang = predictor.language(args.lang)
        sentences = _read_texts(args, lang)
        origins = predictor.origins_of(lang)
    elif args.use_dataset_reader or not _holds_json(args.input_file):
        paths = expand_paths(_names(args.input_file))
        total = _count(paths)
        if args.lang:
            origins = predictor.origins_of(predictor.language(args.lang))
        else:
            for lang in filter(None, map(_language, paths)):
                predictor.meet(lang)
        sentences = predictor.reader.sentences(paths)
    else:
        sentences = map(predictor.sentence_of, _read_json(args.input_file))
    # Whoever types sentences wants to see each parsed, not a thousand at once.
    batch_size = args.batch_size or (1 if args.input_file == "-" else BATCH_SIZE)
    parsed = predictor.parse(sentences, batch_size, **origins)
    if output_file in STANDARD_OUTPUT:
        _print(parsed)
    else:
        shown = {"total": total, "unit": " sentences", "smoothing": 0, "disable": args.silent}
        with Tqdm.tqdm(parsed, **shown) as bar:  # closed before anything is said of an error
            _write(bar, output_file, "roles" in predictor.model.decoders)


def _write(sentences: Iterable[Sentence], path: str, has_roles: bool) -> None:
    """As the name asks for: CoNLL-U, lines of JSON, or columns of roles."""
    style = style_of_name(path) if has_roles else None
    if style:
        write_roles(sentences, path, style)
    elif path.removesuffix(compression(path)).endswith(".jsonl"):
        with whole_file(path) as file:
            for sentence in sentences:
                file.write(ParsedSentence(sentence).to_json().encode("utf-8") + b"\n")
    else:
        write_sentences(sentences, path)


def _holds_text(args: argparse.Namespace, asks: bool) -> bool:
    """Whether it is raw text; `asks`: whether the model is told the language of CoNLL-U, too."""
    if args.use_dataset_reader or (_holds_json(args.input_file) and not args.tokenizer):
        if args.tokenizer or args.lang:
            raise ConfigurationError(
                "--tokenizer and --lang are for raw text, which JSON lines and what "
                "--use-dataset-reader reads are not. Leave them out, or --use-dataset-reader."
            )
        return False
    names = [is_text(path) for path in expand_paths(_names(args.input_file))]
    if args.tokenizer or all(names):
        return True
    if any(names) or (args.lang and not asks):
        raise ConfigurationError(
            f"{args.input_file} names files other than .txt. Parse raw text by itself; under "
            "another name than .txt, with --tokenizer."
        )
    return False


def _read_texts(args: argparse.Namespace, lang: Optional[str]) -> Iterator[Sentence]:
    tokenizer = make_tokenizer(args.tokenizer or own_tokenizer(args.archive_file), lang)
    ids = itertools.count(1)  # through all files: no two sentences of one output share an id
    for path in expand_paths(_names(args.input_file)):
        yield from read_text(read_lines(path), tokenizer, ids, path)


def _language(path: str) -> Optional[str]:
    """The language of a file that is named as the treebanks of UD are, `en_ewt-ud-test.conllu`."""
    return language_of(treebank_name(path)) if "-ud-" in os.path.basename(path) else None


def _holds_json(name: str) -> bool:
    stem, ending = os.path.splitext(name)
    plain = stem if ending in (".gz", ".bz2", ".xz") else name
    return name == "-" or plain.endswith((".json", ".jsonl"))


def _names(text: str) -> List[str]:
    if text == "-":
        return ["/dev/stdin"]
    return [text] if os.path.exists(text) else text.split(",")


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


def _read_json(name: str) -> Iterator[JsonDict]:
    """The lines of standard input or of a file or URL, without empty ones."""
    if name == "-":
        yield from read_json_lines(sys.stdin.buffer, "standard input")
        return
    with open_compressed(cached_path(name), "rb", encoding=None) as file:
        yield from read_json_lines(file, name)


def _print(sentences: Iterator[Sentence]) -> None:
    for sentence in sentences:
        # Bytes: CoNLL-U is UTF-8 whatever the terminal's encoding is.
        sys.stdout.buffer.write(block(sentence).encode("utf-8"))
        sys.stdout.flush()
