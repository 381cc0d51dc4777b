"""
Scores a model on every treebank: on gold words, and on its raw text from end to end.

    python benchmarks/treebank_scores.py MODEL FILE.conllu ... --out scores.tsv

Files are given as paths or globs, and may be compressed. The raw text is restored from the file
(`# text`, SpaceAfter, newpar) and parsed in the language in the file's name, or with --treebank as
text of that treebank, with the model's own segmenter if it has one. A row is written as soon as a
file is scored; files already in --out are skipped, so that an interrupted run resumes. --sentences
limits the number of sentences per file.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)

from udify_allennlp import Parser
from udify_allennlp.scoring.official import SEGMENTATION, official_counts, scores_of
from udify_allennlp.scoring.undefined_scores import filled, honest
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.gold_text import PARAGRAPH, paragraphs
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.text.sentence import Sentence

METRICS = ("UPOS", "UFeats", "Lemmas", "UAS", "LAS")
COLUMNS = (
    *("treebank", "lang", "sentences", "words"),
    *METRICS,
    *(f"raw {name}" for name in (*SEGMENTATION, *METRICS)),
)


def row(parser: Parser, path: str, sentences: int, named: bool = False) -> list[str]:
    """
    Returns the cells of a file, in the order of `COLUMNS`. Raw text is parsed as text of its
    treebank if that is `named`, otherwise as text of its language.
    """
    gold = list(islice(read_sentences(path), sentences or None))
    name, columns = treebank_name(path), filled(gold)
    lang = treebank_language(name)
    words = scores_of(official_counts(gold, list(parser.parse(gold)), path))
    known = (name if named else lang) if lang in LANGUAGES else None
    raw = scores_of(official_counts(gold, from_text(parser, raw_text(gold), known), path))
    cells = [name, lang, str(len(gold)), str(sum(map(len, gold)))]
    cells += _cells(words, columns, METRICS)
    return cells + _cells(raw, columns, (*SEGMENTATION, *METRICS))


def raw_text(gold: list[Sentence]) -> str:
    """Returns the text of a treebank's sentences."""
    return PARAGRAPH.join(paragraph.text for paragraph in paragraphs(gold))


def from_text(parser: Parser, text: str, lang: Optional[str]) -> list[Sentence]:
    """
    Returns the sentences of a raw text; without `lang`, the segmenter guesses the language.
    """
    return [sentence.sentence for sentence in parser(text, lang=lang)]


def _cells(scores: dict[str, float], columns: set[str], names: Sequence[str]) -> list[str]:
    kept = honest(scores, columns)
    return [f"{kept[name]:.2f}" if name in kept else "-" for name in names]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="gold treebanks")
    parser.add_argument("--out", required=True, help="tab-separated table to write")
    parser.add_argument(
        "--sentences", type=int, default=0, help="number of sentences per file; 0 reads all"
    )
    parser.add_argument(
        "--treebank", action="store_true", help="give the treebank of raw text, not its language"
    )
    given = parser.parse_args()
    out = Path(given.out)
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    done = {line.split("\t")[0] for line in lines[1:]}
    model = Parser.load(given.model)
    for path in expand_paths(given.files):
        if treebank_name(path) in done:
            continue
        cells = row(model, path, given.sentences, given.treebank)
        with out.open("a", encoding="utf-8") as file:
            if not lines:
                lines.append("\t".join(COLUMNS))
                file.write(lines[0] + "\n")
            file.write("\t".join(cells) + "\n")
        sys.stdout.write(f"{cells[0]}: LAS {cells[8]}, raw text {cells[-1]}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
