"""The figures of Ji et al. (2023), sections 5.2 and 6, by hand and by their properties."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.typology import analysis


def test_similarity_is_the_mean_cosine_of_like_positions():
    a = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    b = torch.tensor([[3.0, 0.0], [1.0, 0.0]])
    found = analysis.similarities([torch.stack([a, b])])
    torch.testing.assert_close(found, torch.tensor([[1.0, 0.5], [0.5, 1.0]]))
    both = analysis.similarities([torch.stack([a, b]), torch.stack([a, a])])
    torch.testing.assert_close(both[0, 1], torch.tensor(0.75))
    torch.testing.assert_close(analysis.similarity_map(b), torch.ones(2, 2))
    assert analysis.similarity_map(torch.randn(60, 3)).shape == (50, 50)


@given(seed=st.integers(0, 100))
def test_shifts_are_between_left_and_right(seed):
    torch.manual_seed(seed)
    places = torch.arange(7)
    alpha = torch.randn(2, 7, 7).softmax(2)
    found = analysis.shifts(alpha, places, places)
    assert (found.abs() <= 1 + 1e-6).all()
    assert (found[:, 0] >= 0).all() and (found[:, -1] <= 0).all()  # there is but one side
    for n in range(2):
        for i in range(7):
            expected = alpha[n, i, i + 1 :].sum() - alpha[n, i, :i].sum()
            torch.testing.assert_close(found[n, i], expected)


def test_shifts_that_are_known():
    places, uniform = torch.arange(-2, 3), torch.full((1, 5, 5), 0.2)
    assert (
        analysis.shifts(uniform, places, places)[0, 2].item() == 0
    )  # the middle: both sides alike
    right = torch.eye(5)[[1, 2, 3, 4, 4]].unsqueeze(0)
    assert analysis.shifts(right, places, places)[0].tolist() == [1, 1, 1, 1, 0]
    # Priors at other places than the positions.
    assert analysis.shifts(uniform, places, torch.arange(5, 10))[0].tolist() == pytest.approx(
        [1] * 5
    )


def test_directions_are_those_of_the_middle():
    shift = torch.cat([torch.ones(30), -torch.ones(51), torch.ones(17), -torch.ones(30)])
    assert analysis.directions(shift) == {"left": 75.0, "right": 25.0}


def test_a_probe_learns_and_is_the_same_each_time():
    torch.manual_seed(0)
    first, second = torch.randn(30, 5) + 1, torch.randn(20, 5) - 1
    probe = analysis.train_probe(first, second, seed=3)
    assert probe.share_of_first(first) > 90 and probe.share_of_first(second) < 10
    before = torch.random.get_rng_state()
    again = analysis.train_probe(first, second, seed=3)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(again(first), probe(first))


@given(count=st.integers(2, 50), seed=st.integers(0, 5))
def test_halves_are_all_sentences_once(count, seed):
    learned, held = analysis.halves(count, seed)
    assert sorted(learned + held) == list(range(count)) and len(learned) - len(held) in (0, 1)
