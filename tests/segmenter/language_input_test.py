"""Guesses of a paragraph's language by the network, and by another where it is unsure."""

import pytest
import torch
from allennlp.data import Vocabulary

from udify_allennlp.segmenter import language_input
from udify_allennlp.segmenter.language_input import LanguageInput
from udify_allennlp.segmenter.model import Segmenter
from udify_allennlp.segmenter.row import row_of

NAMES = ["en_ewt", "en_gum", "fr_gsd", "de_gsd"]
TEXTS = ["It rains.", "Il pleut.", "Es regnet.", "Piove."]


@pytest.fixture
def small():
    torch.manual_seed(5)
    vocab = Vocabulary({"lang_labels": {name: 9 - i for i, name in enumerate(NAMES)}})
    return Segmenter(vocab, hidden_dim=8, buckets=[64] * 7, dilations=[1, 2]).eval()


@pytest.fixture
def asked(monkeypatch):
    """The texts that another guesser is asked for; its answer is French, or the language `it`."""
    texts = []

    def guess(text, expected):
        texts.append(text)
        assert [*expected] == ["en", "fr", "de"]
        return "it" if text == "Piove." else "fr"

    monkeypatch.setattr(language_input, "language_guesser", lambda: guess)
    return texts


def unsure(model, bias=(0.0, 0.0, 0.0, 0.0)):
    with torch.no_grad():
        model.guess.weight.zero_()
        model.guess.bias[:] = torch.tensor(bias)
    return model


def test_where_the_network_is_unsure_the_other_chooses(small, asked):
    vectors, langs = LanguageInput(unsure(small)).of(row_of(TEXTS))
    # Two treebanks of English make it the likeliest language.
    assert langs == ["fr", "fr", "fr", "en"] and asked == TEXTS
    known = small.layered(small.langs.weight)
    torch.testing.assert_close(vectors[0], known[2])
    torch.testing.assert_close(vectors[3], known.mean(0))


def test_where_it_is_sure_nobody_else_is_asked(small, asked):
    vectors, langs = LanguageInput(unsure(small, (0.0, 0.0, 0.0, 9.0))).of(row_of(TEXTS))
    assert langs == ["de"] * 4 and not asked
    shares = torch.tensor([0.0, 0.0, 0.0, 9.0]).softmax(-1)
    expected = (shares @ small.langs.weight).expand(4, -1)
    torch.testing.assert_close(vectors, small.layered(expected))


@pytest.mark.parametrize("lang", ["en", "fr", "fr_gsd", "en_gum"])
def test_told_languages_are_not_guessed(small, asked, lang):
    _, langs = LanguageInput(unsure(small), lang).of(row_of(TEXTS))
    assert {*langs} == {lang[:2]} and not asked


def test_paragraphs_do_not_matter_to_each_other(small):
    together, langs = LanguageInput(small).of(row_of(TEXTS))
    for number, text in enumerate(TEXTS):
        alone, lang = LanguageInput(small).of(row_of([text]))
        torch.testing.assert_close(alone[0], together[number])
        assert lang == [langs[number]]


def test_only_treebanks_are_left_to_the_network(small):
    is_treebank = {name: LanguageInput(small, name).is_treebank for name in ("fr", *NAMES, "fr_x")}
    assert is_treebank == {"fr": False, **dict.fromkeys(NAMES, True), "fr_x": False}
