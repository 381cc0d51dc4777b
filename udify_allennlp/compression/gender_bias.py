"""Gender bias of translations (Mohammadshahi 2023, section 5.4.2), on sentences of WinoMT."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from udify_allennlp.text.errors import InputError

MALE, FEMALE, NEUTRAL = "male", "female", "neutral"
Gender = Optional[str]
"""`None`: not found."""
Read = tuple[str, Gender]
"""The gender of an entity in the sentence, and in its translation."""


class Entity(NamedTuple):
    """A line of WinoMT."""

    gender: str
    place: int
    """The index of the entity's first word among the space-separated words, from 0."""
    sentence: str
    name: str


def read_entities(path: Path) -> list[Entity]:
    """
    Returns the lines of a file of WinoMT: gender, position of the entity, sentence, entity,
    tab-separated.

    # Raises

    `InputError` with file and line for anything else.
    """
    entities = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        is_row = len(cells) == 4 and cells[0] in (MALE, FEMALE, NEUTRAL) and cells[1].isdecimal()
        if not is_row or int(cells[1]) >= len(cells[2].split()):
            raise InputError(
                f"{path}:{number}: this is not a line of WinoMT. Write gender, position of the "
                "entity, sentence and entity, separated by tabs."
            )
        entities.append(Entity(cells[0], int(cells[1]), cells[2], cells[3]))
    return entities


def gender_f1(reads: Sequence[Read], gender: str) -> float:
    """F1 of entities of one gender, from 0 to 1; 0 if there are none on either side."""
    right = sum(gold == predicted == gender for gold, predicted in reads)
    gold_count = sum(gold == gender for gold, _ in reads)
    count = sum(predicted == gender for _, predicted in reads)
    return 2 * right / (gold_count + count) if gold_count + count else 0.0


def gender_bias(male: float, female: float) -> Optional[float]:
    """
    `psi = (f_m - f_f) / (f_m + f_f)` (Eq 5.3), from -1 to 1: above 0, male entities are translated
    better. `None` if both are 0.
    """
    return (male - female) / (male + female) if male + female else None


def bias_of(reads: Sequence[Read]) -> Optional[float]:
    """The `gender_bias` of entities."""
    return gender_bias(gender_f1(reads, MALE), gender_f1(reads, FEMALE))


def stereotype_bias(pro: Optional[float], anti: Optional[float]) -> Optional[float]:
    """
    `psi* = |psi_anti - psi_pro|` (Eq 5.4), for sentences against and for a stereotype; `None` if
    either is.
    """
    return None if pro is None or anti is None else abs(anti - pro)
