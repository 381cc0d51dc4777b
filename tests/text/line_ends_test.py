"""Ends of sentences at line ends."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.segmentation import bars, cut
from udify_allennlp.text.line_ends import line_ends

WORDS = ["A.", "the", "Mary", "5", "1)", "came,", "x|y", "of-the", "Who?"]
HEADED = "Of Rome|\nRome was founded by Romulus on the hills of the city.\nIt grew."


@pytest.mark.parametrize(
    "marked",
    [
        "- milk|\n- eggs|\n- bread",
        "a b c:|\n– milk|\n– eggs",
        "x\n– of y\nand z\n– a\nb",
        "x is a\n· b\nand c",
        f"To buy|\n* {25 * 'm '}",
        "x|\n• milk",
        "1. Buy it|\n2. Sell it",
        "1) Buy it|\r\n2) Sell it",
        "a) Buy it|\n b) Sell it",
        "1- Elma|\n2- Armut",
        "१. सेब|\n२. केला|\n०३. आम",
        "· Elma|\n· Armut",
        "买的|\n・リンゴ|\n・みかん",
        "milk\t1|\ntwo eggs\t2",
        "From: me|\nTo: you",
        "好的|\n明天见|\n😊|\nok",
        "床前明月光，\n疑是地上霜",
        "สวัสดี|\nไปไหนมา",
        HEADED,
        # Wrapped text, perhaps; verse; other lists.
        "He came on\n5. May and\n7. May",
        "as he said\n– and meant it",
        "so much depends\nupon\na red wheel",
        "Of Rome\nRome was founded",
        "1. Buy it\n3. Sell it\n- x\n5) y",
        "milk\t1\neggs",
        f"{15 * '他们'}\n的真相",
    ],
)
def test_by_hand(marked):
    text, places = bars(marked)
    assert line_ends(text).ends == places


def test_rows_between_bars():
    assert line_ends("| a | b |\n|---|---|").ends == [9]
    assert line_ends("|| a\n|| b").ends == []


def test_no_sentence_ends_in_marks_of_a_list():
    assert line_ends("1. Buy it\n2. Sell it").marks == [(0, 2), (10, 12)]
    assert line_ends("1. Buy it\nand 2. sell it").marks == []


@given(
    words=st.lists(st.sampled_from(WORDS)),
    width=st.integers(8, 80),
)
def test_wrapped_words_have_no_line_ends(words, width):
    lines = textwrap.wrap(" ".join(["a", *words]), width, break_on_hyphens=False)
    assert line_ends("\n".join(lines)).ends == []


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("fr", "• Retour\n• Livraison", ["• Retour", "• Livraison"]),
        ("de", "1. Neues Auto kaufen\n2. Haus", ["1 . Neues Auto kaufen", "2. Haus"]),
        ("zh", "你好\n我在家", ["你好", "我 在 家"]),
        ("fa", "۱. سیب\n۲. موز", ["۱ . سیب", "۲ . موز"]),
        ("en", HEADED.replace("|", "").replace("\nIt grew.", ""), None),
    ],
)
def test_shipped(lang, text, expected):
    found = cut(text, lang)
    assert found == expected if expected else found[0] == "Of Rome" and len(found) == 2
