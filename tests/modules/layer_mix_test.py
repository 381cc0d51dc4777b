import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.layer_mix import LayerMix


def trained(**kwargs) -> LayerMix:
    """With an alpha and a beta that are not those it starts from."""
    mix = LayerMix(**kwargs)
    if mix.alpha is not None:
        torch.nn.init.normal_(mix.alpha)
        torch.nn.init.constant_(mix.beta, 3.0)
    return mix


def layer_weights(mix: LayerMix) -> torch.Tensor:
    """The weights of one call, `(num_layers,)`: layer `i` is the `i`th unit vector."""
    return mix(torch.eye(mix.num_layers).unsqueeze(1)).flatten()


def test_equals_equation_3_1_on_a_loop():
    torch.manual_seed(0)
    mix = trained(num_layers=4).eval()
    layers = torch.randn(4, 3, 5)
    shares = mix.alpha.exp() / mix.alpha.exp().sum()
    for j in range(3):
        e = mix.beta * sum(layers[i, j] * shares[i] for i in range(4))
        torch.testing.assert_close(mix(layers)[j], e)
    torch.testing.assert_close(mix.weights, (mix.beta * shares).detach())


def test_starts_as_the_mean():
    layers = torch.randn(3, 2, 4)
    torch.testing.assert_close(LayerMix(3).eval()(layers), layers.mean(0))


def test_started_with_a_beta_of_their_number_it_is_their_sum():
    layers = torch.randn(3, 2, 4)
    torch.testing.assert_close(LayerMix(3, initial_beta=3.0).eval()(layers), layers.sum(0))
    for beta in (0.0, -1.0, float("nan")):
        with pytest.raises(ConfigurationError, match="initial_beta is .* must be above 0"):
            LayerMix(3, initial_beta=beta)


def test_sum_adds_the_layers_and_has_no_parameters():
    torch.manual_seed(1)
    mix = LayerMix(3, mode="sum", dropout=0.0)
    layers = torch.randn(3, 2, 4)
    torch.testing.assert_close(mix(layers), layers.sum(0))  # in training: no layer dropout
    assert not list(mix.parameters()) and not mix.state_dict()
    assert mix.weights.tolist() == [1, 1, 1]


def test_concatenation_has_each_layer_beside_the_others_and_no_parameters():
    mix = LayerMix(3, mode="concatenation", dropout=0.5).eval()
    layers = torch.randn(3, 2, 4)
    assert torch.equal(mix(layers), torch.cat([layers[0], layers[1], layers[2]], 1))
    assert not list(mix.parameters())
    dropped = mix.train()(layers)
    assert ((dropped == 0) | (dropped == 2 * mix.eval()(layers))).all() and (dropped == 0).any()


@pytest.mark.parametrize("mode", ["attention", "sum"])
def test_eval_is_deterministic(mode):
    torch.manual_seed(2)
    mix = trained(num_layers=3, mode=mode, layer_dropout=0.9).eval()
    layers = torch.randn(3, 2, 4)
    assert torch.equal(mix(layers), mix(layers))


def test_dropped_layers_weigh_nothing_and_the_rest_sum_to_beta():
    torch.manual_seed(3)
    mix = trained(num_layers=4, layer_dropout=0.4, dropout=0.0)
    shares, seen = mix.alpha.detach().exp(), set()
    for _ in range(100):
        weights = layer_weights(mix).detach()
        seen.add(int((weights == 0).sum()))
        torch.testing.assert_close(weights.sum(), mix.beta.detach())
        survivors = shares * (weights != 0)
        torch.testing.assert_close(weights, mix.beta.detach() * survivors / survivors.sum())
    assert seen == {0, 1, 2, 3}


def test_layers_are_dropped_at_the_rate():
    torch.manual_seed(4)
    mix = LayerMix(12, layer_dropout=0.1, dropout=0.0)
    rate = torch.stack([layer_weights(mix) == 0 for _ in range(2000)]).float().mean(0)
    assert (rate - 0.1).abs().max() < 0.03  # four standard deviations of each layer's rate


def test_one_layer_survives_and_it_is_any():
    torch.manual_seed(5)
    mix = LayerMix(3, layer_dropout=0.99, dropout=0.0)
    draws = torch.stack([layer_weights(mix) for _ in range(300)])
    torch.testing.assert_close(draws.sum(1), torch.ones(300))
    assert ((draws == 1).sum(0) > 60).all()
    assert LayerMix(1, layer_dropout=0.9, dropout=0.0)(torch.ones(1, 1, 1)).item() == 1


def test_numbers_are_dropped_at_the_rate_in_each_layer():
    torch.manual_seed(6)
    mix = LayerMix(2, mode="sum", dropout=0.25)
    layers = torch.tensor([1.0, 10.0]).view(2, 1, 1).expand(2, 200, 100)
    values, counts = (mix(layers) * 0.75).round().unique(return_counts=True)
    assert values.tolist() == [0, 1, 10, 11]  # each layer by itself
    expected = torch.tensor([0.25 * 0.25, 0.75 * 0.25, 0.25 * 0.75, 0.75 * 0.75])
    torch.testing.assert_close(counts / 20000, expected, rtol=0, atol=0.015)


def test_gradients_go_through_the_numbers_that_were_kept():
    torch.manual_seed(7)
    mix = trained(num_layers=2, layer_dropout=0.0, dropout=0.5)
    layers = torch.tensor([1.0, 10.0]).view(2, 1, 1).repeat(1, 12, 5).requires_grad_()
    mixed = mix(layers)
    mixed.sum().backward()
    torch.testing.assert_close((layers * layers.grad).sum(0), mixed)
    torch.testing.assert_close(mix.beta.grad, mixed.sum() / mix.beta)
    assert mix.alpha.grad.any()


def test_the_graph_does_not_keep_dropped_copies():
    mix = LayerMix(12)
    layers = torch.randn(12, 6, 4, requires_grad=True)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, id):
        mix(layers)
    copies = [tensor for tensor in saved if tensor.data_ptr() != layers.data_ptr()]
    bytes_kept = [tensor.numel() * tensor.element_size() for tensor in copies]
    assert max(bytes_kept) <= layers.numel()  # one byte for each number, not four


def test_learns_from_a_frozen_encoder_and_under_autocast():
    mix = LayerMix(3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mix(torch.randn(3, 6, 4)).float().sum().backward()
    assert mix.alpha.grad is not None and mix.beta.grad is not None


def test_number_of_layers_must_agree():
    with pytest.raises(ValueError, match="built for 12 layers and was given 13"):
        LayerMix(12)(torch.zeros(13, 1, 1))


@pytest.mark.parametrize(
    "kwargs,message",
    [
        ({"num_layers": 0}, "num_layers is 0"),
        ({"num_layers": 2, "mode": "mean"}, "mode is 'mean'"),
        ({"num_layers": 2, "layer_dropout": 1.0}, "layer_dropout is 1.0"),
        ({"num_layers": 2, "dropout": -0.1}, "dropout is -0.1"),
    ],
)
def test_parameters_out_of_range(kwargs, message):
    with pytest.raises(ConfigurationError, match=message):
        LayerMix(**kwargs)
