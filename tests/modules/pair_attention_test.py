import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.modules.pair_attention import PairTables, pair_attention
from udify_allennlp.modules.positions import directed_ids, undirected_ids

HEADS, DIM, ROWS = 2, 4, 5


def inputs(seed, batch=2, n=4, rows=ROWS):
    """Query, key, value, ids and a mask with padding at the end of all but the first sentence."""
    torch.manual_seed(seed)
    q, k, v = (torch.randn(batch, HEADS, n, DIM, dtype=torch.float64) for _ in range(3))
    ids = torch.randint(rows, (batch, n, n))
    lengths = torch.randint(1, n + 1, (batch,))
    lengths[0] = n
    return q, k, v, ids, torch.arange(n) < lengths.unsqueeze(1)


def tables(seed, rows=ROWS, count=3):
    torch.manual_seed(seed)
    return [torch.randn(rows, DIM, dtype=torch.float64) for _ in range(count)]


def loops(q, k, v, ids, mask, of_query, of_key, of_value, scale_graph_term):
    """Equations 2.3, 2.4, 3.4, 3.5 and 4.2, term by term."""
    batch, heads, n, d = q.shape
    result, probabilities = torch.zeros_like(q), q.new_zeros(batch, heads, n, n)
    for b in range(batch):
        for h in range(heads):
            for i in range(n):
                scores = []
                for j in range(n):
                    r = int(ids[b, i, j])
                    graph = q.new_zeros(())
                    if of_query is not None:
                        graph = graph + q[b, h, i] @ of_query[r]
                    if of_key is not None:
                        graph = graph + of_key[r] @ k[b, h, j]
                    graph = graph / math.sqrt(d) if scale_graph_term else graph
                    score = q[b, h, i] @ k[b, h, j] / math.sqrt(d) + graph
                    scores.append(score if mask[b, j] else q.new_tensor(-math.inf))
                alpha = torch.stack(scores).softmax(0)
                probabilities[b, h, i] = alpha
                for j in range(n):
                    vector = v[b, h, j]
                    if of_value is not None:
                        vector = vector + of_value[int(ids[b, i, j])]
                    result[b, h, i] += alpha[j] * vector
    return result, probabilities


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    terms=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    scaled=st.booleans(),
)
def test_equals_the_loops_with_padding_and_gradients(seed, terms, scaled):
    data = inputs(seed)
    given_tables = [t if on else None for t, on in zip(tables(seed + 1), terms)]
    leaves = [x.requires_grad_() for x in (*data[:3], *given_tables) if x is not None]
    found = pair_attention(*data, *given_tables, scale_graph_term=scaled)
    expected = loops(*data, *given_tables, scaled)
    for ours, theirs in zip(found, expected):
        torch.testing.assert_close(ours, theirs)
    gradients = [
        torch.autograd.grad(result.pow(3).sum(), leaves, retain_graph=True, allow_unused=True)
        for result, _ in (found, expected)
    ]
    for ours, theirs in zip(*gradients):
        torch.testing.assert_close(ours, theirs)


def test_each_head_can_have_rows_of_its_own():
    q, k, v, ids, mask = inputs(3)
    torch.manual_seed(4)
    of_query, of_key, of_value = torch.randn(3, 1, HEADS, ROWS, DIM, dtype=torch.float64)
    together = pair_attention(q, k, v, ids, mask, of_query, of_key, of_value)[0]
    for head in range(HEADS):
        own = [x[:, head : head + 1] for x in (q, k, v)]
        rows = [table[0, head] for table in (of_query, of_key, of_value)]
        alone = pair_attention(*own, ids, mask, *rows)[0]
        torch.testing.assert_close(together[:, head : head + 1], alone)
    repeated = [table.expand(len(q), -1, -1, -1) for table in (of_query, of_key, of_value)]
    torch.testing.assert_close(together, pair_attention(q, k, v, ids, mask, *repeated)[0])


def test_without_ids_it_is_plain_attention():
    q, k, v, _, mask = inputs(1)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask[:, None, None, :])
    torch.testing.assert_close(pair_attention(q, k, v, None, mask)[0], expected)


def test_a_graph_of_none_leaves_probabilities_as_they_are_in_chapters_2_and_3():
    """Invariant 2: q_i c is the same for all j; the output gains the NONE row of the values."""
    q, k, v, ids, mask = inputs(2)
    of_query, _, of_value = tables(3)
    plain, probabilities = pair_attention(q, k, v, None, mask)
    none = torch.zeros_like(ids)
    result, found = pair_attention(q, k, v, none, mask, of_query, None, of_value)
    torch.testing.assert_close(found, probabilities)
    torch.testing.assert_close(result, plain + of_value[0])
    # In chapter 4 the term c k_j varies with j.
    _, found = pair_attention(q, k, v, none, mask, of_query, of_query)
    assert (found - probabilities).abs().max() > 1e-3


@pytest.mark.parametrize("layer_norm", [False, True])
def test_a_zero_none_row_and_no_graph_are_the_stock_encoder(layer_norm):
    q, k, v, ids, mask = inputs(4)
    found = PairTables(ROWS, DIM, use_key=True, layer_norm=layer_norm, none_row_zero=True).double()
    result, probabilities = pair_attention(q, k, v, torch.zeros_like(ids), mask, *found())
    plain, expected = pair_attention(q, k, v, None, mask)
    torch.testing.assert_close(result, plain)
    torch.testing.assert_close(probabilities, expected)


def test_one_relation_changes_one_score_and_its_transpose_is_another():
    """Invariant 3: `ids[i, j]` moves row i alone."""
    q, k, v, ids, _ = inputs(5)
    of_query, of_key, of_value = tables(6)
    before = pair_attention(q, k, v, ids, None, of_query, of_key, of_value)[1]
    changed = ids.clone()
    changed[0, 1, 2] = (ids[0, 1, 2] + 1) % ROWS
    after = pair_attention(q, k, v, changed, None, of_query, of_key, of_value)[1]
    # Scores up to the constant of each row: only the one of (1, 2) has moved.
    moved = (after.log() - before.log())[0]
    moved = (moved - moved[..., :1]).abs() > 1e-9
    assert moved[:, 1, 2].all() and moved.sum() == HEADS
    torch.testing.assert_close(after[1], before[1])


def test_gradients_reach_the_rows_that_are_there_and_no_others():
    """Invariant 4."""
    q, k, v, ids, mask = inputs(7)
    ids = ids.clamp(max=2)
    found = PairTables(ROWS, DIM, use_key=True).double()
    pair_attention(q, k, v, ids, mask, *found())[0].pow(2).sum().backward()
    for table in (found.scores, found.values):
        assert table.grad[:3].abs().sum(1).gt(0).all() and not table.grad[3:].any()


def test_permuting_tokens_and_graph_permutes_the_output():
    """Invariant 5."""
    q, k, v, ids, mask = inputs(8)
    mask = torch.ones_like(mask)
    order = torch.tensor([2, 0, 3, 1])
    given_tables = tables(9)
    result, _ = pair_attention(q, k, v, ids, mask, *given_tables)
    q, k, v = (x[:, :, order] for x in (q, k, v))
    permuted, _ = pair_attention(q, k, v, ids[:, order][:, :, order], mask, *given_tables)
    torch.testing.assert_close(permuted, result[:, :, order])


def test_the_number_of_parameters():
    """Invariant 7: tables x rows x the width of a head, and the layer norm."""
    counts = {
        name: sum(p.numel() for p in PairTables(ROWS, DIM, **flags).parameters())
        for name, flags in {
            "chapter 2": {},
            "chapter 3": {"layer_norm": True},
            "chapter 4": {"use_key": True, "use_value": False},
        }.items()
    }
    assert counts == {"chapter 2": 40, "chapter 3": 40 + 2 * DIM, "chapter 4": 20}


def test_padding_gets_nothing_whatever_its_ids_are():
    """Invariant 8."""
    q, k, v, ids, mask = inputs(10)
    given_tables = tables(11)
    result, probabilities = pair_attention(q, k, v, ids, mask, *given_tables)
    hidden = ~mask[:, None, None, :].expand_as(probabilities)
    assert not probabilities[hidden].any()
    garbage = torch.where(mask.unsqueeze(1), ids, ROWS - 1 - ids)
    torch.testing.assert_close(pair_attention(q, k, v, garbage, mask, *given_tables)[0], result)


def test_the_norm_changes_scores_and_not_values():
    """The switch does something: in the released code it does not."""
    torch.manual_seed(0)
    plain, normed = PairTables(ROWS, DIM), PairTables(ROWS, DIM, layer_norm=True)
    normed.load_state_dict(plain.state_dict(), strict=False)
    assert not torch.allclose(plain()[0], normed()[0])
    torch.testing.assert_close(plain()[2], normed()[2])
    torch.testing.assert_close(
        normed()[0], torch.nn.functional.layer_norm(plain.scores, (DIM,)).detach()
    )


def test_dropout_takes_the_value_and_the_row_of_a_position_together():
    """Of ones, both sums are what is kept of the attention."""
    q, k, v, ids, _ = inputs(12)
    found = []
    for table in (None, v.new_ones(ROWS, DIM)):
        torch.manual_seed(3)
        found.append(pair_attention(q, k, torch.ones_like(v), ids, value_table=table, dropout=0.5))
    torch.testing.assert_close(found[1][0], 2 * found[0][0])
    assert (found[0][0] - 1).abs().max() > 0.1
    torch.testing.assert_close(found[0][1].sum(-1), torch.ones_like(q[..., 0]))  # before dropout


def test_positions_are_ids_too():
    """The explicit sum over clipped distances; tables of each sentence's own."""
    q, k, v, _, mask = inputs(13)
    of_sentence = [torch.stack(pair) for pair in zip(tables(14, 5), tables(15, 5))]
    ids = directed_ids(4, clip=2)
    assert ids[0, 0].tolist() == [2, 3, 4, 4] and ids[0, 3].tolist() == [0, 0, 1, 2]
    assert undirected_ids(4, clip=2)[0, 3].tolist() == [2, 2, 1, 0]
    found, _ = pair_attention(q, k, v, ids.expand(2, -1, -1), mask, *of_sentence)
    for b in range(2):
        one = [x[b : b + 1] for x in (q, k, v)]
        alone = pair_attention(*one, ids, mask[b : b + 1], *(t[b] for t in of_sentence))[0]
        torch.testing.assert_close(found[b : b + 1], alone)


def test_a_worked_case():
    """Two tokens, one head of width 1: token 0 looks at token 1 through relation 1."""
    one = torch.ones(1, 1, 2, 1)
    ids = torch.tensor([[[0, 1], [0, 0]]])
    of_query = torch.tensor([[0.0], [math.log(3)]])
    of_value = torch.tensor([[0.0], [10.0]])
    result, attention = pair_attention(one, one, one, ids, None, of_query, None, of_value)
    assert attention[0, 0].tolist() == [[pytest.approx(0.25), pytest.approx(0.75)], [0.5, 0.5]]
    assert result.flatten().tolist() == [pytest.approx(1 + 7.5), 1.0]


@pytest.mark.parametrize(
    "settings_, message",
    [
        ({"rows": 0}, "rows is 0 and dim is 4"),
        ({"use_query": False, "use_value": False}, "must be true"),
    ],
)
def test_settings_that_cannot_be(settings_, message):
    with pytest.raises(ConfigurationError, match=message):
        PairTables(**{"rows": ROWS, "dim": DIM, **settings_})
