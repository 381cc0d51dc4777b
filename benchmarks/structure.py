"""
Describes the structure of the package: its top-level folders and files, imports between them,
upward imports, import cycles, modules with one importer, small and long files.

    python benchmarks/structure.py [FOLDER_OF_THE_PACKAGE]

`FLOORS` is the order in which folders may import each other, lowest first: an import points down.
`tests/floors_test.py` enforces it.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAPERS = (
    *("order_transfer", "typology", "graph2graph", "srl", "constituency"),
    *("pretraining", "translation", "compression"),
)
FLOORS = (
    *("text", "compat", "config", "kernels", "modules", "data", "segmentation", "engine"),
    *("encoders", "scoring"),
    *("decoders", "training", "archives", "models", "segmenter", "predictors"),
    *(*PAPERS, "parser", "apps", "front"),
)
"""`front` is everything at the top of the package except `parser.py`."""
ROOT = Path(__file__).resolve().parent.parent / "udify_allennlp"


class Arrow(NamedTuple):
    """Module `source` imports module `target`, both relative to the package."""

    source: str
    target: str

    @property
    def floors(self) -> "Arrow":
        return Arrow(floor(self.source), floor(self.target))


def floor(module: str) -> str:
    """Returns the folder of a module; for modules at the top, `parser` or `front`."""
    top, _, rest = module.partition(".")
    return top if rest or top in FLOORS else "front"


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Returns all modules by dotted name within the package; a folder is its `__init__`."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def arrows(root: Path = ROOT) -> Iterator[Arrow]:
    """
    Yields every import of our modules, including those inside functions and for type checkers only.
    """
    known = modules(root)
    for source, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                head, _, target = name.partition(".")
                if head != root.name:
                    continue
                # `from package.module import name` names a module, or something in one.
                target = target if target in known else target.rpartition(".")[0]
                if target != source and target in known:
                    yield Arrow(source, target)


def upward(found: set[Arrow]) -> list[Arrow]:
    """Returns the imports of a higher floor, and between two papers."""
    wrong = []
    for arrow in found:
        source, target = arrow.floors
        both_papers = source in PAPERS and target in PAPERS and source != target
        if both_papers or FLOORS.index(source) < FLOORS.index(target):
            wrong.append(arrow)
    return sorted(wrong)


def circles(found: set[Arrow]) -> list[set[str]]:
    """Returns groups of modules, or of folders, that import each other, possibly through others."""
    targets: dict[str, set[str]] = {}
    for source, target in found:
        targets.setdefault(source, set()).add(target)
    reach = {source: _reachable(source, targets) for source in targets}
    groups = {
        frozenset(other for other in seen if source in reach.get(other, ()))
        for source, seen in reach.items()
        if source in seen
    }
    return sorted(map(set, groups), key=sorted)


def _reachable(start: str, targets: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = targets.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def importers(found: set[Arrow]) -> dict[str, set[str]]:
    """Returns the importers of each module; re-exports of a folder's `__init__` do not count."""
    by_target: dict[str, set[str]] = {}
    for source, target in found:
        by_target.setdefault(target, set()).add(source)
    return by_target


def main() -> None:
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    known = modules(root)
    found = set(arrows(root))
    between = {Arrow(*map(_folder, arrow)) for arrow in found}
    between = {arrow for arrow in between if arrow.source != arrow.target}
    rooms = {_folder(name) for name in known}
    print(f"rooms                  {len(rooms)}")
    # Without a cycle, at most one of two folders imports the other.
    possible = len(rooms) * (len(rooms) - 1) // 2
    print(f"arrows between rooms   {len(between)} of {possible} ({len(between) / possible:.0%})")
    if all(floor(name) in FLOORS for name in known):
        print(f"upward arrows           {len(upward(found))}")
    print(f"circles of rooms       {[sorted(group) for group in circles(between)]}")
    print(f"circles of files       {[sorted(group) for group in circles(found)]}")
    files = {name: path for name, path in known.items() if path.name != "__init__.py"}
    lines = {
        name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()
    }
    by_target = importers({arrow for arrow in found if arrow.source in files})
    print(f"files                  {len(files)}, and {len(known) - len(files)} __init__.py")
    print(f"lines                  {sum(lines.values())}")
    few = [name for name in files if len(by_target.get(name, ())) <= 1]
    print(f"with one importer      {len(few)}, or none")
    print(f"of 60 lines and less   {sum(lines[name] <= 60 for name in files)}")
    print(f"of over 250 lines      {sum(lines[name] > 250 for name in files)}")
    of_commands = [name for name in known if name.startswith("apps.commands")]
    print(f"lines of commands      {sum(map(lines.__getitem__, of_commands))}")


def _folder(module: str) -> str:
    """Returns the first folder of a module; each file at the top is its own folder."""
    return module.partition(".")[0] or "__init__"


if __name__ == "__main__":
    main()
