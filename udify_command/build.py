"""The build of udify_allennlp: two builds of one version can differ."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Optional

COMMIT = "commit.txt"
"""The file that setup.py writes next to this one when it builds a package from a checkout."""
_FOLDER = Path(__file__).resolve().parent


@cache
def build_version() -> str:
    """
    Returns the version, with the commit if it is known: `0.2.0+6374588d1`, and `.dirty` at the end
    if files of the checkout differ from it.
    """
    from udify_allennlp import __version__  # not at the top: setup.py runs this file by itself

    kept = _FOLDER / COMMIT
    commit = kept.read_text().strip() if kept.is_file() else commit_of(_FOLDER.parent)
    return f"{__version__}+{commit}" if commit else __version__


def commit_of(folder: Path) -> Optional[str]:
    """Returns the commit of our checkout; `None` for any other folder, or without git."""
    if not (folder / ".git").exists() or not (folder / "udify_command").is_dir():
        return None
    command = ["git", "describe", "--always", "--dirty=.dirty", "--exclude=*", "--abbrev=9"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
