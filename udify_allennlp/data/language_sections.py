"""Word lists with a section for each language."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=2)
def lines_by_language(file: Path) -> Mapping[str, list[str]]:
    """
    Returns the lines of each language in a file: those below a line `[language language ...]` that
    names it.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    langs: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            langs = line.strip("[]").split(" ")
        elif line:
            for lang in langs:
                found[lang].append(line)
    return dict(found)


def text_of_sections(lines: Mapping[str, Iterable[str]]) -> str:
    """Returns the text of such a file, given the lines of each language, without empty sections."""
    sections = ([f"[{lang}]", *own] for lang, own in lines.items())
    return "\n\n".join("\n".join(own) for own in sections if len(own) > 1) + "\n"
