"""`allennlp ud-vectors`: word vectors for several languages."""

import argparse
import os
import sys
from pathlib import Path

import numpy
from allennlp.commands.subcommand import Subcommand
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.tqdm import Tqdm
from allennlp.common.util import int_to_device

from udify_allennlp.apps.analysis.encoders import load_encoder
from udify_allennlp.apps.analysis.languages.encoder_vectors import (
    frequent_words,
    one_space,
    unit_length,
)
from udify_allennlp.apps.analysis.output.files import new_folder
from udify_allennlp.apps.commands.command import Action, CommandGroup
from udify_allennlp.apps.commands.options import (
    MODEL_OR_ENCODER,
    add_cuda_device,
    add_files,
    add_out,
)
from udify_allennlp.data.aligned_vectors import find_vectors
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.text.named_files import files_of


class EncoderVectors(Action):
    """
    Make static word vectors for several languages, in one space, from a multilingual encoder. The
    configs in training_config/order_transfer/ start from them if no aligned fastText vectors exist.

      allennlp ud-vectors make intfloat/multilingual-e5-small 'ud/*/*-ud-train.conllu' --out vectors

    The words are the most frequent ones in the files, lower-cased, with 0 for each digit; the name
    of a file gives its language (fi_tdt-ud-train.conllu). Each word is encoded alone; its vector is
    the mean of its wordpieces, minus the mean of its language, projected on the directions in which
    the words of all languages together vary most, and scaled to unit length. The results are files
    --out/LANG.npz with the arrays words and vectors.

    Words that are split into many pieces, and languages that the encoder has hardly seen, have poor
    vectors; aligned fastText vectors are better where they are available.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("encoder", metavar="MODEL", help=MODEL_OR_ENCODER)
        add_files(parser, "files", "CoNLL-U")
        add_out(parser, "FOLDER")
        parser.add_argument(
            "--max-words",
            type=int,
            default=20_000,
            help="number of words per language, the most frequent ones",
        )
        parser.add_argument(
            "--dim",
            type=int,
            help="width of the vectors (default = 300, or that of the encoder if it is less)",
        )
        parser.add_argument("--layer", type=int, help="layer of the encoder (default = the last)")
        add_cuda_device(parser, first_gpu=True)

    def run(self, args: argparse.Namespace) -> None:
        _vectors(args)


class AlignVectors(Action):
    """
    Apply alignment matrices to vectors, such as those of Smith et al. (2017) to fastText's, so that
    all are in one space:

      allennlp ud-vectors align vectors alignment_matrices --out aligned --as-is en

    Both arguments are single files, or folders with a file for each language: vectors such as
    wiki.fi.vec, and matrices such as fi.txt (lines of numbers, row i for component i of a vector)
    or fi.npy. Each vector is multiplied by its matrix from the left. The results are files
    --out/LANG.npz.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("vectors", help="a folder of vectors, or the file of one language")
        parser.add_argument("matrices", help="a folder of matrices, or a file")
        add_out(parser, "FOLDER")
        parser.add_argument(
            "--as-is",
            default="",
            help="languages without a matrix, whose vectors stay as they are, such as en, or en,de",
        )
        parser.add_argument(
            "--max-words",
            type=int,
            help="number of words per language, from the beginning (default = all)",
        )
        parser.add_argument(
            "--unit-length", action="store_true", help="divide each vector by its length at the end"
        )

    def run(self, args: argparse.Namespace) -> None:
        _align(args)


@Subcommand.register("ud-vectors")
class Vectors(CommandGroup):
    """
    Make or align word vectors for several languages in one space, from which the parsers of
    training_config/order_transfer/ start.

      allennlp ud-vectors make intfloat/multilingual-e5-small 'ud/*/*-ud-train.conllu' --out vectors
      allennlp ud-vectors align fasttext alignment_matrices --out vectors --as-is en
    """

    actions = {"make": EncoderVectors, "align": AlignVectors}


def _vectors(args: argparse.Namespace) -> None:
    check_for_gpu(args.cuda_device)
    encoder = load_encoder(args.encoder, device=int_to_device(args.cuda_device))
    layer = encoder.num_layers if args.layer is None else args.layer
    encoder.check_layers([layer], option="--layer")
    dim = min(300, encoder.dim) if args.dim is None else args.dim
    if not 1 <= dim <= encoder.dim or args.max_words < 1:
        raise ConfigurationError(
            f"--dim is {dim} and --max-words {args.max_words}. The first must be from 1 to "
            f"{encoder.dim}, the width of {encoder.name}, the second at least 1."
        )
    out = new_folder(args.out, "--out")
    words = frequent_words(files_of(args.files), args.max_words)
    vectors = {
        lang: encoder.word_means(lang_words, layer).numpy()
        for lang, lang_words in Tqdm.tqdm(words.items(), desc=encoder.name, unit=" languages")
    }
    for lang, rows in one_space(vectors, dim).items():
        _save(out, lang, StaticVectors(words[lang], rows))


def _align(args: argparse.Namespace) -> None:
    paths = find_vectors(args.vectors)
    as_is = set(filter(None, args.as_is.split(",")))
    matrices = _matrices(args.matrices, list(paths))
    missing = sorted(paths.keys() - matrices.keys() - as_is)
    if missing:
        raise ConfigurationError(
            f"{args.matrices} has no matrix for {', '.join(missing)}. Add LANG.txt, or name "
            "languages that stay as they are: --as-is en."
        )
    out = new_folder(args.out, "--out")
    for lang, path in paths.items():
        vectors = StaticVectors.load(path, args.max_words)
        rows = vectors.vectors
        if lang not in as_is:
            rows = rows @ _matrix(matrices[lang], vectors.dim)
        _save(
            out, lang, StaticVectors(vectors.words, unit_length(rows) if args.unit_length else rows)
        )


def _matrices(path: str, langs: list) -> dict[str, str]:
    """
    Returns the files of matrices in a folder by language; a single file is that of the only
    language.
    """
    if os.path.isdir(path):
        names = ((name, *os.path.splitext(name)) for name in sorted(os.listdir(path)))
        endings = (".txt", ".npy")
        return {stem: os.path.join(path, name) for name, stem, end in names if end in endings}
    if len(langs) > 1:
        raise ConfigurationError(
            f"{path} is one matrix, but the vectors are for {len(langs)} languages. Name a folder "
            "of matrices."
        )
    return dict.fromkeys(langs, path)


def _matrix(path: str, dim: int) -> numpy.ndarray:
    try:
        matrix = numpy.load(path) if path.endswith(".npy") else numpy.loadtxt(path, ndmin=2)
    except (ValueError, EOFError) as error:
        raise ConfigurationError(
            f"{path} is not a matrix of numbers ({error}). Correct the file."
        ) from None
    if matrix.ndim != 2 or len(matrix) != dim or not numpy.isfinite(matrix).all():
        raise ConfigurationError(
            f"{path} has the shape {matrix.shape}. It must have {dim} rows of finite numbers, one "
            "for each component of a vector."
        )
    return matrix.astype(numpy.float32)


def _save(folder: Path, lang: str, vectors: StaticVectors) -> None:
    vectors.save(folder / f"{lang}.npz")
    sys.stdout.write(f"{lang}: {len(vectors)} words, {vectors.dim} numbers each\n")
