"""Features that agree along arcs, beside the sums of all choices."""

import itertools

import numpy
import pytest
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.exportable import save_exportable
from tests.saved_kinds import TREES
from udify_allennlp import Parser
from udify_allennlp.data import agreement, agreement_odds
from udify_allennlp.data.agreement import UNGOVERNED, Agreement
from udify_allennlp.data.agreement_odds import (
    AGREEMENT,
    BROKEN,
    NONE,
    OF_MODIFIERS,
    STEP,
    WEIGHT,
    ArcType,
    Values,
    agreement_entry,
)
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence

LABELS = ["_", "Case=Nom", "Case=Acc", "Case=Acc|Number=Sing", "Person=1", "Person=3"]
OF_ARTICLES = ArcType("det", "DET", "NOUN")
SAME = Values(
    -4, {("Case", case, case): 2 for case in ("Nom", "Acc")} | {("Number", NONE, "Sing"): 0}
)


def made_of(kinds):
    vocab = Vocabulary()
    vocab.add_token_to_namespace(agreement_entry("de", kinds), AGREEMENT)
    return Agreement(vocab, LABELS)


def sentence(upos, heads, deprels):
    words = Sentence.from_words(["a"] * len(upos))
    return words.replace(upos=upos, heads=list(map(str, heads)), deprels=deprels)


def applied(chosen, labels, sentences, lang, likely):
    """Returns the numbers of the labels of all words after `apply`."""
    cells = iter([LABELS[number] for number in labels])
    columns = [{"feats": [next(cells) for _ in own.forms]} for own in sentences]
    chosen.apply(columns, sentences, [lang] * len(labels), likely)
    return chosen.numbers_of(columns)


ARTICLE = sentence(["DET", "NOUN"], [2, 0], ["det:x", "root"])


def likely(scores):
    """Returns the candidates of words: all labels, with these log-probabilities by word."""

    def of(places):
        return [list(enumerate(scores[place])) for place in places]

    return of


def test_an_article_and_its_noun_by_hand():
    chosen = made_of({OF_ARTICLES: SAME})
    scores = [[-9, -0.1, -2.3, -9], [-9, -0.9, -0.5, -9]]  # der Nom, Haus Acc rather than Nom

    def apply(lang, scores=scores, best=(1, 2)):
        labels = applied(chosen, best, [ARTICLE], lang, likely(scores))
        return labels, [place for place in range(2) if labels[place] != best[place]]

    assert apply("de") == ([1, 1], [1])
    assert apply("en") == apply("") == ([1, 2], [])
    # A sure prediction stays.
    assert apply("de", [[-9, -0.4, -0.9, -9], [-9, -9, -0.1, -9]]) == ([2, 2], [0])
    assert apply("de", [[-9, 0, -9, -9], [-9, -9, 0, -9]]) == ([1, 2], [])
    # What agrees is not looked at.
    assert apply("de", [[0] * 4] * 2, (2, 2)) == ([2, 2], [])


@pytest.mark.parametrize(
    "upos, heads, deprels, finite",
    [
        (["PRON", "VERB", "PART"], [2, 0, 2], ["nsubj", "root", "advmod"], 1),  # I sleep not
        (["PRON", "AUX", "VERB"], [3, 3, 0], ["nsubj", "aux:pass", "root"], 1),
        (["PRON", "AUX", "ADJ"], [3, 3, 0], ["nsubj", "cop", "root"], 1),
        (["AUX", "PRON", "AUX"], [3, 3, 0], ["aux", "nsubj", "root"], 0),
        (["PRON", "AUX", "PART"], [2, 0, 2], ["nsubj:x", "root", "advmod"], 1),
    ],
)
def test_a_verb_or_an_auxiliary_has_the_person_of_its_subject(upos, heads, deprels, finite):
    first, third = LABELS.index("Person=1"), LABELS.index("Person=3")
    persons = {("Person", "1", "1"): 5, ("Person", "3", "3"): 1}
    chosen = made_of({ArcType("nsubj", "PRON", "VERB"): Values(-4, persons)})
    best = [first if tag == "PRON" else 0 for tag in upos]
    best[finite] = third
    scores = [[-9.0] * len(LABELS) for _ in upos]
    for place, label in enumerate(best):
        scores[place][label] = 0.0
    scores[finite][first] = -5.0  # 1.2 times 9 steps of half a nat are 5.4
    expected = [*best]
    expected[finite] = first
    tree = sentence(upos, heads, deprels)
    assert applied(chosen, best, [tree], "de", likely(scores)) == expected
    scores[finite][first] = -6.0
    assert applied(chosen, best, [tree], "de", likely(scores)) == best


def test_others_words_are_of_no_interest():
    chosen = made_of({OF_ARTICLES: SAME})

    def never(places):
        raise AssertionError

    others = [
        sentence(["DET", "NOUN"], [0, 1], ["root", "det"]),
        sentence(["DET", "VERB"], [2, 0], ["det", "root"]),
        sentence(["DET", "NOUN"], [2, 0], ["nmod", "root"]),
    ]
    assert applied(chosen, [1, 2] * 3, others, "de", never) == [1, 2] * 3


@pytest.mark.parametrize(
    "form, accusative, expected",
    [
        # German `ohne` has an accusative. Article and noun agree in either case: of the noun, it
        # is 0.6 * 0.5 * (1 + 4) nats worse as long as the article is a nominative.
        ("ohne", -0.1 - UNGOVERNED + 1.5 + 0.01, "Case=Acc"),
        ("ohne", -0.1 - UNGOVERNED + 1.5 - 0.01, "Case=Nom"),
        ("Ohne", -0.2, "Case=Acc"),
        ("unbekannt", -0.2, "Case=Nom"),
    ],
)
def test_an_adposition_governs_the_case_of_a_noun_and_its_article(form, accusative, expected):
    pairs = {("Case", case, case): 1 for case in ("Nom", "Acc")}
    chosen = made_of({OF_ARTICLES: Values(-4, pairs)})
    words = Sentence.from_words([form, "a", "a"])
    tree = words.replace(
        upos=["ADP", "DET", "NOUN"], heads=["3", "3", "0"], deprels=["case", "det", "root"]
    )
    scores = [[0.0], [-9.0, -0.5, -0.5], [-9.0, -0.1, accusative]]
    found = applied(chosen, [0, 1, 1], [tree], "de", likely(scores))
    assert [LABELS[label] for label in found] == ["_", expected, expected]


CELLS = st.tuples(st.just("Case"), *[st.sampled_from(["Nom", "Acc", NONE])] * 2)
VALUES = st.builds(Values, st.integers(-6, 2), st.dictionaries(CELLS, st.integers(-6, 6)))
SCORES = st.lists(st.floats(-5, 0), min_size=4, max_size=4)


@given(VALUES, VALUES, st.lists(SCORES, min_size=4, max_size=4))
def test_no_other_label_of_a_broken_word_is_better(of_articles, of_adjectives, scores):
    adjective, noun = ArcType("amod", "ADJ", "NOUN"), ArcType("nmod", "NOUN", "NOUN")
    kinds = {OF_ARTICLES: of_articles, adjective: of_adjectives, noun: of_articles}
    tree = sentence(["DET", "ADJ", "NOUN", "NOUN"], [3, 3, 0, 3], ["det", "amod", "root", "nmod"])
    arcs = [(OF_ARTICLES, 0), (adjective, 1), (noun, 3)]

    def odds(kind, *labels):
        """The weighted log-odds of an arc, and whether it is broken."""
        own, head = (dict(c.split("=") for c in LABELS[n].split("|") if c != "_") for n in labels)
        other, ranks = kinds[kind]
        total, is_broken = 0.0, False
        for name in (own.keys() | head.keys()) & {name for name, _, _ in ranks}:
            rank = STEP * ranks.get((name, own.get(name, NONE), head.get(name, NONE)), other)
            are_both = name in own and name in head
            total += rank * (OF_MODIFIERS if are_both and kind.deprel != "nmod" else WEIGHT)
            is_broken |= are_both and rank <= BROKEN
        return total, is_broken

    def total(labels):
        return sum(scores[place][label] for place, label in enumerate(labels)) + sum(
            odds(kind, labels[place], labels[2])[0] for kind, place in arcs
        )

    before = numpy.array(scores).argmax(1).tolist()
    broken = {
        p for kind, place in arcs if odds(kind, before[place], before[2])[1] for p in (place, 2)
    }
    labels = applied(made_of(kinds), before, [tree], "de", likely(scores))
    changed = {place for place in range(4) if labels[place] != before[place]}
    assert changed <= broken and total(labels) >= total(before) - 1e-9
    agreement._ROUNDS, rounds = 50, agreement._ROUNDS
    try:
        labels = applied(made_of(kinds), before, [tree], "de", likely(scores))
    finally:
        agreement._ROUNDS = rounds
    for place, label in itertools.product(broken, range(len(scores[0]))):
        other = [*labels]
        other[place] = label
        assert total(other) <= total(labels) + 1e-9


def test_a_damaged_entry_says_so():
    vocab = Vocabulary()
    vocab.add_token_to_namespace("de\tAAAA", AGREEMENT)
    with pytest.raises(InputError, match="features of de are damaged: its vocabulary agreement"):
        applied(Agreement(vocab, LABELS), [1, 2], [ARTICLE], "de", likely([]))


def test_features_follow_predicted_trees_whatever_the_input_has(tmp_path, monkeypatch):
    run = str(save_exportable(tmp_path))
    sentences = list(read_sentences(expand_paths(TREES)[0]))
    flat = [
        own.replace(
            heads=["0"] + ["1"] * (len(own) - 1), deprels=["root"] + ["det"] * (len(own) - 1)
        )
        for own in sentences
    ]

    def feats(given):
        return [sentence.feats for sentence in Parser.load(run).parse(given)]

    monkeypatch.setattr(agreement_odds, "BROKEN", 9.0)  # a model of few sentences breaks no arc
    found = feats(sentences)
    assert found == feats(flat)
    for name in ("WEIGHT", "OF_MODIFIERS", "OF_PERSONS"):
        monkeypatch.setattr(agreement_odds, name, 0.0)
    assert found != feats(sentences)
