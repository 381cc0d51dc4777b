"""The entries of a MISC or FEATS cell: `SpaceAfter=No|Gloss=dog`, `Case=Nom|Number=Sing`."""

from collections.abc import Mapping


def entries(cell: str) -> dict[str, str]:
    """Returns the entries by name; the value of an entry without `=` is empty."""
    if cell == "_":
        return {}
    return {name: value for name, _, value in (item.partition("=") for item in cell.split("|"))}


def with_entries(cell: str, new: Mapping[str, str]) -> str:
    """
    Returns the cell with these entries after its others; entries of the same names are replaced.
    """
    kept = [] if cell == "_" else cell.split("|")
    kept = [item for item in kept if item.partition("=")[0] not in new]
    return "|".join([*kept, *(f"{name}={value}" for name, value in new.items())]) or "_"
