"""Layers, relations, positions and histories beside the formulas they follow."""

import math

import pytest
import torch
from allennlp.data import Vocabulary

from udify_allennlp.graph2graph.transition_decoder import TransitionDecoder
from udify_allennlp.modules.layer_mix import LayerMix
from udify_allennlp.modules.pair_attention import PairTables, pair_attention
from udify_allennlp.modules.position_attention import PositionAttention
from udify_allennlp.modules.positions import directed_ids, undirected_ids
from udify_allennlp.modules.step_history import StepHistory

DIM, HEADS, N, ROWS = 4, 2, 5, 7


def mixed(layers, alpha, beta, dropped):
    """Equation 3.1 of the thesis of UDify, where dropped layers have an alpha of -inf."""
    weights = [0.0 if i in dropped else math.exp(a) for i, a in enumerate(alpha)]
    return beta * sum(w / sum(weights) * layer for w, layer in zip(weights, layers))


def test_layers_are_dropped_in_training_alone():
    torch.manual_seed(0)
    mix = LayerMix(4, layer_dropout=0.5, dropout=0.0).double()
    torch.nn.init.normal_(mix.alpha)
    torch.nn.init.constant_(mix.beta, 1.7)
    alpha, beta = mix.alpha.tolist(), mix.beta.item()
    layers = torch.randn(4, 3, 5).double()
    for seed in range(50):
        torch.manual_seed(seed)
        draws = torch.rand(4, dtype=torch.float64)
        torch.manual_seed(seed)
        found = mix(layers)
        dropped = set(range(4)) - {i for i in range(4) if draws[i] >= 0.5} - {int(draws.argmax())}
        torch.testing.assert_close(found, mixed(layers, alpha, beta, dropped))
    # The released code drops them in evaluation as well: its scores differ from run to run.
    mix.eval()
    every = [mix(layers) for _ in range(20)]
    assert all(torch.equal(each, every[0]) for each in every)
    torch.testing.assert_close(every[0], mixed(layers, alpha, beta, set()))


def attended(query, key, value, ids, of_keys, of_values, scaled):
    """Equations 3.4 and 3.5 of the thesis on Graph-to-Graph Transformers, number by number."""
    result = []
    for q, k, v in zip(query, key, value):
        rows = []
        for i in range(N):
            scores = []
            for j in range(N):
                graph = q[i] @ of_keys[ids[i, j]]
                scores.append(
                    q[i] @ k[j] / math.sqrt(DIM) + graph / (math.sqrt(DIM) if scaled else 1)
                )
            chances = torch.stack(scores).softmax(0)
            rows.append(sum(chances[j] * (v[j] + of_values[ids[i, j]]) for j in range(N)))
        result.append(torch.stack(rows))
    return torch.stack(result)


@pytest.mark.parametrize(
    "scaled,normed",
    [(True, True), (False, False)],  # the equations of chapter 3; its released code
)
@pytest.mark.parametrize("none_row_zero", [False, True])
def test_relations_and_the_row_of_none(scaled, normed, none_row_zero):
    torch.manual_seed(1)
    tables = PairTables(ROWS, DIM, layer_norm=normed, none_row_zero=none_row_zero).double()
    for parameter in tables.parameters():
        torch.nn.init.normal_(parameter)
    q, k, v = (torch.randn(HEADS, N, DIM, dtype=torch.float64) for _ in range(3))
    ids = torch.randint(ROWS, (N, N))
    ids[0] = 0
    of_keys = tables.scores
    if normed:
        of_keys = torch.nn.functional.layer_norm(of_keys, [DIM], *tables.norm.parameters())
    of_values = tables.values
    if none_row_zero:
        # Nothing is added for NONE: nor is what the norm would make of a row of zeros.
        first = torch.arange(ROWS).unsqueeze(1) == 0
        of_keys, of_values = (x.masked_fill(first, 0) for x in (of_keys, of_values))
    expected = attended(q, k, v, ids, of_keys, of_values, scaled)
    by_query, by_key, by_value = tables()
    assert by_key is None
    found, _ = pair_attention(
        *(x[None] for x in (q, k, v)),
        ids[None],
        query_table=by_query,
        value_table=by_value,
        scale_graph_term=scaled,
    )
    torch.testing.assert_close(found[0], expected)
    weights = torch.randn_like(expected)
    wanted = torch.autograd.grad((expected * weights).sum(), list(tables.parameters()))
    got = torch.autograd.grad((found[0] * weights).sum(), list(tables.parameters()))
    torch.testing.assert_close(got, wanted)
    of_scores, of_rows = got[0], got[1]
    learned = not none_row_zero
    assert bool(of_rows[0].abs().sum() > 1e-3) == learned
    assert bool(of_scores[0].abs().sum() > 1e-3) == learned


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("positions", ["undirected", "directed"])
def test_projections_of_positions_with_and_without_biases(positions, bias):
    """
    Ahmad et al. (2019), appendix C: products without biases. Released code: linear layers with.
    """
    clip, dim = 2, 6
    torch.manual_seed(2)
    encoder = PositionAttention(
        dim, 1, HEADS, DIM, DIM, 7, positions, clip, projection_bias=bias
    ).double()
    encoder.eval()
    layer, x = encoder.layers[0], torch.randn(N, dim, dtype=torch.float64)
    for each in (layer.query, layer.key, layer.value):
        assert (each.bias is not None) == bias
        if bias:
            torch.nn.init.normal_(each.bias)
    ids = (directed_ids if positions == "directed" else undirected_ids)(N, clip)[0]
    normed = layer.attention_norm(x)
    heads = [
        (normed @ each.weight.T + (each.bias if bias else 0)).unflatten(1, (HEADS, -1))
        for each in (layer.query, layer.key, layer.value)
    ]
    q, k, v = (each.transpose(0, 1) for each in heads)
    found = attended(q, k, v, ids, layer.key_rows, layer.value_rows, True)
    x1 = x + layer.output(found.transpose(0, 1).flatten(1))
    x2 = x1 + layer.outer(layer.inner(layer.hidden_norm(x1)).relu())
    expected = encoder.norm(x2)
    mask = torch.ones(1, N, dtype=torch.bool)
    torch.testing.assert_close(encoder(x[None], mask)[0], expected)
    weights = torch.randn_like(expected)
    parameters = list(encoder.parameters())
    wanted = torch.autograd.grad((expected * weights).sum(), parameters)
    got = torch.autograd.grad((encoder(x[None], mask)[0] * weights).sum(), parameters)
    torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize("learned", [False, True])
def test_history_before_the_first_step(learned):
    """Equation 2.8; zeros, or, as in the released code of StateTr, parameters."""
    torch.manual_seed(3)
    model = StepHistory(DIM, 4, 3, learned_start=learned).double()
    hidden, cells = model.start(2)
    assert hidden.shape == cells.shape == (2, 2, DIM)
    names = dict(model.named_parameters())
    assert ("first" in names) == learned
    if learned:
        assert ((model.first >= 0) & (model.first < 1)).all() and model.first.std() > 0.1
        for batch in range(2):
            torch.testing.assert_close(torch.stack([hidden, cells])[:, :, batch], model.first)
    else:
        assert not hidden.any() and not cells.any()
    actions, labels = torch.tensor([1, 0]), torch.tensor([2, -1])
    found, _ = model((hidden, cells), actions, labels)
    step = model.actions.weight[actions]
    step = step + torch.stack([model.labels.weight[3], torch.zeros(DIM).double()])
    for layer in range(2):
        weights = [getattr(model.lstm, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh")]
        biases = [getattr(model.lstm, f"{name}_l{layer}") for name in ("bias_ih", "bias_hh")]
        gates = step @ weights[0].T + biases[0] + hidden[layer] @ weights[1].T + biases[1]
        take, keep, new, give = gates.chunk(4, 1)
        cell = keep.sigmoid() * cells[layer] + take.sigmoid() * new.tanh()
        step = give.sigmoid() * cell.tanh()
        torch.testing.assert_close(found[layer], step)
    found[-1].sum().backward()
    if learned:
        assert (model.first.grad.abs().sum(-1) > 0).all()


def test_the_decoder_of_states_has_the_history_it_is_told():
    vocab = Vocabulary()
    vocab.add_token_to_namespace("root", "deprel_labels")
    for learned in (False, True):
        decoder = TransitionDecoder(vocab, DIM, history=True, learned_start=learned)
        assert (decoder.history.first is not None) == learned
