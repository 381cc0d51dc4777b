import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.trees import all_trees, totals
from udify_allennlp.modules.labelled_trees import best_labelled_trees
from udify_allennlp.modules.trees import best_trees


def looked_up(labels, asked=None):
    """Best labels of arcs from `labels` `(batch, dependent, head)`; records the arcs asked for."""
    batch, length, _ = labels.shape
    flat = labels.reshape(batch * length, length)

    def best_labels(dependents, heads):
        assert torch.equal(dependents // length, heads // length)
        if asked is not None:
            asked.extend(zip(dependents.tolist(), heads.tolist()))
        # A number for each arc, in the place of a label.
        return flat[dependents, heads % length], dependents * length + heads % length

    return best_labels


@given(
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
    sure=st.sampled_from([0.0, 1.0, 6.0]),
    margin=st.sampled_from([None, float("inf")]),
)
def test_no_labelled_tree_is_better(lengths, seed, sure, margin):
    torch.manual_seed(seed)
    size = max(lengths) + 1
    mask = torch.arange(size) <= torch.tensor(lengths).unsqueeze(1)
    scores = sure * torch.randn(len(lengths), size, size)
    labels = -torch.rand(len(lengths), size, size) * 3
    heads, found = best_labelled_trees(scores, mask, looked_up(labels), margin=margin)
    arcs = torch.arange(mask.numel()).view(mask.shape) * size + heads
    words = mask & (torch.arange(size) > 0)
    assert torch.equal(found[words], arcs[words])
    assert (heads[~mask] == 0).all()
    for n, own, of_labels, found in zip(lengths, scores, labels, heads):
        own, of_labels = own[: n + 1, : n + 1], of_labels[: n + 1, : n + 1]
        loops = torch.eye(n + 1, dtype=torch.bool)
        both = own.masked_fill(loops, -torch.inf).log_softmax(1) + of_labels
        both = both.masked_fill(loops, 0).numpy()
        best = totals(both, all_trees(n)).max()
        np.testing.assert_allclose(totals(both, found[: n + 1].numpy()), best, rtol=1e-5)


def test_labels_that_say_nothing_change_nothing():
    torch.manual_seed(1)
    scores, mask = torch.randn(20, 7, 7), torch.ones(20, 7, dtype=torch.bool)
    found, _ = best_labelled_trees(scores, mask, looked_up(torch.full((20, 7, 7), -0.5)))
    assert torch.equal(found, best_trees(scores, mask))


def test_a_label_decides_between_heads_worked_by_hand():
    # Word 2 prefers word 1 by a little; as word 3's dependent it has a label that fits far better.
    scores = torch.tensor([[[0.0] * 4, [9, 0, 0, 0], [0, 2.0, 0, 1.9], [0, 9, 0, 0]]])
    labels = torch.zeros(1, 4, 4)
    labels[0, 2, 1] = -1.0
    mask = torch.ones(1, 4, dtype=torch.bool)
    assert best_trees(scores, mask).tolist() == [[0, 0, 1, 1]]
    asked = []
    found, _ = best_labelled_trees(scores, mask, looked_up(labels, asked))
    assert found.tolist() == [[0, 0, 3, 1]]
    assert sorted(asked) == [(1, 0), (2, 1), (2, 3), (3, 1)]  # no other arc could be in the best


@given(seed=st.integers(0, 2**32 - 1), margin=st.sampled_from([0.0, 0.5, 2.0]))
def test_within_a_margin_it_is_the_best_tree_of_the_scores_that_are_known(seed, margin):
    torch.manual_seed(seed)
    scores, labels = 2 * torch.randn(1, 5, 5), -3 * torch.rand(1, 5, 5)
    mask, asked = torch.ones(1, 5, dtype=torch.bool), []
    heads, found = best_labelled_trees(scores, mask, looked_up(labels, asked), margin=margin)
    chances = scores[0].masked_fill(torch.eye(5, dtype=torch.bool), -torch.inf).log_softmax(1)
    both = torch.zeros(5, 5)
    for word in range(1, 5):
        near = chances[word] >= chances[word].max() - margin
        known = torch.where(near, labels[0, word], labels[0, word][near].min())
        both[word] = (chances[word] + known).masked_fill(torch.arange(5) == word, 0)
        assert found[0, word] == word * 5 + heads[0, word]  # labelled, whether near or not
        of_word = {head for dependent, head in asked if dependent == word}
        assert of_word == {*near.nonzero().flatten().tolist(), int(heads[0, word])}
    best = totals(both.numpy(), all_trees(4)).max()
    np.testing.assert_allclose(totals(both.numpy(), heads[0].numpy()), best, rtol=1e-5)


def test_a_margin_leaves_out_heads_that_no_label_makes_likely_by_hand():
    # Word 2: heads 1 and 3 are 1.5 nats apart, and the label of the arc from 3 is 2 nats better.
    scores = torch.tensor([[[0.0] * 4, [9, 0, 0, 0], [0, 2.0, 0, 0.5], [0, 9, 0, 0]]])
    labels = torch.zeros(1, 4, 4)
    labels[0, 2, 1] = -2.0
    mask = torch.ones(1, 4, dtype=torch.bool)
    for margin, heads in ((1.4, [0, 0, 1, 1]), (1.6, [0, 0, 3, 1])):
        found, _ = best_labelled_trees(scores, mask, looked_up(labels), margin=margin)
        assert found.tolist() == [heads]


def test_forbidden_arcs_are_the_last_resort():
    scores = torch.full((1, 3, 3), -torch.inf)
    scores[0, 1, 0] = scores[0, 1, 2] = 0.0  # word 2 has no allowed head
    mask, labels = torch.ones(1, 3, dtype=torch.bool), torch.full((1, 3, 3), -1.0)
    labels[0, 1, 2] = 0.0
    found, _ = best_labelled_trees(scores, mask, looked_up(labels))
    assert found.tolist() in ([[0, 2, 0]], [[0, 0, 1]])


@pytest.mark.parametrize("single_root,roots", [(True, 1), (False, 3)])
def test_many_roots(single_root, roots):
    scores = torch.zeros(1, 4, 4)
    scores[:, :, 0] = 3.0
    labels = torch.zeros(1, 4, 4)
    mask = torch.ones(1, 4, dtype=torch.bool)
    found, _ = best_labelled_trees(scores, mask, looked_up(labels), single_root)
    assert (found[0, 1:] == 0).sum() == roots
