"""What mkdocs does besides when it has built the site; mkdocs.yml names this file."""

from pathlib import Path
from typing import Any


def on_post_build(config: Any) -> None:
    """The index of the search as a script, for `search_from_files.js`."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"const searchIndex = {index};\n", encoding="utf-8")
