"""Ends of sentences after a single capital letter or a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.abbreviations import goes_on
from udify_allennlp.text.sentence_openers import _OPENERS, _WIDEST, letter_ends
from udify_allennlp.text.tokenizers import make_tokenizer

ENDS = {
    "en": "B follows A.| Then comes C.",
    "de": "Es gilt Plan B.| Danach kam er.",
    "fr": "Il prend la vitamine C.| Elle dort.",
    "es": "Fue Filipo V.| Durante la guerra.",
    "gl": "Temos un plan B.| El chegou onda J. R. Smith.",
    "ca": "Té vitamina C.| Ara surt.",
    "ru": "Есть план Б.| Но он ушёл.",
    "nb": "Han valgte plan B.| Det gikk bra.",
    "da": "Det var i 2019.| Derefter kom han kl. 5.| Vi gik kl. 10.30.| Hun kom kl. 5. maj.",
    "hr": "Da.| Dolazi Ana.",
    "lv": "Es.| Man bija.",
    "mk": "Не.| Ана доаѓа.",
    "uk": "Ні.| Відчини двері.",
    "be": "Не.| Я. Колас піша.",
    "pl": "Było to w 2019 r.| Potem wyjechał.",
    None: "She likes group A,| B.| But not C.",
}
NO_ENDS = [
    "George W. Bush and J. R. Smith came.",
    "Options:\nA. The first.\nB. The second.",
    "It ended. A. The first.",
    "Nothing from the U.S. The end.",
    "The p. The end.",
    "See J. O. The end.",
    "Plan B.\nThen",
    "Two steps.\n1. The first.",
    "It costs 5.20. 3. The last.",
    "See page 3. A. The first",
]


@pytest.mark.parametrize("lang", ENDS)
def test_a_listed_word_begins_a_sentence(lang):
    parts = ENDS[lang].replace(",|", ",").split("|")
    text = "".join(parts)
    ends = [sum(map(len, parts[: number + 1])) for number in range(len(parts) - 1)]
    assert list(letter_ends(text, lang)) == ends
    sentences = list(make_tokenizer("rules", lang)(text))
    assert [sentence[-1].end for sentence in sentences[:-1]] == ends
    assert all(text[slice(*sentence[-1][:2])] == "." for sentence in sentences)


def test_other_words_are_no_answers():
    for lang, text in (("hr", "Da. dolazi"), ("hr", "Rekao je da. Ana"), ("ru", "Я. Гашек")):
        assert list(letter_ends(text, lang)) == []
    assert [*letter_ends("Я. Это был я. Кто? Я. Открой. Да. Не", "ru")] == [2, 21, 33]


def test_the_letter_of_a_unit_is_no_initial():
    assert list(letter_ends("It has 20° C. Then 20 °C. But 20 ° C. Berlin", "en")) == [13, 25]


@pytest.mark.parametrize("text", NO_ENDS)
def test_initials_and_items_of_lists_end_nothing(text):
    assert list(letter_ends(text, "en")) == []


@given(text=st.text("AB. ,\nThenor", max_size=40), cut=st.integers(0, 40))
def test_parts_of_a_text_make_no_difference(text, cut):
    cut = min(cut, len(text))
    parts = [*letter_ends(text, "en", 0, cut), *letter_ends(text, "en", cut)]
    assert parts == list(letter_ends(text, "en"))


def test_words_fit_into_a_match():
    words = [word for words in _OPENERS.values() for word in words.split()]
    assert max(map(len, words)) < _WIDEST - 5 and all(word == word.lower() for word in words)


def test_an_initial_before_another_or_a_surname_ends_no_sentence():
    text = "They saw J. R. Smith. A. B"
    assert [goes_on("en")(text, place) for place in (11, 14, 21)] == [True, True, False]


@pytest.mark.parametrize("lang", ["fr", None])
def test_a_trained_segmenter_obeys(segmenter, lang):
    text = "Il prend la vitamine C. Elle dort."
    tokenizer = make_tokenizer(segmenter, lang)
    sentences = [[text[slice(*token[:2])] for token in tokens] for tokens in tokenizer(text)]
    assert ["C", "."] in [sentence[-2:] for sentence in sentences]
