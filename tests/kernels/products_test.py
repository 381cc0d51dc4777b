import pytest
import torch
from torch.nn import Linear

from udify_allennlp.kernels import products
from udify_allennlp.kernels.products import FastLinear, is_faster, speed_up

needs_onednn = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="not here: a PyTorch without oneDNN"
)


@pytest.fixture
def calls(monkeypatch):
    """The products that were not left to oneDNN, which is to do those of every size."""
    found = []
    plain = torch.nn.functional.linear

    def counted(*args):
        found.append(args)
        return plain(*args)

    monkeypatch.setattr(products.F, "linear", counted)
    monkeypatch.setattr(products, "LEAST", 0)
    monkeypatch.setattr(products, "is_faster", lambda: True)
    return found


@needs_onednn
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1,), (0,), (5,), (2, 7), (3000,)])
def test_the_product_is_that_of_the_layer(shape, bias, calls):
    torch.manual_seed(0)
    linear = Linear(96, 40, bias=bias)
    x = torch.randn(*shape, 96)
    with torch.no_grad():
        found = FastLinear(linear)(x)
        assert not calls
        torch.testing.assert_close(found, linear(x))


@needs_onednn
@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])
def test_the_rows_of_a_product_are_a_multiple(rows, autocast, monkeypatch):
    """So that oneDNN, which keeps programs by the number of rows, keeps few."""
    torch.manual_seed(0)
    given = []
    monkeypatch.setattr(products, "LEAST", 0)
    monkeypatch.setattr(products, "is_faster", lambda: False)
    linear, x, pad = FastLinear(Linear(24, 16)), torch.randn(rows, 24), torch.nn.functional.pad
    monkeypatch.setattr(products.F, "pad", lambda *args: given.append(pad(*args)) or given[-1])
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
        found, expected = linear(x), torch.nn.functional.linear(x, linear.weight, linear.bias)
    assert found.shape == expected.shape and len(given) == autocast
    assert all(len(filled) % products.ROWS == 0 for filled in given)
    torch.testing.assert_close(found, expected)


@needs_onednn
def test_a_view_is_read_as_it_is(calls):
    torch.manual_seed(0)
    linear, x = Linear(24, 16), torch.randn(6, 24, 5)
    with torch.no_grad():
        given = x.transpose(1, 2)
        torch.testing.assert_close(FastLinear(linear)(given), linear(given.contiguous()))
    assert len(calls) == 1


@needs_onednn
def test_what_is_recorded_or_lowered_or_switched_off_is_left_to_the_layer(calls):
    linear = FastLinear(Linear(4, 3))
    linear(torch.ones(2, 4)).sum().backward()
    assert linear.weight.grad is not None
    with torch.no_grad():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert linear(torch.ones(2, 4)).dtype == torch.bfloat16
        with torch.backends.mkldnn.flags(enabled=False):
            linear(torch.ones(2, 4))
        FastLinear(Linear(4, 3).double())(torch.ones(2, 4, dtype=torch.float64))
    assert len(calls) == 4


def test_small_products_and_other_processors_are_left_to_pytorch(calls, monkeypatch):
    linear = FastLinear(Linear(64, 64))
    with torch.no_grad():
        monkeypatch.setattr(products, "LEAST", 5 * 64 * 64)
        linear(torch.ones(4, 64))
        assert len(calls) == 1
        linear(torch.ones(5, 64))
        assert len(calls) == 1
        monkeypatch.setattr(products, "is_faster", lambda: False)
        linear(torch.ones(9, 64))
        assert len(calls) == 2


def test_parameters_are_shared_and_keep_their_names():
    encoder = torch.nn.Sequential(Linear(8, 8), torch.nn.Sequential(Linear(8, 8, bias=False)))
    before = dict(encoder.named_parameters())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "is_faster", lambda: True)
        speed_up(encoder)
        speed_up(encoder)
    assert isinstance(encoder[0], FastLinear) and isinstance(encoder[1][0], FastLinear)
    after = dict(encoder.named_parameters())
    assert all(after[name] is parameter for name, parameter in before.items())
    assert list(after) == list(before)
    encoder.load_state_dict({name: torch.ones_like(x) for name, x in before.items()})
    assert encoder[0].weight.sum() == 64 and repr(encoder[0]).endswith("bias=True)")


@pytest.mark.parametrize(
    "text, faster",
    [
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\n", True),
        ("processor\t: 0\nvendor_id\t: GenuineIntel\n", False),
        ("processor\t: 0\nBogoMIPS\t: 50.00\n", False),
        (None, False),
    ],
)
def test_it_is_for_processors_of_amd_that_have_avx512(text, faster, tmp_path, monkeypatch):
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(products, "_CPU_INFO", str(tmp_path / "cpuinfo"))
    for library in (torch.backends.mkldnn, torch.backends.mkl):
        monkeypatch.setattr(library, "is_available", lambda: True)
    for capability, has in (("AVX512", True), ("AVX2", False)):
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda c=capability: c)
        assert is_faster.__wrapped__() is (faster and has)
