"""Roles as a user types it: trained, archived, predicted, scored and drawn."""

import json
import shutil

import pytest

from tests.apps.analysis.helpers import run_command
from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, assert_same_side_by_side, execute, run
from udify_allennlp import Parser
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.roles.files import read_roles

ROLES = FIXTURES / "roles"
INITIAL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
QUICK = {"trainer.optimizer.parameter_groups": None, "trainer.optimizer.lr": 3e-3}


def train(folder, config, style, **changes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", str(ROLES / f"en_hand-train.{style}"))
        patch.setenv("UD_DEV", str(ROLES / f"en_hand-dev.{style}"))
        patch.setenv("UD_INITIAL", str(folder / "initial.tar.gz"))
        patch.setenv("UD_PREDICTED", str(folder / "predicted"))
        path = CONFIGS / "graph2graph" / f"{config}.jsonnet"
        run("train", path, "-s", folder / "run", "-o", json.dumps({**QUICK, **changes}))
    return folder / "run" / "model.tar.gz"


@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    """Trained in float32, as it is evaluated: development scores of bfloat16 may be others."""
    folder = tmp_path_factory.mktemp("spans")
    changes = {"trainer.num_epochs": 40, "trainer.cpu_bfloat16": False}
    return train(folder, "syng2g_spans_small_cpu", "conll05", **changes)


@pytest.fixture(scope="module")
def heads(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heads")
    changes = {"trainer.num_epochs": 25, "trainer.cpu_bfloat16": False}
    return train(folder, "syng2g_small_cpu", "conll09", **changes)


def test_it_learns(spans, heads):
    """The development sentences are among those of training."""
    for archive, score in ((spans, "span_F1"), (heads, "dep_F1")):
        first, best = (
            json.loads((archive.parent / name).read_text())
            for name in ("metrics_epoch_0.json", "metrics.json")
        )
        after_one, learned = first[f"validation_{score}"], best[f"best_validation_{score}"]
        assert learned > after_one + 50


@pytest.mark.parametrize("style", ["conll05", "conll09"])
def test_columns_in_and_out_and_scores(style, spans, heads, tmp_path, monkeypatch, capsys):
    archive = spans if style == "conll05" else heads
    gold = ROLES / f"en_hand-dev.{style}"
    run("predict", archive, gold, "--output-file", tmp_path / f"new.{style}.gz", "--silent")
    golds, new = list(read_roles(gold)), list(read_roles(tmp_path / f"new.{style}.gz"))
    assert [each.forms for each in new] == [each.forms for each in golds]
    assert {each.style for each in new} == {style} and any(each.predicates for each in new)
    if style == "conll05":  # what is not predicted stays
        assert [[row[:4] for row in s.rows] for s in new] == [
            [row[:4] for row in s.rows] for s in golds
        ]
    else:
        assert [[row[2:12:2] for row in s.rows] for s in new] == [
            [row[2:12:2] for row in s.rows] for s in golds
        ]
    code, output, _ = run_command(monkeypatch, capsys, "evaluate", archive, gold)
    metrics = json.loads((archive.parent / "metrics.json").read_text())
    name = "span_F1" if style == "conll05" else "dep_F1"
    assert code == 0 and f"{metrics[f'best_validation_{name}']:.2f}" in output
    run("ud-view", gold, "--predicted", tmp_path / f"new.{style}.gz", "--out", tmp_path / "v.html")
    assert 'class="sense"' in (tmp_path / "v.html").read_text(encoding="utf-8")


def test_columns_that_cannot_hold_what_is_labelled_are_refused(spans, heads, tmp_path, capfd):
    for archive, style, other in ((spans, "conll09", "conll05"), (heads, "conll05", "conll09")):
        output = tmp_path / f"new.{style}"
        words = ("predict", archive, ROLES / "en_hand-dev.conll09", "--output-file", output)
        assert execute(*words) == 1 and not output.exists()
        assert f"roles that this model labels. Name it .{other}" in capfd.readouterr().err


def test_batches_side_by_side_give_the_same(spans):
    sentences = list(load_predictor(spans).reader.sentences(str(ROLES / "en_hand-train.conll05")))
    assert_same_side_by_side(load_predictor(spans), sentences)


def test_attention_on_the_tree(heads, tmp_path):
    gold = ROLES / "en_hand-dev.conll09"
    run("ud-inspect", "graph", heads, gold, "--out", tmp_path / "out")
    rows = (tmp_path / "out" / "graph_attention.tsv").read_text().splitlines()
    assert len(rows) == 1 + 3 * (1 + 2)  # layers, and the mean and the heads of each


def test_text_to_json_and_python(spans, tmp_path):
    (tmp_path / "a.txt").write_text("Anna saw a small house .")
    run("predict", spans, tmp_path / "a.txt", "--output-file", tmp_path / "a.jsonl", "--silent")
    (line,) = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    (sentence,) = Parser.load(spans)("Anna saw a small house .")
    assert json.loads(line) == {**sentence.to_dict(), "words": json.loads(line)["words"]}
    (predicate,) = sentence.predicates
    assert sentence[predicate.word - 1].form == "saw" and predicate.roleset == "see.01"
    assert json.loads(line)["predicates"][0]["spans"][0].keys() == {"label", "start", "end"}
    run("predict", spans, tmp_path / "a.txt", "--output-file", tmp_path / "a.conllu", "--silent")
    (read,) = read_sentences(tmp_path / "a.conllu")
    assert read.misc == sentence.sentence.misc


def test_trees_of_a_file_are_needed_where_they_are_looked_at(heads, tmp_path, monkeypatch, capsys):
    (tmp_path / "a.txt").write_text("Anna slept .")
    words = ["predict", heads, tmp_path / "a.txt", "--output-file", tmp_path / "a.conllu"]
    code, _, errors = run_command(monkeypatch, capsys, *words)
    assert code == 1 and "has head '_', which is not a number" in errors.splitlines()[-1]
    assert not (tmp_path / "a.conllu").exists()


def test_behind_a_parser_text_is_enough(tmp_path):
    """The archive holds the parser, whose trees are predicted too."""
    shutil.copy(INITIAL, tmp_path / "initial.tar.gz")
    (tmp_path / "predicted").mkdir()
    name = "en_hand-train.conll05"
    output = tmp_path / "predicted" / name
    run("predict", INITIAL, ROLES / name, "--output-file", output, "--silent")
    small = {"trainer.num_epochs": 1, "trainer.use_amp": False}
    archive = train(tmp_path, "syng2g_spans", "conll05", **small)
    (tmp_path / "initial.tar.gz").unlink()
    shutil.rmtree(tmp_path / "predicted")
    (sentence,) = Parser.load(archive)("Anna slept .")
    assert all(word.upos != "_" and word.head is not None for word in sentence)


def test_given_predicates_are_kept(tmp_path):
    changes = {
        "trainer.num_epochs": 1,
        "dataset_reader.inputs": ["predicates"],
        "model.decoders.roles.given": True,
    }
    archive = train(tmp_path, "syng2g_spans_small_cpu", "conll05", **changes)
    gold = ROLES / "en_hand-dev.conll05"
    run("predict", archive, gold, "--output-file", tmp_path / "new.conll05", "--silent")
    for before, after in zip(read_roles(gold), read_roles(tmp_path / "new.conll05")):
        assert [p[:2] for p in before.predicates] == [p[:2] for p in after.predicates]
