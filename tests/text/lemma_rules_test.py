"""A rule gives back its lemma for all strings, is a safe line of a file, and generalises."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.lemma_rules import apply_rule, edges, make_rule

SAMPLES = sorted((FIXTURES / "ud").glob("*.conllu"))

# Few characters, so that form and lemma share some: casings, delimiters, line ends, marks.
ODD = st.text(
    "aAbßẞSıIiİσςΣǆǅ\u0301\u0307|;!+-=\\_0 \t\n\r\x0b\x1c\x85\xa0\u2028\ufeff😀", max_size=8
)
ANY = st.one_of(ODD, st.text(st.characters(exclude_categories=()), max_size=12))


@given(form=ANY, lemma=ANY)
def test_lemma_rule_round_trip(form, lemma):
    assert apply_rule(form, make_rule(form, lemma)) == lemma


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_lemma_rule_round_trip_on_treebanks(path):
    for sentence in read_sentences(path):
        for form, lemma in zip(sentence.forms, sentence.lemmas):
            assert apply_rule(form, make_rule(form, lemma)) == lemma


@given(form=ANY, lemma=ANY, other=ANY)
def test_a_rule_of_another_word_never_fails(form, lemma, other):
    result = apply_rule(other, make_rule(form, lemma))
    # Only the empty lemma, or an empty form, can give nothing.
    assert result or not lemma or not other


@given(form=ANY, lemma=ANY)
def test_a_rule_is_one_line_without_white_space(form, lemma):
    rule = make_rule(form, lemma)
    assert rule.split() == rule.splitlines() == [rule]
    assert rule.encode("utf-8").decode() == rule


@given(form=ODD, lemma=ODD, front=st.text("xyz", min_size=1))
def test_a_suffix_rule_works_behind_any_front(form, lemma, front):
    """What generalisation means: the rule looks at the end of the word alone."""
    rule = make_rule("stem" + form.lower(), "stem" + lemma.lower())
    assume(rule.startswith("l|"))
    assert apply_rule(front + "stem" + form.lower(), rule) == front + "stem" + lemma.lower()


@pytest.mark.parametrize(
    "form, lemma, rule",
    [
        ("walking", "walk", "l|---"),
        ("talking", "talk", "l|---"),
        ("Dogs", "dog", "l|-"),
        ("cats", "cat", "l|-"),
        ("London", "London", "k|"),
        ("NATO", "NATO", "k|"),
        ("McDonald", "McDonald", "k|"),
        ("Londons", "London", "k|-"),
        ("LONDON", "London", "c|"),
        ("nato", "NATO", "u|"),
        ("iphone", "iPhone", "!iPhone"),
        ("studies", "study", "l|---+y"),
        ("drove", "drive", "l|-+i=="),  # dr comes before ve
        ("gesagt", "sagen", "l--|-+e+n"),
        ("unentwegt", "Entweg", "c--|-"),
        ("better", "good", "!good"),
        ("dog", "_", "!_"),
        ("_", "_", "l|"),
        ("5", "5", "l|"),
        ("Straße", "Straße", "k|"),
        ("STRASSE", "Straße", "c|--+ß="),
        ("İyi", "iyi", "l|"),
        ("İstanbul'da", "İstanbul", "k|---"),
        ("Ilık", "ılık", "l-+ı|"),
        ("a|b", "a|b|", "l|+|"),
        ("a\\", "a\\\\", "l|+\\5c;"),
        ("10 000", "10 000", "l|"),
        ("ab", "ab ", "l|+\\20;"),
        ("x", "new\nline", "!new\\a;line"),
        ("\u2028", "", "!"),
        ("", "a", "!a"),
        ("", "", "!"),
    ],
)
def test_rules_worked_by_hand(form, lemma, rule):
    assert make_rule(form, lemma) == rule
    assert apply_rule(form, rule) == lemma


@pytest.mark.parametrize(
    "form, rule, lemma",
    [
        ("Was", "l|---", "Was"),  # nothing would be left
        ("a", "l|--", "a"),  # too short
        ("A", "l-|-", "A"),
        ("Hi", "l-+x|-", "x"),  # just long enough
        ("Sing", "l|---", "s"),
        ("", "c|", ""),
    ],
)
def test_rules_that_do_not_fit(form, rule, lemma):
    assert apply_rule(form, rule) == lemma


def test_a_word_of_a_thousand_characters_is_no_trap():
    form = "http://" + "ab" * 5000
    assert make_rule(form, form) == "l|"
    assert make_rule(form.upper(), form) == "l|"
    assert make_rule(form, form[:-1]) == "!" + form[:-1]


@pytest.mark.parametrize(
    "rule", ["", "@@UNKNOWN@@", "l", "x|", "l|+", "l|a", "l|-|", " l|", "l|\n"]
)
def test_what_is_not_a_rule(rule):
    with pytest.raises(ValueError, match="is not a lemma rule. Pass what make_rule returned."):
        apply_rule("word", rule)


@given(form=ANY, lemma=ANY)
def test_what_is_beside_the_edges_of_a_rule_does_not_matter(form, lemma):
    rule = make_rule(form, lemma)
    start, end = edges(form, rule)
    assert len(start) + len(end) <= len(form)
    if not rule.startswith("!"):
        assert edges(start + "x" + end, rule) == (start, end)


def test_edges_by_hand():
    assert edges("Nacht", "k-+e+m|") == ("n", "")
    assert edges("zum", "k|+d+e=") == ("", "m")
    assert edges("a", "k--|") == ("a", "")
    assert edges("Au", "!à") == ("au", "")
