"""The exceptions: passages that may have a fault, each with its reason."""

from pathlib import Path

_LIST = Path(__file__).with_name("allowed.tsv")


def allowed() -> dict[tuple[str, str], str]:
    """Returns the reasons in `allowed.tsv` by file and passage."""
    rows = [line.split("\t") for line in _LIST.read_text(encoding="utf-8").splitlines()[1:]]
    return {(path, passage): reason for path, passage, reason in rows}
