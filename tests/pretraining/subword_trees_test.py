"""Trees of words become trees of subwords, and these trees of words again."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.pretraining import laid_out
from udify_allennlp.modules.layout import Layout
from udify_allennlp.pretraining.subword_trees import STRATEGIES, extend, restore, with_ends

APP, END = 90, 91


@st.composite
def treebanks(draw):
    """Some sentences: the number of pieces, the head and the label of each word."""
    sentences = []
    for _ in range(draw(st.integers(1, 4))):
        count = draw(st.integers(1, 7))
        order = draw(st.permutations(range(1, count + 1)))
        heads = {order[0]: 0}
        for place in range(1, count):
            heads[order[place]] = draw(st.sampled_from(order[:place]))
        lengths = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
        labels = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
        sentences.append((lengths, [heads[word] for word in range(1, count + 1)], labels))
    return sentences


def columns(sentences):
    return (torch.tensor([x for each in sentences for x in each[i]]) for i in (1, 2))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ends", [False, True])
@given(sentences=treebanks())
def test_round_trip_over_a_tree_rooted_at_cls(strategy, ends, sentences):
    _, pieces, cells = laid_out([lengths for lengths, _, _ in sentences])
    if ends:
        pieces, _ = with_ends(pieces, cells)
    heads, labels = columns(sentences)
    of_pieces = extend(heads, labels, pieces, strategy, APP, END)
    found = restore(*of_pieces, pieces)
    assert found[0].equal(heads) and found[1].equal(labels)
    # Each piece reaches [CLS], so there is no cycle.
    nodes = torch.zeros_like(pieces.nodes)
    nodes.view(-1)[pieces.places] = of_pieces[0]
    above = nodes
    for _ in range(nodes.shape[1]):
        above = nodes.gather(1, above)
    assert not above.any()
    is_end = pieces.word_of == 0
    assert int(is_end.sum()) == (len(sentences) if ends else 0)
    assert not of_pieces[0][is_end].any() and (of_pieces[1][is_end] == END).all()
    inside = ~is_end
    inside[pieces.first_of] = False
    assert (of_pieces[1][inside] == APP).all() or strategy == "all"


def test_the_three_strategies_by_hand():
    """Three words of 2, 1 and 3 pieces: nodes 1-2, 3, 4-6, and [SEP] is 7."""
    _, pieces, cells = laid_out([[2, 1, 3]])
    pieces, _ = with_ends(pieces, cells)
    heads, labels = torch.tensor([3, 1, 0]), torch.tensor([5, 6, 7])
    expected = {
        "all": ([4, 4, 1, 0, 0, 0, 0], [5, 5, 6, 7, 7, 7, END]),
        "first": ([4, 1, 1, 0, 4, 4, 0], [5, APP, 6, 7, APP, APP, END]),
        "chain": ([4, 1, 1, 0, 4, 5, 0], [5, APP, 6, 7, APP, APP, END]),
    }
    for strategy, numbers in expected.items():
        found = extend(heads, labels, pieces, strategy, APP, END)
        assert tuple(column.tolist() for column in found) == numbers


@given(
    lengths=st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=9), min_size=1, max_size=4),
    max_pieces=st.sampled_from([5, 8, 512]),
)
def test_sep_is_the_last_piece_of_its_sentence(lengths, max_pieces):
    batch, pieces, cells = laid_out(lengths, max_pieces)
    found, new_cells = with_ends(pieces, cells)
    expected = Layout.from_lengths([sum(own) + 1 for own in lengths])
    assert found.nodes.equal(expected.nodes) and found.places.equal(expected.places)
    ids = batch["wordpieces"]["ids"].flatten()
    of_pieces = found.word_of > 0
    assert new_cells[of_pieces].equal(cells)
    assert found.word_of[of_pieces].equal(pieces.word_of)
    assert new_cells[found.first_of].equal(cells[pieces.first_of])
    # The end id stands behind every window, and behind these pieces.
    assert len(set(ids[new_cells[~of_pieces]].tolist())) == 1
    mask = batch["wordpieces"]["mask"].flatten()
    ends = new_cells[~of_pieces]
    width = batch["wordpieces"]["ids"].shape[1]
    assert mask[ends].all()
    assert all((end + 1) % width == 0 or not mask[end + 1] for end in ends.tolist())
