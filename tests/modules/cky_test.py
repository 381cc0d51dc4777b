"""The best binary tree is the best of all, for any other sentences in its batch."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.cky import best_binary_trees

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=3)


def binary_trees(left, right):
    """Every binary tree over the words between two fences, as a list of spans."""
    if right - left == 1:
        yield [(left, right)]
    for middle in range(left + 1, right):
        for one in binary_trees(left, middle):
            for other in binary_trees(middle, right):
                yield [(left, right), *one, *other]


def test_there_are_as_many_trees_as_catalan_says():
    assert [len(list(binary_trees(0, n))) for n in range(1, 7)] == [1, 1, 2, 5, 14, 42]


@given(lengths=LENGTHS, seed=st.integers(0, 2**32 - 1))
def test_no_tree_is_better(lengths, seed):
    torch.manual_seed(seed)
    n = max(lengths)
    scores = torch.randn(len(lengths), n + 1, n + 1, dtype=torch.float64)
    inside = best_binary_trees(scores, lengths)
    for its, chosen, length in zip(scores, inside, lengths):
        spans = sorted(map(tuple, chosen.nonzero().tolist()))
        trees = [sorted(tree) for tree in binary_trees(0, length)]
        assert spans in trees
        totals = [sum(its[span] for span in tree) for tree in trees]
        torch.testing.assert_close(its[chosen].sum(), max(totals))


@given(lengths=LENGTHS, seed=st.integers(0, 2**32 - 1))
def test_a_batch_gives_what_each_sentence_gives(lengths, seed):
    torch.manual_seed(seed)
    n = max(lengths)
    scores = torch.randn(len(lengths), n + 1, n + 1)
    scores[:, 0, 0] = torch.nan  # no cell of a span
    together = best_binary_trees(scores, lengths)
    for number, length in enumerate(lengths):
        size = slice(0, length + 1)
        alone = best_binary_trees(scores[number : number + 1, size, size], [length])[0]
        assert torch.equal(together[number, size, size], alone)
        assert together[number].sum() == alone.sum() == 2 * length - 1


def test_ties_branch_to_the_right():
    inside = best_binary_trees(torch.zeros(1, 4, 4), [3])
    assert inside[0].nonzero().tolist() == [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]
