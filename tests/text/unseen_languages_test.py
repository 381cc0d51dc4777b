"""A guessed language that a model was not trained on gives one warning."""

import sys

import pytest

from tests.saved_model import save_run
from udify_allennlp import Parser, cli
from udify_allennlp.archives.card import Card, write_card
from udify_allennlp.text import language_guess, unseen_languages
from udify_allennlp.text.lang_comment import lang_of
from udify_allennlp.text.language_guess import language_guesser
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.unseen_languages import UnseenLanguages

ARABIC = "يدرس أخي الطب في جامعة قريبة من بيتنا."
HINDI = "मेरी बहन हर सुबह बगीचे में टहलती है।"
ENGLISH = "The old dog that we found was sleeping under the table."


@pytest.fixture(autouse=True)
def guesser():
    pytest.importorskip(language_guess.PACKAGE)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = save_run(tmp_path_factory.mktemp("run"))
    write_card(folder, {"en_ewt": {"words": 1}, "hi_silver": {"words": 1}}, {}, Card())
    return folder


@pytest.fixture(scope="module")
def parser(run):
    return Parser.load(run)


def told(caplog):
    found = [
        each.getMessage() for each in caplog.records if "was not trained on" in each.getMessage()
    ]
    caplog.clear()
    return found


def test_one_line_for_each_language(run, caplog):
    parser = Parser.load(run)
    parser([ENGLISH, ARABIC, "?", ARABIC, HINDI])
    first, second = told(caplog)
    assert first.startswith("A text looks Arabic (ar), which the model was not trained on")
    assert "Hindi (hi)" in second
    parser(ARABIC)
    assert not told(caplog)


def test_nothing_is_guessed_where_the_language_is_given_or_no_text_is(parser, caplog):
    parser(ARABIC, lang="en")
    parser([ARABIC.split()])
    assert not told(caplog)


def test_files_and_their_beginnings(run, tmp_path, monkeypatch, caplog):
    for name, text in (("a", ENGLISH), ("b", ARABIC)):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n\n" * 60, encoding="utf-8")
    Parser.load(run).parse_file(tmp_path / "*.txt", tmp_path / "out.conllu", silent=True)
    assert len(told(caplog)) == 1
    for more, count in (([], 1), (["--lang", "English"], 0)):
        words = ["allennlp", "predict", str(run), str(tmp_path / "*.txt"), *more]
        words += ["--output-file", str(tmp_path / "new.conllu"), "--silent"]
        monkeypatch.setattr(sys, "argv", words)
        assert cli.run() == 0
        assert len(told(caplog)) == count
    assert (tmp_path / "out.conllu").read_bytes() == (tmp_path / "new.conllu").read_bytes()


def test_without_the_package_nothing_is_said(monkeypatch, caplog):
    monkeypatch.setattr(language_guess, "PACKAGE", "no_such_package")
    monkeypatch.setattr(unseen_languages, "language_guesser", language_guesser.__wrapped__)
    UnseenLanguages(Card(languages=["en"], treebanks={"en_ewt": {}})).look_at(ARABIC)
    assert not told(caplog)


def test_nor_where_it_is_not_known_what_the_model_has_seen(caplog):
    for card in (Card(), Card(languages=["en"], treebanks={"en_ewt": {}, "mine": {}})):
        UnseenLanguages(card).look_at(ARABIC)
    assert not told(caplog)
    UnseenLanguages(Card(languages=["en"], treebanks={"en_ewt": {}})).look_at(ARABIC)
    assert told(caplog)


def test_norwegian_sentences_are_in_the_standard_of_their_words_or_of_their_text():
    texts = ["Eg veit ikkje.", "Tom er lege.", "Jeg vet ikke.", "Eg heiter Tom."]
    unseen = UnseenLanguages(Card(languages=["no"], treebanks={"no_bokmaal": {}}))

    def langs(texts, *told):
        sentences = [Sentence.from_words(text.split(" ")) for text in texts]
        return [lang_of(each) for each in unseen.with_languages(sentences, *told)]

    assert langs(texts, "no") == langs(texts, None) == ["nn", "nn", "nb", "nn"]
    assert langs(texts[1:3], "no") == langs(["Tom er lege."] * 2, "no") == ["nb", "nb"]
    assert langs(texts, "no", "no_nynorsk") == ["no"] * 4
    assert langs(texts, "en") == ["en"] * 4
