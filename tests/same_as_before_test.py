"""
Archives of an earlier release load, predict the same bytes and train with the same losses. They
were written by release 0.1.0 (`benchmarks/same_as_before.py keep`), and are never rewritten.
"""

import json
from pathlib import Path

import pytest
import same_as_before

from tests.conftest import FIXTURES, ROOT
from udify_allennlp.data.tasks import Lemma

ARCHIVES = sorted(path.parent for path in (FIXTURES / "archives").glob("*/kept.json"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name)
def kept(request, monkeypatch) -> tuple:
    monkeypatch.chdir(ROOT)  # the archives name the fixtures' encoder
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "WARNING")
    folder: Path = request.param
    return folder, json.loads((folder / "kept.json").read_text())


def test_an_archive_of_the_earlier_release_predicts_the_same_bytes(kept):
    folder, record = kept
    before = (folder / "parsed.conllu").read_bytes()
    assert same_as_before.parsed(record["model"], record["file"]) == before
    # Not what was in the file anyway.
    assert before != Path(record["file"]).read_bytes()


def test_its_config_trains_by_the_same_losses(kept, monkeypatch):
    _, record = kept
    monkeypatch.setattr(Lemma, "missing", None)  # the earlier release learned `_` as a lemma
    found = same_as_before.losses(record["model"], record["train"])
    # Another processor rounds otherwise; on one machine they are equal, which `check` says.
    assert found == pytest.approx(record["losses"], rel=1e-4)
    assert found[-1] < found[0]


def test_a_difference_is_found(kept, tmp_path):
    folder, record = kept
    for name in same_as_before.FILES:
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    text = (tmp_path / "parsed.conllu").read_bytes()
    (tmp_path / "parsed.conllu").write_bytes(text.replace(b"\t_\t", b"\tX\t", 1))
    record["losses"][4] += 1e-3
    (tmp_path / "kept.json").write_text(json.dumps(record))
    faults, _ = same_as_before.check(tmp_path)
    assert "differs in 1 lines" in faults[0]
    assert any("training step 5" in fault for fault in faults)
