"""
The word forms of some treebanks whose lemmas a trained model gets wrong, with those that they have:
lines of the vocabulary by which `Lexicon` mends them.

    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lemma_lexicon_labels.txt
    python benchmarks/exceptions.py MODEL FILE.conllu ... --out lang_lemma_lexicon_labels.txt \
      --by-language

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
from udify_allennlp.text.conllu import (
    expand_paths,
    read_sentences,
    treebank_language,
    treebank_name,
)
from udify_allennlp.text.files import write_whole
from udify_allennlp.text.sentence import Sentence


def exceptions(
    gold: Iterable[Sentence], parsed: Iterable[Sentence], by_language: bool = False
) -> list[str]:
    """
    The entries of the forms with a lemma in `parsed` that they have nowhere in `gold`, or nowhere
    in the treebanks of their language.
    """
    task = Lemma()
    labels_of: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    given: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for sentence, guess in zip(gold, parsed, strict=True):
        lang = treebank_language(treebank_name(sentence.path)) if by_language else ""
        for form, label, other in zip(sentence.forms, task.labels(sentence), task.labels(guess)):
            if label != task.missing:
                labels_of[lang, form].add(label)
                given[lang, form].add(other)
    return [
        f"{lang}\t{pair(form, label)}" if by_language else pair(form, label)
        for (lang, form), labels in sorted(labels_of.items())
        if not given[lang, form] <= labels
        for label in sorted(labels)
    ]


def write(
    model: str,
    files: Sequence[str],
    target: Path,
    limit: Optional[int] = None,
    by_language: bool = False,
) -> None:
    """Parses the files, or their first sentences, with progress, and writes the exceptions."""
    found = (sentence for path in expand_paths(files) for sentence in read_sentences(path))
    gold = list(islice(found, limit))
    parsed = Parser.load(model, precision="bfloat16").parse(gold)
    bar = Tqdm.tqdm(parsed, total=len(gold), desc="parsing", unit=" sentences")
    entries = exceptions(gold, bar, by_language)
    write_whole(target, ["".join(f"{entry}\n" for entry in entries).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="archive, or folder of a run")
    parser.add_argument("files", nargs="+", help="treebanks that it was trained on")
    parser.add_argument("--out", required=True, help="the vocabulary")
    parser.add_argument("--by-language", action="store_true", help="of each language its own")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out), by_language=given.by_language)
    return 0


if __name__ == "__main__":
    sys.exit(main())
