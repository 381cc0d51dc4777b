import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules import bilinear
from udify_allennlp.modules.biaffine import Biaffine
from udify_allennlp.modules.bilinear import DeepBilinear, LabelBilinear


def randomise(module: torch.nn.Module) -> None:
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)


def label_scorer() -> LabelBilinear:
    torch.manual_seed(1)
    layer = LabelBilinear(3, 4, 5)
    randomise(layer)
    return layer


@pytest.mark.parametrize("chunk_size", [1, 100, 2**24])  # 1, 5 and all of 6 words at a time
def test_label_scores_equal_torch_and_so_do_gradients(chunk_size, monkeypatch):
    monkeypatch.setattr(bilinear, "CHUNK_SIZE", chunk_size)
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
    monkeypatch.setattr(bilinear, "CHUNK_SIZE", chunk_size)
    layer = label_scorer()
    x, y = torch.randn(6, 3), torch.randn(7, 4)
    expected = torch.cat([layer(x[d : d + 1], y[h : h + 1]) for d, h in enumerate(heads)])
    torch.testing.assert_close(layer.at_heads(x, y, torch.tensor(heads)), expected)
    some = torch.tensor([1, 4])
    alone = layer.at_heads(x, y, torch.tensor(heads), some)
    torch.testing.assert_close(alone, expected.index_select(1, some))
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
    monkeypatch.setattr(bilinear, "CHUNK_SIZE", 10 * 100 * 8)
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
