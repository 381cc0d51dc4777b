import math
import subprocess
import sys

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules import adaptive_softmax
from udify_allennlp.modules.adaptive_softmax import IGNORED, AdaptiveSoftmax, LinearSoftmax


def small(num_labels: int = 30, **kwargs) -> AdaptiveSoftmax:
    """Shortlist 0..1, clusters 2..5 and 6..29; sharp, so that predictions go everywhere."""
    layer = AdaptiveSoftmax(16, num_labels, min_labels=1, **kwargs)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return layer


def test_cutoffs_are_fractions():
    layer = AdaptiveSoftmax(384, 109_639)
    assert layer.bounds == [7309, 21928, 109_639]
    assert layer.head.out_features == 7309 + 2
    assert [cluster[0].out_features for cluster in layer.clusters] == [96, 24]


@pytest.mark.parametrize(
    "num_labels,cutoffs,bounds",
    [
        (30, (1 / 15, 3 / 15), [2, 6, 30]),
        (4, (1 / 15, 3 / 15), [1, 4]),  # the first would leave no shortlist
        (10, (0.3, 0.31), [3, 10]),  # equal
        (10, (0.5, 1.0), [5, 10]),  # an empty cluster
        (10, (), [10]),
        (1, (1 / 15, 3 / 15), [1]),
    ],
)
def test_empty_clusters_are_dropped(num_labels, cutoffs, bounds):
    layer = AdaptiveSoftmax(8, num_labels, cutoffs=cutoffs, min_labels=1)
    assert layer.bounds == bounds
    torch.testing.assert_close(
        layer.log_prob(torch.randn(5, 8)).exp().sum(-1), torch.ones(5), rtol=0, atol=1e-5
    )


def test_few_labels_make_a_plain_softmax():
    torch.manual_seed(0)
    layer, plain = AdaptiveSoftmax(8, 999, label_smoothing=0.1), LinearSoftmax(8, 999, 0.1)
    assert not layer.clusters
    plain.linear.load_state_dict(layer.head.state_dict())
    x, labels = torch.randn(2, 3, 8), torch.randint(-1, 999, (2, 3))
    torch.testing.assert_close(layer.loss(x, labels), plain.loss(x, labels))
    torch.testing.assert_close(layer.log_prob(x), plain.log_prob(x))
    assert torch.equal(layer.predict(x), plain.predict(x))


def test_equals_torch():
    torch.manual_seed(1)
    layer = small()
    reference = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 30, cutoffs=[2, 6], head_bias=True)
    reference.head.load_state_dict(layer.head.state_dict())
    reference.tail.load_state_dict(layer.clusters.state_dict())
    x, labels = torch.randn(200, 16), torch.randint(0, 30, (200,))
    torch.testing.assert_close(layer.log_prob(x), reference.log_prob(x))
    loss, expected = layer.loss(x, labels), reference(x, labels).loss
    torch.testing.assert_close(loss, expected)
    for gradient, reference_gradient in zip(
        torch.autograd.grad(loss, list(layer.parameters())),
        torch.autograd.grad(expected, list(reference.parameters())),
        strict=True,
    ):
        torch.testing.assert_close(gradient, reference_gradient)


@pytest.mark.parametrize("chunk_size", [1, 100, 2**24])
@pytest.mark.parametrize("num_labels", [1, 4, 30])
def test_loss_is_the_mean_of_log_prob_in_any_chunks(num_labels, chunk_size, monkeypatch):
    monkeypatch.setattr(adaptive_softmax, "CHUNK_SIZE", chunk_size)
    torch.manual_seed(2)
    layer = small(num_labels)
    x, labels = torch.randn(5, 8, 16), torch.randint(0, num_labels, (5, 8))
    loss = layer.loss(x, labels)
    expected = -layer.log_prob(x).gather(-1, labels.unsqueeze(-1)).mean()
    torch.testing.assert_close(loss, expected)
    for gradient, reference in zip(
        torch.autograd.grad(loss, list(layer.parameters())),
        torch.autograd.grad(expected, list(layer.parameters())),
        strict=True,
    ):
        torch.testing.assert_close(gradient, reference)
    assert torch.equal(layer.predict(x), layer.log_prob(x).argmax(-1))


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_predict_is_the_argmax_of_the_whole_distribution(seed, scale):
    torch.manual_seed(seed)
    layer = small().double()
    x = scale * torch.randn(3, 20, 16, dtype=torch.float64)
    log_prob = layer.log_prob(x)
    chosen = log_prob.gather(-1, layer.predict(x).unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(chosen, log_prob.max(-1).values)


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_some_labels_alone(seed, scale):
    """A label that is reported as the best of some is the best of them."""
    torch.manual_seed(seed)
    some = torch.cat([torch.zeros(1, dtype=torch.long), torch.randperm(29)[:9].sort().values + 1])
    for layer in (small().double(), LinearSoftmax(16, 30).double()):
        x = scale * torch.randn(20, 16, dtype=torch.float64)
        best, is_best = layer.likely(x, some)
        log_prob = layer.log_prob(x)
        others = torch.ones(30, dtype=torch.bool).index_fill(0, some, False)
        expected = log_prob.masked_fill(others, -torch.inf).argmax(-1)
        assert torch.equal(best[is_best], expected[is_best])
        assert isinstance(layer, AdaptiveSoftmax) or is_best.all()
        assert torch.equal(layer.log_prob(x, some), log_prob[:, some])
        both = layer.likely(x, torch.arange(30))
        assert all(torch.equal(*pair) for pair in zip(both, layer.likely(x)))


def test_a_likely_cluster_of_unlikely_labels_does_not_win():
    layer = small()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        # Cluster 6..29 has 0.6 of the mass, 1/24 each; label 1 has 0.3.
        layer.head.bias.copy_(torch.tensor([0.05, 0.3, 0.05, 0.6]).log())
    assert layer.predict(torch.randn(4, 16)).tolist() == [1] * 4


def test_only_words_that_need_a_cluster_compute_it():
    torch.manual_seed(3)
    layer = small()
    sizes = []
    for cluster in layer.clusters:
        cluster.register_forward_hook(lambda module, args, output: sizes.append(len(output)))
    x = torch.randn(6, 16)
    layer.loss(x, torch.tensor([0, 1, 1, 7, IGNORED, 29]))
    assert sizes == [2]  # nobody in 2..5, two in 6..29
    sizes.clear()
    with torch.no_grad():
        layer.head.bias[0] = 100.0
    layer.predict(x)
    assert sizes == []


def test_smoothed_loss_worked_by_hand():
    # 3 labels, cutoff 1: head over {0, cluster}, then {1, 2}. x is 1, so weights are logits.
    layer = AdaptiveSoftmax(1, 3, cutoffs=(1 / 3,), label_smoothing=0.2, min_labels=1)
    with torch.no_grad():
        layer.head.weight.copy_(torch.tensor([[math.log(3.0)], [0.0]]))  # 3/4, 1/4
        layer.head.bias.zero_()
        layer.clusters[0][0].weight.fill_(1.0)
        layer.clusters[0][1].weight.copy_(torch.tensor([[0.0], [math.log(4.0)]]))  # 1/5, 4/5
    # Targets 0.9 and 0.1 in each factor, as 0.2 is shared by two.
    frequent = -0.9 * math.log(3 / 4) - 0.1 * math.log(1 / 4)
    rare = -0.1 * math.log(3 / 4) - 0.9 * math.log(1 / 4)
    rare += -0.1 * math.log(1 / 5) - 0.9 * math.log(4 / 5)
    loss = layer.loss(torch.ones(2, 1), torch.tensor([0, 2]))
    assert loss.item() == pytest.approx((frequent + rare) / 2)


def test_linear_smoothed_loss_worked_by_hand():
    layer = LinearSoftmax(1, 2, label_smoothing=0.2)
    with torch.no_grad():
        layer.linear.weight.copy_(torch.tensor([[math.log(3.0)], [0.0]]))
        layer.linear.bias.zero_()
    expected = -0.9 * math.log(3 / 4) - 0.1 * math.log(1 / 4)
    assert layer.loss(torch.ones(1, 1), torch.tensor([0])).item() == pytest.approx(expected)


@pytest.mark.parametrize("layer", [small(label_smoothing=0.1), LinearSoftmax(16, 30, 0.1)])
class TestBoth:
    def test_ignored_words_change_nothing(self, layer):
        torch.manual_seed(4)
        x, labels = torch.randn(10, 16), torch.randint(0, 30, (10,))
        expected = layer.loss(x[::2], labels[::2])
        labels[1::2] = IGNORED
        x[1::2] = torch.nan  # not even through 0 * nan
        torch.testing.assert_close(layer.loss(x, labels), expected)

    def test_nothing_to_learn_from_is_a_zero_that_can_go_backward(self, layer):
        x = torch.randn(2, 3, 16, requires_grad=True)
        loss = layer.loss(x, torch.full((2, 3), IGNORED))
        loss.backward()
        assert loss.item() == 0
        assert not x.grad.any()

    def test_no_words(self, layer):
        assert layer.predict(torch.zeros(2, 0, 16)).shape == (2, 0)
        assert layer.log_prob(torch.zeros(2, 0, 16)).shape == (2, 0, 30)
        assert layer.loss(torch.zeros(2, 0, 16), torch.zeros(2, 0, dtype=torch.long)).item() == 0

    def test_autocast(self, layer):
        torch.manual_seed(5)
        x, labels = torch.randn(50, 16, requires_grad=True), torch.randint(0, 30, (50,))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = layer.loss(x, labels)
            predictions = layer.predict(x)
        loss.backward()
        assert loss.dtype == torch.float32
        assert x.grad.isfinite().all()
        torch.testing.assert_close(loss, layer.loss(x, labels), rtol=0.05, atol=0)
        assert (predictions == layer.predict(x)).float().mean() > 0.8

    def test_a_label_out_of_range_is_an_error(self, layer):
        with pytest.raises(IndexError):
            layer.loss(torch.randn(1, 16), torch.tensor([30]))


@pytest.mark.parametrize("cls", [LinearSoftmax, AdaptiveSoftmax])
def test_parameters_out_of_range(cls):
    with pytest.raises(ConfigurationError, match="num_labels is 0"):
        cls(8, 0)
    with pytest.raises(ConfigurationError, match="input_dim is 0"):
        cls(0, 8)
    with pytest.raises(ConfigurationError, match="label_smoothing is 1.0"):
        cls(8, 8, label_smoothing=1.0)


def test_adaptive_parameters_out_of_range():
    with pytest.raises(ConfigurationError, match="cutoffs is"):
        AdaptiveSoftmax(8, 30, cutoffs=(0.5, 0.2))
    with pytest.raises(ConfigurationError, match="cutoffs is"):
        AdaptiveSoftmax(8, 30, cutoffs=(2000,))
    with pytest.raises(ConfigurationError, match="div_value is 0.5"):
        AdaptiveSoftmax(8, 30, div_value=0.5)


@pytest.mark.slow
def test_the_graph_does_not_keep_the_logits_of_all_labels():
    torch.manual_seed(6)
    words, num_labels = 800, 110_000
    layer = AdaptiveSoftmax(384, num_labels, label_smoothing=0.03)
    saved = {}
    with torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: saved.setdefault(tensor.data_ptr(), tensor), lambda tensor: tensor
    ):
        # Uniform labels put 80% of the words in the last cluster: far more than real data.
        loss = layer.loss(torch.randn(words, 384), torch.randint(0, num_labels, (words,)))
    kept = sum(tensor.numel() for tensor in saved.values())
    parameters = sum(parameter.numel() for parameter in layer.parameters())
    assert kept - parameters < words * num_labels / 4
    loss.backward()


MEASURE = """
import resource
import torch
from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax
torch.manual_seed(0)
layer = AdaptiveSoftmax(384, 110_000, label_smoothing=0.03)
layer.loss(torch.randn(8, 384), torch.arange(8) * 15_000).backward()
x = torch.randn(800, 384, requires_grad=True)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
layer.loss(x, torch.randint(0, 110_000, (800,))).backward()
layer.predict(x)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
def test_memory_of_a_large_batch():
    command = [sys.executable, "-c", MEASURE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # MiB. A plain softmax needs 336 for the logits alone, and three times that to learn.
    assert float(done.stdout.split()[-1]) < 400
