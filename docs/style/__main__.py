"""
`python -m docs.style [FOLDER]`: checks the English of README, pages, help strings and openings of
docstrings of a checkout, by default this one. Exits with 1 if a passage has a fault that is not
in `allowed.tsv`, or if an entry of that list has no fault any more.
"""

import sys
from pathlib import Path

from docs.style.allowed import allowed
from docs.style.passages import passages
from docs.style.patterns import faults

ROOT = Path(__file__).resolve().parent.parent.parent

root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
exceptions = allowed() if root.resolve() == ROOT else {}
unused = dict(exceptions)
count = 0
for passage in passages(root):
    cures = list(faults(passage.kind, passage.text))
    key = (str(passage.path), passage.text)
    if cures and unused.pop(key, None) is None and key not in exceptions:
        count += 1
        sys.stdout.write(f"{passage}\n    Write {'; '.join(cures)}. See docs/style.md.\n")
for path, text in unused:
    count += 1
    sys.stdout.write(f"docs/style/allowed.tsv: no fault any more, remove: {path}: {text}\n")
sys.exit(count > 0)
