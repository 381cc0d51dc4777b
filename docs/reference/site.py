"""What mkdocs does besides: mkdocs.yml names this file."""

import sys
from pathlib import Path
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its generated parts, also those that the repository leaves out."""
    root = str(Path(__file__).resolve().parent.parent.parent)
    if root not in sys.path:  # the script `mkdocs` does not look where it was started
        sys.path.insert(0, root)
    from docs.reference.pages import filled

    return filled(markdown, site=True)


def on_post_build(config: Any) -> None:
    """The index of the search as a script, for `search_from_files.js`."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"const searchIndex = {index};\n", encoding="utf-8")
