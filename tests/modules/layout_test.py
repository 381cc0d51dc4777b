import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.layout import Layout


def layout_of(lengths):
    """Of sentences with so many words."""
    nodes = torch.zeros(len(lengths), max(lengths) + 1, dtype=torch.long)
    count = 1
    for row, length in zip(nodes, lengths):
        row[1 : length + 1] = torch.arange(count, count + length)
        count += length
    return Layout(nodes, nodes.flatten().nonzero().flatten())


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_equals_loops_over_sentences(lengths, seed):
    torch.manual_seed(seed)
    layout, n = layout_of(lengths), max(lengths)
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
