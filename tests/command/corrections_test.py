import csv
import hashlib
from base64 import urlsafe_b64encode
from importlib.metadata import distribution
from pathlib import Path

import pytest

from udify_command import corrections

METADATA = """\
Metadata-Version: 2.1
Name: allennlp
Version: 2.10.1
Requires-Dist: torch (<1.13.0,>=1.10.0)
Provides-Extra: dev
Requires-Dist: mypy ; extra == 'dev'
License: Apache

Requires-Dist: in the description, which stays
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """An installed AllenNLP; cached-path is not there."""
    info = tmp_path / "allennlp-2.10.1.dist-info"
    info.mkdir()
    (tmp_path / "allennlp").mkdir()
    files = {
        "allennlp/__init__.py": "import spacy\n",
        "allennlp/other, file.py": "x = 1\n",
        "allennlp-2.10.1.dist-info/METADATA": METADATA,
    }
    rows = []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        rows.append([name, f"sha256={_digest(text)}", str(len(text))])
    rows.append(["allennlp-2.10.1.dist-info/RECORD", "", ""])
    with open(info / "RECORD", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    monkeypatch.setattr(
        corrections,
        "distribution",
        lambda name: next(iter(corrections.Distribution.discover(name=name, path=[str(tmp_path)]))),
    )
    monkeypatch.setattr(corrections, "PACKAGES", ("allennlp",))
    return tmp_path


def _digest(text: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def test_requirements_go_and_our_plugin_comes(site):
    assert corrections.correct()
    metadata = (site / "allennlp-2.10.1.dist-info" / "METADATA").read_text()
    head, description = metadata.split("\n\n")
    assert "Requires-Dist" not in head and "Provides-Extra" not in head
    assert "License: Apache" in head and description.startswith("Requires-Dist: in the descr")
    assert "import udify_allennlp.plugin" in (site / "allennlp" / "__init__.py").read_text()
    assert (site / "allennlp" / "other, file.py").read_text() == "x = 1\n"


def test_the_list_of_files_agrees_with_them(site):
    corrections.correct()
    with open(site / "allennlp-2.10.1.dist-info" / "RECORD", newline="") as file:
        rows = [row for row in csv.reader(file) if row[1]]
    assert len(rows) == 3
    for name, digest, size in rows:
        text = (site / name).read_text()
        assert digest == f"sha256={_digest(text)}" and int(size) == len(text), name


def test_a_second_time_nothing_is_written(site):
    assert corrections.correct()
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    assert not corrections.correct()
    assert before == {path: path.stat().st_mtime_ns for path in site.rglob("*")}


def test_this_environment_is_corrected():
    for name in corrections.PACKAGES:
        assert distribution(name).requires is None, "Type: udify setup"
    package = Path(str(distribution("allennlp").locate_file("allennlp/__init__.py")))
    assert package.read_text() == corrections.INIT
