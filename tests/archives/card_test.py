"""The card of a model: written by training, read from archives and runs, never trusted."""

import json
import shutil
from dataclasses import replace

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model

from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.archives.card import (
    Card,
    card_of,
    finish_card,
    is_silver,
    language_prefix,
    read_card,
    write_card,
)
from udify_allennlp.archives.loading import ArchiveError

TREEBANKS = {"en_ewt": {"sentences": 40, "words": 700}, "de_gsd": {"sentences": 2, "words": 9}}
METRICS = {"best_validation_LAS": 71.5, "training_loss": 3.0, "best_epoch": 2}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("saved"))


@pytest.fixture
def run(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "run")


@pytest.fixture
def card(run, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    write_card(run, TREEBANKS, METRICS, encoder="xlm", tasks=["upos", "deps"])
    return read_card(run)


def test_what_is_written_is_read(card):
    assert (card.languages, card.treebanks) == (["de", "en"], TREEBANKS)
    assert (card.scores, card.date) == ({"LAS": 71.5}, "1970-01-02")
    assert (card.tasks, card.encoder) == (["deps", "upos"], "xlm")
    assert {"python", "torch", "transformers", "allennlp", "udify_allennlp"} == set(card.versions)


def test_the_parser_of_an_archive_has_it(card, run, tmp_path):
    archive = str(tmp_path / "model.tar.gz")
    archive_model(str(run), "best.th", archive, include_in_archive=["encoder", "card.json"])
    parser = Parser.load(archive)
    assert parser.card == card_of(archive) == card_of(str(run)) == card
    assert parser.languages == ["de", "en"]


def test_a_model_that_was_started_from_another_has_seen_its_languages(card, run, tmp_path):
    later = shutil.copytree(run, tmp_path / "later")
    write_card(later, {"fr_gsd": {"sentences": 1, "words": 2}}, METRICS, card_of(str(run)))
    found = read_card(later)
    assert found.languages == ["de", "en", "fr"] and found.started_from == ["en_ewt", "de_gsd"]
    assert list(found.treebanks) == ["fr_gsd"] and found.has_seen("en")


def test_what_the_card_of_another_model_says_is_not_guessed_again(run):
    """A card with silver treebanks, as the shipped model has."""
    names = ("en_ewt", "en_silver", "ar_silver", "hi_silver", "mine")
    older = Card(languages=["en", "xx"], treebanks={name: {"words": 3} for name in names})
    write_card(run, {"fo_oft": {"words": 1}, "bg_silver": {"words": 1}}, METRICS, older)
    found = read_card(run)
    assert found.languages == ["en", "fo", "xx"] and found.started_from == list(names)
    # And of a model that was started from that one.
    write_card(run, {"fr_gsd": {"words": 1}}, METRICS, found)
    assert read_card(run).languages == ["en", "fo", "fr", "xx"]


def test_a_model_begun_from_the_shipped_one_knows_what_that_knows(run):
    shipped = card_of("multilingual")
    assert any(map(is_silver, shipped.started_from)) and "hu" not in shipped.languages
    write_card(run, {"hu_szeged": {"words": 1}}, METRICS, shipped)
    found = read_card(run)
    assert found.languages == sorted([*shipped.languages, "hu"])
    for lang in ("bg", "et", "eu"):  # of which there is parsed text alone
        assert not found.has_seen(lang)


def test_a_card_is_unfinished_until_training_is_over(run, caplog):
    finish_card(run)  # there is none yet
    assert not (run / "card.json").exists()
    write_card(run, TREEBANKS, METRICS, Card(), unfinished="epoch 2 of 80")
    written = read_card(run)
    Parser.load(run)
    assert "training of this model did not finish: it stopped at epoch 2 of 80" in caplog.text
    caplog.clear()
    finish_card(run)
    assert read_card(run) == replace(written, unfinished="")
    Parser.load(run)
    assert "did not finish" not in caplog.text


@pytest.mark.parametrize(
    "paths, treebanks",
    [
        (["a/en_ewt-ud-train.conllu", "a/b/fr_gsd-ud-train.conllu"], {"en_ewt": {}, "fr_gsd": {}}),
        ("a/en_ewt-ud-train.conllu", {"en_ewt": {}}),
        (["a/en_ewt-ud-train.conllu", "a/*/*-ud-train.conllu"], {}),
        (None, {}),
        ([3], {}),
        (["\x1b[2J.conllu"], {}),
    ],
)
def test_of_an_earlier_release_the_config_tells(run, paths, treebanks):
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps({**config, "train_data_path": paths}))
    (run / "metrics.json").write_text(json.dumps(METRICS))
    found = read_card(run)
    assert found.treebanks == treebanks and found.scores == {"LAS": 71.5}
    assert found.languages == sorted(name[:2] for name in treebanks)


def test_a_config_of_a_stranger_commands_no_terminal(run):
    config = {"train_data_path": "a\x1b_b.conllu", "model": {"decoders": {"\x1b": 3}}}
    for model in (config["model"], [], {"embedder": {"model_name": "\x1b"}, "decoders": []}):
        (run / "config.json").write_text(json.dumps({**config, "model": model}))
        assert "\x1b" not in "".join(map(str, read_card(run).to_dict().values()))
        assert list(read_card(run).treebanks) == [r"'a\x1b_b'"]


@pytest.mark.parametrize(
    "text",
    [
        '{"languages": "en"}',
        '{"languages": ["\\u001b[2J"]}',
        '{"treebanks": {"\\u001b[2J": {"words": 1}}}',
        '{"treebanks": {"en_ewt": {"words": "many"}}}',
        '{"scores": [1]}',
    ],
)
def test_what_is_no_card_is_refused(run, text):
    (run / "card.json").write_text(text)
    with pytest.raises(ConfigurationError, match="card.json is not a card"):
        card_of(str(run))
    with pytest.raises(ArchiveError, match=f"{run}: its card.json is not a card"):
        Parser.load(run)


def test_what_a_model_has_seen():
    card = Card(languages=["en", "no"], treebanks={"en_ewt": {}, "no_bokmaal": {}})
    assert card.has_seen("en") and card.has_seen("nb") and not card.has_seen("fr")
    assert Card().has_seen("fr")  # nothing is known
    mixed = replace(card, treebanks={"en_ewt": {}, "mine": {}})
    assert mixed.has_seen("fr")  # it may be what `mine` is
    assert "not trained on French (fr)" in card.warning(
        "fr"
    ) and "English (en), Nor" in card.warning("fr")
    assert [language_prefix(name) for name in ("en_ewt", "mine", "qtd_sagt")] == ["en", None, "qtd"]


def test_a_language_it_has_not_seen_gives_one_warning(card, run, caplog):
    parser = Parser.load(run, lang="en")
    # Loading may log what it does: another test of the process may have asked for it.
    assert not [record for record in caplog.records if record.levelname == "WARNING"]
    caplog.clear()
    for _ in range(2):
        parser("Une phrase.", lang="French")
    assert [r.levelname for r in caplog.records if r.levelname != "INFO"] == ["WARNING"]
    assert "not trained on French (fr)" in caplog.text and "German (de)" in caplog.text
