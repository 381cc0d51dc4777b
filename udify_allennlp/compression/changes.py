"""Relative changes of groups, and sentences that lose and win (Mohammadshahi 2023, section 5.3)."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from statistics import fmean
from typing import NamedTuple, Optional, TypeVar

Key = TypeVar("Key", bound=Hashable)

LOSING, WINNING, SAME = "losing", "winning", "same"
_THRESHOLD = 0.5


class Change(NamedTuple):
    """The mean of a score over the members of a group, before and after compression."""

    members: int
    base: float
    compressed: float

    @property
    def relative(self) -> Optional[float]:
        """The relative change of the means in percent; `None` if the first is 0."""
        return relative_change(self.base, self.compressed)


def relative_change(base: float, compressed: float) -> Optional[float]:
    """`100 (compressed - base) / base`; `None` if `base` is 0."""
    return 100 * (compressed - base) / base if base else None


def group_changes(
    base: Mapping[Key, float],
    compressed: Mapping[Key, float],
    group_of: Callable[[Key], Optional[str]],
) -> dict[str, Change]:
    """
    Returns the change of each group: the relative change of its mean, not the mean of relative
    changes, which a few members near 0 would dominate.

    # Parameters

    base, compressed : `Mapping[Key, float]`
        A score for each member, such as spBLEU for each direction; members with only one score are
        ignored.
    group_of : `Callable`
        Returns the name of a member's group; `None` if it has none.
    """
    members: dict[str, list[Key]] = defaultdict(list)
    for key in base:
        group = group_of(key)
        if group is not None and key in compressed:
            members[group].append(key)
    return {
        name: Change(len(keys), fmean(base[k] for k in keys), fmean(compressed[k] for k in keys))
        for name, keys in members.items()
    }


def outcome(base: float, compressed: float) -> str:
    """
    Returns the kind of a sentence by its chrF3: `losing` if it falls by more than 0.5, `winning` if
    it rises by more than that, else `same`.

    # Raises

    `ValueError` unless both are from 0 to 1: sacrebleu gives 0 to 100.
    """
    if not 0 <= base <= 1 or not 0 <= compressed <= 1:
        raise ValueError(f"chrF3 is {base} and {compressed}. Both must be from 0 to 1.")
    difference = compressed - base
    if abs(difference) <= _THRESHOLD:
        return SAME
    return WINNING if difference > 0 else LOSING
