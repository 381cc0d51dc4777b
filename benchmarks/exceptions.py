"""
Writes the word forms of treebanks whose lemmas a trained model gets wrong, with their correct
lemmas, as lines of the vocabulary with which `Lexicon` corrects them.

    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lemma_lexicon_labels.txt

A form is an exception if the model gives it, at least once, a lemma that it has nowhere in the
files. The lexicon of all forms (`dataset_reader.lexicon`) corrects the same lemmas, but is several
times as large, too large for the package.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.common import Tqdm

from udify_allennlp import Parser
from udify_allennlp.data.lexicon import pair
from udify_allennlp.data.tasks import Lemma
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.sentence import Sentence


def exceptions(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> list[str]:
    """Returns the entries of forms with a lemma in `parsed` that they never have in `gold`."""
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
    sentences = (sentence for path in expand_paths(files) for sentence in read_sentences(path))
    gold = list(islice(sentences, limit))
    parsed = Parser.load(model, precision="bfloat16").parse(gold)
    bar = Tqdm.tqdm(parsed, total=len(gold), desc="parsing", unit=" sentences")
    write_whole(target, ["".join(f"{entry}\n" for entry in exceptions(gold, bar)).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--out", required=True, help="vocabulary file to write")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
