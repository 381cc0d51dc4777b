"""Phrase structure as a user types it: trained, archived, predicted, scored and drawn."""

import json
import shutil
from pathlib import Path

import pytest

from tests.apps.analysis.helpers import run_command
from tests.conftest import CONFIGS
from tests.helpers import DEV, ENCODER, assert_same_side_by_side, execute, run
from tests.helpers.constituency import DEV_TREES, TREES
from tests.saved_kinds import SHIPPED
from udify_allennlp import Parser
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.constituents.files import read_trees
from udify_allennlp.text.constituents.sentences import tree_of

QUICK = {
    "trainer.num_epochs": 40,
    "trainer.learning_rate_scheduler.frozen_epochs": 0,
    "trainer.callbacks": [],
    "trainer.optimizer.lr": 1e-2,
    "trainer.optimizer.parameter_groups": None,
    "model.dropout": 0.0,
    "model.layer_dropout": 0.0,
    "model.embedder.mask_probability": 0.0,
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("constituency")
    with pytest.MonkeyPatch.context() as patch:
        for name, path in (("ENCODER", ENCODER), ("TRAIN", TREES), ("DEV", TREES)):
            patch.setenv(f"UD_{name}", path)
        path = CONFIGS / "constituency" / "chart_small_cpu.jsonnet"
        run("train", path, "-s", folder / "run", "-o", json.dumps(QUICK))
    return folder / "run" / "model.tar.gz"


def test_it_learns_its_trees(archive):
    metrics = json.loads((archive.parent / "metrics.json").read_text())
    assert metrics["best_validation_LF1"] > 90 and metrics["best_validation_UF1"] > 90


def test_brackets_in_and_out_and_scores(archive, tmp_path, monkeypatch, capsys):
    shutil.copy(TREES, tmp_path / "en.trees")
    output = tmp_path / "new.mrg.gz"
    run("predict", archive, tmp_path / "en.trees", "--output-file", output, "--silent")
    golds, new = list(read_trees(TREES)), list(read_trees(output))
    assert [each.tree.without_empty().words for each in golds] == [each.tree.words for each in new]
    assert all(each.tree.phrases[0].label == "TOP" for each in new)
    code, report, _ = run_command(monkeypatch, capsys, "evaluate", archive, f"{TREES},{DEV_TREES}")
    head, *rows = (line.split() for line in report.splitlines()[-4:])
    assert code == 0 and head[:4] == ["file", "LP", "LR", "LF1"]
    assert [row[0] for row in rows] == ["en_hand-train", "en_hand-dev", "all"]
    metrics = json.loads((archive.parent / "metrics.json").read_text())
    assert float(rows[0][3]) == pytest.approx(metrics["best_validation_LF1"], abs=2)
    of_gold = json.dumps({"evaluation.scorer": {"type": "constituents", "gold_tags": True}})
    words = ("evaluate", archive, DEV_TREES, "-o", of_gold)
    code, report, _ = run_command(monkeypatch, capsys, *words)
    assert code == 0 and report.split()[-1] == "0"


def test_words_and_trees_of_dependencies_in(archive, tmp_path, capfdbinary):
    (tmp_path / "a.jsonl").write_text('{"sentence": "The dog ( two ) sleeps ."}\n')
    run("predict", archive, tmp_path / "a.jsonl", "--output-file", tmp_path / "a.mrg", "--silent")
    (tree,) = read_trees(tmp_path / "a.mrg")
    assert tree.tree.words == ("The", "dog", "-LRB-", "two", "-RRB-", "sleeps", ".")
    run("predict", archive, DEV, "--output-file", tmp_path / "b.conllu", "--silent")
    for gold, new in zip(read_sentences(DEV), read_sentences(tmp_path / "b.conllu")):
        assert (new.heads, new.upos) == (gold.heads, gold.upos)
        assert tree_of(new).phrases[0].end == len(gold)


def test_python(archive):
    document = Parser.load(archive)("The dog sleeps. Anna sang.")
    for sentence in document:
        assert sentence.brackets.startswith("(TOP ") and sentence.phrases[0].label == "TOP"
        assert sentence.to_dict()["brackets"] == sentence.brackets
    assert "constituents" in Parser.load(archive).labels


def test_a_model_of_other_tasks_writes_no_brackets(tmp_path, capfd):
    output, archive = tmp_path / "a.mrg", SHIPPED["all_decoders"]
    assert execute("predict", archive, DEV_TREES, "--output-file", output) == 1
    assert "a.mrg: the ending .mrg is not supported" in capfd.readouterr().err
    run("predict", archive, DEV_TREES, "--output-file", tmp_path / "a.conllu", "--silent")
    golds, new = read_sentences(DEV_TREES), read_sentences(tmp_path / "a.conllu")
    for gold, parsed in zip(golds, new, strict=True):
        assert tree_of(gold).phrases == tree_of(parsed).phrases and parsed.heads.count("0") == 1


def test_batches_side_by_side_give_the_same(archive):
    predictor = load_predictor(archive)
    assert_same_side_by_side(predictor, list(predictor.reader.sentences(TREES)))


def test_a_treebank_without_trees_is_refused(tmp_path, monkeypatch, capsys):
    for name, path in (("ENCODER", ENCODER), ("TRAIN", DEV), ("DEV", DEV_TREES)):
        monkeypatch.setenv(f"UD_{name}", path)
    path = CONFIGS / "constituency" / "chart.jsonnet"
    code, _, errors = run_command(monkeypatch, capsys, "train", path, "-s", tmp_path / "run")
    assert code == 1 and f"{DEV}:1: the sentence has no phrase structure" in errors


def test_trees_are_drawn(tmp_path, capsys):
    run("ud-view", DEV_TREES)
    shown = capsys.readouterr().out
    assert "Sit down !\nTOP\n└── S\n    ├── VP\n    │   ├── VB Sit\n" in shown
    other = tmp_path / "other.mrg"
    other.write_text(Path(DEV_TREES).read_text().replace("(PP (IN", "(ADVP (IN"))
    run("ud-view", DEV_TREES, "--predicted", other, "--out", tmp_path / "v.html")
    page = (tmp_path / "v.html").read_text(encoding="utf-8")
    assert 'class="phrase gold">PP ✓' in page and 'class="phrase pred">ADVP ✗' in page
