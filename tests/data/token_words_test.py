"""The list of tokens with their words."""

from collections import Counter

from tests.helpers.segmentation import cut
from udify_allennlp.data.language_sections import text_by_language
from udify_allennlp.data.token_words import FILE, LANGS, token_words


def test_each_token_of_letters_is_there_once():
    assert text_by_language(FILE).keys() == LANGS
    for lang in LANGS:
        counts = Counter("".join(words) for words in token_words(lang))
        assert max(counts.values()) == 1
        assert all(token.isalpha() and token == token.lower() for token in counts)


def test_words():
    words = {"".join(own): own for own in token_words("he")}
    assert words["המשפחה"] == ("ה", "משפחה") and words["תלמידיו"] == ("תלמידי", "ו")
    assert [*token_words("de")] == []


def test_shipped():
    text = "אני רוצה לקנות לחם וגבינה."
    assert cut(text, "he") == ["אני רוצה לקנות לחם +ו+גבינה ."]
    assert cut("בנימין הגיע הביתה.", "he") == ["בנימין הגיע הביתה ."]
