"""`allennlp ud-inspect layers` as a user types it."""

import json
import shutil

import pytest
import torch
from allennlp.models import load_archive

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import ENCODER
from tests.saved_model import TASKS
from udify_allennlp.apps.analysis.output import figures


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for name in ("task", "global", "sum", "last"):
        (folder / name).mkdir()
        found[name] = save_run(folder / name, layer_attention=name)
    return found


@pytest.fixture
def layers(monkeypatch, capsys):
    return lambda *words: run_command(monkeypatch, capsys, "ud-inspect", "layers", *words)


def table(text):
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0] == ["model", "task", "layer", "alpha", "weight"]
    return rows[1:]


def test_a_row_for_each_task_and_layer(runs, layers, tmp_path):
    code, output, _ = layers(runs["task"], "--out", tmp_path / "out")
    assert code == 0 and output == (tmp_path / "out" / "layers.tsv").read_text()
    expected = load_archive(str(runs["task"])).model.layer_weights()
    rows = table(output)
    assert [row[:3] for row in rows] == [["task", t, str(i)] for t in expected for i in (1, 2, 3)]
    assert set(expected) == set(TASKS)
    for _, task, layer, _, weight in rows:
        assert float(weight) == pytest.approx(expected[task][int(layer) - 1], abs=1e-4)
    kept = json.loads((tmp_path / "out" / "layers.json").read_text())
    for task, mixture in kept["task"].items():
        assert mixture["weights"] == pytest.approx(expected[task])
        # Equation 3.1: weights are alphas through a softmax, all scaled by one number.
        shares = torch.tensor(mixture["alphas"]).softmax(0)
        ratio = torch.tensor(mixture["weights"]) / shares
        torch.testing.assert_close(ratio, ratio[:1].expand(3))


def test_tasks_that_were_not_trained_are_left_out(runs, layers, tmp_path, caplog):
    run = shutil.copytree(runs["task"], tmp_path / "half")
    state = torch.load(run / "best.th", weights_only=True)
    state["mixes.lemma.alpha"].zero_()  # as it begins; without labels it gets no gradient
    torch.save(state, run / "best.th")
    code, output, _ = layers(run, "--out", tmp_path / "out")
    assert code == 0 and {row[1] for row in table(output)} == set(TASKS) - {"lemma"}
    assert "was not trained for lemma: skipped" in caplog.text


def test_models_side_by_side(runs, layers, tmp_path):
    code, output, _ = layers(*runs.values(), "--out", tmp_path / "out")
    assert code == 0
    rows = table(output)
    assert {(row[0], row[1]) for row in rows if row[0] != "task"} == {
        ("global", "all tasks"),
        ("sum", "all tasks"),
        ("last", "all tasks"),
    }
    assert [row[3:] for row in rows if row[0] == "sum"] == [["", "1.0000"]] * 3
    assert [row[4] for row in rows if row[0] == "last"] == ["0.0000", "0.0000", "1.0000"]


def test_the_figure(runs, layers, tmp_path):
    pytest.importorskip("matplotlib")
    assert layers(*runs.values(), "--out", tmp_path / "out")[0] == 0
    assert (tmp_path / "out" / "layers.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_are_tables_and_one_line(
    runs, layers, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(figures.importlib.util, "find_spec", lambda name: None)
    code, output, _ = layers(runs["task"], "--out", tmp_path / "out")
    assert code == 0 and table(output)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"layers.json", "layers.tsv"}
    assert "pip install 'udify_allennlp[viz]'" in caplog.text


def test_mistakes_are_one_line(runs, layers, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    for words, message in (
        ([runs["task"], "--out", tmp_path / "out"], "is not an empty folder"),
        (["missing", "--out", tmp_path / "new"], "missing: no such file"),
        ([ENCODER, "--out", tmp_path / "new"], "is an encoder of transformers"),
        ([runs["sum"], runs["sum"], "--out", tmp_path / "new"], "appears twice"),
    ):
        code, output, errors = layers(*words)
        assert (code, output) == (1, "") and message in errors.splitlines()[-1]
        assert "Traceback" not in errors


def test_the_help_explains_the_columns(layers):
    code, output, _ = layers("--help")
    assert code == 0 and "beta * softmax(alpha)" in output
