import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.pooling import POOLING, pool

BY_HAND = {
    "first": lambda own: own[:, 0],
    "last": lambda own: own[:, -1],
    "mean": lambda own: sum(own.unbind(1)) / own.shape[1],
    "max": lambda own: own.amax(1),
}


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_each_kind_against_a_loop(lengths):
    torch.manual_seed(1)
    pieces = torch.randn(2, sum(lengths), 3)
    first_of = torch.tensor([sum(lengths[:number]) for number in range(len(lengths))])
    assert set(BY_HAND) == set(POOLING)
    for how, by_hand in BY_HAND.items():
        found = pool(pieces, first_of, how)
        expected = [by_hand(own) for own in pieces.split(lengths, 1)]
        torch.testing.assert_close(found, torch.stack(expected, 1))
        if max(lengths) == 1:
            torch.testing.assert_close(found, pieces)


@pytest.mark.parametrize("how, seen", [("first", [1, 0, 1]), ("last", [0, 1, 1])])
def test_gradients_go_to_the_pieces_that_are_seen(how, seen):
    pieces = torch.randn(1, 3, 2, requires_grad=True)
    pool(pieces, torch.tensor([0, 2]), how).sum().backward()
    assert pieces.grad[0, :, 0].tolist() == seen
    for other in ("mean", "max"):
        pieces.grad = None
        pool(pieces, torch.tensor([0, 2]), other).sum().backward()
        assert pieces.grad.sum(1).flatten().tolist() == [2, 2]
