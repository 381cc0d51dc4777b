"""`allennlp ud-downstream nli` and `qa` as a user types them."""

import json

import pytest
import torch

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import ENCODER, execute
from tests.helpers.downstream import PARAGRAPHS, encoder_with_layer, write_pairs, write_squad
from tests.saved_kinds import save_kind
from udify_allennlp.apps.analysis.downstream.heads import load_head


@pytest.fixture
def downstream(monkeypatch, capsys):
    return lambda *words: run_command(monkeypatch, capsys, "ud-downstream", *words)


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


def test_inference(downstream, tmp_path):
    layered = encoder_with_layer(tmp_path / "ud_encoder")
    train = write_pairs(tmp_path / "dev.en.tsv.xz")
    for lang in ("de", "th"):
        write_pairs(tmp_path / f"test.{lang}.tsv", 6)
    words = ["nli", ENCODER, layered, "--train", train, "--test", f"{tmp_path}/test.*.tsv"]
    words += ["--epochs", 1, "--out", tmp_path / "out"]
    code, output, errors = downstream(*words, "--seeds", "1,2")
    assert code == 0, errors
    table = rows(output)
    assert output == (tmp_path / "out" / "scores.tsv").read_text()
    assert table[0] == ["model", "seed", "file", "pairs", "accuracy"]
    files = ["test.de.tsv", "test.th.tsv", "mean"]
    runs = [(name, seed) for name in ("encoder", "ud_encoder") for seed in "12"]
    assert [row[:3] for row in table[1:]] == [[*run, file] for run in runs for file in files]
    kept = json.loads((tmp_path / "out" / "results.json").read_text())
    assert (
        kept["finished"] and [r["integration"] for r in kept["results"]] == [False] * 2 + [True] * 2
    )
    assert kept["results"][0]["training"] == "10 pairs"  # two of twelve select the epoch
    lines = (tmp_path / "out/predictions/encoder/1/test.de.tsv").read_text().split()
    gold = [line[-1] for line in rows((tmp_path / "test.de.tsv").read_text())[1:]]
    accuracy = 100 * sum(a == b for a, b in zip(lines, gold, strict=True)) / 6
    assert table[1][3:] == ["6", f"{accuracy:.4f}"]
    # An interrupted run goes on with what is missing.
    path = tmp_path / "out" / "results.json"
    path.write_text(json.dumps({**kept, "finished": False, "results": kept["results"][:3]}))
    code, again, errors = downstream(*words, "--seeds", "1,2")
    assert code == 0 and again == output and "encoder, seed 1" not in errors.replace("ud_", "")
    code, _, errors = downstream(*words)
    assert code == 1 and "is not an empty folder" in errors


def test_answering(downstream, tmp_path):
    (tmp_path / "run").mkdir()
    model = save_run(tmp_path / "run")
    train = write_squad(tmp_path / "train.json", "en", "ru", "ar")
    files = [write_squad(tmp_path / f"xquad.{lang}.json", lang) for lang in ("zh", "th")]
    words = ["qa", model, "--train", train, "--dev", train, "--test", *files, "--epochs", 2]
    words += ["--max-pieces", 48, "--overlap", 4, "--batch-size", 4, "--examples", 5]
    code, output, errors = downstream(*words, "--out", tmp_path / "out")
    assert code == 0, errors
    table = rows(output)
    metrics = ["questions", "em", "f1", "mlqa_em", "mlqa_f1", "without_answer", "out_of_reach"]
    assert table[0] == ["model", "seed", "file", *metrics]
    assert [row[2] for row in table[1:]] == ["xquad.zh.json", "xquad.th.json", "mean"]
    assert table[1][6] and not table[2][6]  # MLQA has no rule for Thai
    assert [row[-2:] for row in table[1:3]] == [["0", "0"]] * 2
    for lang in ("zh", "th"):
        answers = json.loads(next(tmp_path.glob(f"out/predictions/*/1/*.{lang}.json")).read_text())
        assert [*answers] == [f"{lang}-0", f"{lang}-1"]
        assert all(answer and answer in PARAGRAPHS[lang][0] for answer in answers.values())


def test_mistakes_end_it_before_training(downstream, tmp_path):
    pairs = write_pairs(tmp_path / "x.tsv")
    questions = write_squad(tmp_path / "x.json", "en")
    bad = tmp_path / "bad.tsv"
    bad.write_text("premise\thypothesis\tlabel\na\tb\tc\n")
    nli, qa = ["--train", pairs, "--test", pairs], ["--train", questions, "--test", questions]
    for words, message in (
        (["nli", ENCODER, "--train", bad, "--test", pairs], f"{bad}:2: label 'c' is unknown"),
        (["nli", ENCODER, "--train", pairs, "--test", tmp_path / "y.tsv"], "--test: "),
        (["nli", ENCODER, *nli, "--epochs", 0], "--epochs is 0"),
        (["nli", ENCODER, *nli, "--seeds", "x"], "--seeds is 'x'"),
        (["nli", ENCODER, tmp_path, *nli], "could be made from"),
        (["qa", ENCODER, *qa, "--max-pieces", 65], "--max-pieces is 65, but"),
        (["qa", ENCODER, *qa, "--overlap", 40], "--overlap is 40"),
    ):
        code, _, errors = downstream(*words, "--out", tmp_path / "out")
        last = errors.splitlines()[-1]
        assert code == 1 and last.startswith("allennlp: error: ") and message in last
    assert not (tmp_path / "out").exists()


def test_the_encoder_that_ud_export_writes(tmp_path, capsys):
    (tmp_path / "run").mkdir()
    run_folder = save_kind("pretraining", tmp_path / "run")
    state = torch.load(run_folder / "best.th")
    state["_saved_phase"].fill_(2)  # of the second phase, which trains the layer
    torch.save(state, run_folder / "best.th")
    assert execute("ud-export", run_folder, "--out", tmp_path / "with") == 0
    plain = tmp_path / "plain"
    assert execute("ud-export", run_folder, "--without-integration", "--out", plain) == 0
    heads = [
        load_head(str(tmp_path / name), "AutoModelForQuestionAnswering")
        for name in ("run", "with", "plain")
    ]
    for head in heads[:2]:
        for name, value in head.structure_layer.integration.state_dict().items():
            assert value.equal(state[f"integration.{name}"])
    assert not hasattr(heads[2], "structure_layer")
    for head in heads:
        for name, value in head.bert.state_dict().items():
            assert value.equal(state[f"embedder.transformer.{name}"])
