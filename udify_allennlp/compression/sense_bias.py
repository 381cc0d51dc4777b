"""
Bias towards frequent senses of ambiguous words (Campolungo et al. 2022, "DiBiMT"; Mohammadshahi
2023, section 5.4.3), over pairs of a gold and a predicted sense.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, Optional

from udify_allennlp.text.errors import InputError


class Choice(NamedTuple):
    """An ambiguous word and its translation."""

    senses: int
    """The number of senses of the word."""
    gold: int
    """The rank of the correct sense by frequency, from 1."""
    predicted: int
    """The rank of the sense of the translation."""


class SenseBias(NamedTuple):
    """Measures in percent; lower is less biased. `None` if undefined."""

    sfii: Optional[float]
    """
    The share of errors among words whose correct sense is the first, the second, and so on; the
    mean over these ranks.
    """
    spdi: Optional[float]
    """The share of errors among words of two senses, of three, and so on; the mean over these."""
    mfs: Optional[float]
    """The share of errors that have the most frequent sense."""
    mfs_plus: Optional[float]
    """The share of errors that have a more frequent sense than the correct one."""

    @property
    def average(self) -> Optional[float]:
        """The mean of the four; `None` if one is `None`."""
        known = [figure for figure in self if figure is not None]
        return fmean(known) if len(known) == len(self) else None


def sense_bias(choices: Sequence[Choice]) -> SenseBias:
    """
    Returns the four measures. Departure: the text of the thesis swaps the definitions of MFS and
    MFS+, but its scores (52.8 and 87.6 percent) fit only these, since the most frequent sense is
    also a more frequent one.
    """
    errors = [choice for choice in choices if choice.predicted != choice.gold]
    return SenseBias(
        _mean_error(choices, lambda choice: choice.gold),
        _mean_error(choices, lambda choice: choice.senses),
        _share([choice.predicted == 1 for choice in errors]),
        _share([choice.predicted < choice.gold for choice in errors]),
    )


def _mean_error(choices: Sequence[Choice], group: Callable[[Choice], int]) -> Optional[float]:
    groups: dict[int, list[bool]] = defaultdict(list)
    for choice in choices:
        groups[group(choice)].append(choice.predicted != choice.gold)
    return 100 * fmean(map(fmean, groups.values())) if groups else None


def _share(values: Sequence[bool]) -> Optional[float]:
    return 100 * fmean(values) if values else None


def read_choices(path: Path) -> list[Choice]:
    """
    Returns the rows of a tab-separated file: number of senses, gold sense, sense of the
    translation; lines that start with `#` are comments. The file omits words whose translation has
    no known sense.

    # Raises

    `InputError` with file and line for anything else.
    """
    choices = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        values = [int(cell) for cell in cells if cell.isdecimal()]
        if len(values) != len(cells) or len(cells) != 3 or not _fits(*values):
            raise InputError(
                f"{path}:{number}: this is not a choice of a sense. Write the number of senses, "
                "the correct sense and that of the translation, counted from 1 and separated by "
                "tabs."
            )
        choices.append(Choice(*values))
    return choices


def _fits(senses: int, gold: int, predicted: int) -> bool:
    return 1 <= gold <= senses and 1 <= predicted <= senses
