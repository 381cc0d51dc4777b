"""Word lists with a section for each language."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

_HEADING = re.compile(r"^\[(.*)\]$", re.MULTILINE)


@lru_cache(maxsize=8)
def text_by_language(file: Path) -> Mapping[str, str]:
    """
    Returns the text of each language in a file: that below a line `[language language ...]` that
    names it.
    """
    found: defaultdict[str, str] = defaultdict(str)
    _, *sections = _HEADING.split(file.read_text(encoding="utf-8"))
    for langs, text in zip(sections[::2], sections[1::2]):
        for lang in langs.split(" "):
            found[lang] += text
    return dict(found)


def lines_of_language(file: Path, lang: str) -> list[str]:
    """Returns the lines of a language in such a file."""
    return [line for line in text_by_language(file).get(lang, "").split("\n") if line]


def text_of_sections(lines: Mapping[str, Iterable[str]]) -> str:
    """Returns the text of such a file, given the lines of each language, without empty sections."""
    sections = ([f"[{lang}]", *own] for lang, own in lines.items())
    return "\n\n".join("\n".join(own) for own in sections if len(own) > 1) + "\n"
