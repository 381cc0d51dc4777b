"""`udify-onnx FOLDER FILE --output-file PARSED.conllu`."""

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Optional

from udify_allennlp.engine.parser import OnnxParser
from udify_allennlp.text.conllu import expand_paths, read_sentences, write_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import check_writable
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.newdoc import document, document_names
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
    parser.add_argument("--output-file", metavar="OUT", required=True, help="the parsed .conllu")
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
    args = parser.parse_args(words)
    try:
        paths = expand_paths(args.input)
        check_writable(args.output_file)
        model = OnnxParser(args.folder)
        lang = model.language(args.lang)
        sentences = _sentences(model, paths, lang, args.tokenizer)
        write_sentences(model.parse(sentences, lang), args.output_file)
    except (InputError, OSError) as error:
        sys.stderr.write(f"udify-onnx: error: {error}\n")
        sys.exit(1)


def _sentences(
    model: OnnxParser, paths: list[str], lang: Optional[str], tokenizer: Optional[str]
) -> Iterator[Sentence]:
    ids = itertools.count(1)
    # In one output each document has a name.
    names = document_names(paths) if len(paths) > 1 else [None]
    for path, name in zip(paths, names):
        if is_text(path):
            yield from model.segment(read_lines(path), lang, tokenizer, ids, path, name)
        else:
            yield from document(read_sentences(path), name)
