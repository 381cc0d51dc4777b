"""Each config: the comment at its head, the parameters of its function, and its code."""

import re
from pathlib import Path

from docs.reference.markdown import fence, prose, table

FOLDERS = {
    "": "UDify",
    "graph2graph": "Graph-to-graph",
    "order_transfer": "Order transfer",
    "typology": "Typology",
    "constituency": "Constituency parsing",
    "pretraining": "Pre-training",
    "translation": "Translation",
    "multilingual": "The multilingual model",
    "parts": "Parts",
}
"""The headings of the configs in each folder, in the order of the page."""
_FUNCTION = re.compile(r"^function\((.*?)\)(?= [{\w]|$)", re.DOTALL | re.MULTILINE)
# Commas that part parameters: not those inside brackets.
_COMMA = re.compile(r",(?![^({\[]*[)}\]])")


def markdown(root: Path) -> str:
    """A section for each file of `root` and its folders, below a heading for each folder."""
    parts: list[str] = []
    for folder, heading in FOLDERS.items():
        parts.append(f"## {heading}\n")
        parts += [_section(path, root) for path in sorted((root / folder).glob("*.*sonnet"))]
    return "\n".join(parts)


def _section(path: Path, folder: Path) -> str:
    lines = path.read_text(encoding="utf-8").split("\n")
    head = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    comment = "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines[:head])
    code = "\n".join(lines[head:])
    parts = [f"### {path.relative_to(folder)}\n", prose(comment), _parameters(code)]
    return "\n".join([*(part for part in parts if part), fence(code, "jsonnet")])


def _parameters(code: str) -> str:
    found = _FUNCTION.search(code)
    if not found or not found[1].strip():
        return ""
    pairs = (part.strip().partition("=") for part in _COMMA.split(found[1]))
    rows = [(f"`{name}`", f"`{value}`" if value else "required") for name, _, value in pairs]
    return table(("parameter", "default"), rows)
