import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.graph2graph.transition_decoder import OfNodes
from udify_allennlp.modules import biaffine
from udify_allennlp.modules.biaffine import Biaffine, DeepBiaffine
from udify_allennlp.modules.bilinear import DeepBilinear
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.stack_pointer import StackPointer


def randomise(module: torch.nn.Module) -> None:
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)


def test_arc_scores_equal_a_loop():
    torch.manual_seed(0)
    layer = Biaffine(3)
    randomise(layer)
    x, y = torch.randn(2, 4, 3), torch.randn(2, 4, 3)
    scores = layer(x, y)
    for b in range(2):
        for d in range(4):
            for h in range(4):
                expected = y[b, h] @ layer.weight @ x[b, d] + y[b, h] @ layer.bias
                torch.testing.assert_close(scores[b, d, h], expected)


def test_arc_scores_by_hand():
    layer = Biaffine(1)
    with torch.no_grad():
        layer.weight.fill_(2.0)
        layer.bias.fill_(3.0)
    x, y = torch.tensor([[[1.0], [10.0]]]), torch.tensor([[[1.0], [5.0]]])
    # Row: dependent, column: head. 2 * x * y + 3 * y.
    assert layer(x, y).tolist() == [[[5.0, 25.0], [23.0, 115.0]]]


@pytest.mark.parametrize("biases", [(), ("head",), ("head", "dependent", "constant")])
@pytest.mark.parametrize("activation", sorted(biaffine.ACTIVATIONS))
@pytest.mark.parametrize("own_roots", [False, True])
def test_deep_arc_scores_against_an_explicit_loop(biases, activation, own_roots):
    """`s[d, h] = y_h^T U x_d + y_h^T u + x_d^T v + b` of activated projections, pair by pair."""
    torch.manual_seed(1)
    lengths, layout = [2, 4, 1], Layout.from_lengths([2, 4, 1])
    module = DeepBiaffine(5, 3, head_dim=4, activation=activation, biases=biases).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    layout = layout.with_own_roots() if own_roots else layout
    roots = len(lengths) if own_roots else 1
    rows = torch.randn(roots + sum(lengths), 5)
    scores = module(rows, layout)
    act, inner, start = biaffine.ACTIVATIONS[activation], module.biaffine, roots
    assert scores.shape == (3, 5, 5) and scores.dtype == torch.float32
    lowest = torch.finfo(torch.float32).min
    for b, length in enumerate(lengths):
        root = rows[b if own_roots else 0]
        nodes = [root, *rows[start : start + length]]
        start += length
        for d in range(5):
            for h in range(5):
                if h > length or h == d:
                    assert scores[b, d, h] == lowest
                elif d <= length:
                    x, y = act(module.dependent(nodes[d])), act(module.head(nodes[h]))
                    expected = y @ inner.weight @ x
                    expected = expected + (y @ inner.bias if "head" in biases else 0)
                    if "dependent" in biases:
                        expected = expected + x @ inner.dependent_bias
                    if "constant" in biases:
                        expected = expected + inner.constant[0]
                    torch.testing.assert_close(scores[b, d, h], expected)


def test_dropout_is_drawn_for_each_root_of_its_own():
    """One ROOT serves all sentences, but what is dropped of it differs from one to the next."""
    torch.manual_seed(1)
    module = DeepBiaffine(8, 64, activation="linear", dropout=0.5).train()
    torch.nn.init.normal_(module.biaffine.bias)
    scores = module(torch.randn(1 + 2, 8), Layout.from_lengths([1, 1]))
    assert scores[0, 1, 0] != scores[1, 1, 0]


def test_widths_biases_and_activations_that_do_not_exist_are_refused():
    with pytest.raises(ConfigurationError, match="dependent_dim is 3 and head_dim is 0"):
        DeepBiaffine(5, 3, head_dim=0)
    with pytest.raises(
        ConfigurationError, match="unknown bias 'root'. Use some of head, dependent"
    ):
        DeepBiaffine(5, 3, biases=["root"])
    with pytest.raises(
        ConfigurationError, match="Unknown activation 'swish'. Use one of elu, relu"
    ):
        DeepBilinear(5, 3, 2, activation="swish")
    with pytest.raises(ConfigurationError, match="Unknown activation 'swish'"):
        StackPointer(5, 3, activation="swish")
    with pytest.raises(ConfigurationError, match="Unknown activation 'swish'"):
        OfNodes(5, 3, 4, 4, activation="swish", dropout=0.0)
