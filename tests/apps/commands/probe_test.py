"""`allennlp ud-probe` as a user types it."""

import importlib.util
import json

import pytest

from tests.apps.analysis.helpers import run_command, save_run
from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.apps.commands import probe as probe_command

TEST = str(FIXTURES / "ud" / "en_ewt-ud-test.conllu")
FILES = ["--train", TRAIN, "--dev", DEV, "--test", TEST]
SMALL = [*FILES, "--sentences", 20, "--epochs", 2]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("models"))


@pytest.fixture
def probe(monkeypatch, capsys):
    return lambda *words: run_command(monkeypatch, capsys, "ud-probe", *words)


def rows(text):
    lines = [line.split("\t") for line in text.splitlines()]
    assert lines[0][:6] == ["model", "layer", "probe", "uuas", "root_accuracy", "spearman"]
    return lines[1:]


def test_before_and_after_fine_tuning(run, probe, tmp_path):
    code, output, errors = probe(ENCODER, run, *SMALL, "--layers", "0,3", "--out", tmp_path / "out")
    assert code == 0 and output == (tmp_path / "out" / "probe.tsv").read_text()
    assert "20/20" in errors and "layer 3, depth" in errors and "dev loss" in errors
    expected = [
        [name, layer, kind]
        for name in ("encoder", run.name)
        for layer in "03"
        for kind in ("distance", "depth")
    ]
    assert [row[:3] for row in rows(output)] == expected
    kept = json.loads((tmp_path / "out" / "probe.json").read_text(encoding="utf-8"))
    assert kept["sentences"] == {"train": 20, "dev": 20, "test": 20}
    assert (kept["epochs"], kept["rank"], kept["learning_rate"]) == (2, None, 0.001)
    for row, result in zip(rows(output), kept["results"], strict=True):
        score = result.get("uuas", result.get("root_accuracy"))
        assert f"{score:.4f}" in row
        losses = [epoch["dev_loss"] for epoch in result["epochs"]]
        assert len(losses) == 2 and result["dev_loss"] == losses[1] < losses[0]
        drawn = result.get("trees", [])
        assert len(drawn) == (3 if result["probe"] == "distance" else 0)
        for tree in drawn:
            assert len(tree["predicted"]) >= len(tree["gold"]) > 0
            assert all(0 <= i < j < len(tree["forms"]) for i, j in tree["predicted"])
    # Vectors, which can be large, are gone.
    assert {path.name for path in (tmp_path / "out").iterdir()} <= {
        "probe.json",
        "probe.tsv",
        "trees.png",
        "layers.png",
    }


def test_one_probe_of_low_rank(run, probe, tmp_path):
    words = [run, *SMALL, "--layers", 2, "--probe", "depth", "--rank", 4, "--dtype", "float32"]
    code, output, _ = probe(*words, "--out", tmp_path / "out")
    assert code == 0 and [row[:3] for row in rows(output)] == [[run.name, "2", "depth"]]
    again = probe(*words, "--out", tmp_path / "again")[1]
    assert again == output  # the same seed
    other = probe(*words, "--seed", 5, "--out", tmp_path / "other")[1]
    assert other != output


def test_an_interrupted_run_goes_on_with_the_same_command(run, probe, tmp_path, monkeypatch):
    words = [run, *SMALL, "--probe", "distance", "--layers", "1-3"]
    whole = probe(*words, "--out", tmp_path / "whole")[1]
    train, trained = probe_command._train_and_score, []

    def interrupted(kind, data, settings, title):
        trained.append(title)
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(kind, data, settings, title)

    monkeypatch.setattr(probe_command, "_train_and_score", interrupted)
    out = tmp_path / "out"
    assert probe(*words, "--out", out)[:2] == (130, "")
    kept = json.loads((out / "probe.json").read_text())
    assert [result["layer"] for result in kept["results"]] == [1] and not kept["finished"]
    assert rows((out / "probe.tsv").read_text()) == rows(whole)[:1]
    (out / "vectors-killed").mkdir()  # what a run leaves that had no time to clean up
    # Other settings do not go on with these results.
    code, _, errors = probe(*words, "--seed", 1, "--out", out)
    assert code == 1 and "is not an empty folder" in errors.splitlines()[-1]
    assert probe(*words, "--out", out)[1] == whole
    assert [title.split(",")[1] for title in trained] == [" layer 1", *2 * [" layer 2"], " layer 3"]
    assert json.loads((out / "probe.json").read_text())["finished"]
    assert not list(out.glob("vectors-*"))


def test_the_figures(run, probe, tmp_path):
    pytest.importorskip("matplotlib")
    assert probe(ENCODER, run, *SMALL, "--out", tmp_path / "out")[0] == 0
    for name in ("trees.png", "layers.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_are_numbers(run, probe, tmp_path, monkeypatch, caplog):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        figures.importlib.util, "find_spec", lambda name: find(name) if name == "scipy" else None
    )
    assert probe(run, *SMALL, "--layers", 1, "--out", tmp_path / "out")[0] == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"probe.json", "probe.tsv"}
    assert "pip install 'udify_allennlp[viz]'" in caplog.text


def test_mistakes_are_one_line(run, probe, tmp_path):
    bad = str(FIXTURES / "conllu" / "bad" / "cycle.conllu")
    (tmp_path / "empty.conllu").write_text("")

    def instead(option, path):  # an option for several files takes those of a second one, too
        words = list(SMALL)
        words[words.index(option) + 1] = path
        return words

    for words, message in (
        ([run, *SMALL, "--layers", "4"], "--layers has 4"),
        ([run, *SMALL, "--rank", "0"], "--rank is 0. It must be at least 1."),
        ([run, *SMALL, "--draw", "-1"], "--draw is -1"),
        ([run, *instead("--train", bad)], f"{bad}:"),
        ([run, *instead("--dev", tmp_path / "empty.conllu")], "has no sentence"),
        ([run, *SMALL, "--test", "missing.conllu"], "'missing.conllu' matches no file"),
        (["missing", *SMALL], "No encoder could be loaded from 'missing'"),
        ([run, run, *SMALL], "appears twice"),
    ):
        code, output, errors = probe(*words, "--out", tmp_path / "out")
        assert (code, output) == (1, "") and message in errors.splitlines()[-1]
        assert "Traceback" not in errors


def test_the_help_explains_the_scores(probe):
    code, output, _ = probe("--help")
    assert code == 0 and "Hewitt and Manning" in output
    assert all(word in output for word in ("uuas", "root_accuracy", "spearman", "--rank"))
