"""`allennlp ud-languages` as a user types it."""

import json

import pytest

from tests.apps.analysis.helpers import run_command, save_run
from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from udify_allennlp.apps.analysis.output import figures

UD = FIXTURES / "ud"
FILES = ["--test", f"{UD}/*-ud-dev.conllu", "--sentences", 6]
TREEBANKS = ["de_gsd", "en_ewt", "fi_tdt", "fr_gsd"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = save_run(tmp_path_factory.mktemp("models"))
    config = json.loads((folder / "config.json").read_text())
    # One by a glob; one whose file is not here any more, and which is not asked for.
    config["train_data_path"] = [f"{UD}/de_*-train.conllu", "gone/en_ewt-ud-train.conllu", "gone/x"]
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def languages(monkeypatch, capsys):
    monkeypatch.setattr(figures, "available", lambda: False)  # they take most of the time
    return lambda *words: run_command(monkeypatch, capsys, "ud-languages", *words)


def table(text):
    head, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(head, row)) for row in rows]


def test_before_and_after_fine_tuning(run, languages, tmp_path):
    scores = tmp_path / "scores.json"
    names = {f"{name}_{kind}": 50.0 for name in TREEBANKS for kind in ("LAS", "UAS", "UPOS")}
    scores.write_text(json.dumps(names))
    out = tmp_path / "out"
    code, output, errors = languages(ENCODER, run, *FILES, "--scores", scores, "--out", out)
    assert code == 0 and output == (out / "nearest.tsv").read_text()
    assert "24/24" in errors
    rows = table(output)
    models = ["encoder", run.name]
    assert [(row["model"], row["treebank"]) for row in rows] == [
        (model, name) for model in models for name in TREEBANKS
    ]
    kept = json.loads((out / "languages.json").read_text())
    pairs = {
        (row["model"], row["treebank"], row["other"]): float(row["distance"])
        for row in table((out / "distances.tsv").read_text())
    }
    assert len(pairs) == 2 * 6
    for row in rows:
        # The encoder that stands beside the model is asked about the same treebanks.
        assert row["trained"] == ("yes" if row["treebank"] in ("de_gsd", "en_ewt") else "no")
        own = {
            (set(pair) - {row["treebank"]}).pop(): distance
            for (model, *pair), distance in pairs.items()
            if model == row["model"] and row["treebank"] in pair
        }
        order = sorted(own, key=own.get)
        assert [row["nearest"], *row["next"].split()] == order
        trained = next(name for name in order if name in ("de_gsd", "en_ewt"))
        assert row["nearest_trained"] == trained
        assert float(row["distance_trained"]) == own[trained]
        assert row["LAS"] == "50.0000"
    correlations = table((out / "correlation.tsv").read_text())
    assert [(row["model"], row["n"], row["spearman"]) for row in correlations] == [
        (model, "2", "") for model in models
    ]
    assert kept["results"][0]["distances"] != kept["results"][1]["distances"]
    assert kept["results"][0]["layer_weights"] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert [len(result["map"]) for result in kept["results"]] == [4, 4]


def test_the_same_command_gives_the_same_and_another_choice_another(run, languages, tmp_path):
    options = ([], [], ["--seed", 5], ["--layer", 1], ["--task", "upos"])
    first, again, *others = (
        languages(run, *FILES, *option, "--out", tmp_path / str(i))[1]
        for i, option in enumerate(options)
    )
    assert first and first == again and first not in others and "" not in others


def test_what_was_trained_on_can_be_said(run, languages, tmp_path):
    rows = table(languages(run, *FILES, "--trained", "fi_tdt", "--out", tmp_path / "a")[1])
    assert [row["trained"] for row in rows] == ["no", "no", "yes", "no"]
    assert {row["nearest_trained"] for row in rows} == {"fi_tdt", ""}
    rows = table(languages(ENCODER, *FILES, "--out", tmp_path / "b")[1])
    assert {(row["trained"], row["nearest_trained"], row["LAS"]) for row in rows} == {("", "", "")}


def test_the_figures(run, languages, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(figures, "available", lambda: True)
    scores = tmp_path / "scores.tsv"
    rows = [f"{name}\tUDify\t50\t60\t70" for name in TREEBANKS]
    scores.write_text("\n".join(["treebank\tmodel\tLAS\tUAS\tUPOS", *rows]))
    assert languages(run, *FILES, "--scores", scores, "--out", tmp_path / "out")[0] == 0
    for name in ("clusters", "map", "scores"):
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_are_numbers(languages, tmp_path):
    assert languages(ENCODER, *FILES, "--out", tmp_path / "out")[0] == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"languages.json", "nearest.tsv", "distances.tsv"}


def test_mistakes_are_one_line(run, languages, tmp_path):
    config = json.loads((run / "config.json").read_text())
    moved = save_run(tmp_path)
    config["train_data_path"] = "elsewhere/*-ud-train.conllu"
    (moved / "config.json").write_text(json.dumps(config))
    (tmp_path / "bad.json").write_text("{}")
    for words, message in (
        ([run, "--test", f"{UD}/de*.conllu"], "(de_gsd). Name at least three"),
        ([run, "--test", "none/*.conllu"], "'none/*.conllu' matches no file"),
        ([run, *FILES, "--sentences", 0], "--sentences is 0. It must be at least 1."),
        ([run, *FILES, "--trained", "en_ewt,xx"], "--trained has 'xx'"),
        ([run, *FILES, "--scores", tmp_path / "bad.json"], "has no LAS, UAS, UPOS by treebank"),
        ([run, *FILES, "--scores", "none.json"], "none.json"),
        ([run, *FILES, "--task", "xpos"], "--task is 'xpos'"),
        ([moved, *FILES], "Name its treebanks with --trained"),
        (["missing", *FILES], "No encoder could be loaded from 'missing'"),
    ):
        code, output, errors = languages(*words, "--out", tmp_path / "new")
        assert (code, output) == (1, "") and message in errors.splitlines()[-1]
        assert "Traceback" not in errors


def test_the_help_says_how_little_a_few_points_tell(languages):
    code, output, _ = languages("--help")
    assert code == 0 and "for a dozen treebanks is wide" in " ".join(output.split())
