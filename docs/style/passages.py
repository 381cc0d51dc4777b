"""
The passages that are checked: sentences of pages, docstrings, help strings, messages and the
comments at the top of configs.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("udify_allennlp", "udify_command", "udify_spacy")
_FOLDERS = (*PACKAGES, "benchmarks")
_PAGES = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")
_HELP_LINES = Path("udify_command/commands.py")  # the help line of every command
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SENTENCE_END = re.compile(r"""(?<=[.?!])["')*]*\s+(?=["'(*\[]*[A-Z0-9`])""")
_ABBREVIATION = re.compile(r"(\bet al|\be\.g|\bi\.e|\bcf|\bvs|\bMrs?|\bDr|\bSt|\b[A-Z]|^\d+)\.$")
_NOT_PROSE = re.compile(
    r"^(```|~~~).*?^\1|<!-- begin .*?<!-- end -->|<!--.*?-->|^    .*?$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])")
_MARKER = re.compile(r"^\s*([-*+]|\d+\.|>|#+)\s+")


class Passage(NamedTuple):
    """A sentence, or a fragment that stands for one; the first `line` of a file is 1."""

    path: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def passages(root: Path) -> Iterator[Passage]:
    """All passages of a checkout, with paths from its `root`."""
    pages = [path for name in _PAGES if (path := root / name).exists()]
    for path in [*pages, *sorted((root / "docs").rglob("*.md"))]:
        for line, text in prose(path.read_text(encoding="utf-8")):
            yield Passage(path.relative_to(root), line, "page", text)
    for package in _FOLDERS:
        for path in sorted((root / package).rglob("*.py")):
            relative = path.relative_to(root)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for line, text in docstrings(tree):
                yield Passage(relative, line, "docstring", text)
            for line, text in messages(tree):
                yield Passage(relative, line, "message", text)
            for line, text in help_strings(tree, lines=relative == _HELP_LINES):
                yield Passage(relative, line, "help", text)
    for path in sorted((root / "training_config").rglob("*sonnet")):
        for line, text in config_comment(path.read_text(encoding="utf-8")):
            yield Passage(path.relative_to(root), line, "message", text)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the first sentence of each docstring; docstrings of attributes are left out."""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
            paragraph = text.strip().split("\n\n")[0]
            if not paragraph.startswith("#"):  # `# Parameters`
                yield node.body[0].lineno, sentences(paragraph)[0]


def help_strings(tree: ast.Module, lines: bool = False) -> Iterator[tuple[int, str]]:
    """The line and each sentence of `help=...`; with `lines`, of all values of dictionaries."""
    for node in ast.walk(tree):
        texts: list[ast.expr] = []
        if isinstance(node, ast.keyword) and node.arg == "help":
            texts = [node.value]
        elif lines and isinstance(node, ast.Dict):
            texts = node.values
        for text in texts:
            yield from ((text.lineno, sentence) for sentence in sentences(_constant(text)))


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """
    The line and each sentence of strings of three or more words, such as messages and tables, and
    of docstrings after their first sentence.
    """
    inner: set[ast.AST] = set()  # parts of strings that are already read
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
            inner.add(node.body[0].value)  # type: ignore[attr-defined]
            parts = [part for part in text.strip().split("\n\n") for part in sentences(part)]
            yield from ((node.body[0].lineno, part) for part in parts[1:])
        elif isinstance(node, ast.keyword) and node.arg == "help":
            inner.update(ast.walk(node.value))  # see `help_strings`
        elif node not in inner and isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            inner.update(ast.walk(node))
            if len(re.findall(r"[A-Za-z]{2,}", text := _constant(node))) > 2:
                yield from ((node.lineno, part) for part in sentences(text))


def config_comment(config: str) -> Iterator[tuple[int, str]]:
    """The first line and each sentence of the comment at the top of a config, without commands."""
    lines = itertools.takewhile(lambda line: line.startswith("//"), config.split("\n"))
    text = " ".join(line.removeprefix("//") for line in lines if not line.startswith("//   "))
    yield from ((1, sentence) for sentence in sentences(text))


def prose(page: str) -> Iterator[tuple[int, str]]:
    """The line and each sentence of a page of Markdown, without code and generated parts."""
    page = _NOT_PROSE.sub(lambda match: re.sub(r"[^\n]+", "", match[0]), page)
    paragraph: list[str] = []
    start = 1
    for number, line in enumerate([*page.split("\n"), ""], start=1):
        begins = bool(_MARKER.match(line)) or line.lstrip().startswith("|")
        if paragraph and (begins or not line.strip()):
            yield from ((start, text) for text in sentences(" ".join(paragraph)))
            paragraph = []
        if line.lstrip().startswith("|"):
            yield from ((number, cell) for cell in _cells(line))
        elif line.strip():
            start = number if not paragraph else start
            paragraph.append(_MARKER.sub("", line).strip())


def sentences(text: str) -> list[str]:
    """A paragraph in sentences; links are their texts."""
    text = _LINK.sub(r"\1", re.sub(r"\s+", " ", text)).strip()
    parts: list[str] = []
    for part in _SENTENCE_END.split(text):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return [part for part in parts if part]


def _cells(row: str) -> Iterator[str]:
    for cell in re.split(r"(?<!\\)\|", row.strip().strip("|")):
        if re.search(r"[A-Za-z]", cell):
            yield from sentences(cell)


def _constant(node: ast.expr) -> str:
    """The text of a string; the places of values in an f-string are `...`."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_constant(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return _constant(node.left) + _constant(node.right)
    return "..."
