"""Models that are not parsers: trained, archived, packed and loaded, or rejected in one line."""

import json

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive

from tests.helpers import execute
from tests.toy_translation import PairLoader
from udify_allennlp import Parser
from udify_allennlp.archives.card import card_of
from udify_allennlp.predictors.loading import load_predictor

PAIRS = [("up", word, word.upper()) for word in ("cab", "bad", "dab", "abba", "a", "bc")]
PAIRS += [("back", "abc", "cba"), ("back", "dd", "dd")]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder, the directions of each epoch, and the model."""
    PairLoader.epochs.clear()
    folder = tmp_path_factory.mktemp("translation")
    (folder / "pairs.tsv").write_text("".join("\t".join(pair) + "\n" for pair in PAIRS))
    settings = {
        "dataset_reader": {"type": "toy_pairs"},
        "train_data_path": str(folder / "pairs.tsv"),
        "model": {"type": "toy_translation"},
        "data_loader": {"type": "toy_pairs", "per_direction": 10},
        "trainer": {
            "type": "udify",
            "num_epochs": 30,
            "optimizer": {"type": "udify_adamw", "lr": 0.01},
            "checkpointer": {"type": "udify"},
            "run_confidence_checks": False,
        },
        "include_in_archive": ["card.json"],
    }
    model = train_model(Params(settings), str(folder / "run"))
    return folder, PairLoader.epochs, model


def translated(path):
    model = load_archive(str(path)).model.eval()
    with torch.no_grad():
        return model([(direction, source, "") for direction, source, _ in PAIRS])["texts"]


def test_each_direction_has_exactly_so_many_pairs_in_an_epoch(trained):
    assert trained[1] == [{"up": 10, "back": 10}] * 30


@pytest.mark.parametrize("precision", ["float32", "float16", "int8", "int4"])
def test_it_is_packed_and_translates_as_before(trained, precision, tmp_path):
    folder = trained[0]
    expected = [target for _, _, target in PAIRS]
    assert translated(folder / "run") == expected
    target = tmp_path / "packed.tar.gz"
    words = ("ud-pack", folder / "run", "--precision", precision, "--out", target)
    assert execute(*words) == 0
    assert translated(target) == expected
    assert card_of(str(target)) == card_of(str(folder / "run"))
    whole = (folder / "run" / "model.tar.gz").stat().st_size
    assert precision == "float32" or target.stat().st_size < 0.7 * whole


def test_its_card_knows_the_texts_and_their_licence(trained, capsys):
    assert execute("ud-card", trained[0] / "run" / "model.tar.gz") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "raw texts 1 toy_pairs CC0 1.0" in said and "treebanks unknown" in said


def test_commands_of_parsers_say_in_a_line_why_not(trained, capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    archive = trained[0] / "run" / "model.tar.gz"
    (tmp_path / "a.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "a.txt").write_text("a b c\n")
    pack = ("ud-pack", archive, "--precision", "int8", "--out", tmp_path / "x.tar.gz")
    for words, why in (
        (("ud-calibrate", archive, tmp_path / "a.conllu"), "which does not parse"),
        ((*pack, "--languages", "en"), "which does not parse"),
        ((*pack, "--words", tmp_path / "a.txt"), "the encoder is from Hugging Face"),
    ):
        assert execute(*words) == 1
        said = capsys.readouterr().err.strip().splitlines()
        assert why in said[-1] and not any("Traceback" in line for line in said)
    for load in (load_predictor, Parser.load):
        with pytest.raises(
            ConfigurationError, match="of type toy_translation, which does not parse"
        ):
            load(archive)
    assert not (tmp_path / "x.tar.gz").exists()
    json.loads((trained[0] / "run" / "card.json").read_text())
