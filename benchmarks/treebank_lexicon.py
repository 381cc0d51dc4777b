"""
Writes the word forms of treebanks whose UPOS or features a trained model gets wrong, with all that
they have in their treebank and in their language, as the vocabularies of its lexicons by treebank.

    python benchmarks/treebank_lexicon.py MODEL FILE.conllu ... --out FOLDER

The first `MOST` sentences of each file are parsed. A form has an entry for its treebank if the
model gives it, at least once, a label that it never has there, and one for its language if no
treebank of the language has this label; the only treebank of a language has those of the language.
Forms that occur only in other sentences have entries if they occur `OFTEN` times. What a treebank
does not annotate counts as in training (`unannotated_columns.py`).
"""

import argparse
import sys
from collections import Counter, defaultdict
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
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.files import write_whole

MOST = 1_000
"""
Maximum number of sentences per file that are parsed. With 1,500 of each of nine treebanks, 27% of
their forms had entries, which raised UFeats by 3.7 points; entries of all forms raised it by 4.2.
"""
OFTEN = 4
"""
Minimum number of occurrences of a form, none of which is parsed. With 2 the compressed vocabularies
are 15% larger.
"""
Key = tuple[str, str]
"""A treebank or a language, and a form."""


class Labels:
    """The labels of a task that forms have, and those that a model gives them, by origin."""

    def __init__(self) -> None:
        self._own: defaultdict[Key, set[str]] = defaultdict(set)
        self._given: defaultdict[Key, set[str]] = defaultdict(set)
        self._counts: Counter[Key] = Counter()

    def add(self, treebank: str, form: str, label: str, given: Optional[str]) -> None:
        """Adds a word; `given` is `None` if it is not parsed."""
        for key in ((treebank, form), (treebank_language(treebank), form)):
            self._counts[key] += 1
            self._own[key].add(label)
            if given is not None:
                self._given[key].add(given)

    def needed(self) -> Mapping[Key, Collection[str]]:
        """Returns the labels of those forms that have an entry."""
        treebanks: defaultdict[str, set[str]] = defaultdict(set)
        for origin, _ in self._own:
            treebanks[treebank_language(origin)].add(origin)
        # A language is the shortest of its names.
        alone = {max(own, key=len) for own in treebanks.values() if len(own) == 2}
        return {
            key: own
            for key, own in self._own.items()
            if key[0] not in alone
            if (not self._given[key] <= own if key in self._given else self._counts[key] >= OFTEN)
        }


def write(model: str, files: Sequence[str], out: Path, most: int = MOST) -> None:
    """Parses `most` sentences per file, with progress, and writes the vocabularies."""
    reader = UniversalDependenciesReader(tasks=list(CORRECTED), check_trees=False)
    table = without_left_out(read_table(reader, files), reader.schema)
    names, of_row = table.treebanks
    chosen = [row for number in range(len(names)) for row in (of_row == number).nonzero()[0][:most]]
    parsed = Parser.load(model, precision="bfloat16").parse(map(table.sentence, chosen))
    guesses = dict(zip(chosen, Tqdm.tqdm(parsed, total=len(chosen), desc="parsing")))
    tasks = [task for task in reader.schema.targets if isinstance(task, LabelTask)]
    found = {task.name: Labels() for task in tasks}
    for row, number in enumerate(of_row):
        treebank, guess = names[number].removesuffix(TREES), guesses.pop(row, None)
        forms = table.sentence(row).forms
        for task in tasks:
            given = [None] * len(forms) if guess is None else task.labels(guess)
            for form, label, guessed in zip(forms, table.values(row, task.name), given):
                if label not in (UNLABELLED, task.missing):
                    found[task.name].add(treebank, form, label, guessed)
    for name, labels in found.items():
        lines = (f"{entry}\n" for entry in entries_by_treebank(labels.needed()))
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
