"""Spellings that treebanks lack stay in the text, and change no prediction."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.bare import bare, places, with_bare_forms
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tokenizers import make_tokenizer

MARKS = "\u00ad\u200b\u200e\u2060\ufeff"


@pytest.mark.parametrize(
    "form, expected",
    [
        ("dogs\u200b", "dogs"),
        ("Donau\u00adschiff", "Donauschiff"),
        ("\ufeff\u200eThe", "The"),
        ("\u200b", "\u200b"),  # nothing else
        ("می\u200cروم", "می\u200cروم"),  # spelling
        ("don't", "don't"),
        ("\U00010c00\u200f", "\U00010c00\u200f"),
        ("Пу́тин", "Путин"),
        ("украї́нський", "український"),
        ("г\u0301 и\u0306 и\u0300 é a\u0301", "ѓ й ѝ é á"),  # letters
        ("se\u0328\u0301", "s\u0119\u0301"),
        ("\u1100\u1161\u11bb\u1103\u1161", "갔다"),
        ("ﬁnd oﬃce ﬂow ﬅ", "find office flow st"),
        ("ｗｅｒｅ Ａ", "were A"),
        ("卡拉ＯＫ", "卡拉ＯＫ"),
        ("\ufedb\ufe98\ufe8e\ufe8f \ufefb", "كتاب لا"),
        ("it´s l´ ´ 5´", "it's l' ´ 5´"),
        ("يُحِبُّ كلّ ولدٍ جدّاً هٰذا كـتاب", "يحب كل ولدٍ جداً هذا كتاب"),
        ("ٻِلِي کُلّ", "ٻِلِي کُلّ"),  # Sindhi, Persian
        ("ُّ", "ُّ"),
    ],
)
def test_bare(form, expected):
    assert bare(form) == expected


def test_sentences_keep_everything_else():
    text = (
        "# text = du\u200b lo\u200b\n1-2\tdu\u200b\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tde\u200b\tx\u200b\t_\t_\t_\t_\t_\t_\tA=\u200b\n2\tle\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2.1\te\u200b\t_\t_\t_\t_\t_\t_\t_\t_\n3\t\u200b\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    sentence = with_bare_forms(Sentence(text, "file", 7))
    assert sentence.text == text.replace("1\tde\u200b", "1\tde")
    assert (sentence.path, sentence.line) == ("file", 7)
    plain = Sentence.from_words(["du", "lo"])
    assert with_bare_forms(plain) is plain


def test_forms_are_respelled_as_their_sentence_is():
    arabic = with_bare_forms(Sentence.from_words(["كلّ", "ولدٍ"]))
    assert arabic.forms == ["كل", "ولدٍ"]
    sindhi = with_bare_forms(Sentence.from_words(["سنڌي\u200e", "کُلّ"]))
    assert sindhi.forms == ["سنڌي", "کُلّ"]


@given(text=st.text("لأا ٌّـَa", max_size=12))
def test_places_of_arabic_are_those_of_its_bare_text(text):
    starts, ends = places(text)
    shown = bare(text)
    if set(shown) <= {*"لأا ٌa"}:  # else it has nothing but signs
        assert len(starts) == len(ends) == len(shown)
        assert all(start < end for start, end in zip(starts, ends))
        assert all(end <= start for end, start in zip(ends, starts[1:]))


@given(text=st.text(f"ab {MARKS}", max_size=12))
def test_places_cover_the_text(text):
    starts, ends = places(text)
    shown = "".join(char for char in text if char not in MARKS)
    assert len(starts) == len(ends) == len(shown)
    assert [text[a:b].strip(MARKS) for a, b in zip(starts, ends)] == [*shown]
    assert sorted([*starts, *ends]) == [place for pair in zip(starts, ends) for place in pair]
    # After a character that is no white space, nothing is left out.
    pairs = zip(shown, ends, [*starts[1:], len(text)])
    assert all(char == " " or end == behind for char, end, behind in pairs)


LETTERS = "é а\u0301и\u0306e\u0323\u0302 \u1100\u1161\u11a8ﬁǆﻻｶﾞＡ中´\u09c7\u09be\u200b"


@given(text=st.text(LETTERS, max_size=9))
def test_places_of_letters(text):
    shown = bare(text)
    if shown != text:
        starts, ends = places(text)
        assert len(starts) == len(ends) == len(shown)
        # No two overlap: each starts where another one has ended.
        between = [place for pair in zip(starts, ends) for place in pair]
        assert between == sorted(between)


@given(text=st.text(f"Ab. {MARKS}\n", max_size=20), lang=st.sampled_from(["en", None]))
def test_the_text_is_rebuilt(text, lang):
    tokenizer = make_tokenizer("rules", lang)
    sentences = [*read_text(lines_of(text), tokenizer)]
    assert rebuild(sentences) == (text if text.strip() else "")
    # Words are those of the visible text, and marks with white space around them.
    again = [*read_text(lines_of(bare(text)), tokenizer)]
    words, others = ([f for s in each for f in s.forms] for each in (sentences, again))
    assert [bare(f) for f in words if f.strip(MARKS)] == [f for f in others if f.strip(MARKS)]


@pytest.mark.parametrize("mark", MARKS)
def test_shipped(multilingual, mark):
    text = "The dogs were barking. Juan's cats slept"
    marked = f"{mark}The dogs{mark} were bark{mark}ing{mark}. {mark}Juan{mark}'s cats slept{mark}"
    one, two = ([*multilingual(t, lang="en")] for t in (text, marked))
    assert [bare(word.text) for s in two for word in s] == [w.text for s in one for w in s]
    for column in ("lemma", "upos", "feats", "deprel"):
        values = [[getattr(word, column) for s in each for word in s] for each in (one, two)]
        assert values[0] == values[1]


def test_stress(multilingual):
    (sentence,) = multilingual("Пу́тин — росси́йский де́ятель.", lang="ru")
    assert [word.lemma for word in sentence] == ["Путин", "—", "российский", "деятель", "."]


@pytest.mark.parametrize(
    "lang, text",
    [
        ("fr", "L'été était très chaud à Besançon."),
        ("ko", "그는 어제 학교에 갔다."),
        ("vi", "Tôi đã đọc quyển sách này."),
        ("ar", "شكراً على الآراء."),
        ("de", "Fünf Äpfel waren süß."),
    ],
)
def test_decomposed_characters(multilingual, lang, text):
    texts = (normalize(form, text) for form in ("NFC", "NFD"))
    composed, decomposed = (multilingual(each, lang=lang) for each in texts)
    one, two = ([word for s in document for word in s] for document in (composed, decomposed))
    assert [word.text for word in one] == [normalize("NFC", word.text) for word in two]
    for column in ("lemma", "upos", "feats", "head", "deprel"):
        assert [getattr(w, column) for w in one] == [getattr(w, column) for w in two]
    spans = [normalize("NFD", text)[word.start : word.end] for word in two]
    assert spans == [word.text for word in two]


def test_ligatures(multilingual):
    (sentence,) = multilingual("They were ﬁnding oﬃces.", lang="en")
    assert [word.text for word in sentence] == ["They", "were", "ﬁnding", "oﬃces", "."]
    assert [word.lemma for word in sentence] == ["they", "be", "find", "office", "."]


def test_contractions(multilingual):
    (sentence,) = multilingual("Il parle du\u200b problème.", lang="fr")
    assert [word.text for word in sentence] == ["Il", "parle", "de", "le", "problème", "."]
