"""Command lines of the last release in the current spelling. They work for one more release."""

import sys
from collections.abc import Sequence

from udify_command.commands import ACTIONS

RENAMED = {
    "ud-layers": ("ud-inspect", "layers"),
    "ud-attention": ("ud-inspect", "attention"),
    "ud-graph-attention": ("ud-inspect", "graph"),
    "ud-errors": ("ud-score", "--by", "arcs"),
    "ud-breakdown": ("ud-score", "--by", "direction"),
    "ud-align": ("ud-vectors", "align"),
    "ud-ablation": ("ud-experiment", "ablation"),
    "ud-transfer": ("ud-experiment", "transfer"),
}
"""Commands and their replacements."""
IMPLIED = {"ud-vectors": "make", "ud-experiment": "compare"}
"""Commands that had only one action, which was not named."""


def renewed(words: Sequence[str]) -> list[str]:
    """
    Returns a command line in the current spelling. If it changes, a note goes to standard error.
    """
    if not words:
        return []
    name, *others = words
    new = RENAMED.get(name, (name,))
    if name in IMPLIED and others and others[0] not in {*ACTIONS[name], "-h", "--help"}:
        new = (name, IMPLIED[name])
    if new != (name,):
        note(name, " ".join(new))
    return [*new, *others]


def note(old: str, new: str) -> None:
    """Prints the current spelling of `old`."""
    sys.stderr.write(
        f"allennlp: note: `{old}` is now `{new}`. The old spelling ends with the next release.\n"
    )
