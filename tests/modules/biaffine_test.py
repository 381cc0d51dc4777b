import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules import biaffine
from udify_allennlp.modules.biaffine import Biaffine, DeepBiaffine, DeepBilinear, LabelBilinear
from udify_allennlp.modules.layout import Layout


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


def label_scorer() -> LabelBilinear:
    torch.manual_seed(1)
    layer = LabelBilinear(3, 4, 5)
    randomise(layer)
    return layer


@pytest.mark.parametrize("chunk_size", [1, 100, 2**24])  # 1, 5 and all of 6 words at a time
def test_label_scores_equal_torch_and_so_do_gradients(chunk_size, monkeypatch):
    monkeypatch.setattr(biaffine, "CHUNK_SIZE", chunk_size)
    layer = label_scorer()
    x, y = torch.randn(2, 3, 3, requires_grad=True), torch.randn(2, 3, 4, requires_grad=True)
    reference = torch.nn.functional.bilinear(x, y, layer.weight.transpose(0, 1), layer.bias)
    reference = reference + x @ layer.dependent_weight.T + y @ layer.head_weight.T
    scores = layer(x, y)
    torch.testing.assert_close(scores, reference)
    noise = torch.randn_like(scores)
    inputs = [x, y, *layer.parameters()]
    expected = torch.autograd.grad(reference, inputs, noise)
    for gradient, reference_gradient in zip(
        torch.autograd.grad(scores, inputs, noise), expected, strict=True
    ):
        torch.testing.assert_close(gradient, reference_gradient)


@pytest.mark.parametrize("chunk_size", [1, 30, 2**24])  # 1, 2 and all of 6 words at a time
@pytest.mark.parametrize("heads", [[0, 2, 2, 6, 2, 0], [3] * 6, [6, 5, 4, 3, 2, 1]])
def test_label_scores_at_heads_equal_those_of_each_pair(heads, chunk_size, monkeypatch):
    monkeypatch.setattr(biaffine, "CHUNK_SIZE", chunk_size)
    layer = label_scorer()
    x, y = torch.randn(6, 3), torch.randn(7, 4)
    expected = torch.cat([layer(x[d : d + 1], y[h : h + 1]) for d, h in enumerate(heads)])
    torch.testing.assert_close(layer.at_heads(x, y, torch.tensor(heads)), expected)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = layer.at_heads(x, y, torch.tensor(heads))
    torch.testing.assert_close(scores.float(), expected, rtol=0.05, atol=0.2)


def test_label_scores_of_no_words():
    assert label_scorer().at_heads(
        torch.zeros(0, 3), torch.zeros(1, 4), torch.zeros(0).long()
    ).shape == (0, 5)
    assert label_scorer()(torch.zeros(2, 0, 3), torch.zeros(2, 0, 4)).shape == (2, 0, 5)


def test_label_scores_under_autocast():
    layer = label_scorer()
    x, y = torch.randn(2, 3, 3), torch.randn(2, 3, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = layer(x, y)
        scores.float().sum().backward()
    torch.testing.assert_close(scores.float(), layer(x, y), rtol=0.05, atol=0.2)


def test_the_graph_keeps_no_products_that_outgrow_a_chunk(monkeypatch):
    monkeypatch.setattr(biaffine, "CHUNK_SIZE", 10 * 100 * 8)
    layer = LabelBilinear(8, 8, 100)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, id):
        layer(*torch.randn(2, 50, 8, requires_grad=True))
    assert max(saved, default=0) < 50 * 100 * 8


@pytest.mark.parametrize("layer", [Biaffine(2), LabelBilinear(2, 2, 3)], ids=["arcs", "labels"])
def test_starts_uniform_and_learns_from_there(layer):
    torch.manual_seed(2)
    x, y = torch.randn(1, 3, 2, requires_grad=True), torch.randn(1, 3, 2, requires_grad=True)
    assert not layer(x, y).any()
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
    torch.nn.functional.cross_entropy(layer(x, y)[0], torch.tensor([1, 0, 1])).backward()
    assert all(parameter.grad.any() for parameter in layer.parameters())
    optimizer.step()
    x.grad = y.grad = None
    torch.nn.functional.cross_entropy(layer(x, y)[0], torch.tensor([1, 0, 1])).backward()
    assert x.grad.any() and y.grad.any()


def test_sizes_must_be_positive():
    with pytest.raises(ConfigurationError, match="dim is 0"):
        Biaffine(0)
    with pytest.raises(ConfigurationError, match="num_labels is 0"):
        LabelBilinear(2, 2, 0)


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


def test_deep_label_scores_against_an_explicit_loop():
    torch.manual_seed(1)
    module = DeepBilinear(5, 3, num_labels=6, head_dim=4, activation="relu").eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    rows, heads = torch.randn(1 + 7, 5), torch.tensor([2, 0, 0, 3, 3, 7, 1])
    vectors = module.vectors(rows, num_words=7)
    scores, fast = module(vectors, heads), module.at_heads(vectors, heads)
    inner = module.bilinear
    for word, head in enumerate(heads.tolist()):
        x = module.dependent(rows[1 + word]).relu()
        y = module.head(rows[head]).relu()
        for label in range(6):
            expected = x @ inner.weight[:, label] @ y + inner.bias[label]
            expected = expected + inner.dependent_weight[label] @ x + inner.head_weight[label] @ y
            torch.testing.assert_close(scores[word, label], expected)
    torch.testing.assert_close(fast, scores)


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
    with pytest.raises(ConfigurationError, match="no bias 'root'. Take some of head, dependent"):
        DeepBiaffine(5, 3, biases=["root"])
    with pytest.raises(ConfigurationError, match="no activation 'swish'. Take one of elu, relu"):
        DeepBilinear(5, 3, 2, activation="swish")
