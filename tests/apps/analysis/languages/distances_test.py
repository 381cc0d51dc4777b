import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.apps.analysis.languages.distances import (
    centred_cosine_distances,
    cluster,
    correlation,
    nearest,
    plane,
)

TURNED = numpy.array([[0.0, 2.0], [2.0, 0.0], [0.0, -1.0], [-2.0, -1.0]])  # around (0, 0)
HAND = numpy.array(
    [[0, 1, 2, 1.4472], [1, 0, 1, 1.8944], [2, 1, 0, 0.5528], [1.4472, 1.8944, 0.5528, 0]]
)


@given(n=st.integers(2, 6), seed=st.integers(0, 2**32 - 1))
def test_neither_origin_nor_scale_nor_order_matters(n, seed):
    rng = numpy.random.default_rng(seed)
    vectors = rng.normal(size=(n, 5))
    distances = centred_cosine_distances(vectors)
    assert (distances == distances.T).all() and not distances.diagonal().any()
    assert (distances >= 0).all() and (distances <= 2).all()
    moved = centred_cosine_distances(3 * vectors + rng.normal(size=5))
    numpy.testing.assert_allclose(moved, distances, atol=1e-9)
    order = rng.permutation(n)
    shuffled = centred_cosine_distances(vectors[order])
    numpy.testing.assert_allclose(shuffled, distances[numpy.ix_(order, order)], atol=1e-9)


def test_distances_by_hand():
    numpy.testing.assert_allclose(centred_cosine_distances(TURNED + 7), HAND, atol=1e-4)


def test_what_has_no_direction_is_at_one():
    found = centred_cosine_distances(numpy.array([[1.0, 0], [-1, 0], [0, 0]]))
    assert found.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]


def test_the_nearest_come_first():
    assert nearest(HAND, 0, range(4)) == [1, 3, 2]
    assert nearest(HAND, 0, [0, 2, 3]) == [3, 2]
    assert nearest(HAND, 0, [0]) == []


def test_clusters_by_hand():
    tree = cluster(HAND)
    assert sorted(tree[0, :2]) == [2, 3] and tree[0, 2] == pytest.approx(0.5528)
    assert sorted(tree[1, :2]) == [0, 1] and tree[1, 2] == 1
    assert tree[2, 2] == pytest.approx(numpy.mean([2, 1.4472, 1, 1.8944]))  # average linkage


@given(seed=st.integers(0, 2**32 - 1))
def test_a_plane_is_found_again(seed):
    """Of vectors in a plane all variance is shown, and the distances are those between points."""
    rng = numpy.random.default_rng(seed)
    angles = rng.uniform(0, 2 * numpy.pi, 5)
    distances = 1 - numpy.cos(angles[:, None] - angles)
    points, share = plane(distances)
    between = numpy.square(points[:, None] - points).sum(-1) / 2
    numpy.testing.assert_allclose(between, distances, atol=1e-9)
    assert share == pytest.approx(1)
    again, _ = plane(distances)
    assert (points == again).all()


def test_a_plane_shows_a_part_of_many_directions():
    _, share = plane(centred_cosine_distances(numpy.eye(6)))
    assert share == pytest.approx(2 / 5)


class TestCorrelation:
    def test_by_hand(self):
        found = correlation([1, 2, 3, 4, 5, 6], [60, 50, 40, 20, 30, 10])
        assert (found.n, found.spearman) == (6, pytest.approx(-33 / 35))
        # z = -1.76318, and 1.96 * sqrt((1 + 0.44449) / 3) = 1.36005
        assert (found.low, found.high) == (
            pytest.approx(-0.99613, abs=1e-5),
            pytest.approx(-0.38263, abs=1e-5),
        )

    def test_few_points_say_little(self):
        x, y = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5]
        few, many = correlation(x, y), correlation(x * 20, y * 20)
        assert few.spearman == pytest.approx(many.spearman)
        assert few.low < 0 < many.low

    @pytest.mark.parametrize("y", [[1, 2, 3, 4], [1, 1, 1, 1, 1], []])
    def test_none_where_it_means_nothing(self, y):
        assert correlation(range(len(y)), y) == (len(y), None, None, None)

    def test_a_perfect_order_is_no_error(self):
        found = correlation(range(9), range(9))
        assert found.spearman == pytest.approx(1) and found.low > 0.99
