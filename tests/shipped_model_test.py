"""The first commands of a user: the shipped model by its name."""

import io
import json
import sys

import pytest
from allennlp.common import Params

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import execute
from udify_allennlp import Parser
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.scoring.official import official_counts, scores_of
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.conllu import read_sentences

TEXT = FIXTURES / "texts" / "five_languages.txt"
TRAIN, DEV = (FIXTURES / "ud" / f"en_ewt-ud-{split}.conllu" for split in ("train", "dev"))


@pytest.fixture
def parser(multilingual):
    return multilingual


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


def test_verbs_with_pronouns_in_one_token_are_verbs_and_pronouns(parser):
    first, second = parser("Él no viene. Dímelo.", lang="es")
    assert [word.upos for word in first] == ["PRON", "ADV", "VERB", "PUNCT"]
    assert [(word.form, word.upos) for word in second] == [
        *(("Di", "VERB"), ("me", "PRON"), ("lo", "PRON"), (".", "PUNCT"))
    ]


def test_it_says_what_it_knows(parser, capsys):
    assert {"en", "fr", "de", "tr", "zh", "fi"} <= {*parser.languages}
    assert execute("ud-card", "multilingual") == 0
    assert "multilingual-e5-small" in capsys.readouterr().out


def test_a_language_that_it_does_not_know_is_warned_of_in_a_line(parser):
    said = parser.card.warning("hu")
    assert "not trained on Hungarian (hu)" in said and len(said) < 160


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


def test_training_from_another_archive_has_the_same_settings(monkeypatch):
    for name in ("UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("UD_START", "multilingual")
    other, own = (
        Params.from_file(str(CONFIGS / f"{name}.jsonnet")).as_dict(quiet=True)
        for name in ("udify_from_archive", "udify_from_multilingual")
    )
    assert other == own and own["model"]["archive"] == "multilingual"


def test_training_starts_from_its_encoder(tmp_path, monkeypatch):
    metrics = train(tmp_path, monkeypatch, "udify_small_cpu", encoder="multilingual", **FEW)
    assert 0 < metrics["validation_LAS"] < 80


LINES = "Le chien du voisin dort\nIl va au marché. Il rentre."
SPLIT = [["Le", "chien", "de", "le", "voisin", "dort"]]


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("de", "Kannst du mir sagen, wo dein Zug ist?", "können du ich sagen , wo dein Zug sein ?"),
        ("de", "Was hast du gestern gemacht?", "was haben du gestern machen ?"),
        ("es", "¿Quieres venir mañana?", "¿ querer venir mañana ?"),
        ("nl", "Heb je jouw fiets bij je?", "hebben je jouw fiets bij je ?"),
        ("nl", "Waarom kijken ze naar ons?", "waarom kijken ze naar ons ?"),
        ("fr", "Elle danse et je bois du thé.", "lui danser et moi boire du thé ."),
        ("es", "Te odio.", "tú odiar ."),
        ("es", "Ayer fui al médico.", "ayer ir a el médico ."),
        ("pt", "Ele foi para casa.", "ele ir para casa ."),
        ("it", "Lavoro in banca.", "lavorare in banca ."),
        ("pt", "Eu trabalho aqui.", "eu trabalhar aqui ."),
        ("pl", "Boli mnie głowa.", "boleć ja głowa ."),
        ("no", "Tom er lege.", "Tom være lege $."),
        ("no", "Eg veit ikkje kva det er.", "eg vite ikkje kva det vere $."),
    ],
)
def test_lemmas_of_everyday_sentences(parser, lang, text, expected):
    (sentence,) = parser(text, lang=lang)
    assert " ".join(word.lemma for word in sentence) == expected


def test_verbs_agree_with_ich_and_du(parser):
    (sentence,) = parser("Du bist müde.", lang="de")
    assert sentence[1].upos == "AUX" and sentence[1].feats["Person"] == "2"
    (sentence,) = parser("Ich ging nach Hause.", lang="de")
    assert sentence[1].feats["Person"] == "1"


@pytest.mark.parametrize(
    "lang, text, place, feature, value",
    [
        # Words that training lacks have the features of word lists.
        ("de", "Wie viele Äpfel hast du gegessen?", 2, "Number", "Plur"),
        ("de", "Ich habe den Schlüssel in der Hose.", 6, "Gender", "Fem"),
        ("ru", "Мы останемся дома.", 1, "Tense", "Fut"),
        ("it", "Sapevate che ho una macchina nuova?", 0, "Tense", "Imp"),
        ("it", "Potresti aspettare un momento?", 0, "Mood", "Cnd"),
        ("es", "Espero que llueva mañana.", 2, "Mood", "Sub"),
        # Words agree in readings that training lacks.
        ("de", "Sie ist eine Freundin.", 3, "Case", "Nom"),
        ("de", "Berlin ist die Hauptstadt Deutschlands.", 3, "Case", "Nom"),
        ("de", "Dürfen wir hier parken?", 0, "Person", "1"),
        ("de", "Tom besitzt magische Kräfte.", 2, "Number", "Plur"),
        ("es", "Yo estaba cansado.", 1, "Person", "1"),
        ("pl", "To jest jej dom.", 3, "Case", "Nom"),
        # Nouns and pronouns have a case that their adposition governs.
        ("ru", "Мы говорили о них.", 3, "Case", "Loc"),
    ],
)
def test_features_of_everyday_sentences(parser, lang, text, place, feature, value):
    (sentence,) = parser(text, lang=lang)
    assert sentence[place].feats[feature] == value


@pytest.mark.parametrize(
    "lang, text, place, deprel",
    [
        ("de", "Dreh bitte die Lautstärke runter.", 3, "obj"),
        ("lt", "Jie plauna rankas.", 2, "obj"),
        ("lt", "Tėvas nupirko man naują dviratį.", 2, "iobj"),
        ("pl", "Poświęcił się badaniom.", 2, "iobj"),
        ("ru", "Том не очень хорошо поёт.", 0, "nsubj"),
        ("uk", "Мені подобається дивитися телевізор.", 0, "iobj"),
    ],
)
def test_deprels_fit_the_case(parser, lang, text, place, deprel):
    (sentence,) = parser(text, lang=lang)
    assert sentence[place].deprel == deprel


def test_lines_keep_multiword_tokens(tmp_path):
    (tmp_path / "notes").write_text(LINES)
    (tmp_path / "lines.txt").write_text(LINES)
    parser = Parser.load(tokenizer="lines", lang="fr")
    found = {"called": [[word.form for word in sentence] for sentence in parser(LINES)]}
    parser.parse_file(tmp_path / "notes", tmp_path / "file.conllu", silent=True)
    words = ("--tokenizer", "lines", "--lang", "fr")
    output = ("--output-file", tmp_path / "predict.conllu")
    assert execute("predict", "multilingual", tmp_path / "notes", *words, *output) == 0
    corpus = ("--out", tmp_path / "corpus")
    assert execute("ud-parse", "multilingual", tmp_path / "lines.txt", *words, *corpus) == 0
    for name in ("file.conllu", "predict.conllu", "corpus/lines.conllu"):
        found[name] = [sentence.forms for sentence in read_sentences(tmp_path / name)]
    for name in (None, "lines"):
        reader = TextReader(own_tokenizer("multilingual", name))
        found[name] = [sentence.forms for sentence in reader.read(LINES, "fr", "presegmented")]
    assert len(set(map(str, found.values()))) == 1
    assert found["called"][:1] == SPLIT and len(found["called"]) == 2
    assert found["called"][1][:5] == ["Il", "va", "à", "le", "marché"]


def test_standard_input_reaches_its_own_segmenter(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINES.encode())))
    assert execute("predict", "multilingual", "-") == 0
    assert b"3-4\tdu\t" in capsysbinary.readouterr().out


def test_the_non_commercial_model_is_found_by_its_name(monkeypatch):
    monkeypatch.setenv("UDIFY_MODELS", str(FIXTURES.parent / "models"))
    parser = Parser.load("multilingual-nc")
    assert {"hu", "et", "eu", "bg", "en"} <= {*parser.languages}
    (sentence,) = parser("A kutya a kertben alszik.", lang="hu")
    assert [word.upos for word in sentence] == ["DET", "NOUN", "DET", "NOUN", "VERB", "PUNCT"]
    assert [word.head for word in sentence] == [2, 5, 4, 5, 0, 5]
