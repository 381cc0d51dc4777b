"""Scales of inputs: the histogram's order, the least error, beside all numbers themselves."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.compression.calibration import MagnitudeHistogram, recorded_inputs
from udify_allennlp.kernels.quantized_tensor import rounded_inputs


def histogram_of(*parts):
    histogram = MagnitudeHistogram()
    for part in parts:
        histogram.add(part)
    return histogram


def exact_error(x, clip):
    return float((rounded_inputs(x, torch.tensor(clip / 127)) - x).double().square().mean())


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-6, 1.0, 1e4]))
def test_counts_do_not_depend_on_the_order(seed, size):
    torch.manual_seed(seed)
    parts = [torch.randn(50) * size * factor for factor in (1e-3, 1.0, 40.0, 0.0)]
    forward, backward = histogram_of(*parts), histogram_of(*reversed(parts))
    assert forward.counts.equal(backward.counts) and forward.largest == backward.largest
    assert int(forward.counts.sum()) == 200


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), outlier=st.sampled_from([0.0, 8.0, 100.0]))
def test_the_clip_is_at_most_the_largest_and_its_error_the_least(seed, outlier):
    torch.manual_seed(seed)
    x = torch.randn(4000)
    x[0] += outlier
    histogram = histogram_of(x)
    clip = histogram.clip()
    largest = float(x.abs().max())
    assert clip <= largest
    # The histogram's error is close to the exact one, and no clip is clearly better.
    assert histogram.error(clip) == pytest.approx(exact_error(x, clip), rel=0.05)
    assert exact_error(x, clip) <= exact_error(x, largest) * 1.05
    others = [largest * part / 50 for part in range(1, 51, 3)]
    assert exact_error(x, clip) <= min(exact_error(x, other) for other in others) * 1.1


def test_one_outlier_among_many_is_cut_off():
    torch.manual_seed(1)
    x = torch.cat([torch.randn(200_000), torch.tensor([60.0])])
    assert histogram_of(x).clip() == pytest.approx(30, rel=0.1)
    assert histogram_of(torch.zeros(3)).clip() == 1.0


def test_inputs_of_wide_linear_layers_are_recorded_by_the_names_of_weights():
    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.Linear(40, 3), torch.nn.Linear(3, 3))
    x = torch.rand(6, 40)
    with recorded_inputs(model) as recorded:
        model(x)
    scales = recorded.scales()
    assert list(scales) == ["0.weight"]
    assert float(scales["0.weight"]) * 127 == pytest.approx(float(x.max()), rel=0.05)
    model(x * 1000)  # nothing is recorded any more
    assert recorded.histogram("0.weight").largest == x.max()
