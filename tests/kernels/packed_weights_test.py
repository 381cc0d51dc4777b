"""Weights in fewer bits: rounding errors, unchanged weights, and models made from them."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.kernels.packed_weights import (
    STORED_PRECISIONS,
    packed,
    rounded,
    rounded_together,
    unpacked,
)


@given(
    rows=st.integers(1, 4),
    width=st.sampled_from([32, 33, 100]),
    size=st.sampled_from([0.0, 1e-30, 1e-3, 1.0, 1e30]),
    seed=st.integers(0, 2**32 - 1),
)
def test_int8_is_off_by_half_a_step_of_its_row_at_most(rows, width, size, seed):
    torch.manual_seed(seed)
    weight = torch.randn(2, rows, width) * size
    found = unpacked(packed({"w": weight}, "int8"))["w"]
    step = weight.abs().amax(-1, keepdim=True) / 127
    assert found.dtype == torch.float32
    assert ((found - weight).abs() <= 0.502 * step + 1e-37).all()


@pytest.mark.slow
@given(
    rows=st.sampled_from([512, 700]),
    width=st.sampled_from([64, 128]),
    size=st.sampled_from([0.0, 1e-3, 1.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
def test_int4_is_off_by_half_a_step_of_its_block_at_most(rows, width, size, seed):
    torch.manual_seed(seed)
    weight = torch.randn(2, rows, width) * size
    state = packed({"w": weight}, "int4")
    assert state["w"].dtype == torch.uint8 and state["w"].shape == (2, rows, width // 2)
    found = unpacked(state)["w"].view(2, rows, -1, 64)
    blocks = weight.view(2, rows, -1, 64)
    step = blocks.abs().amax(-1, keepdim=True) / 7
    # The scale itself has 6 significant bits, so it may be a 64th too large.
    assert ((found - blocks).abs() <= 0.5 * (1 + 1 / 64) * step + 1e-4).all()


@pytest.mark.parametrize("precision, highest", [("int8", 127), ("int4", 7)])
@pytest.mark.parametrize("rows, width", [(4097, 16), (8192, 8)])
def test_short_rows_of_a_table_share_a_scale(precision, highest, rows, width):
    torch.manual_seed(rows)
    weight = torch.randn(rows, width) * torch.rand(rows, 1)
    state = packed({"w": weight}, precision)
    assert sum(part.nbytes for part in state.values()) < weight.nbytes / (3.5 if highest > 7 else 7)
    found = unpacked(state)["w"]
    together = 64 // width
    for first in range(0, rows, together):
        part = slice(first, first + together)
        step = weight[part].abs().max() / highest
        assert (found[part] - weight[part]).abs().max() <= 0.5 * (1 + 1 / 64) * step
    torch.testing.assert_close(unpacked(packed(state, precision))["w"], found)


@given(
    seed=st.integers(0, 2**32 - 1),
    precision=st.sampled_from(["float16", "int8", "int4", "float32"]),
)
def test_packing_again_changes_nothing(seed, precision):
    torch.manual_seed(seed)
    state = {"matrix": torch.randn(5, 40), "bias": torch.randn(5), "ids": torch.arange(3)}
    state["wide"] = torch.randn(2, 64)
    once = packed(state, precision)
    twice = packed(once, precision)
    assert once.keys() == twice.keys()
    for name, weight in once.items():
        assert weight.dtype == twice[name].dtype
        torch.testing.assert_close(weight, twice[name], rtol=1e-6, atol=0)
    assert unpacked(once).keys() == state.keys()
    torch.testing.assert_close(unpacked(once)["ids"], state["ids"])


def test_sizes_and_what_stays():
    state = {"matrix": torch.randn(8, 64), "bias": torch.randn(8), "narrow": torch.randn(9, 3)}
    eight = packed(state, "int8")
    assert eight["matrix"].dtype == torch.int8 and eight["matrix.int8_scale"].shape == (8, 1)
    assert eight["bias"] is state["bias"] and eight["narrow"].dtype == torch.float16
    assert {weight.dtype for weight in packed(state, "float16").values()} == {torch.float16}
    assert packed(state, "float32") == state


@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1.0, 1e4]))
def test_the_scale_of_a_row_is_a_127th_of_its_largest(seed, size):
    torch.manual_seed(seed)
    weight = torch.randn(5, 40) * size
    state = packed({"w": weight}, "int8")
    largest = weight.abs().amax(-1, keepdim=True)
    scale = state["w.int8_scale"]
    torch.testing.assert_close(scale, largest / 127, rtol=1 / 256, atol=0)
    assert scale.bfloat16().float().equal(scale)  # which has 8 significant bits
    assert state["w"].abs().amax(-1).tolist() == [127] * 5


def test_int8_is_a_quarter():
    """Rows as long as those of SMaLL-100: the scales add a thousandth."""
    weight = torch.randn(16, 1024)
    state = packed({"w": weight}, "int8")
    assert sum(part.nbytes for part in state.values()) == weight.nbytes / 4 + 16 * 4


def test_what_cannot_be_packed():
    with pytest.raises(ConfigurationError, match="w has weights that float16 cannot hold"):
        packed({"w": torch.tensor([70000.0])}, "float16")
    with pytest.raises(ConfigurationError, match="w has weights that float16 cannot hold"):
        packed({"w": torch.full((1024, 64), 1e6)}, "int4")
    with pytest.raises(ConfigurationError, match="--precision is 'int2'. Use one of float32, "):
        packed({}, "int2")


def test_weights_rounded_together_on_a_gpu_are_those_rounded_alone(monkeypatch):
    torch.manual_seed(0)
    shapes = [(300, 384), (5, 3), (70_000, 8), (128, 40, 64), (40,), (64, 64), (2, 65, 1024)]
    weights = [torch.randn(shape) for shape in shapes] + [torch.arange(3)]
    for precision in STORED_PRECISIONS:
        alone = [rounded(weight, precision) for weight in weights]
        for on_gpu in (False, True):
            monkeypatch.setattr(torch.Tensor, "is_cuda", on_gpu)
            for one, other in zip(rounded_together(weights, precision), alone, strict=True):
                assert torch.equal(one, other)
        monkeypatch.undo()
