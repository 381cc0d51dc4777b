"""Guesses of a paragraph's language by the network, and by another where it is unsure."""

import pytest
import torch
from allennlp.data import Vocabulary

from udify_allennlp.segmentation import language_input
from udify_allennlp.segmentation.language_input import LanguageInput
from udify_allennlp.segmentation.row import row_of
from udify_allennlp.segmenter.model import Segmenter
from udify_allennlp.segmenter.torch_scores import TorchScores

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


def of(model, texts, lang=None):
    return LanguageInput(TorchScores(model), model.treebanks, lang).of(row_of(texts))


def unsure(model, bias=(0.0, 0.0, 0.0, 0.0)):
    with torch.no_grad():
        model.guess.weight.zero_()
        model.guess.bias[:] = torch.tensor(bias)
    return model


def test_where_the_network_is_unsure_the_other_chooses(small, asked):
    shares, langs = of(unsure(small), TEXTS)
    # Two treebanks of English make it the likeliest language.
    assert langs == ["fr", "fr", "fr", "en"] and asked == TEXTS
    assert shares[0].tolist() == [0, 0, 1, 0]
    assert shares[3].tolist() == [0.25] * 4


def test_where_it_is_sure_nobody_else_is_asked(small, asked):
    shares, langs = of(unsure(small, (0.0, 0.0, 0.0, 9.0)), TEXTS)
    assert langs == ["de"] * 4 and not asked
    expected = torch.tensor([0.0, 0.0, 0.0, 9.0]).softmax(-1)
    torch.testing.assert_close(torch.tensor(shares), expected.expand(4, -1))


@pytest.mark.parametrize("lang", ["en", "fr", "fr_gsd", "en_gum"])
def test_told_languages_are_not_guessed(small, asked, lang):
    _, langs = of(unsure(small), TEXTS, lang)
    assert {*langs} == {lang[:2]} and not asked


def test_paragraphs_do_not_matter_to_each_other(small):
    together, langs = of(small, TEXTS)
    for number, text in enumerate(TEXTS):
        alone, lang = of(small, [text])
        assert alone[0] == pytest.approx(together[number])
        assert lang == [langs[number]]


def test_a_named_treebank_is_told_from_a_language(small):
    names = ("fr", *NAMES, "fr_x")
    is_treebank = {
        name: LanguageInput(TorchScores(small), small.treebanks, name).is_treebank for name in names
    }
    assert is_treebank == {"fr": False, **dict.fromkeys(NAMES, True), "fr_x": False}
