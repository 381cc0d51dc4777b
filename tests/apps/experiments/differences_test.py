import numpy as np
import pytest

from udify_allennlp.apps.experiments.differences import differences, markdown, tsv
from udify_allennlp.apps.experiments.score_table import METRICS, Score
from udify_allennlp.scoring import counts as official


def parsed(treebank, resources, model, right, seed=None):
    """A parse with `right[i]` of the ten words of sentence i right, by every metric."""
    right = np.asarray(right)
    table = np.stack([np.full_like(right, 10), np.full_like(right, 10), right], axis=-1)
    size = len(official.SEGMENTATION + official.METRICS)
    counts = np.repeat(table[:, None], size, axis=1)
    return Score(treebank, resources, model, {}, seed, counts)


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


def test_seeds_are_taken_together():
    scores = [
        parsed("a", "low", "UDify", BAD),
        parsed("a", "low", "Lang", BAD, 1),
        parsed("a", "low", "Lang", GOOD, 2),
    ]
    assert differences(scores, MODELS)[0].gains["LAS"].points == pytest.approx(10)
