"""Scores that are 100 for any parser are not shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import DEV
from udify_allennlp.scoring.official import METRICS, official_scores, report
from udify_allennlp.scoring.scorers import ConllScorer, Parsed
from udify_allennlp.scoring.undefined_scores import (
    COLUMNS,
    LOOKS_AT,
    NOTE,
    filled,
    honest,
    macro_average,
)
from udify_allennlp.text.conllu import read_sentences

GOLD = list(read_sentences(DEV))
ALL = set(COLUMNS)
WITHOUT = {  # by column, what is no more than the other columns say
    "upos": {"UPOS", "AllTags", "MLAS"},
    "xpos": {"XPOS", "AllTags"},
    "feats": {"UFeats", "AllTags", "MLAS"},
    "lemmas": {"Lemmas", "BLEX"},
    "heads": {"UAS", "LAS", "CLAS", "MLAS", "BLEX"},
    "deprels": {"LAS", "CLAS", "MLAS", "BLEX"},
}


def emptied(sentences, column):
    return [each.replace(**{column: ["_"] * len(each)}) for each in sentences]


def wrong(sentences, column):
    return [each.replace(**{column: ["X|Y=1"] * len(each)}) for each in sentences]


def test_nothing_is_left_out_of_what_is_all_there():
    assert filled(GOLD) == ALL and set(LOOKS_AT) == set(METRICS)
    assert ConllScorer().score(Parsed(GOLD, GOLD, "dev", ALL)).keys() == set(METRICS)


@pytest.mark.parametrize("column", ["upos", "xpos", "feats", "lemmas"])
def test_a_metric_is_kept_if_and_only_if_its_columns_can_be_wrong(column):
    """Brute force: a column that is all wrong moves just the metrics that look at it."""
    before = official_scores(GOLD, GOLD, "dev")
    after = official_scores(GOLD, wrong(GOLD, column), "dev")
    if column == "feats":  # only universal ones are scored
        after = official_scores(GOLD, emptied(GOLD, column), "dev")
    moved = {metric for metric in METRICS if after[metric] != before[metric]}
    assert moved == WITHOUT[column] == {m for m, needs in LOOKS_AT.items() if column in needs}
    assert set(METRICS) - honest(before, ALL - {column}).keys() == moved


@pytest.mark.parametrize("column", ["xpos", "lemmas", "feats", "upos"])
def test_gold_without_values_has_no_figure(column):
    gold = emptied(GOLD, column)
    assert filled(gold) == ALL - {column}
    parsed = Parsed(gold, gold, "dev", ALL)
    assert set(METRICS) - ConllScorer().score(parsed).keys() == WITHOUT[column]
    assert ConllScorer(official=True).score(parsed).keys() == set(METRICS)


def test_feats_that_are_not_universal_are_not_scored():
    gold = [each.replace(feats=["HebBinyan=PAAL"] * len(each)) for each in GOLD]
    assert "feats" not in filled(gold)


@given(st.sets(st.sampled_from(COLUMNS)))
def test_more_columns_give_more_figures(columns):
    scores = dict.fromkeys(METRICS, 1.0)
    found = honest(scores, columns).keys()
    assert all(set(LOOKS_AT[metric]) <= columns for metric in found)
    assert all(found <= honest(scores, columns | {more}).keys() for more in COLUMNS)


def test_averages_and_tables():
    rows = [("a", {"UPOS": 80.0, "LAS": 60.0}), ("b", {"LAS": 40.0})]
    assert macro_average(rows, METRICS) == {"UPOS": 80.0, "LAS": 50.0}
    lines = report(rows, ["UPOS", "XPOS", "LAS"]).splitlines()
    assert [line.split()[-3:] for line in lines[1:4]] == [
        ["80.00", "-", "60.00"],
        ["-", "-", "40.00"],
        ["80.00", "-", "50.00"],
    ]
    assert lines[4] == NOTE and NOTE not in report(rows, ["LAS"])
