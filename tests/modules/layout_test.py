import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.layout import Layout

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=5)


@given(lengths=LENGTHS)
def test_nodes_are_words_in_their_order_and_one_root(lengths):
    layout, count = Layout.from_lengths(lengths), 0
    for b, length in enumerate(lengths):
        row = [0, *range(count + 1, count + length + 1)]
        assert layout.nodes[b].tolist() == row + [0] * (max(lengths) - length)
        count += length
    assert layout.nodes.flatten()[layout.places].tolist() == list(range(1, count + 1))
    expected = [b for b, length in enumerate(lengths) for _ in range(length)]
    assert layout.sentence_of.tolist() == expected


@given(lengths=LENGTHS, seed=st.integers(0, 99))
def test_where_each_sentence_has_its_own_root(lengths, seed):
    torch.manual_seed(seed)
    layout, words = Layout.from_lengths(lengths), torch.randn(sum(lengths), 2)
    roots = torch.randn(len(lengths), 2)
    own = layout.with_own_roots()
    assert torch.equal(own.mask, layout.mask) and torch.equal(own.places, layout.places)
    rows = torch.cat([roots, words])
    nodes = own.to_nodes(rows)
    assert torch.equal(nodes[:, 0], roots) and torch.equal(own.to_words(nodes), words)
    start = 0
    for b, length in enumerate(lengths):
        assert torch.equal(nodes[b, 1 : length + 1], words[start : start + length])
        start += length
    assert torch.equal(
        rows[own.rows_of(torch.zeros(sum(lengths), dtype=torch.long))], roots[layout.sentence_of]
    )


@given(lengths=LENGTHS, seed=st.integers(0, 99))
def test_equals_loops_over_sentences(lengths, seed):
    torch.manual_seed(seed)
    layout, n = Layout.from_lengths(lengths), max(lengths)
    rows = torch.randn(1 + sum(lengths), 2)
    nodes = layout.to_nodes(rows)
    heads = [torch.randint(0, length + 1, (length,)) for length in lengths]
    head_rows = layout.rows_of(torch.cat(heads))
    start = 1
    for b, length in enumerate(lengths):
        words = rows[start : start + length]
        assert torch.equal(nodes[b, : length + 1], torch.cat([rows[:1], words]))
        assert layout.mask[b].tolist() == [True] * (length + 1) + [False] * (n - length)
        for word in range(length):
            head = heads[b][word]
            expected = rows[0] if head == 0 else words[head - 1]
            assert torch.equal(rows[head_rows[start - 1 + word]], expected)
        start += length
    assert torch.equal(layout.to_words(nodes), rows[1:])
