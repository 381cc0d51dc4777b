"""The shipped small config as a user would type it: trained, scored, archived, parsed with."""

import asyncio
import json

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.helpers import execute
from tests.saved_typology import SMALL, train_small
from udify_allennlp import Parser
from udify_allennlp.apps.service.models import load_models
from udify_allennlp.apps.service.parameters import RequestError
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.conllu import read_sentences

UD = FIXTURES / "ud"
WIDER = {
    "model.decoders.deps.arc_dim": 16,
    "model.decoders.deps.deprel_dim": 8,
    "trainer.num_epochs": 2,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typology")
    kinds = {"run": {}, "anew": {"model.embedder.keep_below": 0}}
    changes = {name: {**SMALL, **WIDER, **own} for name, own in kinds.items()}
    train_small(changes, folder, sentences=40)
    return folder / "run" / "model.tar.gz"


def test_training_is_the_same_where_the_frozen_encoder_runs_for_one_epoch_alone(model):
    """But for how products round in bfloat16 beside other padding."""
    runs = [model.parent, model.parents[1] / "anew"]
    found = [json.loads((run / "metrics.json").read_text()) for run in runs]
    for name in ("training_loss", "validation_loss"):
        assert found[0][name] == pytest.approx(found[1][name], rel=5e-3)


def test_a_language_that_training_has_not_seen_is_parsed(model, tmp_path, capfd):
    assert execute("evaluate", model, UD / "fi_tdt-ud-dev.conllu") == 0
    assert "fi_tdt" in capfd.readouterr().out
    text = tmp_path / "text.txt"
    text.write_text("Hundurin svevur. Hann droymir.\n")
    parsed = {}
    for lang in ("fo", "Japanese"):
        out = tmp_path / f"{lang}.conllu"
        assert execute("predict", model, text, "--lang", lang, "--output-file", out) == 0
        parsed[lang] = list(read_sentences(out))
        assert len(parsed[lang]) == 2
    document = Parser.load(model)("Hundurin svevur. Hann droymir.", lang="fo")
    heads = [[word.head for word in sentence] for sentence in document]
    assert heads == [list(map(int, s.heads)) for s in parsed["fo"]]
    for parser, given in (
        (Parser.load(model), {"lang": "fo"}),
        (Parser.load(model, lang="fo"), {}),
    ):
        parser.parse_file(text, tmp_path / "file.conllu", silent=True, **given)
        assert [s.heads for s in read_sentences(tmp_path / "file.conllu")] == [
            s.heads for s in parsed["fo"]
        ]
    # A code of ISO 639-3 alone names it, too.
    assert len(Parser.load(model, lang="fao")("Hundurin svevur.")) == 1


def test_a_request_to_the_service_names_the_language(model):
    text = "Hundurin svevur. Hann droymir."
    service = Service(load_models([f"all={model}"]), TextReader())

    def ask(**given):
        asked = {"data": text, "tokenizer": "", "parser": "", **given}
        return asyncio.run(service.process(asked))["result"]

    for lang in ("fo", "Japanese"):
        assert ask(lang=lang) == Parser.load(model)(text, lang=lang).conllu
    with pytest.raises(RequestError, match="has no language. Specify it as lang"):
        ask()
    with pytest.raises(RequestError, match="The parameter lang: Unknown language 'qqq'"):
        ask(lang="qqq")


def test_the_language_changes_the_parse(model):
    parser = Parser.load(model)
    with torch.no_grad():  # two epochs have not told the positions apart by much
        for weight in parser._predictor.model.embedder.generators.parameters():
            weight.mul_(20)
    gold = list(read_sentences(UD / "fi_tdt-ud-dev.conllu"))
    found = {lang: [s.heads for s in parser.parse(gold, lang=lang)] for lang in ("en", "ja")}
    assert found["en"] != found["ja"]
    mixed = list(
        parser.parse(gold, lang=["en", "ja"] * (len(gold) // 2) + ["en"] * (len(gold) % 2))
    )
    for place, sentence in enumerate(mixed):
        assert sentence.heads == found[("en", "ja")[place % 2]][place]


def test_conllu_that_does_not_name_its_language_can_be_given_one(model, tmp_path, capfd):
    unnamed = tmp_path / "text.conllu"
    unnamed.write_bytes((UD / "fi_tdt-ud-dev.conllu").read_bytes())
    assert execute("predict", model, unnamed, "--output-file", tmp_path / "a") == 1
    assert "has no language. Specify it as lang" in capfd.readouterr().err
    outs = [tmp_path / "named.conllu", tmp_path / "given.conllu"]
    assert execute("predict", model, UD / "fi_tdt-ud-dev.conllu", "--output-file", outs[0]) == 0
    assert execute("predict", model, unnamed, "--lang", "fi", "--output-file", outs[1]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_language_without_features_is_one_line(model, tmp_path, capfd):
    parser = Parser.load(model)
    with pytest.raises(ConfigurationError, match="The syntax of Pomak"):
        parser("Text.", lang="qpm")
    with pytest.raises(ConfigurationError, match="has no language"):
        parser("Text.")
    (tmp_path / "a.txt").write_text("Text.\n")
    assert execute("predict", model, tmp_path / "a.txt", "--lang", "qpm") == 1
    error = capfd.readouterr().err.strip().split("\n")[-1]
    assert error.startswith("allennlp: error: The syntax of Pomak")


def test_positions_of_some_languages_are_kept_without_what_makes_them(model, tmp_path, capfd):
    small = tmp_path / "small.tar.gz"
    words = ("ud-pack", model, "--precision", "float32", "--out", small)
    assert execute(*words, "--languages", "fao, English") == 0
    assert small.stat().st_size < model.stat().st_size
    weights = Parser.load(small)._predictor.model.state_dict()
    made = [name for name in weights if "generators" in name]
    assert made == [f"embedder.generators.{n}.tables" for n in (0, 1)]
    gold = list(read_sentences(UD / "fi_tdt-ud-dev.conllu"))
    for lang in ("fo", "en"):
        ours, theirs = (
            [s.text for s in Parser.load(path).parse(gold, lang=lang)] for path in (small, model)
        )
        assert ours == theirs
    for lang in ("fao", "Faroese", "eng", "en-US"):
        assert len(Parser.load(small)("Teksti.", lang=lang)) == 1
    with pytest.raises(
        ConfigurationError, match="positions for en, fo, but not for 'Finnish'.*ud-pack"
    ):
        Parser.load(small)("Teksti.", lang="fi")
    other = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
    words = ("ud-pack", other, "--precision", "float32", "--out", tmp_path / "x.tar.gz")
    assert execute(*words, "--languages", "fo") == 1
    assert "does not. Omit it" in capfd.readouterr().err


def test_development_data_of_another_language_is_told_before_training(tmp_path, capfd):
    own = {name: value for name, value in SMALL.items() if "prior_dim" not in name}
    changes = {**own, **WIDER, "model.embedder.generator": {"type": "id"}}
    with pytest.raises(AssertionError):
        train_small({"run": changes}, tmp_path, sentences=12, train=["en_ewt"])
    assert not list((tmp_path / "run").glob("metrics_epoch_*"))
    output, errors = capfd.readouterr()
    assert "positions for en, but not for 'German'" in errors and "The model:" not in output
