"""
Parses raw text with a trained model, as additional training data for a student.

    python benchmarks/silver.py MODEL wiki.LANG.txt ... --lines 200 --out silver

The name of each text (`.txt`, compressed or not) ends in its language; it has one sentence or
paragraph per line. The sentences with 3 to 60 words in its first lines are written to
OUT/LANG_silver-ud-train.conllu, and their number to OUT/texts.tsv.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.common import Tqdm

from udify_allennlp import Parser
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.files import open_compressed, write_whole
from udify_allennlp.text.tokenizers import DEFAULT

SHORTEST, LONGEST = 3, 60
CHARACTERS = 400
"""Maximum number of characters per line."""
LINES = 200
_NAME = "silver"


def lines(path: str) -> Iterator[str]:
    """
    Yields the lines that may hold a sentence: not too long, and without spaces between characters.
    """
    with open_compressed(path) as file:
        for raw in file:
            line = raw.decode("utf-8").strip()
            words = line.split()
            single = sum(len(word) == 1 for word in words)
            if len(line) <= CHARACTERS and words and 2 * single <= len(words):
                yield line


def silver(parser: Parser, path: str, count: int) -> list[str]:
    """Returns the sentences of the first `count` lines of a text as CoNLL-U."""
    text = "\n\n".join(islice(lines(path), count))
    found = parser(text, lang=language(path))
    return [each.conllu for each in found if SHORTEST <= len(each) <= LONGEST]


def language(path: str) -> str:
    """Returns `fo` for `wiki.fo.txt.xz`."""
    return Path(path).name.split(".txt")[0].rpartition(".")[2]


def write(
    model: str, paths: Sequence[str], folder: Path, count: int, tokenizer: Optional[str] = None
) -> None:
    """Writes a file for each text with such sentences, and `texts.tsv`, and shows progress."""
    folder.mkdir(parents=True, exist_ok=True)
    parser = Parser.load(model, precision="bfloat16", tokenizer=tokenizer)
    rows = ["text\tsentences\n"]
    for path in Tqdm.tqdm(paths, desc="parsing", unit=" texts"):
        found = silver(parser, path, count)
        if found:
            target = folder / f"{language(path)}_{_NAME}-ud-train.conllu"
            write_whole(target, ["".join(found).encode()])
        rows.append(f"{Path(path).name}\t{len(found)}\n")
    write_whole(folder / "texts.tsv", ["".join(rows).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument(
        "texts", nargs="+", help="text files named *.LANG.txt, *.LANG.txt.xz or *.LANG.txt.gz"
    )
    parser.add_argument(
        "--lines", type=int, default=LINES, help=f"number of lines per text (default: {LINES})"
    )
    parser.add_argument("--tokenizer", help="segmenter, if the model has none")
    parser.add_argument("--out", required=True, help="folder to write")
    given = parser.parse_args()
    if given.tokenizer is None and own_tokenizer(given.model) == DEFAULT:
        parser.error(f"{given.model} has no segmenter. Give one: --tokenizer multilingual")
    write(given.model, given.texts, Path(given.out), given.lines, given.tokenizer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
