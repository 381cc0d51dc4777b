import pytest
import torch

from udify_allennlp.kernels.dropout import FastDropout, random_keep, use_fast_dropout


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_numbers_are_dropped_at_the_rate_and_the_mean_stays(rate, bits):
    torch.manual_seed(0)
    keep, scale = random_keep(torch.empty(1000, 401), rate, bits)
    assert keep.shape == (1000, 401) and set(keep.unique().tolist()) == {0, 1}
    share = keep.double().mean().item()
    assert share == pytest.approx(1 - rate, abs=0.005)
    assert share * scale == pytest.approx(1, abs=0.03)
    # No place, and no place in a random word, is dropped more often than another.
    assert (keep.double().mean(0) - share).abs().max() < 0.08


def test_the_rate_is_never_one():
    keep, scale = random_keep(torch.empty(4096), 0.9999)
    assert scale == 256 and keep.any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_drops_and_scales_and_so_does_the_gradient(dtype):
    torch.manual_seed(1)
    input = torch.randn(50, 60, dtype=dtype).abs().add(0.5).requires_grad_()
    output = FastDropout(0.25)(input)
    output.sum().backward()
    kept = output != 0
    assert output.dtype == dtype and 0.2 < 1 - kept.float().mean() < 0.3
    torch.testing.assert_close(output[kept], (input / 0.75)[kept], rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(input.grad, (kept / 0.75).to(dtype), rtol=1e-2, atol=1e-2)


def test_does_nothing_outside_training_and_at_rate_zero():
    input = torch.randn(3, 4)
    assert torch.equal(FastDropout(0.5).eval()(input), input)
    assert torch.equal(FastDropout(0.0)(input), input)


def test_the_seed_decides():
    input = torch.ones(100)
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append(FastDropout(0.5)(input))
    assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])


def test_takes_the_place_of_torchs_own_everywhere():
    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.Dropout(0.3)), torch.nn.Dropout(0.2))
    use_fast_dropout(model)
    found = [module for module in model.modules() if isinstance(module, torch.nn.Dropout)]
    assert [type(module) for module in found] == [FastDropout, FastDropout]
    assert {module.p for module in found} == {0.2, 0.3}
