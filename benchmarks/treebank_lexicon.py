"""
Writes the word forms of treebanks whose labels a trained model gets wrong, with all labels that
they have in their treebank and in their language, as the vocabularies of its lexicon by treebank.

    python benchmarks/treebank_lexicon.py MODEL FILE.conllu ... --out FOLDER

A form has an entry for its treebank if the model gives it, at least once, a label that it never has
there, and one for its language if no treebank of the language has this label. What a treebank does
not annotate counts as in training (`unannotated_columns.py`).
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Optional

import machine  # noqa: F401  (before allennlp: it applies the fixes that importing allennlp needs)
from allennlp.common import Tqdm
from edition_data import TREES

from udify_allennlp import Parser
from udify_allennlp.data.columns import UNLABELLED
from udify_allennlp.data.lexicon import CORRECTED, entries_by_treebank, namespace_by_treebank
from udify_allennlp.data.reading import read_table
from udify_allennlp.data.tasks import LabelTask
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.unannotated_columns import without_left_out
from udify_allennlp.text.conllu import treebank_language, treebank_name
from udify_allennlp.text.files import write_whole


class Labels:
    """The labels of a task that forms have, and those that a model gives them, by origin."""

    def __init__(self) -> None:
        self._own: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._given: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def add(self, treebank: str, form: str, label: str, given: str) -> None:
        for origin in (treebank, treebank_language(treebank)):
            self._own[origin, form].add(label)
            self._given[origin, form].add(given)

    def wrong(self) -> Mapping[tuple[str, str], Collection[str]]:
        """Returns the labels of origins and forms to which the model gives another one."""
        return {key: own for key, own in self._own.items() if not self._given[key] <= own}


def write(model: str, files: Sequence[str], out: Path, limit: Optional[int] = None) -> None:
    """Parses the files, or their first sentences, with progress, and writes the vocabularies."""
    reader = UniversalDependenciesReader(tasks=list(CORRECTED), check_trees=False)
    table = without_left_out(read_table(reader, files), reader.schema)
    count = len(table) if limit is None else min(limit, len(table))
    parsed = Parser.load(model, precision="bfloat16").parse(map(table.sentence, range(count)))
    bar = Tqdm.tqdm(parsed, total=count, desc="parsing", unit=" sentences")
    tasks = [task for task in reader.schema.targets if isinstance(task, LabelTask)]
    found = {task.name: Labels() for task in tasks}
    for row, sentence in enumerate(bar):
        treebank = treebank_name(sentence.path).removesuffix(TREES)
        for task in tasks:
            words = zip(sentence.forms, table.values(row, task.name), task.labels(sentence))
            for form, label, given in words:
                if label not in (UNLABELLED, task.missing):
                    found[task.name].add(treebank, form, label, given)
    for name, labels in found.items():
        lines = (f"{entry}\n" for entry in entries_by_treebank(labels.wrong()))
        write_whole(out / f"{namespace_by_treebank(name)}.txt", ["".join(lines).encode()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive or run folder")
    parser.add_argument("files", nargs="+", help="training treebanks of the model")
    parser.add_argument("--out", required=True, help="folder to write the vocabularies to")
    given = parser.parse_args()
    write(given.model, given.files, Path(given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
