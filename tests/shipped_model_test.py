"""What a user types first: the model that comes with the package, by its name."""

import json
import zlib

import pytest

from tests.conftest import FIXTURES
from tests.helpers import execute
from udify_allennlp import Parser
from udify_allennlp.archives import shipped
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.text.conllu import read_sentences

TEXT = FIXTURES / "texts" / "five_languages.txt"
TRAIN, DEV = (FIXTURES / "ud" / f"en_ewt-ud-{split}.conllu" for split in ("train", "dev"))


@pytest.fixture(scope="module")
def parser():
    return Parser.load()


def test_a_text_in_five_languages_becomes_sentences_words_and_trees(parser):
    text = TEXT.read_text(encoding="utf-8")
    document = parser(text)
    assert len(document) == 10
    words = [[word.form for word in sentence] for sentence in document]
    assert words[0][:7] == ["The", "dog", "that", "lives", "next", "door", "does"]
    assert " ".join(words[2]) == "Le chien de le voisin n' aboie jamais à le facteur ."
    for sentence in document:
        assert sum(word.head == 0 for word in sentence) == 1
        assert len(sentence.root.subtree) == len(sentence)


def test_it_scores_what_a_parser_should(parser):
    gold = list(read_sentences(DEV))
    scores = scores_of(official_counts(gold, list(parser.parse(gold)), str(DEV)))
    assert scores["LAS"] > 80 and scores["UPOS"] > 90 and scores["Lemmas"] > 90


def test_every_word_has_a_lemma(parser):
    """Some of its treebanks have none, from which it learned to say `_`."""
    document = parser("I'm not sure who wrote it. He was late.", lang="en")
    first, second = ([word.lemma for word in sentence] for sentence in document)
    assert first[:4] == ["I", "be", "not", "sure"] and second[:3] == ["he", "be", "late"]
    assert "_" not in [*first, *second]


def test_it_says_what_it_knows(parser, capsys):
    assert {"en", "fr", "de", "tr", "zh", "fi"} <= {*parser.languages}
    assert execute("ud-card", "multilingual") == 0
    assert "multilingual-e5-small" in capsys.readouterr().out


def test_a_language_that_it_does_not_know_is_warned_of_in_a_line(parser):
    said = parser.card.warning("ta")
    assert "no Tamil (ta) in training" in said and len(said) < 160


def test_it_leaves_the_wheel_below_40_megabytes():
    """A wheel is compressed, the archive is not; the rest of the package takes less than one."""
    assert len(zlib.compress(shipped.archive_of("multilingual").read_bytes())) < 39_000_000


def test_commands_take_its_name(tmp_path, capsys):
    parsed = tmp_path / "text.conllu"
    assert execute("predict", "multilingual", TEXT, "--output-file", parsed) == 0
    assert len(list(read_sentences(parsed))) == 10
    assert execute("ud-view", parsed) == 0
    assert "└── " in capsys.readouterr().out


FEW = {"trainer.least_steps": 0}


def train(tmp_path, monkeypatch, config, encoder=None, **overrides):
    few = tmp_path / "en_few-ud-train.conllu"
    sentences = list(read_sentences(TRAIN))[:16]
    few.write_text("".join(sentence.text for sentence in sentences), encoding="utf-8")
    monkeypatch.setenv("UD_TRAIN", str(few))
    monkeypatch.setenv("UD_DEV", str(few))
    if encoder:
        monkeypatch.setenv("UD_ENCODER", encoder)
    overrides = json.dumps({"trainer.num_epochs": 1, **overrides})
    assert execute("train", config, "-s", tmp_path / "run", "-o", overrides) == 0
    return json.loads((tmp_path / "run" / "metrics.json").read_text())


def test_a_treebank_goes_on_from_all_its_weights(tmp_path, monkeypatch):
    metrics = train(tmp_path, monkeypatch, "udify_from_multilingual", **FEW)
    assert metrics["validation_LAS"] > 80


def test_training_starts_from_its_encoder(tmp_path, monkeypatch):
    metrics = train(tmp_path, monkeypatch, "udify_small_cpu", encoder="multilingual", **FEW)
    assert 0 < metrics["validation_LAS"] < 80
