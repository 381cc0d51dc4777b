"""`ud-experiment ablation` of configs, of refined models and of roles; again: nothing to do."""

import json
import shutil
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import CONFIGS, FIXTURES, ROOT
from tests.helpers import ENCODER, execute, run
from udify_allennlp.apps.studies import runs
from udify_allennlp.apps.studies.variants import variants_of
from udify_allennlp.archives.shipped import archive_of
from udify_allennlp.text.conllu import read_sentences, write_sentences

GRAPHS = CONFIGS / "graph2graph"
INITIAL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ud") / "UD_English"
    folder.mkdir()
    for split, count in (("train", 12), ("dev", 4), ("test", 4)):
        sentences = read_sentences(FIXTURES / "ud" / f"en_ewt-ud-{split}.conllu")
        write_sentences(islice(sentences, count), folder / f"en_ewt-ud-{split}.conllu")
    return folder


def ablation(config, *treebanks, out):
    """The start of a command line that compares variants of a config of graph2graph/."""
    return ("ud-experiment", "ablation", GRAPHS / config, *treebanks, "--out", out)


def models(out):
    lines = (out / "scores.tsv").read_text().splitlines()[1:]
    return [line.split("\t")[2] for line in lines if line.startswith("en_")]


def test_systems_that_refine_one(treebank, tmp_path, monkeypatch):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    syntr = GRAPHS / "syntr_small_cpu.jsonnet"
    words = ablation("rngtr_small_cpu.jsonnet", treebank, out=tmp_path / "out")
    words += ("--initial", "First", "--seeds", "1", "-o", '{"trainer.num_epochs": 1}')
    for variant in (
        'T3={"model.stop": false}',
        f"SynTr={syntr}",
        f'T1={GRAPHS}/rngtr_small_cpu.jsonnet {{"model.iterations": 1}}',
        f"First={ROOT}/docs/results/udify_small_cpu.jsonnet",
    ):
        words += ("--variant", variant)
    run(*words)
    assert models(tmp_path / "out") == ["T3", "SynTr", "T1", "First"]
    # SynTr reads gold UPOS and predicts none: no gain of it over who predicts them.
    shown = (tmp_path / "out" / "differences.md").read_text().splitlines()
    assert any("SynTr over T3 | - | - | - |" in line for line in shown)
    first = tmp_path / "out" / "First" / "seed_1"
    parsed = list(read_sentences(first / "predicted" / "en_ewt" / "en_ewt-ud-train.conllu"))
    assert len(parsed) == 12
    config = json.loads((tmp_path / "out/T1/seed_1/en_ewt/config.json").read_text())
    assert config["model"]["iterations"] == 1
    assert config["model"]["initial"]["archive"] == str(first / "en_ewt")
    with monkeypatch.context() as patch:
        patch.setattr(runs, "load_predictor", None)
        patch.setattr(runs, "train_model", None)
        run(*words)
    # What the study `refined` of benchmarks/results.py does next.
    test, passes = treebank / "en_ewt-ud-test.conllu", tmp_path / "passes"
    passes.mkdir()
    model = tmp_path / "out" / "T3" / "seed_1" / "en_ewt"
    run("predict", model, test, "--every-iteration", "--output-file", passes / "en_ewt.conllu")
    parsed = [passes / f"en_ewt.{number}.conllu" for number in range(4)]
    run("ud-score", "--by", "arcs", test, *parsed, "--out", tmp_path / "errors")
    table = (tmp_path / "errors" / "errors.tsv").read_text()
    assert all(f"\n{view}\t" in table for view in ("relation", "projectivity"))


def test_one_that_is_trained_is_refined(treebank, tmp_path, monkeypatch):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    words = ablation("rngtr_small_cpu.jsonnet", treebank, out=tmp_path)
    words += ("--initial", "UDify", "-o", '{"trainer.num_epochs": 1}')
    run(*words, "--variant", f"UDify={INITIAL}", "--variant", "T3={}")
    assert models(tmp_path) == ["UDify", "T3"]
    assert not (tmp_path / "UDify" / "en_ewt").exists()
    # The tags in the archive of a refiner are the first parser's: as right, and they are compared.
    head, *rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text().splitlines()]
    first, refined = (dict(zip(head, row)) for row in rows[:2])
    assert first["UPOS"] == refined["UPOS"] != "" and first["Lemmas"] == refined["Lemmas"] != ""
    assert (
        "| T3 over UDify | +0.00 (+0.00 to +0.00) | " in (tmp_path / "differences.md").read_text()
    )


def test_one_refiner_of_all_treebanks(treebank, tmp_path, monkeypatch):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    german = tmp_path / "UD_German"
    german.mkdir()
    for split in ("train", "test"):
        sentences = read_sentences(FIXTURES / "ud" / f"de_gsd-ud-{split}.conllu")
        write_sentences(islice(sentences, 4), german / f"de_gsd-ud-{split}.conllu")
    out = tmp_path / "out"
    words = ablation("rngtr_small_cpu.jsonnet", treebank, german, out=out)
    words += ("--joint", "--initial", "UDify", "-o", '{"trainer.num_epochs": 1}')
    run(*words, "--variant", "T3={}", "--variant", f"UDify={INITIAL}")
    rows = [line.split("\t")[:3] for line in (out / "scores.tsv").read_text().splitlines()]
    assert [row[2] for row in rows if row[0] in ("en_ewt", "de_gsd")] == ["T3", "UDify"] * 2
    predicted = out / "UDify" / "predicted" / "model"
    assert {path.name for path in predicted.glob("*.conllu")} == {
        "en_ewt-ud-train.conllu",
        "de_gsd-ud-train.conllu",
    }
    config = json.loads((out / "T3" / "model" / "config.json").read_text())
    assert len(config["train_data_path"]) == 2


def test_trees_to_learn_from_can_be_jackknifed(treebank, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    words = ablation("rngtr_small_cpu.jsonnet", treebank, out=tmp_path)
    words += ("--initial", "First", "--jackknife", 2, "-o", '{"trainer.num_epochs": 1}')
    words += ("--seeds", 1, "--variant", 'T1={"model.iterations": 1}', "--variant")
    run(*words, f"First={ROOT}/docs/results/udify_small_cpu.jsonnet")
    folder = tmp_path / "First" / "seed_1" / "jackknifed" / "en_ewt"
    config = json.loads((tmp_path / "T1" / "seed_1" / "en_ewt" / "config.json").read_text())
    assert config["dataset_reader"]["inputs"][0]["folder"] == str(folder)
    name = "en_ewt-ud-train.conllu"
    gold = list(read_sentences(treebank / name))
    assert [s.forms for s in read_sentences(folder / name)] == [s.forms for s in gold]
    seen = [list(read_sentences(folder / "folds" / str(fold) / name)) for fold in range(2)]
    assert [s.text for s in seen[1] + seen[0]] == [s.text for s in gold]
    capfd.readouterr()
    for more, message in (
        ((f"First={INITIAL}",), "--jackknife trains the parser that --initial names"),
        (("First={}", "--jackknife", 13), "cannot be cut into 13 folds"),
        (("First={}", "--jackknife", 0), "cannot be cut into 0 folds"),
    ):
        assert execute(*words, *more) == 1
        assert message in capfd.readouterr().err


def test_the_initial_parser_must_be_a_variant(treebank, tmp_path, capfd):
    words = ablation("rngtr_small_cpu.jsonnet", treebank, out=tmp_path)
    assert execute(*words, "--initial", "UDify", "--variant", "T3={}") == 1
    assert "--initial 'UDify' is not a --variant. Name one of T3." in capfd.readouterr().err


def test_terms_of_roles(tmp_path, monkeypatch):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    data = tmp_path / "roles"
    data.mkdir()
    for split in ("train", "dev"):
        pair = [FIXTURES / "roles" / f"en_hand-{split}.conll0{year}" for year in (5, 9)]
        run("ud-join-roles", *pair, "--out", data / f"en_hand-ud-{split}.conllu")
    shutil.copy(data / "en_hand-ud-dev.conllu", data / "en_hand-ud-test.conllu")
    words = ablation("syng2g_small_cpu.jsonnet", data, out=tmp_path / "out")
    words += ("--roles", "-o", '{"trainer.num_epochs": 1, "model.decoders.roles.style": "both"}')
    run(
        *words,
        "--variant",
        "SynG2G={}",
        "--variant",
        'without key={"model.embedder.use_key": false}',
    )
    head = (tmp_path / "out" / "scores.tsv").read_text().splitlines()[0].split("\t")
    assert {"span_F1", "dep_F1"} <= set(head) and "LAS" not in head
    assert models(tmp_path / "out") == ["SynG2G", "without key"]
    shown = (tmp_path / "out" / "differences.md").read_text().splitlines()
    assert shown[0].endswith("| comparison | span_F1 | dep_F1 | pred_F1 | sense_F1 |")
    assert shown[2].startswith("| en_hand | low | without key over SynG2G | ")


def test_what_variants_are_given_as(tmp_path):
    config, own = str(tmp_path / "own.jsonnet"), "default.jsonnet"
    (tmp_path / "own.jsonnet").touch()
    given = ['a={"x": 1}', f"b={config}", f'c={config} {{"y": 2}}', f"d={tmp_path}"]
    found = variants_of(given, own)
    assert found["a"][:2] == (own, {"x": 1}) and found["b"][:2] == (config, {})
    assert found["c"][:2] == (config, {"y": 2}) and found["d"].model == tmp_path
    found = variants_of(["a=multilingual", "b=gone.tar.gz"], own)
    assert found["a"].model == archive_of("multilingual")
    assert found["b"].model == Path("gone.tar.gz")  # its error names it
