import numpy as np
import pytest
from scipy.stats import ttest_ind

from udify_allennlp.apps.studies.differences import differences, markdown, tsv
from udify_allennlp.apps.studies.score_table import METRICS, Score
from udify_allennlp.scoring import counts as official


def parsed(treebank, resources, model, right, seed=None):
    """A parse with `right[i]` of the ten words of sentence i right, by every metric."""
    right = np.asarray(right)
    table = np.stack([np.full_like(right, 10), np.full_like(right, 10), right], axis=-1)
    size = len(official.SEGMENTATION + official.METRICS)
    counts = np.repeat(table[:, None], size, axis=1)
    values = dict.fromkeys(official.SEGMENTATION + official.METRICS, 10.0 * right.mean())
    return Score(treebank, resources, model, values, seed, counts)


BAD, GOOD = [5, 6] * 40, [7, 8] * 40
MODELS = ["UDify", "Lang", "Both"]


def test_every_pair_on_every_treebank_and_in_the_mean():
    scores = [
        parsed("a", "low", "UDify", BAD),
        parsed("a", "low", "Lang", GOOD),
        parsed("b", "high", "UDify", BAD),
        parsed("b", "high", "Lang", BAD),
        parsed("b", "high", "Both", GOOD),
        Score("b", "high", "Other", {"LAS": 3.0}),  # nobody knows its parses
    ]
    found = differences(scores, ["Other", *MODELS])
    assert [(each.name, each.first, each.second) for each in found] == [
        ("a", "UDify", "Lang"),
        ("b", "UDify", "Lang"),
        ("b", "UDify", "Both"),
        ("b", "Lang", "Both"),
        ("macro average (2)", "UDify", "Lang"),
        ("macro average (1)", "UDify", "Both"),
        ("macro average (1)", "Lang", "Both"),
    ]
    gains = [each.gains["LAS"] for each in found]
    assert [gain.points for gain in gains] == pytest.approx([20, 0, 20, 20, 10, 20, 20])
    assert [gain.p < 0.05 for gain in gains] == [True, False] + [True] * 5
    lines = markdown(found).splitlines()
    assert lines[2].startswith("| a | low | Lang over UDify | **+20.00** (+20.00 to +20.00) | ")
    assert lines[3].startswith("| b | high | Lang over UDify | +0.00 (+0.00 to +0.00) | ")
    assert lines[4].startswith("|  |  | Both over UDify | ")
    rows = [line.split("\t") for line in tsv(found).splitlines()]
    assert rows[0][:5] == ["treebank", "resources", "model", "over", "metric"]
    assert len(rows) == 1 + len(found) * len(METRICS)
    assert rows[1][:6] == ["a", "low", "Lang", "UDify", "UPOS", "20.0000"]


def test_what_a_model_reads_and_does_not_predict_is_not_compared():
    # Lang reads gold UPOS of both treebanks, and gold of b has no feats.
    scores = [
        parsed(treebank, "low", model, right, seed)
        for seed in (1, 2)
        for treebank in "ab"
        for model, right in (("UDify", BAD), ("Lang", GOOD))
    ]
    for score in scores:
        for name in ["UPOS"] * (score.model == "Lang") + ["UFeats"] * (score.treebank == "b"):
            del score.values[name]
    of_a, of_b, mean = differences(scores, MODELS)[:3]
    assert "UPOS" not in of_a.gains and "UFeats" in of_a.gains and "UFeats" not in of_b.gains
    # The mean is of those treebanks that have the figure, as in the table of scores.
    assert mean.gains["UFeats"] == of_a.gains["UFeats"] != mean.gains["Lemmas"]
    assert mean.gains.keys() == mean.of_seeds.keys() and "UPOS" not in mean.gains
    assert "| Lang over UDify | - | **+20.00** " in markdown([of_a, of_b, mean])
    assert not any("\tUPOS\t" in line for line in tsv([of_a, of_b, mean]).splitlines())


def test_seeds_are_taken_together():
    scores = [
        parsed("a", "low", "UDify", BAD),
        parsed("a", "low", "Lang", BAD, 1),
        parsed("a", "low", "Lang", GOOD, 2),
    ]
    assert differences(scores, MODELS)[0].gains["LAS"].points == pytest.approx(10)


def of_seeds(model, rights, treebanks="ab"):
    """Runs of the seeds 1, 2 and so on, with the same words right in every treebank."""
    return [
        parsed(treebank, "low", model, [right] * 80, seed)
        for seed, right in enumerate(rights, start=1)
        for treebank in treebanks
    ]


def test_what_seeds_explain_is_not_bold():
    # Runs of 50, 60 and 70 beside 60, 70 and 80: every sentence says 10 more, three seeds do not.
    scores = of_seeds("UDify", [5, 6, 7]) + of_seeds("Lang", [6, 7, 8])
    both = [each for each in differences(scores, MODELS) if each.name == "macro average (2)"][0]
    assert both.gains["LAS"].p < 0.05
    expected = ttest_ind([60, 70, 80], [50, 60, 70], equal_var=False)
    assert both.of_seeds["LAS"].p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert f"+10.00 (+10.00 to +10.00; seeds {low:+.2f} to {high:+.2f})" in markdown([both])
    assert "**" not in markdown([both])
    head, first = [line.split("\t") for line in tsv([both]).splitlines()][:2]
    assert head[-3:] == ["seeds_low", "seeds_high", "seeds_p"]
    assert [float(value) for value in first[-3:]] == pytest.approx(
        [low, high, expected.pvalue], abs=1e-4
    )


def test_what_seeds_do_not_explain_is_bold():
    scores = of_seeds("UDify", [5, 5, 6]) + of_seeds("Lang", [9, 9, 9])
    assert all("**+36.67**" in markdown([each]) for each in differences(scores, MODELS))


def test_a_mean_is_of_the_seeds_that_have_all_treebanks():
    scores = of_seeds("UDify", [5, 6, 7]) + of_seeds("Lang", [6, 7], "ab")
    scores += of_seeds("Lang", [6, 7, 9], "a")[2:]
    found = {each.name: each.of_seeds["LAS"].points for each in differences(scores, MODELS)}
    assert found["a"] == pytest.approx(220 / 3 - 60)
    assert found["macro average (2)"] == pytest.approx(65 - 60)


def test_one_run_has_no_seeds_to_compare():
    found = differences(of_seeds("UDify", [5]) + of_seeds("Lang", [6, 7]), MODELS)
    assert [each.of_seeds for each in found] == [{}, {}, {}, {}]
    assert tsv(found).splitlines()[1].endswith("\t\t\t")


def test_without_scipy_it_says_what_is_missing(monkeypatch, caplog):
    monkeypatch.setattr("udify_allennlp.apps.studies.differences.can_compare", lambda: False)
    found = differences(of_seeds("UDify", [5, 6]) + of_seeds("Lang", [6, 7]), MODELS)
    assert found and not any(each.of_seeds for each in found)
    assert "pip install 'udify_allennlp[viz]'" in caplog.text
