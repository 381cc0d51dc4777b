"""The generated parts of pages."""

import re
from pathlib import Path
from typing import Callable, Dict

from docs.reference import api, commands, configs, names, peers, scores
from docs.reference.markdown import fence

PAGES = Path(__file__).resolve().parent.parent
ROOT = PAGES.parent
_PART = re.compile(r"(<!-- begin (\w+) ?(\S*) -->\n).*?(<!-- end -->)", re.DOTALL)
_LANGUAGES = {".py": "python", ".jsonnet": "jsonnet"}


def filled(page: str) -> str:
    """The text of a page with each generated part as it has to be now."""
    return _PART.sub(lambda m: m[1] + "\n" + _MAKERS[m[2]](m[3]).strip("\n") + "\n\n" + m[4], page)


def _file(path: str) -> str:
    source = ROOT / path
    return fence(source.read_text(encoding="utf-8"), _LANGUAGES[source.suffix])


_MAKERS: Dict[str, Callable[[str], str]] = {
    "api": lambda _: api.markdown(),
    "names": lambda _: names.markdown(),
    "commands": lambda _: commands.markdown(),
    "configs": lambda folder: configs.markdown(
        ROOT / "training_config", f"{folder}/*.jsonnet" if folder else "*.jsonnet"
    ),
    "parts": lambda _: configs.markdown(ROOT / "training_config", "parts/*.libsonnet"),
    "scores": lambda name: scores.markdown(
        PAGES / "results" / f"{name}.tsv", ROOT / "benchmarks" / f"{name}_treebanks.tsv"
    ),
    "peers": lambda name: peers.markdown(PAGES / "results" / f"{name}.tsv"),
    "file": _file,
}
