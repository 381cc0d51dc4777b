import pytest

from udify_allennlp.scoring.ignore_punct import (
    Attachments,
    ScoresWithoutPunct,
    attachments,
    of_sentences,
)
from udify_allennlp.scoring.scorers import Parsed, WithoutPunctScorer
from udify_allennlp.scoring.undefined_scores import COLUMNS
from udify_allennlp.text.sentence import Sentence

WORDS = ["It", "costs", "5", "$", "."]
UPOS = ["PRON", "VERB", "NUM", "SYM", "PUNCT"]
HEADS = ["2", "0", "4", "2", "2"]
DEPRELS = ["nsubj:pass", "root", "nummod", "obj", "punct"]


def gold():
    return Sentence.from_words(WORDS).replace(upos=UPOS, heads=HEADS, deprels=DEPRELS)


def test_punctuation_and_symbols_are_not_counted_and_subtypes_do_not_matter():
    predicted = {
        "heads": ["2", "0", "2", "1", "1"],
        "deprels": ["nsubj", "root", "nummod", "x", "x"],
    }
    counts = attachments(gold(), predicted)
    assert counts == Attachments(words=3, heads=2, both=2)
    wrong = {**predicted, "deprels": ["obj", "root", "nummod", "x", "x"]}
    assert attachments(gold(), wrong) == (3, 2, 1)
    assert counts.scores() == {
        "UAS_without_punct": pytest.approx(200 / 3),
        "LAS_without_punct": pytest.approx(200 / 3),
    }


def test_a_sentence_of_punctuation_has_no_score_and_no_division_by_zero():
    dots = Sentence.from_words(["."]).replace(upos=["PUNCT"], heads=["0"], deprels=["root"])
    assert of_sentences([(dots, dots)]).scores() == {}
    metric = ScoresWithoutPunct()
    metric([dots], [{"heads": ["0"], "deprels": ["root"]}])
    assert metric.get_metric(reset=True) == {"UAS": 100.0, "LAS": 100.0}
    found = WithoutPunctScorer().score(Parsed([dots], [dots], "x", COLUMNS))
    assert found["LAS"] == 100 and "LAS_without_punct" not in found


def test_training_has_both_kinds_of_figures_beside_each_other():
    metric = ScoresWithoutPunct()
    columns = {"heads": ["2", "0", "4", "2", "1"], "deprels": DEPRELS}
    metric([gold(), gold()], [columns, columns])
    scores = metric.get_metric(reset=True)
    assert scores == {
        "UAS": 80.0, "LAS": 80.0, "UAS_without_punct": 100.0, "LAS_without_punct": 100.0
    }  # fmt: skip
    assert metric.get_metric() == {}


def test_the_report_has_columns_of_their_own():
    scorer = WithoutPunctScorer()
    row = scorer.score(Parsed([gold()], [gold()], "x", COLUMNS))
    head, values, *_ = scorer.report([("en", row), ("de", row)]).splitlines()
    assert head.split()[-2:] == ["UAS_without_punct", "LAS_without_punct"]
    assert len(head) == len(values) and values.endswith("100.00             100.00")
    assert scorer.averages([("en", row)])["macro"]["LAS_without_punct"] == 100
