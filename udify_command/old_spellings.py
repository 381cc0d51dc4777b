"""Command lines of the last release in today's spelling. They work for one release more."""

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
"""Commands, and what is typed in their place."""
IMPLIED = {"ud-vectors": "make", "ud-experiment": "compare"}
"""Commands that had one action alone, which was not named."""


def renewed(words: Sequence[str]) -> list[str]:
    """A command line in today's spelling. Of another one a note goes to standard error."""
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
    """Prints how `old` is spelled now."""
    sys.stderr.write(
        f"allennlp: note: `{old}` is now `{new}`. The old spelling ends with the next release.\n"
    )
