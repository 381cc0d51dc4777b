"""
The corrections that `udify setup` makes in the installed AllenNLP 2.10.1 and cached-path, in place.

- Their requirements are releases of 2022 and clients of cloud storage. With them, pip warns of
  conflicts at every later install and `pip check` fails. Our own requirements name what parsing
  needs, so the requirements of both are removed from their metadata.
- `import allennlp` fails with current releases of its dependencies. Its new `__init__.py` imports
  our plugin, so `from allennlp.predictors import Predictor` works in programs that do not import
  `udify_allennlp`.

Everything else in these packages stays as released; `pip uninstall` removes them as usual.
"""

import base64
import csv
import hashlib
import io
import os
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Optional

PACKAGES = ("allennlp", "cached-path")
INIT = '''\
"""
AllenNLP 2.10.1. `udify setup` replaced this file: the released one cannot be imported beside
current releases of its dependencies. Reinstall AllenNLP to get the original back.
"""

from allennlp.version import VERSION as __version__  # noqa: F401
import udify_allennlp.plugin  # noqa: F401
'''


def correct() -> bool:
    """
    Corrects installed packages that are not corrected yet. Returns whether anything was changed.
    """
    changed = False
    for name in PACKAGES:
        try:
            package = distribution(name)
        except PackageNotFoundError:  # a checkout on the search path: its owner's
            continue
        changed |= _replace(package, "METADATA", without_requirements(_read(package, "METADATA")))
        if name == "allennlp":
            changed |= _replace(package, "allennlp/__init__.py", INIT)
    return changed


def without_requirements(metadata: Optional[str]) -> Optional[str]:
    """Returns the metadata of a package without its requirements and extras."""
    if metadata is None:
        return None
    head, blank, description = metadata.partition("\n\n")
    lines = [
        line
        for line in head.split("\n")
        if not line.lower().startswith(("requires-dist:", "provides-extra:"))
    ]
    return "\n".join(lines) + blank + description


def _path(package: Distribution, name: str) -> Optional[Path]:
    """
    Returns the path of an installed file: a code file by its full name, a metadata file by the last
    part of its name.
    """
    for file in package.files or ():
        if file.as_posix() == name or (file.name == name and file.parent.suffix == ".dist-info"):
            return Path(str(package.locate_file(file)))
    return None


def _read(package: Distribution, name: str) -> Optional[str]:
    path = _path(package, name)
    return None if path is None or not path.is_file() else path.read_text(encoding="utf-8")


def _replace(package: Distribution, name: str, text: Optional[str]) -> bool:
    """
    Writes `text` into an installed file and updates its line of `RECORD`. Returns whether this was
    needed.
    """
    path, record = _path(package, name), _path(package, "RECORD")
    if text is None or path is None or record is None or _read(package, name) == text:
        return False
    content = text.encode("utf-8")
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    rows = list(csv.reader(io.StringIO(record.read_text(encoding="utf-8"))))
    for row in rows:
        if package.locate_file(row[0]) == path:
            row[1:] = [f"sha256={digest}", str(len(content))]
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    _write(path, content)
    _write(record, lines.getvalue().encode("utf-8"))
    return True


def _write(path: Path, content: bytes) -> None:
    # Whole or not at all: another process may be reading it, and links may share it.
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_bytes(content)
    scratch.replace(path)
