"""Pairs of sentences for natural language inference: tab-separated files as of XNLI."""

from typing import NamedTuple

from udify_allennlp.apps.analysis.downstream.files import content_of
from udify_allennlp.text.sentence import fault

LABELS = ("entailment", "neutral", "contradiction")
COLUMNS = ("premise", "hypothesis", "label")


class SentencePair(NamedTuple):
    """A premise, and a hypothesis that it entails, contradicts, or neither."""

    premise: str
    hypothesis: str
    label: str

    @property
    def source(self) -> str:
        """The text that examples share when they must not be separated."""
        return self.premise


def read_pairs(path: str) -> list[SentencePair]:
    """
    Returns the pairs of a file whose first line names its columns: `premise`, `hypothesis`, `label`
    in any order, perhaps others. Quotation marks are part of the text.

    # Raises

    `ConlluError` with file and line if a column is missing, a line has another number of columns, a
    text is empty or a label unknown, or there are no pairs.
    """
    lines = content_of(path).split("\n")
    header = lines[0].rstrip("\r").split("\t")
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        cure = (
            f"Begin the file with a line of column names, separated by tabs: {' '.join(COLUMNS)}."
        )
        raise fault(path, 1, f"no column {' or '.join(missing)}", cure)
    places = [header.index(name) for name in COLUMNS]
    pairs = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() and number == len(lines):
            break
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(header):
            what = f"{len(cells)} columns, but line 1 has {len(header)}"
            raise fault(path, number, what, "Correct the line.")
        pair = SentencePair(*(cells[place].strip() for place in places))
        if pair.label not in LABELS:
            cure = f"Use one of {', '.join(LABELS)}."
            raise fault(path, number, f"label {pair.label!r:.40} is unknown", cure)
        if not pair.premise or not pair.hypothesis:
            raise fault(path, number, "a text is empty", "Add it, or remove the line.")
        pairs.append(pair)
    if not pairs:
        raise fault(path, 1, "no pairs", "Name another file.")
    return pairs
