"""Products in 8 bits with a measured scale: as a loop has them, the same in whole and in float."""

import copy

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers.processors import needs_int8
from udify_allennlp.kernels import calibrated_linear
from udify_allennlp.kernels.calibrated_linear import CalibratedLinear, use_input_scales
from udify_allennlp.kernels.packed_weights import input_scales, packed, unpacked, with_input_scales
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor

SCALE = torch.tensor(0.02)


@pytest.fixture
def layer():
    torch.manual_seed(3)
    made = torch.nn.Linear(64, 20)
    made.weight.data = QuantizedTensor.of_rows(made.weight.data).unpack()
    return made


def loop(layer, x):
    """Each product of whole numbers, as Python has them."""
    weight = QuantizedTensor.of_rows(layer.weight.detach())
    rows = []
    for row in x.tolist():
        numbers = [max(-127, min(127, int((v / SCALE).round()))) for v in map(float, row)]
        sums = [sum(map(int.__mul__, numbers, of)) for of in weight.numbers.tolist()]
        rows.append(torch.tensor(sums) * SCALE * weight.scale.flatten())
    return torch.stack(rows) + layer.bias


@pytest.mark.parametrize("whole", [pytest.param(True, marks=needs_int8), False])
def test_it_is_the_loop_and_cuts_off_what_is_too_large(layer, whole, monkeypatch):
    monkeypatch.setattr(calibrated_linear, "int8_is_exact", lambda: whole)
    x = torch.randn(5, 64) * 2  # the clip is 2.54
    assert (x.abs() > 127 * SCALE).any()
    found = CalibratedLinear(layer, SCALE)(x)
    torch.testing.assert_close(found, loop(layer, x), rtol=1e-4, atol=1e-4)


def test_a_row_does_not_depend_on_the_others_and_copies_work(layer):
    calibrated = CalibratedLinear(layer, SCALE)
    x = torch.randn(2, 3, 64)
    whole = calibrated(x)
    assert whole.shape == (2, 3, 20) and calibrated(x[:0]).shape == (0, 3, 20)
    torch.testing.assert_close(calibrated(x[1:, 2:]), whole[1:, 2:])
    torch.testing.assert_close(copy.deepcopy(calibrated)(x), whole)
    assert calibrated.state_dict().keys() == layer.state_dict().keys()


def test_scales_are_kept_beside_the_weights():
    state = {"a.weight": torch.randn(4, 64)}
    stored = with_input_scales(packed(state, "int8"), {"a.weight": SCALE})
    assert input_scales(stored) == {"a.weight": SCALE}
    assert unpacked(stored).keys() == state.keys()
    assert packed(stored, "int8").keys() == packed(state, "int8").keys()
    assert input_scales(state) == {}


def test_int8_is_a_quarter():
    weight = torch.randn(64, 1024)
    stored = with_input_scales(packed({"w": weight}, "int8"), {"w": SCALE})
    assert sum(part.nbytes for part in stored.values()) == pytest.approx(
        weight.nbytes / 4, rel=0.02
    )


BAD = {
    "none of the model's": ("1.weight", SCALE),
    "no linear layer": ("2.weight", SCALE),
    "the model itself": ("weight", SCALE),
    "several numbers": ("0.weight", torch.ones(2)),
    "a whole number": ("0.weight", torch.tensor(3)),
    "zero": ("0.weight", torch.tensor(0.0)),
    "negative": ("0.weight", torch.tensor(-1.0)),
    "infinite": ("0.weight", torch.tensor(torch.inf)),
    "not a number": ("0.weight", torch.tensor(torch.nan)),
}


@pytest.mark.parametrize("name, scale", BAD.values(), ids=BAD)
def test_other_scales_are_refused(layer, name, scale):
    model = torch.nn.Sequential(layer, torch.nn.ReLU(), torch.nn.LayerNorm(20))
    with pytest.raises(ConfigurationError, match="^rejected, [^\n]*Pack the model again.$"):
        use_input_scales(model, {name: scale})


def test_layers_in_another_precision_stay(layer):
    model = torch.nn.Sequential(layer.half())
    use_input_scales(model, {"0.weight": SCALE})
    assert model[0] is layer
