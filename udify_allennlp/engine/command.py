"""`udify-onnx FOLDER FILE --output-file PARSED.conllu`."""

import argparse
import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Optional

from udify_allennlp.engine.parser import OnnxParser
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.encodings import check_encoding
from udify_allennlp.text.errors import InputError, file_error
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.newdoc import document, document_names
from udify_allennlp.text.output_checks import check_keeps_texts, check_writable
from udify_allennlp.text.output_kinds import check_output, print_sentences, write_output
from udify_allennlp.text.raw_text import read_lines
from udify_allennlp.text.sentence import Sentence

_HELP = """
Parse CoNLL-U or raw text with a model that `allennlp ud-export MODEL --onnx FOLDER` has saved,
without PyTorch. In CoNLL-U, only the columns that the model predicts change. Raw text (.txt, .md)
is divided into sentences and words by the model's segmenter, or by rules if it has none.
"""


def main(words: Optional[Sequence[str]] = None) -> None:
    """Runs the command; errors in the input are one line, with exit status 1."""
    parser = argparse.ArgumentParser("udify-onnx", description=_HELP)
    parser.add_argument("folder", metavar="FOLDER", help="the exported model")
    parser.add_argument("input", metavar="FILE", help="a .conllu or .txt file, or a glob")
    parser.add_argument(
        "--output-file",
        metavar="OUT",
        required=True,
        help="the file to write: CoNLL-U (.conllu or no ending), lines of JSON (.jsonl), a table "
        "of words (.csv, .tsv, .parquet); - for standard output, in CoNLL-U",
    )
    parser.add_argument(
        "--lang",
        help="language or treebank of the input, such as fr or fr_gsd; by default, in CoNLL-U, "
        "that of a file named like a treebank's or of the comment # lang, in raw text a guess",
    )
    parser.add_argument(
        "--tokenizer",
        choices=("rules", "lines", "spaces"),
        help="tokenizer of raw text instead of the model's segmenter; lines: each is a sentence",
    )
    parser.add_argument(
        "--encoding", help="encoding of raw text, such as latin-1 (default: UTF-8 or UTF-16)"
    )
    args = parser.parse_args(words)
    try:
        _parse(args)
    except BrokenPipeError:
        # Such as `udify-onnx ... | head`: Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (InputError, OSError) as error:
        message = (file_error(error) if isinstance(error, OSError) else None) or error
        sys.stderr.write(f"udify-onnx: error: {message}\n")
        sys.exit(1)


def _parse(args: argparse.Namespace) -> None:
    paths = expand_paths(args.input)
    is_shown = args.output_file == "-"
    if not is_shown:
        check_writable(args.output_file)
        check_output(args.output_file)
        check_keeps_texts(args.output_file, paths)
    if args.encoding:
        check_encoding(args.encoding)
    model = OnnxParser(args.folder)
    lang = model.language(args.lang)
    parsed = model.parse(_sentences(model, paths, lang, args.tokenizer, args.encoding), lang)
    if is_shown:
        print_sentences(parsed)
    else:
        write_output(parsed, args.output_file, is_text=all(map(is_text, paths)))


def _sentences(
    model: OnnxParser,
    paths: list[str],
    lang: Optional[str],
    tokenizer: Optional[str],
    encoding: Optional[str],
) -> Iterator[Sentence]:
    ids = itertools.count(1)
    # In one output each document has a name.
    names = document_names(paths) if len(paths) > 1 else [None]
    for path, name in zip(paths, names):
        if is_text(path):
            lines = read_lines(path, encoding)
            yield from model.segment(lines, lang, tokenizer, ids, path, name)
        else:
            yield from document(read_sentences(path), name)
