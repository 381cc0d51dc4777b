"""The generated parts of pages."""

import re
from collections.abc import Callable
from pathlib import Path

from docs.reference import api, commands, configs, names, peers, published, scores, style
from docs.reference.markdown import fence

PAGES = Path(__file__).resolve().parent.parent
ROOT = PAGES.parent
_PART = re.compile(r"(<!-- begin (\w+) ?(\S*) -->\n).*?(<!-- end -->)", re.DOTALL)
SITE_ONLY = ("api", "commands", "names", "configs", "style", "file")
"""Parts that `make docs` alone makes: they repeat the code, at length."""
_PLACE = "*`make docs` fills this in: open `out/site/index.html`.*"
_LANGUAGES = {".py": "python", ".jsonnet": "jsonnet"}


def filled(page: str, site: bool = False) -> str:
    """
    The text of a page with each generated part as it has to be now: in the repository, where the
    long ones are a summary or a line that tells where to read them, or in the `site`.
    """

    def part(match: "re.Match[str]") -> str:
        begin, kind, argument, end = match.groups()
        short = not site and kind in SITE_ONLY
        text = _SUMMARIES.get(kind, _place)(argument) if short else _MAKERS[kind](argument)
        text = text.strip("\n")
        return f"{begin}\n{text}\n\n{end}"

    return _PART.sub(part, page)


def _place(_: str) -> str:
    return _PLACE


def _file(path: str) -> str:
    source = ROOT / path
    return fence(source.read_text(encoding="utf-8"), _LANGUAGES[source.suffix])


def _scores_and_sources(name: str) -> tuple[Path, Path]:
    return PAGES / "results" / f"{name}.tsv", ROOT / "benchmarks" / "edition_treebanks.tsv"


_SUMMARIES: dict[str, Callable[[str], str]] = {
    "api": lambda _: api.summary(),
    "style": lambda _: style.summary(),
    "file": lambda path: f"[`{path}`]({Path(path).relative_to('docs')})",
}
_MAKERS: dict[str, Callable[[str], str]] = {
    "api": lambda _: api.markdown(),
    "names": lambda _: names.markdown(),
    "commands": lambda _: commands.markdown(),
    "configs": lambda _: configs.markdown(ROOT / "training_config"),
    "averages": lambda name: scores.averages(*_scores_and_sources(name)),
    "languages": lambda name: scores.languages(*_scores_and_sources(name)),
    "published": lambda name: published.markdown(
        PAGES / "results" / "published.tsv", *_scores_and_sources(name)
    ),
    "peers": lambda name: peers.markdown(PAGES / "results" / f"{name}.tsv"),
    "style": lambda _: style.markdown(),
    "file": _file,
}
