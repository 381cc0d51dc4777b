"""Words of scripts without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icu4py.breakers import WordBreaker

from tests.helpers.segmentation import bars
from tests.helpers.texts import LANGUAGES, ODD
from udify_allennlp.text import unspaced
from udify_allennlp.text.cutting import text_parts
from udify_allennlp.text.unspaced import UNSPACED, dictionary_states, inside_words

TEXT = " ".join(LANGUAGES.values())


def one_by_one(text):
    """The same by a call of ICU for each run."""
    states = [0] * len(text)
    place = 0
    while place < len(text):
        end = place
        while end < len(text) and UNSPACED.match(text[end]):
            end += 1
        for start, part in text_parts(text[place:end]):
            last = place + start
            for word in WordBreaker(part, "en"):
                states[last : last + len(word)] = [1] * (len(word) - 1) + [2]
                last += len(word)
        place = max(end, place + 1)
    return states


@given(text=st.one_of(st.text(ODD), st.text("a 我们\n爱ไป𠀀ကかカ。")))
def test_together_as_one_by_one(text):
    assert dictionary_states(text).tolist() == one_by_one(text)


def test_long_texts(monkeypatch):
    text = TEXT * 3 + "我们爱北京" * 100
    expected = one_by_one(text)
    assert dictionary_states(text).tolist() == expected
    monkeypatch.setattr(unspaced, "_TOGETHER", 7)
    assert dictionary_states(text).tolist() == expected


def test_by_hand():
    assert dictionary_states("a 我们爱。").tolist() == [0, 0, 1, 2, 2, 0]
    assert dictionary_states("ไปไหน").tolist() == [1, 2, 1, 1, 2]
    assert dictionary_states("no").tolist() == [0, 0]


@pytest.mark.parametrize(
    "marked",
    [
        "食_べる 見た",
        "座ってく_だ_さ_い",
        "寝な_さ_い。座_りな_さ_い",
        "なさいます お_は_よ_うございます",
        "こ_ん_に_ち_は、さ_よ_う_な_ら。",
        "し_ゃべる まし_ょう 真っ直ぐ は_っきり",
        "コ_ーヒ_ーって 売_りっぱなし だって あ_っ",
        "好的，谢_谢。再_见 再见到他 對_不_起",
    ],
)
def test_words_that_stay_whole(marked):
    """A low line stands where the word continues."""
    text, places = bars(marked.replace("_", "|"))
    assert (inside_words(text).nonzero()[0] + 1).tolist() == places
