import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.node_encoder import NodeEncoder
from udify_allennlp.modules.position_attention import (
    POSITIONS,
    PositionAttention,
    absolute_positions,
)
from udify_allennlp.modules.recurrent import StackedLstm

DIM, N = 6, 9


def attention(positions, clip=3, num_layers=2, seed=0):
    """Heads and values of other widths than `DIM`, and of one another."""
    torch.manual_seed(seed)
    sizes = {"num_heads": 3, "head_dim": 5, "value_dim": 4, "hidden_dim": 7, "position_dim": 4}
    made = PositionAttention(DIM, num_layers, positions=positions, clip=clip, **sizes)
    return made.double().eval()


def nodes(seed=1, batch=1, length=N):
    torch.manual_seed(seed)
    return torch.randn(batch, length, DIM, dtype=torch.float64)


def run(encoder, x, lengths=None):
    lengths = lengths or [x.shape[1]] * len(x)
    mask = torch.arange(x.shape[1]) < torch.tensor(lengths).unsqueeze(1)
    with torch.no_grad():
        return encoder(x, mask)


ENCODERS = {name: attention(name) for name in POSITIONS}
ENCODERS["lstm"] = StackedLstm(DIM, 4, 2).double().eval()


@pytest.mark.parametrize("name", ENCODERS)
def test_only_undirected_positions_and_none_do_not_see_direction(name):
    x, encoder = nodes(), ENCODERS[name]
    same = torch.allclose(run(encoder, x.flip(1)), run(encoder, x).flip(1))
    assert same == (name in ("undirected", "none"))


@pytest.mark.parametrize("name", ENCODERS)
def test_only_without_positions_any_order_is_the_same(name):
    x, encoder, order = nodes(), ENCODERS[name], torch.tensor([3, 1, 4, 0, 8, 5, 2, 6, 7])
    same = torch.allclose(run(encoder, x[:, order]), run(encoder, x)[:, order])
    assert same == (name == "none")


@pytest.mark.parametrize("name", ENCODERS)
def test_padding_changes_nothing_whatever_it_is(name):
    x = nodes(batch=3)
    lengths = [N, 5, 1]
    for row, length in enumerate(lengths):
        x[row, length:] = 1e3
    together = run(ENCODERS[name], x, lengths)
    for row, length in enumerate(lengths):
        alone = run(ENCODERS[name], x[row : row + 1, :length])[0]
        torch.testing.assert_close(together[row, :length], alone)


def test_tables_have_a_row_for_each_distance():
    rows = {"undirected": 4, "directed": 7}
    for name, count in rows.items():
        layer = ENCODERS[name].layers[0]
        assert layer.key_rows.shape == (count, 5) and layer.value_rows.shape == (count, 4)
    for name in ("absolute", "none"):
        assert ENCODERS[name].layers[0].key_rows is None
    # App. C: 11 vectors, not 21, at its clip of 10; 8 heads of 64 need a way back to 350.
    paper = PositionAttention(350, num_layers=1)
    assert paper.layers[0].key_rows.shape == (11, 64)
    assert paper.layers[0].output.weight.shape == (350, 512)


def test_equals_the_sums_of_appendix_c():
    """One layer, against a loop over heads, words and their neighbours."""
    encoder = attention("undirected", num_layers=1)
    layer, x = encoder.layers[0], nodes()[0]
    with torch.no_grad():
        normed = layer.attention_norm(x)
        parts = []
        for head in range(3):
            q, k = (w.weight[5 * head : 5 * head + 5] for w in (layer.query, layer.key))
            v = layer.value.weight[4 * head : 4 * head + 4]
            rows = []
            for i in range(N):
                distance = [min(3, abs(j - i)) for j in range(N)]
                keys = [k @ normed[j] + layer.key_rows[distance[j]] for j in range(N)]
                scores = torch.stack([(q @ normed[i]) @ key / 5**0.5 for key in keys])
                values = [v @ normed[j] + layer.value_rows[distance[j]] for j in range(N)]
                rows.append(scores.softmax(0) @ torch.stack(values))
            parts.append(torch.stack(rows))
        h = x + layer.output(torch.cat(parts, 1))
        y = h + layer.outer(torch.relu(layer.inner(layer.hidden_norm(h))))
        torch.testing.assert_close(run(encoder, x.unsqueeze(0))[0], encoder.norm(y))


def test_symmetric_tables_with_direction_are_undirected_ones():
    undirected, directed = attention("undirected"), attention("directed")
    mirrored = {}
    for name, value in undirected.state_dict().items():
        if name.endswith("_rows"):  # w_3, w_2, w_1, w_0, w_1, w_2, w_3
            value = torch.cat([value[1:].flip(0), value])
        mirrored[name] = value
    directed.load_state_dict(mirrored)
    torch.testing.assert_close(run(directed, nodes()), run(undirected, nodes()))


def test_zero_tables_are_no_positions():
    undirected, none = attention("undirected"), attention("none")
    zeroed = undirected.state_dict()
    none.load_state_dict({k: v for k, v in zeroed.items() if not k.endswith("_rows")})
    with torch.no_grad():
        for layer in undirected.layers:
            layer.key_rows.zero_(), layer.value_rows.zero_()
    torch.testing.assert_close(run(undirected, nodes()), run(none, nodes()))


def test_the_last_row_is_of_all_words_further_away():
    """In one layer the word at 0 feels `w_3` only if there are words at 3 or beyond."""
    encoder = attention("undirected", num_layers=1)
    before = {length: run(encoder, nodes(length=length)) for length in (3, 4)}
    with torch.no_grad():
        encoder.layers[0].key_rows[3] += 1
        encoder.layers[0].value_rows[3] += 1
    assert torch.equal(run(encoder, nodes(length=3)), before[3])
    moved = (run(encoder, nodes(length=4)) != before[4]).any(2)[0]
    assert moved.tolist() == [True, False, False, True]


def test_every_weight_has_a_gradient():
    for name in POSITIONS:
        encoder = attention(name, clip=2)
        encoder(nodes(), torch.ones(1, N, dtype=torch.bool)).pow(3).sum().backward()
        for key, parameter in encoder.named_parameters():
            assert parameter.grad.abs().sum() > 0, (name, key)


def test_absolute_positions_tell_places_apart_and_leave_out_root():
    found = absolute_positions(40, 6)
    assert found[0].abs().sum() == 0
    assert torch.cdist(found, found).fill_diagonal_(1).min() > 0.01
    torch.testing.assert_close(found[1, 0], torch.tensor(1.0).sin())
    assert ENCODERS["absolute"].get_output_dim() == DIM + 4


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"positions": "relative"}, "positions is 'relative'. Use one of undirected"),
        ({"num_heads": 0}, "Each must be at least 1"),
        ({"position_dim": 5}, "must be even"),
        ({"dropout": 1.0}, r"not all in \[0, 1\)"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        PositionAttention(4, **settings)
    assert NodeEncoder.by_name("udify_position_attention") is PositionAttention
