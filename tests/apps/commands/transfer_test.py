"""`allennlp ud-experiment transfer` from treebanks to tables, killed and taken up again."""

import json
import os
import sys
from itertools import islice

import numpy
import pytest
from allennlp.training.callbacks import TrainerCallback

from tests.conftest import CONFIGS, FIXTURES
from udify_allennlp import cli
from udify_allennlp.apps.commands.transfer import METRICS
from udify_allennlp.apps.studies import runs
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.scoring.ignore_punct import of_sentences
from udify_allennlp.text.conllu import read_sentences, write_sentences

INTERRUPT = {"after": 0}
SETTINGS = {
    "trainer.num_epochs": 1,
    "trainer.callbacks": [{"type": "test_interrupt_transfer"}],
    "model.decoders.deps.arc_dim": 8,
    "model.decoders.deps.deprel_dim": 4,
    "data_loader.batch_size": 8,
}

SYSTEMS = {
    "selfatt_graph": "{ embedder+: { layers+: { num_layers: 1, num_heads: 1, hidden_dim: 8 } } }",
    "rnn_stack": """{
        embedder+: { layers+: { num_layers: 1, hidden_dim: 8 } },
        decoders+: { deps+: { lstm_dim: 8, hidden_dim: 8, beam_size: 2 } },
    }""",
}


class Killed(Exception):
    """Stands for the power cut."""


@TrainerCallback.register("test_interrupt_transfer")
class Interrupt(TrainerCallback):
    def on_batch(self, *args, is_training=True, **kwargs):
        INTERRUPT["after"] -= is_training
        if INTERRUPT["after"] == 0:
            raise Killed


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ud")
    for name, splits in (("en_ewt", ("train", "dev", "test")), ("de_gsd", ("train", "test"))):
        for split in splits:
            path = FIXTURES / "ud" / f"{name}-ud-{split}.conllu"
            count = 24 if split == "train" else 6
            write_sentences(islice(read_sentences(path), count), folder / path.name)
    words = ["the", "of", "der", "."]
    for lang in ("en", "de"):
        StaticVectors(words, numpy.eye(4)).save(folder / f"{lang}.npz")
    return folder


@pytest.fixture
def transfer(monkeypatch, capfd, treebanks, tmp_path):
    """Runs the command on small systems: exit code, output, errors."""
    monkeypatch.setenv("UD_VECTORS", str(treebanks))
    systems = []
    for name, changes in SYSTEMS.items():
        config = CONFIGS / "order_transfer" / f"{name}.jsonnet"
        (tmp_path / config.name).write_text(f"(import '{config}') + {{ model+: {changes} }}")
        systems += ["--system", f"{name}={tmp_path / config.name}"]

    def execute(*words, out=tmp_path / "out", more=()):
        words = words or ("--source", "en_ewt", *systems)
        given = [treebanks, *more, "--out", out, "-o", json.dumps(SETTINGS), *words]
        monkeypatch.setattr(
            sys, "argv", ["allennlp", "ud-experiment", "transfer", *map(str, given)]
        )
        return (cli.run(), *capfd.readouterr())

    INTERRUPT["after"] = 0
    execute.systems = systems
    return execute


def rows(folder):
    lines = (folder / "scores.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines]


def test_every_system_on_every_treebank_and_taken_up_after_a_kill(
    transfer, treebanks, tmp_path, monkeypatch
):
    code, output, _ = transfer(out=tmp_path / "whole")
    head, *table = rows(tmp_path / "whole")
    assert code == 0 and head[3:8] == list(METRICS)
    assert [row[:3] for row in table[:4]] == [
        ["de_gsd", "zero-shot", "selfatt_graph"],
        ["de_gsd", "zero-shot", "rnn_stack"],
        ["en_ewt", "low", "selfatt_graph"],
        ["en_ewt", "low", "rnn_stack"],
    ]
    # The two kinds of figures stand in columns of their own, and are those of the parsed file.
    gold = list(read_sentences(treebanks / "de_gsd-ud-test.conllu"))
    parsed = tmp_path / "whole" / "rnn_stack" / "scores" / "de_gsd.conllu"
    scores = of_sentences(zip(gold, read_sentences(parsed))).scores()
    assert table[1][6:8] == [f"{scores[name]:.2f}" for name in METRICS[3:]]
    assert "LAS_without_punct" in output and "| rnn_stack over selfatt_graph |" in output
    # Differences are of what these systems predict, and of the figures of transfer as well.
    shown = (tmp_path / "whole" / "differences.md").read_text().splitlines()[0]
    assert shown == f"| treebank | resources | comparison | {' | '.join(METRICS)} |"
    lines = (tmp_path / "whole" / "differences.tsv").read_text().splitlines()
    gains = dict(line.split("\t")[4:6] for line in lines if line.startswith("de_gsd"))
    for place, name in enumerate(METRICS):
        points = float(table[1][3 + place]) - float(table[0][3 + place])
        assert float(gains[name]) == pytest.approx(points, abs=0.011)

    for after in (2, 4):  # in the first system, in the second
        INTERRUPT["after"] = after
        with pytest.raises(Killed):
            transfer(out=tmp_path / "cut")
    assert transfer(out=tmp_path / "cut")[0] == 0
    assert rows(tmp_path / "cut")[1:] == table

    monkeypatch.setattr(runs, "train_model", None)  # a third time there is nothing to do
    monkeypatch.setattr(runs, "load_predictor", None)
    assert transfer(out=tmp_path / "cut")[0] == 0


def test_other_treebanks_of_the_language_are_not_those_of_transfer(transfer, treebanks, tmp_path):
    other = tmp_path / "ud" / "en_other-ud-test.conllu"
    other.parent.mkdir()
    other.write_bytes((treebanks / "en_ewt-ud-test.conllu").read_bytes())
    assert transfer("--source", "en_ewt", *transfer.systems[:2], more=[other.parent])[0] == 0
    of = {tuple(row[:2]): row[3:] for row in rows(tmp_path / "out")[1:]}
    assert of["en_other", "language seen"][0] == of["en_ewt", "low"][0]
    assert {name for name in of if name[0].startswith("macro")} == {
        ("macro average (1)", resources)
        for resources in ("zero-shot", "language seen", "low", "all but zero-shot")
    }


def test_several_treebanks_can_be_trained_on_together(transfer, tmp_path):
    code, _, _ = transfer("--source", "en_ewt,de_gsd", *transfer.systems[:2])
    assert code == 0
    assert [row[:2] for row in rows(tmp_path / "out")[1:3]] == [
        ["de_gsd", "low"],
        ["en_ewt", "low"],
    ]
    code, _, errors = transfer("--source", "en_ewt,fr_gsd", *transfer.systems[:2])
    assert code == 1 and "--source fr_gsd is not among the treebanks" in errors


def test_a_system_can_be_a_config_with_changes_or_a_trained_model(transfer, tmp_path):
    config = tmp_path / "selfatt_graph.jsonnet"
    wider = f'wider={config} {{"model.decoders.deps.arc_dim": 9}}'
    trained = f"trained={FIXTURES / 'archives' / 'all_decoders' / 'model.tar.gz'}"
    words = ("--source", "en_ewt", "--system", wider, "--system", trained)
    assert transfer(*words, "--seeds", "1,2")[0] == 0
    head, *table = rows(tmp_path / "out")
    assert [row[2] for row in table[:4]] == ["wider", "trained"] * 2
    assert [row[head.index("runs")] for row in table[:2]] == ["2", "1"]
    trained_with = tmp_path / "out" / "wider" / "seed_1" / "model" / "trained.json"
    settings = json.loads(trained_with.read_text())
    assert settings["model"]["decoders"]["deps"]["arc_dim"] == 9


def test_upos_can_be_those_of_a_model(transfer, tmp_path, treebanks):
    tagger = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
    words = ("--source", "en_ewt", *transfer.systems[:2], "--upos", tagger)
    assert transfer(*words)[0] == 0
    gold = [s.upos for s in read_sentences(treebanks / "de_gsd-ud-test.conllu")]
    tagged, parsed = (
        [s.upos for s in read_sentences(tmp_path / "out" / folder / "de_gsd.conllu")]
        for folder in ("upos", "selfatt_graph/scores")
    )
    assert tagged == parsed != gold

    # Another model with the same --out tags anew, and what it tagged is parsed anew.
    other = tmp_path / "other.tar.gz"
    other.write_bytes(tagger.read_bytes())
    kept = tmp_path / "out" / "upos" / "de_gsd.conllu"
    kept.write_text(kept.read_text().replace("\tNOUN\t", "\tX\t"))
    assert transfer(*words)[0] == 0 and "\tX\t" in kept.read_text()
    assert transfer(*words[:-1], other)[0] == 0
    assert [s.upos for s in read_sentences(kept)] == tagged


def test_models_can_be_discarded_once_they_are_scored(transfer, tmp_path, treebanks, monkeypatch):
    config = CONFIGS / "order_transfer" / "selfatt_graph.jsonnet"
    (tmp_path / "graph.jsonnet").write_text(
        f"(import '{config}') + {{ model+: {SYSTEMS['selfatt_graph']} }}"
    )
    words = ("--source", "en_ewt", "--system", f"graph={tmp_path / 'graph.jsonnet'}")
    assert transfer(*words, "--discard-models")[0] == 0
    out = tmp_path / "out"
    assert not list(out.rglob("model.tar.gz")) and not list(out.rglob("*.th"))
    scores = (out / "scores.tsv").read_bytes()
    os.utime(treebanks / "de_gsd-ud-test.conllu", (0, 0))  # copied or fetched again
    with monkeypatch.context() as patch:
        patch.setattr(runs, "train_model", None)
        patch.setattr(runs, "load_predictor", None)
        assert transfer(*words, "--discard-models")[0] == 0
    assert (out / "scores.tsv").read_bytes() == scores
    (out / "graph" / "scores" / "de_gsd.json").unlink()
    code, _, said = transfer(*words)
    assert code == 1 and "the model was discarded after scoring" in said.splitlines()[-1]


def test_the_first_sentences_of_test_files_can_be_enough(transfer, tmp_path, treebanks):
    tagger = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
    words = ("--source", "en_ewt", *transfer.systems[:2], "--upos", tagger)
    for count in (2, 3):  # the second time with the same model
        assert transfer(*words, "--sentences", count)[0] == 0
        parsed = tmp_path / "out" / "selfatt_graph" / "scores" / "de_gsd.conllu"
        gold = [s.forms for s in read_sentences(treebanks / "de_gsd-ud-test.conllu")]
        assert [s.forms for s in read_sentences(parsed)] == gold[:count]
    # Another file with the same path, though its time is older, is not taken for the one before.
    test, first = treebanks / "de_gsd-ud-test.conllu", tmp_path / "out" / "first_3"
    before = (first / "de_gsd.conllu").stat().st_mtime_ns, (first / "en_ewt.conllu").stat()
    sentences = list(read_sentences(test))
    write_sentences(sentences[1:], test)
    os.utime(test, (0, 0))
    assert transfer(*words, "--sentences", 3)[0] == 0
    assert [s.forms for s in read_sentences(parsed)] == gold[1:4]
    after = (first / "de_gsd.conllu").stat().st_mtime_ns, (first / "en_ewt.conllu").stat()
    assert after[0] > before[0] and after[1].st_mtime_ns == before[1].st_mtime_ns
    assert not list(first.glob("*.new"))
    write_sentences(sentences, test)  # as the other tests know it


@pytest.mark.parametrize(
    "words, message",
    [
        (("--source", "en_ewt", "--sentences", "0"), "--sentences is 0. It must be at least 1."),
        (
            ("--source", "fr_gsd"),
            "--source fr_gsd is not among the treebanks with training data (de",
        ),
        (
            ("--source", "en_ewt", "--system", "x=none.jsonnet"),
            "--system 'x=none.jsonnet': specify",
        ),
        (("--source", "en_ewt", "--system", "../x=y"), "--system '../x=y': specify a name"),
        (
            ("--source", "en_ewt", "--system", "x={}"),
            "--system 'x={}': specify a name and a config",
        ),
    ],
)
def test_what_cannot_be_is_one_line(transfer, words, message):
    code, _, errors = transfer(*words, *transfer.systems)
    assert code == 1 and message in errors


def test_a_language_without_vectors_is_told_before_training(transfer, treebanks, monkeypatch):
    (treebanks / "en").mkdir()
    (treebanks / "en" / "en.npz").write_bytes((treebanks / "en.npz").read_bytes())
    monkeypatch.setenv("UD_VECTORS", str(treebanks / "en"))
    code, _, errors = transfer()
    assert code == 1 and "has no vectors for de. Add them" in errors
