"""Serbian in Cyrillic is parsed as in Latin letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.raw_text import Token, lines_of, read_text, rebuild
from udify_allennlp.text.serbian import cyrillic, latin, latin_tokenizer
from udify_allennlp.text.tokenizers import make_tokenizer

ALPHABET = "абвгдђежзијклљмнњопрстћуфхцчџш"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Љубав и џеп", "Ljubav i džep"),
        ("ЊУЈОРК, Њујорк, Њ.", "NJUJORK, Njujork, Nj."),
        ("Б92 СМС-ом", "B92 SMS-om"),
        ("ѓавол љут", "ѓавол ljut"),  # the first is Macedonian
        ("Ljubav", "Ljubav"),
    ],
)
def test_latin(text, expected):
    assert latin(text) == expected


@pytest.mark.parametrize(
    "form, lemma, expected",
    [
        ("инјекције", "injekcija", "инјекција"),
        ("Његовог", "njegov", "његов"),
        ("ЉУБАВИ", "ljubav", "љубав"),
        ("кон", "konj", "коњ"),
        ("људи", "čovek", "човек"),
        ("надживела", "nadživeti", "надживети"),
        ("Ђинђића", "Đinđić", "Ђинђић"),
        ("џепу", "Džep", "Џеп"),
        ("tvoj", "tvoj", "tvoj"),
        ("сам", "_", "_"),
    ],
)
def test_cyrillic(form, lemma, expected):
    assert cyrillic(lemma, form) == expected


@given(form=st.text(ALPHABET + ALPHABET.upper(), min_size=1))
def test_a_word_comes_back(form):
    word = form.lower() if form.islower() else form.capitalize()
    assert cyrillic(latin(word), word) == word


@given(text=st.text("аљЊџ. -щ5a\n", max_size=20))
def test_tokens_are_those_of_latin(text):
    tokenizer = make_tokenizer("rules", "sr")
    sentences = [*read_text(lines_of(text), latin_tokenizer(tokenizer))]
    assert rebuild(sentences) == (text if text.strip() else "")
    expected = [*read_text(lines_of(latin(text)), tokenizer)]
    assert [len(s) for s in sentences] == [len(s) for s in expected]


def test_words_of_a_token_are_cyrillic():
    def tokenizer(paragraph):
        yield [Token(0, len(paragraph), ("raditi", "ću"))]

    assert [*latin_tokenizer(tokenizer)("радићу")] == [[Token(0, 6, ("радити", "ћу"))]]


@pytest.mark.parametrize("lang", ["sr", "hr", "bs"])
def test_shipped(multilingual, lang):
    text = "Јуче сам те звао. Његови људи су дошли у Њујорк са 200 дин. и млеком."
    one, two = (
        [word for s in multilingual(each, lang=lang) for word in s] for each in (latin(text), text)
    )
    assert [word.text for word in one] == [latin(word.text) for word in two]
    assert [word.lemma for word in one] == [latin(word.lemma) for word in two]
    for column in ("upos", "feats", "head", "deprel"):
        assert [getattr(w, column) for w in one] == [getattr(w, column) for w in two]
    assert [two[1].lemma, two[3].lemma] == ["бити", "звати"]
    assert [text[word.start : word.end] for word in two] == [word.text for word in two]


def test_other_languages_stay(multilingual):
    (sentence,) = multilingual("Тој е човек.", lang="mk")
    assert all(latin(word.lemma) != word.lemma for word in list(sentence)[:3])
