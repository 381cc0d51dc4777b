"""
The word forms of some treebanks whose lemmas a trained model gets wrong, with those that they have:
lines of the vocabulary by which `Lexicon` mends them.

    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lemma_lexicon_labels.txt

A form is an exception if the model once gives it a lemma that it has nowhere in the files. The
lexicon of all forms (`dataset_reader.lexicon`) mends what this one does, and is several times as
large: of what ships, each megabyte counts.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it brings the mends that allennlp needs to import)
from allennlp.common import Tqdm

from udify_allennlp import Parser
from udify_allennlp.data.lexicon import pair
from udify_allennlp.data.tasks import Lemma
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.sentence import Sentence


def exceptions(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> list[str]:
    """The entries of the forms with a lemma in `parsed` that they have nowhere in `gold`."""
    task = Lemma()
    labels_of: defaultdict[str, set[str]] = defaultdict(set)
    given: defaultdict[str, set[str]] = defaultdict(set)
    for sentence, guess in zip(gold, parsed, strict=True):
        for form, label, other in zip(sentence.forms, task.labels(sentence), task.labels(guess)):
            if label != task.missing:
                labels_of[form].add(label)
                given[form].add(other)
    return [
        pair(form, label)
        for form, labels in sorted(labels_of.items())
        if not given[form] <= labels
        for label in sorted(labels)
    ]


def write(model: str, files: Sequence[str], target: Path, limit: Optional[int] = None) -> None:
    """Parses the files, or their first sentences, with progress, and writes the exceptions."""
    found = (sentence for path in expand_paths(files) for sentence in read_sentences(path))
    gold = list(islice(found, limit))
    parsed = Parser.load(model, precision="bfloat16").parse(gold)
    bar = Tqdm.tqdm(parsed, total=len(gold), desc="parsing", unit=" sentences")
    write_whole(target, ["".join(f"{entry}\n" for entry in exceptions(gold, bar)).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="archive, or folder of a run")
    parser.add_argument("files", nargs="+", help="treebanks that it was trained on")
    parser.add_argument("--out", required=True, help="the vocabulary")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
