import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.helpers.trees import all_trees, is_single_root_tree, totals
from udify_allennlp.modules import tree_search
from udify_allennlp.modules.trees import best_trees


def best_tree(scores: torch.Tensor) -> np.ndarray:
    return best_trees(scores[None], torch.ones(1, len(scores), dtype=torch.bool))[0].numpy()


def check_is_best(scores: torch.Tensor) -> None:
    heads = best_tree(scores)
    assert is_single_root_tree(tuple(heads))
    found, best = totals(scores.numpy(), heads), totals(scores.numpy(), all_trees(len(heads) - 1))
    np.testing.assert_allclose(found, best.max(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n,count", [(1, 1), (2, 2), (3, 9), (4, 64), (5, 625), (6, 7776)])
def test_brute_force_sees_all_trees(n, count):
    assert len(all_trees(n)) == count  # n^(n-1), Cayley


@given(n=st.integers(1, 6), seed=st.integers(0, 2**32 - 1), root=st.sampled_from([-3.0, 0.0, 3.0]))
def test_no_tree_is_better(n, seed, root):
    torch.manual_seed(seed)
    scores = torch.randn(n + 1, n + 1, dtype=torch.float64)
    scores[:, 0] += root  # far from one root, either way
    check_is_best(scores)


@given(data=st.data(), n=st.integers(1, 5))
def test_no_tree_is_better_when_scores_tie(data, n):
    check_is_best(
        torch.from_numpy(data.draw(arrays(np.float64, (n + 1, n + 1), elements=st.integers(0, 2))))
    )


@given(n=st.integers(1, 5), seed=st.integers(0, 2**32 - 1), fill=st.sampled_from([-1e9, 1e9]))
def test_scores_of_very_different_sizes(n, seed, fill):
    torch.manual_seed(seed)
    scores = torch.randn(n + 1, n + 1, dtype=torch.float64)
    scores[torch.rand(n + 1, n + 1) < 0.3] = fill
    heads = best_tree(scores)
    found, best = totals(scores.numpy(), heads), totals(scores.numpy(), all_trees(n)).max()
    assert is_single_root_tree(tuple(heads))
    assert found >= best - 1e-5


@given(
    n=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    fill=st.sampled_from([-torch.inf, torch.finfo(torch.float32).min]),
    share=st.sampled_from([0.3, 0.7, 1.0]),
)
def test_forbidden_arcs_are_the_last_resort(n, seed, fill, share):
    torch.manual_seed(seed)
    scores = torch.randn(n + 1, n + 1)
    forbidden = torch.rand(n + 1, n + 1) < share
    heads = best_tree(scores.masked_fill(forbidden, fill))
    assert is_single_root_tree(tuple(heads))
    everything = all_trees(n)
    taken = totals(forbidden.numpy(), everything)
    allowed = totals(scores.masked_fill(forbidden, 0).numpy(), everything)
    assert totals(forbidden.numpy(), heads) == taken.min()
    found = totals(scores.masked_fill(forbidden, 0).numpy(), heads)
    np.testing.assert_allclose(found, allowed[taken == taken.min()].max(), rtol=1e-6, atol=1e-6)


@given(
    lengths=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    seed=st.integers(0, 2**32 - 1),
    padding=st.sampled_from([99.0, torch.nan, torch.inf]),
)
def test_batch_and_padding_change_nothing(lengths, seed, padding):
    torch.manual_seed(seed)
    size = max(lengths) + 1
    scores = torch.randn(len(lengths), size, size).round()  # with ties
    mask = torch.arange(size) <= torch.tensor(lengths).unsqueeze(1)
    real = mask.unsqueeze(2) & mask.unsqueeze(1)
    real[:, 0] = False  # nobody reads ROOT's own head, nor a word's arc to itself
    scores = scores.masked_fill(~real | torch.eye(size, dtype=torch.bool), padding)
    heads = best_trees(scores, mask)
    assert heads.dtype == torch.long
    assert (heads[~mask] == 0).all()
    for sentence, n, found in zip(scores, lengths, heads, strict=True):
        alone = best_tree(sentence[: n + 1, : n + 1])
        assert found[: n + 1].tolist() == alone.tolist()


def test_words_need_not_be_at_the_front():
    torch.manual_seed(1)
    scores = torch.randn(1, 6, 6)
    scores[:, :, 0] += 3
    index = torch.tensor([0, 2, 3, 5])
    mask = torch.zeros(1, 6, dtype=torch.bool)
    mask[0, index] = True
    small = best_tree(scores[0, index][:, index])
    assert best_trees(scores, mask)[0, index].tolist() == index[small].tolist()


def test_two_roots_worked_by_hand():
    # Both words prefer ROOT: 5 + 4. One root: 5 + 1 (2 under 1), or 4 + 3 (1 under 2), which wins.
    assert best_tree(torch.tensor([[0, 0, 0], [5.0, 0, 3], [4, 1, 0]])).tolist() == [0, 2, 0]


@pytest.mark.parametrize("n", [2, 5, 40])
def test_one_cycle_through_all_words(n):
    scores = torch.zeros(n + 1, n + 1)
    for word in range(1, n + 1):
        scores[word, word % n + 1] = 10
    scores[3 % n + 1, 0] = 1  # so the cycle opens here
    expected = [0] + [word % n + 1 for word in range(1, n + 1)]
    expected[3 % n + 1] = 0
    assert best_tree(scores).tolist() == expected


def nested_cycles(n: int) -> torch.Tensor:
    """Words 1 and 2 choose each other, then that pair and word 3, that triple and word 4, ..."""
    scores = torch.full((n + 1, n + 1), -1000.0, dtype=torch.float64)
    scores[1, 2] = 0
    for word in range(2, n + 1):
        scores[word, 1] = 0
        scores[1, word] = -(word - 2.0)
    scores[1:, 0] = -500
    return scores


def test_nested_cycles():
    check_is_best(nested_cycles(6))
    # The deepest possible nesting would break a recursive search.
    n = 400
    heads = best_tree(nested_cycles(n))
    assert is_single_root_tree(tuple(heads))
    assert totals(nested_cycles(n).numpy(), heads) == -500  # 1 under ROOT, the rest under 1


@given(seed=st.integers(0, 2**32 - 1))
def test_nested_cycles_with_noise(seed):
    torch.manual_seed(seed)
    check_is_best(nested_cycles(6) + torch.randn(7, 7, dtype=torch.float64).round())


def test_long_sentences_get_trees():
    torch.manual_seed(2)
    scores = torch.randn(2, 501, 501)
    scores[1, :, 0] += 5
    for heads in best_trees(scores, torch.ones(2, 501, dtype=torch.bool)):
        assert is_single_root_tree(tuple(heads.tolist()))


def test_argmax_trees_do_not_reach_the_search(monkeypatch):
    monkeypatch.setattr(tree_search, "_best_tree", None)
    scores = torch.zeros(1, 4, 4)
    scores[0, [1, 2, 3], [2, 0, 2]] = 1
    assert best_trees(scores, torch.ones(1, 4, dtype=torch.bool)).tolist() == [[0, 2, 0, 2]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_dtypes(dtype):
    torch.manual_seed(3)
    scores = torch.randn(6, 6).to(dtype).requires_grad_()
    assert best_tree(scores).tolist() == best_tree(scores.detach().float()).tolist()


def test_no_sentences_and_no_words():
    assert best_trees(torch.zeros(0, 3, 3), torch.ones(0, 3, dtype=torch.bool)).shape == (0, 3)
    assert (
        best_trees(torch.zeros(2, 1, 1), torch.ones(2, 1, dtype=torch.bool)).tolist() == [[0]] * 2
    )
    nothing: list[list[int]] = best_trees(torch.zeros(1, 3, 3), torch.zeros(1, 3).bool()).tolist()
    assert nothing == [[0, 0, 0]]


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_scores_without_a_best_tree_are_refused(bad):
    scores = torch.zeros(2, 3, 3)
    scores[1, 2, 1] = bad
    with pytest.raises(ValueError, match=r"NaN or \+inf at sentences \[1\]"):
        best_trees(scores, torch.ones(2, 3, dtype=torch.bool))


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"needs \(2, 3, 3\)"):
        best_trees(torch.zeros(2, 2, 3), torch.ones(2, 3, dtype=torch.bool))
