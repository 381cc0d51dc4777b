"""
Prepares the training, development and test data of the shipped model, from the
treebanks in `edition_treebanks.tsv`.

- Of development files the first `DEV` sentences are for development, the others for training.
- A treebank that has only a test file is split by a hash of each sentence: 75 in 100 for
  training, 5 for development, and 20 for evaluation.
- Where a training file is older than the test file and has far fewer features (use `trees`), it
  counts as a treebank of its own without features, `is_modern_trees`.
- Training and development files contain no sentence of a test file or of these
  evaluation sentences, and none with a UPOS that UD lacks; `counts.tsv` has the number of dropped
  sentences.
- A treebank that is annotated unlike the others of its language (use `style`) has its sentences in
  a separate folder: a model learns from them what it predicts if that treebank is named.
- Treebanks under a licence that forbids commercial use are left out, except with
  --non-commercial.
- Some training sentences are rewritten in everyday spelling: with curly quotation marks,
  in capitals, or without the final full stop.

    UD=ud python benchmarks/edition_data.py --out out/edition/data
"""

import argparse
import glob
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.common import Tqdm

from udify_allennlp.text.conllu import read_sentences, treebank_name, write_sentences
from udify_allennlp.text.line_reader import read_rows
from udify_allennlp.text.sentence import Sentence

TREEBANKS = Path(__file__).with_name("edition_treebanks.tsv")
TRAINED, WATCHED = 75, 80
"""The ends of the training and the development part of a split treebank, of 100 hashes."""
CURLY, CAPITALS, UNFINISHED = 20, 2, 3
"""
Percentage of training sentences that are changed; `CURLY` is for those with a straight quotation
mark.
"""
COUNTS = ("folder", "treebank", "use", "train", "dev", "dropped")
"""The columns of `counts.tsv`."""
DEV = 50
"""Number of development sentences per treebank: enough for a curve by language."""
UPOS = frozenset(
    ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN")
    + ("PUNCT", "SCONJ", "SYM", "VERB", "X")
)
"""The tags of UD; drafts have some others."""
TREES = "_trees"
"""Ending of the name of a treebank whose features are not learned."""


def share(sentence: Sentence, salt: str = "") -> int:
    """Returns a number from 0 to 99 that depends only on the words of the sentence."""
    key = f"{salt}\n{' '.join(sentence.forms)}"
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % 100


def key(sentence: Sentence) -> str:
    """Returns the words without case: two sentences with the same key count as one."""
    return " ".join(sentence.forms).casefold()


def kept_for_scores(path: str, use: str) -> Iterator[Sentence]:
    """Yields the sentences of a test file on which a model is scored."""
    for sentence in read_sentences(path):
        if use != "split" or share(sentence) >= WATCHED:
            yield sentence


def as_people_write(sentence: Sentence) -> Sentence:
    """
    Returns the sentence, possibly with another spelling of its words; annotation is unchanged.
    """
    forms = sentence.forms
    if any("'" in form for form in forms) and share(sentence, "curly") < CURLY:
        return with_forms(sentence, [form.replace("'", "’") for form in forms])
    number = share(sentence, "case")
    if number < CAPITALS:
        return with_forms(sentence, [form.upper() for form in forms])
    ends = len(forms) > 1 and sentence.upos[-1] == "PUNCT" and not _has_children(sentence)
    if number < CAPITALS + UNFINISHED and ends:
        return without_last(sentence)
    return sentence


def with_column(sentence: Sentence, column: int, values: Sequence[str]) -> Sentence:
    """
    Returns a sentence with other values in a column, counted from 0; drops comments and multiword
    tokens, since the parser does not read them.
    """
    rows: list[str] = []
    for line in sentence.text.split("\n"):
        cells = line.split("\t")
        if cells[0].isdigit():
            cells[column] = values[len(rows)]
            rows.append("\t".join(cells))
    return Sentence("\n".join(rows) + "\n\n", sentence.path, sentence.line)


def with_forms(sentence: Sentence, forms: Sequence[str]) -> Sentence:
    """Returns a sentence with other word forms, without comments and multiword tokens."""
    return with_column(sentence, 1, forms)


def without_features(sentence: Sentence) -> Sentence:
    """Returns the sentence without features, comments and multiword tokens."""
    return with_column(sentence, 5, ["_"] * len(sentence))


def without_last(sentence: Sentence) -> Sentence:
    """Returns the sentence without its last word, on which nothing depends."""
    rows = with_forms(sentence, sentence.forms).text.split("\n")
    return Sentence("\n".join(rows[: len(sentence) - 1]) + "\n\n", sentence.path, sentence.line)


def _has_children(sentence: Sentence) -> bool:
    return str(len(sentence)) in sentence.heads


def parts(paths: dict[str, str], use: str) -> Iterator[tuple[str, Sentence]]:
    """Yields the `train` and `dev` sentences of a treebank, from its files by split."""
    if use != "split":
        for split in ("train", "dev"):
            for sentence in read_sentences(paths[split]) if split in paths else ():
                yield split, sentence
        return
    for sentence in read_sentences(paths["test"]):
        number = share(sentence)
        if number < WATCHED:
            yield ("train" if number < TRAINED else "dev"), sentence


def files_of(folder: Path) -> dict[str, str]:
    """Returns the files of a treebank by split."""
    found = {}
    for split in ("train", "dev", "test"):
        paths = sorted(glob.glob(f"{glob.escape(str(folder))}/*-{split}.conllu*"))
        if paths:
            found[split] = paths[0]
    return found


def is_non_commercial(row: dict[str, str]) -> bool:
    """Returns whether only the licence, which forbids commercial use, leaves a treebank out."""
    return row["use"] == "no" and row["why"] == "licence" and "-NC-" in row["licence"]


def prepare(ud: Path, out: Path, table: Path = TREEBANKS, non_commercial: bool = False) -> None:
    """
    Writes `train`, `text` (the training sentences in their own spelling, for a segmenter), `dev`,
    `test`, `style` and finally `counts.tsv` into `out`.
    """
    rows = []
    for row in read_rows(table):
        paths, use = files_of(ud / row["folder"]), row["use"]
        if non_commercial and is_non_commercial(row):
            use = "train" if "train" in paths else "split"
        rows.append((row, use, paths))
    scored: set[str] = set()
    for _, use, paths in Tqdm.tqdm(rows, desc="sentences that are scored"):
        if "test" in paths:
            scored.update(map(key, kept_for_scores(paths["test"], use)))
    lines = ["\t".join(COUNTS)]
    for row, use, paths in Tqdm.tqdm(rows, desc="treebanks"):
        if use != "no":
            stem = treebank_name(next(iter(paths.values())))
            counts = _write(stem, use, paths, scored, out)
            lines.append("\t".join([row["folder"], stem, use, *map(str, counts)]))
    (out / "counts.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write(
    stem: str, use: str, paths: dict[str, str], scored: set[str], out: Path
) -> Iterable[int]:
    kept: dict[str, list[Sentence]] = {"train": [], "dev": [], "style": []}
    older: list[Sentence] = []
    dropped = 0
    for split, sentence in parts(paths, use):
        if key(sentence) in scored or not UPOS.issuperset(sentence.upos):
            dropped += 1
        elif use == "style":
            if split == "train":
                kept["style"].append(sentence)
        elif split == "dev" and len(kept["dev"]) < DEV:
            kept["dev"].append(sentence)
        elif split == "train" and use == "trees":
            older.append(sentence)
        else:
            kept["train"].append(sentence)
    if use == "split":
        kept["test"] = list(kept_for_scores(paths["test"], use))
    learned = [*older, *kept["train"]]
    for folder, name, split, sentences in (
        ("train", stem + TREES, "train", map(as_people_write, map(without_features, older))),
        ("train", stem, "train", map(as_people_write, kept["train"])),
        ("text", stem, "train", learned),
        ("style", stem, "train", kept["style"]),
        *((split, stem, split, kept.get(split, ())) for split in ("dev", "test")),
    ):
        (out / folder).mkdir(parents=True, exist_ok=True)
        if whole := list(sentences):
            write_sentences(whole, out / folder / f"{name}-ud-{split}.conllu")
    return len(learned) + len(kept["style"]), len(kept["dev"]), dropped


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--out", default="out/edition/data", help="folder to write")
    parser.add_argument(
        "--non-commercial",
        action="store_true",
        help="also take treebanks whose licence forbids commercial use",
    )
    given = parser.parse_args()
    ud = Path(os.environ.get("UD", "ud"))
    prepare(ud, Path(given.out), non_commercial=given.non_commercial)
    return 0


if __name__ == "__main__":
    sys.exit(main())
