"""Rules that split multiword tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.multiwords import apply_split, cased_like, make_split
from udify_allennlp.text.surfaces import surfaces

LETTERS = "abAßıİ|!;+-\\_ Σς"


@given(
    form=st.text(LETTERS, min_size=1),
    words=st.lists(st.text(LETTERS, min_size=1), min_size=1, max_size=4),
)
def test_a_rule_gives_back_its_words(form, words):
    rule = make_split(form, words)
    assert apply_split(form, rule) == tuple(words)
    assert rule and not any(character.isspace() for character in rule)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("ud/*.conllu")), ids=lambda path: path.name)
def test_treebanks(path):
    for sentence in read_sentences(path):
        for surface in surfaces(sentence):
            if surface.words:
                rule = make_split(surface.text, surface.words)
                assert apply_split(surface.text, rule) == surface.words


def test_one_rule_for_tokens_that_are_built_alike():
    zum = make_split("zum", ["zu", "dem"])
    assert {make_split("Zum", ["Zu", "dem"]), make_split("ZUM", ["ZU", "DEM"])} == {zum}
    assert apply_split("vom", zum) == ("vo", "dem")
    assert make_split("verlo", ["ver", "lo"]) == make_split("comprarlo", ["comprar", "lo"])
    assert apply_split("du", "!de\\9;le") == ("de", "le")


def test_a_rule_that_does_not_fit_leaves_the_token():
    assert apply_split("a", make_split("verlo", ["ver", "lo"])) == ("a",)


@pytest.mark.parametrize(
    "form, expected", [("AU", "À LE"), ("Au", "À le"), ("au", "à le"), ("À", "À le"), ("5", "à le")]
)
def test_words_have_the_case_of_their_token(form, expected):
    assert cased_like(form, ["à", "le"]) == tuple(expected.split())
