"""`print-results`, which AllenNLP 2.10.1 ends with a TypeError where no keys are given."""

import json

import pytest

from tests.apps.analysis.helpers import run_command


@pytest.fixture
def runs(tmp_path):
    for name, metrics in (("a", {"LAS": 1.5, "loss": 2}), ("b", {"LAS": 3.5, "UAS": 4})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.json").write_text(json.dumps(metrics))
    return tmp_path


def test_all_metrics_are_printed_without_keys(monkeypatch, capsys, runs):
    code, output, _ = run_command(monkeypatch, capsys, "print-results", runs)
    assert code == 0 and output.splitlines() == [
        "model_run, LAS, loss, UAS",
        f"{runs}/a/metrics.json, 1.5, 2, N/A",
        f"{runs}/b/metrics.json, 3.5, N/A, 4",
    ]
    code, output, _ = run_command(monkeypatch, capsys, "print-results", runs, "-k", "UAS")
    assert code == 0 and output.splitlines()[0] == "model_run, UAS"


def test_a_folder_without_runs_is_told(monkeypatch, capsys, tmp_path):
    code, _, errors = run_command(monkeypatch, capsys, "print-results", tmp_path)
    assert code == 1 and "contains no metrics.json" in errors
