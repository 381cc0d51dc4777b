"""Counts as EVALB makes them with COLLINS.prm, worked by hand from its documented rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.evalb import evalb
from tests.helpers.phrases import draw_phrases
from udify_allennlp.constituency.counts import BracketCounts, count
from udify_allennlp.constituency.scores import ConstituencyScorer, ConstituencyScores, table
from udify_allennlp.scoring.scorers import Parsed
from udify_allennlp.text.constituents.parsing import parse_tree
from udify_allennlp.text.constituents.sentences import sentence_of
from udify_allennlp.text.constituents.tree import PhraseTree

GOLD = (
    "(TOP (S (NP-SBJ (DT The) (NN dog)) "
    "(VP (VBZ sits) (PRT (RP down)) (PP (IN by) (NP (PRP me)))) (. .)))"
)
# What EVALB counts: brackets of gold and of the other tree, right ones, right ones whatever their
# labels are; words and right tags; sentences, and those that are right as a whole.
CASES = {
    "itself": (GOLD, (6, 6, 6, 6), (6, 6), (1, 1)),
    "function tags do not count": (GOLD.replace("PP", "PP-LOC"), (6, 6, 6, 6), (6, 6), (1, 1)),
    "ADVP and PRT are the same": (GOLD.replace("PRT", "ADVP"), (6, 6, 6, 6), (6, 6), (1, 1)),
    "another label": (GOLD.replace("PP", "ADVP"), (6, 6, 5, 6), (6, 6), (1, 0)),
    "another tag": (GOLD.replace("(RP", "(IN"), (6, 6, 6, 6), (6, 5), (1, 1)),
    "punctuation elsewhere": (
        GOLD.replace("me)))) (. .)", "me))) (. .))"),
        (6, 6, 6, 6),
        (6, 6),
        (1, 1),
    ),
    "a phrase twice": (
        GOLD.replace("(NP (PRP me))", "(NP (NP (PRP me)))"),
        (6, 7, 6, 6),
        (6, 6),
        (1, 0),
    ),
    "flat": (
        "(TOP (DT The) (NN dog) (VBZ sits) (RP down) (IN by) (PRP me) (. .))",
        (6, 0, 0, 0),
        (6, 6),
        (1, 0),
    ),
    "attached higher": (
        GOLD.replace("(RP down))", "(RP down)))").replace("me))))", "me)))"),
        (6, 6, 5, 5),
        (6, 6),
        (1, 0),
    ),
    "empty nodes": (
        GOLD.replace("(PRP me)", "(PRP me) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))"),
        (6, 6, 6, 6),
        (6, 6),
        (1, 1),
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_by_hand(what):
    text, (gold, predicted, right, unlabelled), (words, tags), (sentences, exact) = CASES[what]
    found = count(parse_tree(GOLD), parse_tree(text))
    wanted = (right, unlabelled, gold, predicted, words, tags, sentences, exact, 0)
    assert found == BracketCounts(*wanted)


LABELS = st.sampled_from(["S", "NP-SBJ", "NP", "ADVP", "PRT", "PP=1", "TOP", "-X"])
TAGS = st.sampled_from(["DT", "NN", ".", ",", "-NONE-", "PRT", "ADVP"])


@st.composite
def pairs_of_trees(draw):
    """Two trees over the same words, alike in much."""
    words = tuple(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=5)))
    tags = tuple(draw(st.lists(TAGS, min_size=len(words), max_size=len(words))))
    found = []
    for _ in range(2):
        found.append(PhraseTree(words, tags, tuple(draw_phrases(draw, len(words), LABELS))))
        tags = tags if draw(st.booleans()) else (*tags[:-1], draw(TAGS))
    return found


@given(pairs_of_trees())
def test_the_program_counts_the_same(pair):
    found = count(*pair)
    labelled, unlabelled = (evalb(*(t.brackets() for t in pair), labelled=x) for x in (True, False))
    if labelled is None:
        assert found == BracketCounts(skipped=1)
    else:
        assert found[:1] + found[2:6] == labelled and found.right_unlabelled == unlabelled.match


def test_a_sentence_whose_punctuation_is_tagged_otherwise_is_left_out():
    """EVALB: 'Length unmatch', or 'Words unmatch' where as many words are left."""
    gold, comma = parse_tree(GOLD), parse_tree(GOLD.replace("(. .)", "(NN .)"))
    assert count(gold, comma) == BracketCounts(skipped=1)
    other = parse_tree(GOLD.replace("(. .)", "(NN .)").replace("(PRP me)", "(. me)"))
    assert count(gold, other) == BracketCounts(skipped=1)
    assert count(gold, comma, gold_tags=True).right == 6
    assert count(*[parse_tree("(TOP (NP (. .)))")] * 2) == BracketCounts(skipped=1)


def test_scores_are_of_all_sentences_together():
    texts = [GOLD, CASES["flat"][0], CASES["attached higher"][0]]
    gold = [sentence_of(parse_tree(GOLD)) for _ in texts]
    new = [sentence_of(parse_tree(text)) for text in texts]
    scorer = ConstituencyScorer()
    scores = scorer.scores(scorer.score(Parsed(gold, new, "a.mrg", ["misc"])))
    # 11 brackets are right of 12 predicted and 18 gold ones.
    assert scores["LP"] == pytest.approx(100 * 11 / 12)
    assert scores["LR"] == pytest.approx(100 * 11 / 18)
    assert scores["LF1"] == pytest.approx(100 * 22 / 30)
    assert scores["exact"] == pytest.approx(100 / 3) and scores["tags"] == 100
    metric = ConstituencyScores()
    assert metric.get_metric() == {}
    for one, its in zip(gold, new):
        metric([one], [{"misc": its.misc, "xpos": its.xpos}])
    assert metric.get_metric(reset=True) == scores
    assert metric.get_metric() == {}
    report = scorer.report([("a", scorer.score(Parsed(gold, new, "a", ["misc"])))] * 2)
    assert [line.split()[0] for line in report.splitlines()] == ["file", "a", "a", "all"]
    assert report.splitlines()[1].split()[3] == "73.33"


def test_a_file_of_which_all_is_left_out_scores_0():
    row = BracketCounts(skipped=2).scores()
    assert row["LF1"] == 0 and row["skipped"] == 2
    assert "2" in table([("a", row)]).split() and table([("a", {})]).split()[-1] == "-"


def test_scores_without_most_sentences_say_how_to_count_all():
    gold = sentence_of(parse_tree("(TOP (S (X a) (Y .)))"))
    new = sentence_of(parse_tree("(TOP (S (X a) (. .)))"))
    for scorer, skipped in ((ConstituencyScorer(), 1), (ConstituencyScorer(gold_tags=True), 0)):
        score = scorer.score(Parsed([gold, gold], [new, gold], "a", ["misc"]))
        assert score.skipped == skipped and "gold_tags" not in scorer.report([("a", score)])
    score = ConstituencyScorer().score(Parsed([gold], [new], "a", ["misc"]))
    assert "a: 1 of 1 sentences" in ConstituencyScorer().report([("a", score)])


def test_other_settings_of_evalb():
    scorer = ConstituencyScorer(deleted=["TOP"], equal={})
    gold = sentence_of(parse_tree(GOLD))
    new = sentence_of(parse_tree(GOLD.replace("PRT", "ADVP")))
    counts = scorer.score(Parsed([gold], [new], "a", ["misc"]))
    assert (counts.words, counts.right, counts.gold) == (7, 5, 6)
