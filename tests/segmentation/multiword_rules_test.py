"""Words of multiword tokens, by the rules of a vocabulary made by hand."""

import numpy
import pytest
from allennlp.data import Vocabulary

from udify_allennlp.segmentation.multiword_rules import FORMS, RULES, MultiwordRules
from udify_allennlp.text.multiwords import make_split

SPLIT = ("מ", "דבר")
"""Hebrew: a preposition, and the rest of the token."""
DAGESH = "ִּ"


def words(form, known, whole=()):
    """The words of a Hebrew token, if these tokens were split in training, and others were not."""
    vocab = Vocabulary(non_padded_namespaces=[RULES, FORMS])
    for token, parts in known.items():
        rule = make_split(token, parts)
        vocab.add_token_to_namespace(rule, RULES)
        vocab.add_token_to_namespace(f"he {token} {rule}", FORMS)
    scores = numpy.zeros(vocab.get_vocab_size(RULES))
    rules = MultiwordRules(vocab, lambda lang: dict.fromkeys(whole))
    return rules.words(form, "he", 1.0, scores, range(len(scores)))


@pytest.mark.parametrize("end", ["ילה", "ים"])
def test_a_rule_also_splits_other_tokens_with_its_letters(end):
    assert words("מ" + end, {"".join(SPLIT): SPLIT}) == ("מ", end)


def test_no_rule_cuts_a_letter_from_its_marks():
    known = {"".join(SPLIT): SPLIT}
    assert words("מ" + DAGESH + "ילה", known) == ()
    # A token that training has is split as there.
    marked = ("מ", DAGESH + "לה")
    known["".join(marked)] = marked
    assert words("".join(marked), known) == marked


def test_words_of_training_are_not_split_unless_they_were_there():
    known = {"".join(SPLIT): SPLIT}
    assert words("מים", known) == ("מ", "ים")
    assert words("מים", known, ["מים"]) == ()
    assert words("".join(SPLIT), known, known) == SPLIT


@pytest.mark.parametrize(
    "lang, whole, expected",
    [("id", (), ("Itu", "lah")), ("id", ("itulah",), ()), ("tr", (), ()), ("it", (), ())],
)
def test_what_training_always_split_is_certain(lang, whole, expected):
    rule = make_split("itulah", ("itu", "lah"))
    vocab = Vocabulary(non_padded_namespaces=[RULES, FORMS])
    vocab.add_token_to_namespace(rule, RULES)
    vocab.add_token_to_namespace(f"{lang} itulah {rule}", FORMS)
    rules = MultiwordRules(vocab, lambda lang: dict.fromkeys(whole))
    assert rules.certain("Itulah", lang) == expected
    text = "Itulah itulah's x-itulah (itulah) ITULAH"
    spans = [*rules.certain_spans(text, lang, 0, len(text))]
    assert spans == ([(0, 6), (26, 32)] if expected else [])


def test_what_training_split_in_two_ways_is_not_certain():
    vocab = Vocabulary(non_padded_namespaces=[RULES, FORMS])
    for parts in (("ב", "בית"), ("ב", "ה", "בית")):
        rule = make_split("בבית", parts)
        vocab.add_token_to_namespace(rule, RULES)
        vocab.add_token_to_namespace(f"he בבית {rule}", FORMS)
    assert MultiwordRules(vocab).certain("בבית", "he") == ()


def test_contractions_are_split_if_training_has_some_or_may_not_show_them():
    rules = MultiwordRules(Vocabulary(non_padded_namespaces=[RULES, FORMS]))
    # An archive lacks the words of Ligurian by their licence.
    assert rules.certain("A-o", "lij") == ("À", "o")
    assert rules.certain("du", "fr") == ()
