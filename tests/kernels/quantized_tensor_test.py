"""The one rounding: the same numbers for archives and for products, and what ships is unchanged."""

import numpy
import pytest
import torch
from allennlp.models.archival import extracted_archive

from tests.helpers.processors import needs_int8
from udify_allennlp.archives.shipped import archive_of
from udify_allennlp.kernels.packed_weights import packed, unpacked
from udify_allennlp.kernels.precision import Int8Linear
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor


@pytest.fixture(scope="module")
def shipped():
    """Small and middling weights of the shipped model, as they are stored."""
    with extracted_archive(archive_of("multilingual")) as folder:
        stored = torch.load(f"{folder}/weights.th", map_location="cpu", weights_only=True)
    names = {n.partition(".int4_scale")[0].partition(".int8_scale")[0] for n in stored}
    chosen = [name for name in sorted(names) if stored[name].numel() < 2**19]
    return {n: w for n, w in stored.items() if n.partition(".int")[0] in chosen}


def loop(name, stored):
    """A weight as the format says it is, in NumPy."""
    numbers = stored[name].numpy()
    if name + ".int8_scale" in stored:
        scale = stored[name + ".int8_scale"].float().numpy()
        if scale.ndim == 1:
            scale = numpy.repeat(scale, 64 // numbers.shape[1])[: len(numbers), None]
        return numbers.astype("float32") * scale
    scale = stored[name + ".int4_scale"].float().numpy()
    whole = numpy.empty((*numbers.shape[:-1], 2 * numbers.shape[-1]), "float32")
    whole[..., 0::2], whole[..., 1::2] = numbers % 16 - 7.0, numbers // 16 - 7.0
    if scale.ndim == 1:
        return whole * numpy.repeat(scale, 64 // whole.shape[1])[: len(whole), None]
    return whole * numpy.repeat(scale, 64, -1)


def test_the_shipped_weights_are_read_as_the_format_says_and_packed_as_they_were(shipped):
    weights = unpacked(shipped)
    kinds = set()
    for name in weights:
        for ending in (".int4_scale", ".int8_scale"):
            if name + ending in shipped:
                kinds.add(ending)
                assert numpy.array_equal(weights[name].numpy(), loop(name, shipped)), name
                bits = 4 if ending == ".int4_scale" else 8
                found = QuantizedTensor(shipped[name], shipped[name + ending], bits).unpack()
                assert found.equal(weights[name])
    assert ".int4_scale" in kinds
    again = packed(weights, "int4")
    same = [again[name].equal(weight) for name, weight in shipped.items()]
    assert len(same) > 50 and all(same)


def test_products_round_weights_as_archives_do(shipped):
    weights = {n: w for n, w in unpacked(shipped).items() if w.dim() == 2 and w.shape[1] >= 32}
    assert len(weights) > 20
    eight = packed(weights, "int8")
    for name, weight in weights.items():
        linear = torch.nn.Linear(*weight.shape[::-1], bias=False)
        linear.weight.data = weight
        try:
            laid_out = Int8Linear(linear)._weight
        except (AttributeError, RuntimeError):
            pytest.skip("not here: this build of torch lays out no int8 matrices")
        assert laid_out.unpack().equal(unpacked(eight)[name]), name
        assert laid_out.numbers.to_dense().t().equal(eight[name]), name


@needs_int8
@pytest.mark.parametrize("rows", [1, 9])
def test_a_product_is_that_of_the_whole_numbers(rows):
    torch.manual_seed(rows)
    weight, x, bias = torch.randn(24, 96), torch.randn(rows, 96), torch.randn(24)
    scale = x.abs().amax(1, keepdim=True) / 127
    numbers = torch.floor(x / scale + 0.5).long()
    quantised = QuantizedTensor.of_rows(weight)
    whole = numbers @ quantised.numbers.long().t()
    expected = bias + whole * scale * quantised.scale.t()
    torch.testing.assert_close(quantised.laid_out().matmul(x, bias), expected)
