import numpy
import pytest

from udify_allennlp.apps.analysis.languages.neighbours import COLUMNS, Neighbours

NAMES = ["cs_a", "sk_b", "hsb_c", "ja_d"]
DISTANCES = numpy.array([[0, 2, 3, 9], [2, 0, 1, 8], [3, 1, 0, 7], [9, 8, 7, 0]]) / 10
SCORES = {"hsb_c": {"LAS": 60.0, "UAS": 70.0, "UPOS": 80.0}}


def test_worked_by_hand():
    found = Neighbours(NAMES, DISTANCES, {"cs_a", "ja_d", "elsewhere"})
    assert (found.trained, found.zero_shot) == (["cs_a", "ja_d"], ["sk_b", "hsb_c"])
    assert found.nearest("cs_a") == ["sk_b", "hsb_c", "ja_d"]
    assert found.nearest("hsb_c", found.trained) == ["cs_a", "ja_d"]
    rows = [tuple(row.values()) for row in found.rows(SCORES)]
    assert all(tuple(row) == COLUMNS for row in found.rows(SCORES))
    none = (None, None, None)
    assert rows == [
        # One that was trained on is not its own nearest.
        ("cs_a", "yes", "sk_b", 0.2, "hsb_c ja_d", "ja_d", 0.9, *none),
        ("sk_b", "no", "hsb_c", 0.1, "cs_a ja_d", "cs_a", 0.2, *none),
        ("hsb_c", "no", "sk_b", 0.1, "cs_a ja_d", "cs_a", 0.3, 60.0, 70.0, 80.0),
        ("ja_d", "yes", "hsb_c", 0.7, "sk_b cs_a", "cs_a", 0.9, *none),
    ]
    assert found.points(SCORES) == {"hsb_c": (0.3, 60.0)}
    assert found.correlation(SCORES) == (1, None, None, None)


def test_where_nobody_knows_what_was_trained_on_nothing_is_zero_shot():
    found = Neighbours(NAMES, DISTANCES, set())
    assert found.zero_shot == [] and found.points(SCORES) == {}
    assert [(row["trained"], row["nearest_trained"]) for row in found.rows({})] == [
        (None, None)
    ] * 4


def test_the_correlation_is_of_zero_shot_treebanks_alone():
    """The nearer, the better; what was trained on would say the opposite."""
    places = numpy.array([0, 1, 2, 3, 4, 5, 100, 101.0])
    distances = abs(places[:, None] - places)
    names = [f"t_{i}" for i in range(8)]
    scores = {name: {"LAS": -place} for name, place in zip(names, places)}
    scores["t_7"]["LAS"] = scores["t_0"]["LAS"] = 1e6
    found = Neighbours(names, distances, {"t_0", "t_6", "t_7"}).correlation(scores)
    assert (found.n, found.spearman) == (5, pytest.approx(-1))
