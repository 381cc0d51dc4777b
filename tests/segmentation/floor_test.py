"""Rules that override the network of a segmenter."""

from itertools import pairwise

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.kept_whole import TEXTS, assembled
from tests.helpers.segmentation import cut
from udify_allennlp.segmentation.floor import (
    end_after_letters,
    floor_of,
    join_abbreviations,
)
from udify_allennlp.segmentation.labels import MULTIWORD, SENTENCE, TOKEN
from udify_allennlp.text.tokenizers import make_tokenizer


@given(parts=TEXTS, seed=st.integers(0, 2**32 - 1), size=st.integers(1, 30))
def test_no_label_is_inside_what_stays_whole(parts, seed, size):
    text, inside = assembled(parts)
    given_labels = numpy.random.default_rng(seed).integers(0, 8, len(text)).astype(numpy.uint8)
    given_labels[(given_labels & TOKEN) == 0] = 0
    floor = floor_of(text, [0], [len(text)])
    whole = given_labels.copy()
    floor.apply(whole, 0)
    assert not any(whole[place - 1] for place in inside)
    assert ((whole & (SENTENCE | MULTIWORD) == 0) | (whole & TOKEN > 0)).all()
    # Blocks do not matter.
    labels = []
    for part in floor.blocks(text, size):
        labels.append(given_labels[part].copy())
        floor.apply(labels[-1], part.start)
    assert not text or (numpy.concatenate(labels) == whole).all()


@pytest.mark.parametrize(
    "text", ["-" * 99, "." * 99, "a-" * 50, "viu-o " * 20, "1–2 3:4 5/6 " * 9, "(ab) " * 9]
)
def test_blocks_are_bounded_and_begin_at_no_sign_behind_a_word(text):
    parts = [text[part] for part in floor_of(text, [0], [len(text)]).blocks(text, 10)]
    assert "".join(parts) == text and max(map(len, parts)) <= 11
    assert not any(a[-1].isalnum() and b[0] in "-–/:)" for a, b in pairwise(parts))


@pytest.mark.parametrize(
    "text, is_end",
    [
        ("in 1999.", True),
        ("on 12/25/2024.", True),
        ("٢٣ في ٤٥.", True),
        ("1.", False),
        ("in 1999", False),
        ("p.m.", False),
        ("see www.a.de/2.", False),
    ],
)
def test_a_number_ends_before_the_last_period_of_a_paragraph(text, is_end):
    row = f"{text}\n\n{text} x"  # the second paragraph does not end with it
    labels = numpy.zeros(len(row), dtype=numpy.uint8)
    floor_of(row, [0, len(text) + 2], [len(text), len(row)]).end_certain(labels, 0)
    assert labels.nonzero()[0].tolist() == [len(text) - 2] * is_end


@pytest.mark.parametrize(
    "text, ends",
    [
        ("甲。乙。", [1, 3]),
        ("甲「乙。丙」丁。", [7]),
        ("甲「乙。」丁。", [6]),
        ("甲。。乙", [2]),
        ("甲。”乙", []),
        ("甲「乙。丙", []),
    ],
)
def test_a_sentence_ends_at_a_stop_outside_quotation_marks(text, ends):
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    floor_of(text, [0], [len(text)]).end_certain(labels, 0)
    assert labels.nonzero()[0].tolist() == ends
    assert {*labels.tolist()} <= {0, TOKEN | SENTENCE}


def test_no_sentence_ends_at_a_slash_between_letters():
    text = "Fatih/İst. / 1/a"
    labels = numpy.full(len(text), TOKEN | SENTENCE, dtype=numpy.uint8)
    floor_of(text, [0], [len(text)]).end_certain(labels, 0)
    assert numpy.flatnonzero(labels == TOKEN).tolist() == [4, 5]


def test_an_end_inside_a_character_is_at_its_end():
    text = "e\u0301 👍🏽."
    labels = numpy.array([TOKEN, 0, 0, TOKEN | SENTENCE, 0, TOKEN], dtype=numpy.uint8)
    floor_of(text, [0], [len(text)]).apply(labels, 0)
    assert labels.tolist() == [0, TOKEN, 0, 0, TOKEN | SENTENCE, TOKEN]


@pytest.mark.parametrize("lang, joined", [("en", True), ("uk", False)])
def test_a_period_belongs_to_its_abbreviation_where_treebanks_have_it_so(lang, joined):
    text = "Dr. Who etc. The"
    ends = [1, 2, 6, 10, 11, 15]
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    labels[ends] = TOKEN
    labels[[2, 11, 15]] |= SENTENCE
    join_abbreviations(labels, text, 0, lambda place: lang)
    assert numpy.flatnonzero(labels & SENTENCE).tolist() == [11, 15]
    assert numpy.flatnonzero(labels & TOKEN).tolist() == (ends[1:] if joined else ends)


@pytest.mark.parametrize("is_end, token_ends", [(False, [0, 5, 7, 8]), (True, [0, 5, 8])])
def test_a_unit_keeps_its_period_only_where_the_network_ends_a_sentence(is_end, token_ends):
    text = "В 2019 г. Он"
    labels = numpy.zeros(len(text), dtype=numpy.uint8)
    labels[[0, 5, 8]] = TOKEN
    labels[8] |= SENTENCE * is_end
    end_after_letters(labels, text, 0, "ru", lambda place: "ru")
    assert numpy.flatnonzero(labels & TOKEN).tolist() == token_ends
    assert numpy.flatnonzero(labels & SENTENCE).tolist() == [8]


@pytest.mark.parametrize("lang, cut", [("cy", []), ("is", [0, 1, 2, 3])])
@pytest.mark.parametrize("end", [0, SENTENCE])
def test_letters_with_periods_are_whole_where_treebanks_have_it_so(lang, cut, end):
    text = "A.B. X"
    labels = numpy.array([TOKEN, TOKEN, TOKEN, TOKEN | end, 0, TOKEN | SENTENCE], dtype=numpy.uint8)
    join_abbreviations(labels, text, 0, lambda place: lang)
    before = cut or ([2, 3] if end else [3])
    assert numpy.flatnonzero(labels).tolist() == [*before, 5]
    assert labels[3] == TOKEN | end


@pytest.mark.parametrize("lang", ["de_gsd", "fr", None])
def test_a_trained_segmenter_ends_nothing_inside_them(segmenter, lang):
    tokenizer = make_tokenizer(segmenter, lang)

    def check(parts):
        text, inside = assembled(parts)
        tokens = [token for sentence in tokenizer(text) for token in sentence]
        assert not inside & {place for token in tokens for place in token[:2]}
        assert not any(token.words and inside & {*range(*token[:2])} for token in tokens)

    settings(max_examples=25)(given(TEXTS)(check))()


@pytest.mark.parametrize(
    "lang, text, expected",
    [
        (None, "Its population is 5,000.", ["Its population is 5,000 ."]),
        ("pt", "Fá-lo-ei amanhã.", ["+Farei+lo amanhã ."]),
        ("el", "Πάω στον γιατρό.", ["Πάω +σ+τον γιατρό ."]),
        ("la", "Consul itaque mecum venit.", ["Consul itaque +me+cum venit ."]),
        ("pl", "Powiedziałeś to z kanałem.", ["+Powiedział+eś to z kanałem ."]),
        ("sq", "S’ka gjë.", ["+S’+ka gjë ."]),
        ("he", "שלושה אנשים.", ["שלושה אנשים ."]),
        ("ca", "Ella se'n va.", ["Ella se 'n va ."]),
        ("pt", "Ele me deu um livro.", ["Ele me deu um livro ."]),
        ("gl", "Deus deu a dea.", ["Deus deu a dea ."]),
        ("de", "Der Abstand von 5 AU ist groß.", ["Der Abstand von 5 AU ist groß ."]),
        ("fr", "AU REVOIR DU PAYS.", ["+À+LE REVOIR +DE+LE PAYS ."]),
        ("fr", "Il parle du problème des enfants.", ["Il parle +de+le problème +de+les enfants ."]),
        ("fr", "Il mange des pommes.", ["Il mange des pommes ."]),
        ("fr", "Elle a du pain et du beurre.", ["Elle a du pain et du beurre ."]),
        ("fr", "Ce qu’il dit, c’est l’eau.", ["Ce qu’ il dit , c’ est l’ eau ."]),
        ("en", "It couldn’t’ve been.", ["It +could+n’t+’ve been ."]),
        ("en", "Don’t say they’re odd!", ["+Do+n’t say +they+’re odd !"]),
        ("en", "It´s the workers’ right.", ["+It+´s the +workers+’ right ."]),
        ("en", "Mrs. Smith came. She left.", ["Mrs. Smith came .", "She left ."]),
        ("it", "L'Inter ha vinto 2-0.", ["L' Inter ha vinto 2-0 ."]),
        ("hi", "स्कोर 2-0 था।", ["स्कोर 2-0 था ।"]),
        (None, "He came on 2024-11-28.", ["He came on 2024-11-28 ."]),
        ("nl", "Gisteren zag ik dhr. Jansen.", ["Gisteren zag ik dhr. Jansen ."]),
        ("ru", "Он живёт на ул. Ленина.", ["Он живёт на ул. Ленина ."]),
        (
            "zh",
            "请看https://example.com/a?b=c，谢谢。",
            ["请 看 https://example.com/a?b=c ， 谢谢 。"],
        ),
    ],
)
def test_shipped_by_hand(lang, text, expected):
    assert cut(text, lang) == expected


@pytest.mark.parametrize("lang", ["da", None])
def test_shipped_with_an_odd_quotation_mark(lang):
    text = 'Ringen var 5" bred. Det regner. Vi går hjem. Han sagde: "Jeg kommer."'
    inch, *others = cut(text, lang)[:3]
    assert inch.startswith("Ringen var 5") and inch.endswith("bred .")
    assert others == ["Det regner .", "Vi går hjem ."]


@pytest.mark.parametrize(
    ("treebank", "text", "words"),
    [
        ("en_ewt", "the Israeli-Palestinian struggle", "the Israeli - Palestinian struggle"),
        ("fr_gsd", "Il aime lire des romans.", "Il aime lire des romans ."),
        ("it_valico", "« Lasciala! » ha detto.", "« +Lascia+la ! » ha detto ."),
        ("sq_staf", "Kur s'më ka thënë.", "Kur +s'+më ka thënë ."),
    ],
)
def test_rules_hold_for_a_treebank_that_is_named(treebank, text, words):
    assert cut(text, treebank) == [words]
