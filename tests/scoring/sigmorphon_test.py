import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.scoring.sigmorphon import METRICS, Counts, averages, count, report, total
from udify_allennlp.scoring.sigmorphon_scores import SigmorphonScores
from udify_allennlp.text.conllu import Sentence

MSD = st.one_of(
    st.just("_"), st.lists(st.sampled_from(["N", "V", "PL", "SG"]), min_size=1).map(";".join)
)
WORD = st.tuples(st.text("ab", min_size=1, max_size=4), MSD, st.text("ab", max_size=4), MSD)


def slow_distance(one, other):
    """Levenshtein's, by its definition."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        slow_distance(one[1:], other) + 1,
        slow_distance(one, other[1:]) + 1,
        slow_distance(one[1:], other[1:]) + (one[0] != other[0]),
    )


def test_four_words_by_hand():
    counts = count(
        ["dog", "be", ".", "walk"],
        ["N;PL", "V;PRS;PL", "_", "V;PST"],
        ["dog", "were", ".", "walked"],
        ["PL;N", "V;PST;PL", "PUNCT", "_"],
    )
    # One set of tags is right in another order. Tags: 2 + 2 shared, 7 gold, 6 predicted.
    assert counts == Counts(4, 2, 3 + 2, 1, 4, 7, 6)
    assert counts.scores() == {
        "LemmaAcc": 50.0,
        "LemmaLev": 1.25,
        "MsdAcc": 25.0,
        "MsdF1": pytest.approx(100 * 2 * (4 / 6) * (4 / 7) / (4 / 6 + 4 / 7)),
    }


@given(words=st.lists(WORD, min_size=1, max_size=8))
def test_against_the_definitions(words):
    lemmas, msds, guessed, tags = (list(column) for column in zip(*words))
    scores = count(lemmas, msds, guessed, tags).scores()
    n = len(words)
    assert scores["LemmaAcc"] == pytest.approx(100 * sum(a == b for a, _, b, _ in words) / n)
    assert scores["LemmaLev"] == pytest.approx(sum(slow_distance(a, b) for a, _, b, _ in words) / n)
    sets = [(set(a.split(";")), set(b.split(";"))) for _, a, _, b in words]
    assert scores["MsdAcc"] == pytest.approx(100 * sum(a == b for a, b in sets) / n)
    sets = [(a - {"_"}, b - {"_"}) for a, b in sets]
    shared = sum(len(a & b) for a, b in sets)
    precision = shared / (sum(len(b) for _, b in sets) or 1)
    recall = shared / (sum(len(a) for a, _ in sets) or 1)
    f1 = 2 * precision * recall / (precision + recall + 1e-20)
    assert scores["MsdF1"] == pytest.approx(100 * f1)


@given(words=st.lists(WORD, max_size=8), cut=st.integers(0, 8))
def test_counts_of_parts_sum_up(words, cut):
    parts = [
        count(*([word[i] for word in part] for i in range(4)))
        for part in (words, words[:cut], words[cut:])
    ]
    assert parts[0] == total(parts[1:])


def test_averages_of_two_treebanks():
    rows = [("a", Counts(1, 1, 0, 1, 1, 1, 1)), ("b", Counts(3, 0, 6, 0, 0, 2, 2))]
    both = averages(rows)
    assert both["macro"] == {"LemmaAcc": 50, "LemmaLev": 1, "MsdAcc": 50, "MsdF1": 50}
    micro = {"LemmaAcc": 25, "LemmaLev": 1.5, "MsdAcc": 25, "MsdF1": pytest.approx(100 / 3)}
    assert both["micro"] == micro
    lines = report(rows).splitlines()
    assert lines[0].split()[1:] == list(METRICS)
    assert lines[3].split() == ["macro", "average", "50.00", "1.00", "50.00", "50.00"]
    assert len(report(rows[:1]).splitlines()) == 2


def test_scores_during_training_are_of_what_is_predicted():
    sentence = Sentence.from_words(["dogs", "bark"]).replace(
        lemmas=["dog", "bark"], feats=["N;PL", "V;PL"]
    )
    scores = SigmorphonScores()
    assert scores.get_metric() == {}
    scores([sentence], [{"lemmas": ["dog", "barks"]}])
    assert scores.get_metric() == {"LemmaAcc": 50.0, "LemmaLev": 0.5}
    scores([sentence], [{"lemmas": ["dog", "bark"], "feats": ["N;PL", "V;SG"]}])
    assert set(scores.get_metric(reset=True)) == set(METRICS)
    assert scores.get_metric() == {}
