"""Tables as we keep them: tab-separated, names above the columns, comments on lines with `#`."""

import csv
from typing import Any, Dict, List


def read_rows(path: Any) -> List[Dict[str, str]]:
    """The rows of a table, by the names of its columns; `path` is one of `pathlib`, or alike."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))
