"""Unknown forms whose lemma training has."""

import numpy
import pytest
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.known import dictionaries, vocabulary
from udify_allennlp.data.known_lemmas import MARGIN, KnownLemmas
from udify_allennlp.data.known_words import Analysis, ContextWord, Treebank, Word
from udify_allennlp.data.label_limits import LabelLimits
from udify_allennlp.data.label_scores import LabelScores
from udify_allennlp.text.lemma_rules import apply_rule, make_rule

GET, WRONG = "obtener", "obtiener"
RULES = [make_rule("obtienen", lemma) for lemma in (WRONG, "obtienen", GET, "tenen")]


def known(lang, **lemmas):
    """Returns a vocabulary of verbs, by form."""
    words = {
        form: Word((Analysis("VERB", "_", make_rule(form, lemma)),), False)
        for form, lemma in lemmas.items()
    }
    return vocabulary(Vocabulary(), Treebank(f"{lang}_one", frozenset(), words))


def lemma(vocab, scores, form="obtienen", lang="es", upos="VERB", unknown=True, rules=RULES):
    """Returns the lemma of a word from the log-probabilities of its rules."""
    row = numpy.array([scores], float)
    best = row.argmax(1)
    word = ContextWord(form, lang, f"{lang}_one", upos, unknown)
    limits = LabelLimits(vocab, "lemma", rules)
    limits.apply(best, [word], LabelScores(row.__getitem__, 1))
    return apply_rule(form, rules[best[0]], lang)


@pytest.mark.parametrize(
    "scores, others, expected",
    [
        ([0, -9, -3.9, -9], {}, GET),
        ([0, -9, -4.1, -9], {}, WRONG),  # not probable enough
        ([-1, 0, -0.1, -9], {}, "obtienen"),  # the form itself
        ([0, -9, -1, -9], {"lang": "fr"}, WRONG),
        ([0, -9, -1, -9], {"upos": "NOUN"}, WRONG),
        ([0, -9, -1, -9], {"upos": "PROPN"}, WRONG),
        ([0, -9, -1, -9], {"unknown": False}, WRONG),
        ([0, -9, -numpy.inf, -9], {}, WRONG),
    ],
)
def test_by_hand(scores, others, expected, monkeypatch):
    monkeypatch.setattr("udify_allennlp.data.endings.WEIGHTS", {})
    assert lemma(known("es", obtener=GET, tenemos="tener"), scores, **others) == expected


def test_a_known_lemma_is_kept():
    vocab = known("es", obtener=GET, obtiener=WRONG)
    assert lemma(vocab, [0, -9, -0.1, -9]) == WRONG


def test_suppletive_and_short_lemmas_are_those_of_other_words(monkeypatch):
    monkeypatch.setattr("udify_allennlp.data.endings.WEIGHTS", {})
    assert RULES[3] == make_rule("obtienen", "tenen") and not RULES[3].startswith("!")
    rules = [RULES[0], "!ser", make_rule("obtienen", "ten"), RULES[3]]
    vocab = known("es", es="ser", ten="ten", tenen="tenen")
    assert lemma(vocab, [0, -1, -1, -9], rules=rules) == WRONG
    assert lemma(vocab, [0, -1, -1, -3], rules=rules) == "tenen"  # half as long


def test_lemmas_of_several_morphemes_are_kept():
    rules = [make_rule("학교에서", "학교+에서"), make_rule("학교에서", "학교")]
    vocab = known("ko", 학교="학교")
    assert lemma(vocab, [0, -1], form="학교에서", lang="ko", rules=rules) == "학교+에서"


def test_a_word_without_possible_labels_keeps_its_own():
    assert lemma(known("es", obtener=GET), [-numpy.inf] * 4) == WRONG


FORMS = st.text("ab", min_size=1, max_size=6)
ANALYSES = st.builds(
    Analysis, st.sampled_from(["VERB", "NOUN"]), st.just("_"), FORMS.map("!".__add__)
)


@given(
    form=FORMS,
    words=dictionaries(FORMS, ANALYSES),
    lemmas=st.lists(FORMS, min_size=1, max_size=6, unique=True),
    data=st.data(),
)
def test_the_first_probable_known_lemma_is_chosen(form, words, lemmas, data):
    rules = list(dict.fromkeys(make_rule(form, each) for each in lemmas))
    scores = numpy.array(
        data.draw(st.lists(st.floats(-9, 0), min_size=len(rules), max_size=len(rules)))
    )
    vocab = vocabulary(Vocabulary(), Treebank("en_one", frozenset(), words))
    found = KnownLemmas(vocab, rules)
    word = ContextWord(form, "en", "", "VERB", True)
    best = int(scores.argmax())
    verbs = {own.rule[1:] for each in words.values() for own in each.analyses if own.upos == "VERB"}
    made = [apply_rule(form, rule) for rule in rules]
    is_doubtful = bool(verbs) and made[best] not in verbs and made[best] != form
    assert found.doubtful([word], [best]) == [0] * is_doubtful
    good = [
        (-score, number)
        for number, score in enumerate(scores)
        if score >= scores[best] - MARGIN
        and made[number] in verbs
        and 2 * len(made[number]) >= len(form)
        and not rules[number].startswith("!")
    ]
    expected = min(good)[1] if good else best
    assert found.choose(word, numpy.arange(len(rules)), scores) == expected
