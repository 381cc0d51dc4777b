"""`allennlp ud-pack`: smaller archives that are loaded as any other."""

import json
import shutil
import sys

import pytest
import torch
from allennlp.models.archival import archive_model

from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import Parser, cli
from udify_allennlp.archives.card import Card, card_of, write_card
from udify_allennlp.archives.checks import TOKENIZER
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.data.encoder_files import FOLDER
from udify_allennlp.text.conllu import read_sentences


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = save_run(tmp_path_factory.mktemp("run"))
    config = json.loads((folder / "config.json").read_text())
    config["include_in_archive"] = [FOLDER, "card.json", "../*"]
    (folder / "config.json").write_text(json.dumps(config))
    write_card(folder, {"en_ewt": {"sentences": 40}}, {}, Card())
    archive_model(str(folder), "best.th", include_in_archive=[FOLDER, "card.json"])
    (folder / "metrics.json").write_text("{}")
    for name in ("model_state_e1_b0.th", "training_state_e1_b0.th"):
        (folder / name).write_bytes(b"")
    return folder


@pytest.fixture
def run(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "run")


@pytest.fixture
def pack(monkeypatch, capsys):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-pack", *map(str, words)])
        return cli.run(), capsys.readouterr()

    return execute


def parses(model):
    return [s.text for s in Parser.load(model).parse(list(read_sentences(DEV))[:10])]


def test_a_packed_model_loads_as_any_other(pack, run):
    expected = parses(run)
    for precision, most in (("float16", 0.55), ("int8", 0.45)):  # rows are short here
        code, said = pack(run, "--precision", precision)
        archive = run / f"model.{precision}.tar.gz"
        assert code == 0 and said.out.startswith(f"{archive}: ")
        with model_folder(str(archive)) as folder, model_folder(str(run)) as before:
            weights = (folder / "weights.th").stat().st_size
            assert weights < most * (before / "best.th").stat().st_size
            ours, theirs = load_weights(folder), load_weights(before)
            assert ours.keys() == theirs.keys()
            for name, weight in theirs.items():
                limit = weight.abs().max() / 100
                torch.testing.assert_close(ours[name], weight, rtol=0, atol=float(limit))
            files = {path.name for path in folder.iterdir()}
            one, two = ((each / TOKENIZER).read_text() for each in (folder, before))
            assert json.loads(one) == json.loads(two) and len(one) < len(two)
        assert files == {"config.json", "vocabulary", "weights.th", FOLDER, "card.json"}
        assert card_of(str(archive)) == card_of(str(run))
        if precision == "float16":
            same = sum(a == b for a, b in zip(parses(archive), expected))
            assert same >= 8  # its weights are random: every score is a near tie


def test_an_archive_is_packed_and_unpacked(pack, run, tmp_path):
    small, large = tmp_path / "small.tar.gz", tmp_path / "large.tar.gz"
    assert pack(run / "model.tar.gz", "--precision", "float16", "--out", small)[0] == 0
    assert pack(small, "--precision", "float32", "--out", large)[0] == 0
    assert parses(large) == parses(small)


def test_a_folder_with_one_copy(pack, run):
    (run / "metrics.json").rename(run / "kept.json")
    code, said = pack(run, "--precision", "float32", "--only")
    assert code == 1 and "of a finished run" in said.err and list(run.glob("training_state*"))
    (run / "kept.json").rename(run / "metrics.json")
    assert pack(run, "--precision", "float32", "--only")[0] == 0
    assert not list(run.glob("*.th")) and (run / "model.tar.gz").exists()
    expected = parses(run)  # the folder is given as before
    assert expected == parses(run / "model.tar.gz")
    assert pack(run, "--precision", "float16", "--only")[0] == 0
    assert card_of(str(run)).languages == ["en"]


def test_mistakes_are_one_line(pack, run, tmp_path):
    for words, what in (
        (
            [tmp_path / "none", "--precision", "int8"],
            "none: no such file or folder. Name an existing one",
        ),
        ([run / "model.tar.gz", "--precision", "int8", "--only"], "--only is for the folder of a"),
        ([run, "--precision", "int8", "--out", "a.th"], "Name a file that ends in .tar.gz"),
        ([tmp_path, "--precision", "int8"], "has no vocabulary|config.json"),
    ):
        code, said = pack(*words)
        assert code == 1 and len(said.err.splitlines()) >= 1
        assert any(part in said.err for part in what.split("|")), said.err


def test_the_pieces_of_a_treebanks_words_parse_it_as_before(pack, run):
    expected = parses(run)
    code, said = pack(run, "--precision", "float32", "--words", DEV)
    assert code == 0, said.err
    archive = str(run / "model.float32.tar.gz")
    assert parses(archive) == expected
    name = "embedder.transformer.embeddings.word_embeddings.weight"
    with model_folder(archive) as folder:
        weight = load_weights(folder)[name]
        config = json.loads((folder / FOLDER / "config.json").read_text())
        tokens = json.loads((folder / FOLDER / "tokenizer_config.json").read_text())
    assert len(weight) == config["vocab_size"] < len(load_weights(run)[name])
    assert max(map(int, tokens["added_tokens_decoder"])) < len(weight)
    code, said = pack(run, "--precision", "int8", "--words", DEV, "--least", "1000000")
    assert code == 0 and len(parses(str(run / "model.int8.tar.gz"))) == len(expected)


@pytest.mark.parametrize("words", [["--least", "2"], ["--words", DEV, "--least", "0"]])
def test_least_is_for_words_and_at_least_1(pack, run, words):
    code, said = pack(run, "--precision", "float32", *words)
    assert code == 1 and said.err.count("\n") == 1 and "It requires --words" in said.err
