import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_ind

from udify_allennlp.apps.studies.differences import can_compare, welch


def runs(number):
    return arrays(float, (number, 2), elements=st.integers(0, 1000).map(lambda n: n / 10))


@pytest.mark.filterwarnings("ignore:Precision loss")  # of scipy, where one side is constant
@given(first=st.integers(2, 5).flatmap(runs), second=st.integers(2, 5).flatmap(runs))
@settings(max_examples=60, deadline=None)
def test_is_that_of_scipy(first, second):
    found = welch(first, second, ["LAS", "UAS"])
    for column, name in enumerate(["LAS", "UAS"]):
        a, b = first[:, column], second[:, column]
        assert found[name].points == pytest.approx(b.mean() - a.mean())
        if max(np.ptp(a), np.ptp(b)) == 0:
            continue
        twin = ttest_ind(b, a, equal_var=False)
        low, high = twin.confidence_interval(0.95)
        assert found[name][1:] == pytest.approx((low, high, twin.pvalue), abs=1e-6)


def test_by_hand():
    # Means 60 and 66, variances 1 and 4 over three runs: error sqrt(5 / 3) = 1.291, freedom
    # (5/3)^2 / ((1/9 + 16/9) / 2) = 2.941, whose t of 97.5% is 3.218.
    first, second = np.array([[59.0], [60.0], [61.0]]), np.array([[64.0], [66.0], [68.0]])
    points, low, high, p = welch(first, second, ["LAS"])["LAS"]
    assert points == pytest.approx(6)
    assert (low, high) == pytest.approx((6 - 4.155, 6 + 4.155), abs=0.01)
    assert 0.01 < p < 0.03
    back = welch(second, first, ["LAS"])["LAS"]
    assert (back.points, back.low, back.high, back.p) == pytest.approx((-points, -high, -low, p))


def test_runs_that_are_alike():
    same = np.full((3, 1), 70.0)
    assert welch(same, same, ["LAS"])["LAS"] == pytest.approx((0, 0, 0, 1), abs=1e-6)
    assert welch(same, same + 1, ["LAS"])["LAS"] == pytest.approx((1, 1, 1, 0), abs=1e-6)


def test_one_run_says_nothing_of_seeds():
    assert can_compare()
    with pytest.raises(ValueError, match="one run does not show variation between seeds"):
        welch(np.zeros((1, 1)), np.zeros((3, 1)), ["LAS"])
