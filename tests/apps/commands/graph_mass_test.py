"""`allennlp ud-inspect graph` as a user types it, and its sums against a loop."""

import csv
import json

import pytest
import torch

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import DEV, ENCODER
from tests.helpers.refinement import ALONE, DEPS, build, embedder
from udify_allennlp.apps.analysis.attention import graph_mass as module
from udify_allennlp.apps.analysis.attention.graph_mass import graph_mass
from udify_allennlp.apps.commands import graph_attention
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences

CONFIG = {
    "dataset_reader": {
        "type": "udify_universal_dependencies",
        "model_name": ENCODER,
        "tasks": ["deps"],
        "word_of": True,
    },
    "model": {
        "type": "udify_refinement",
        "initial": "empty",
        "iterations": 3,
        "embedder": embedder(),
        "decoders": {"deps": DEPS},
        **ALONE,
    },
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "refiner"
    folder.mkdir()
    model = build(iterations=3)
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return folder


def test_sums_are_those_of_a_loop(run, monkeypatch):
    calls = []
    add = module._Sums.add

    def recorded(self, *arguments):
        calls.append(arguments)
        return add(self, *arguments)

    monkeypatch.setattr(module._Sums, "add", recorded)
    sentences = list(read_sentences(DEV))[:5]
    found = graph_mass(load_predictor(run), sentences, "refiner")
    shares, chances = {}, []
    for _, layer, attention, ids, mask in calls:
        for b in range(len(ids)):
            for i in range(ids.shape[1]):
                related = [j for j in range(ids.shape[1]) if ids[b, i, j]]
                if not related:
                    continue
                assert mask[b, i] and mask[b, related].all()
                of_heads = attention[b, :, i, related].sum(1)
                shares.setdefault(layer, []).append(of_heads)
                if layer == 0:
                    chances.append(len(related) / int(mask[b].sum()))
    expected = torch.stack([torch.stack(rows).mean(0) for rows in shares.values()])
    torch.testing.assert_close(found.mass.float(), expected)
    assert found.chance == pytest.approx(sum(chances) / len(chances))
    assert found.pieces == len(chances) and ((found.mass > 0) & (found.mass < 1)).all()


def test_a_table_and_a_figure(run, monkeypatch, capsys, tmp_path):
    words = ["ud-inspect", "graph", run, DEV, "--sentences", 4, "--out", tmp_path / "out"]
    code, output, _ = run_command(monkeypatch, capsys, *words)
    assert code == 0
    with open(tmp_path / "out" / "graph_attention.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["layer"], row["head"]) for row in rows[:4]] == [
        ("1", "mean"),
        ("1", "1"),
        ("1", "2"),
        ("2", "mean"),
    ]
    mean, *heads = (float(row["mass"]) for row in rows[:3])
    assert mean == pytest.approx(sum(heads) / 2, abs=1e-4)
    assert output.splitlines()[1].split("\t") == list(rows[0].values())
    assert (tmp_path / "out" / "graph_attention.png").is_file()


def test_mistakes_are_one_line(run, monkeypatch, capsys, tmp_path):
    (tmp_path / "plain").mkdir()
    plain = save_run(tmp_path / "plain")
    (tmp_path / "empty.conllu").touch()
    for words, message in (
        ([plain, DEV], "plain does not attend to graphs"),
        ([run, DEV, "--sentences", "-1"], "--sentences is -1"),
        ([run, "none.conllu"], "'none.conllu' matches no file"),
        ([run, tmp_path / "empty.conllu"], "empty.conllu has no sentences. Name files with"),
    ):
        words = ["ud-inspect", "graph", *words, "--out", tmp_path / "out"]
        code, output, errors = run_command(monkeypatch, capsys, *words)
        assert (code, output) == (1, "") and message in errors.splitlines()[-1], errors
        assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_a_folder_that_is_not_new_is_said_before_a_model_is_loaded(
    run, monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr(graph_attention, "load_predictor", None)
    (tmp_path / "kept").touch()
    code, output, errors = run_command(
        monkeypatch, capsys, "ud-inspect", "graph", run, DEV, "--out", tmp_path
    )
    assert (code, output) == (1, "") and f"--out {tmp_path} exists" in errors.splitlines()[-1]
