import pytest
import torch
from transformers import AutoModel

from tests.conftest import FIXTURES
from udify_allennlp.kernels import attention
from udify_allennlp.kernels.attention import use_fast_attention

ENCODER = str(FIXTURES / "encoder")
RATE = 0.25


def inputs(dtype=torch.float64):
    """Two windows, three heads, five pieces; the second window has two pieces of padding."""
    torch.manual_seed(0)
    tensors = [torch.randn(2, 3, 5, 4, dtype=dtype, requires_grad=True) for _ in range(3)]
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[1, :, :, 3:] = False
    return tensors, mask


def attend(query, key, value, mask, dropout=RATE, scaling=0.5):
    return attention.attention(None, query, key, value, mask, dropout=dropout, scaling=scaling)[0]


def by_hand(query, key, value, mask, keep, scale):
    scores = query @ key.transpose(-1, -2) * 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    return (scores.softmax(-1) * keep * scale @ value).transpose(1, 2)


@pytest.mark.parametrize("masked", [True, False])
def test_equals_the_plain_formula_and_so_do_gradients(masked, monkeypatch):
    tensors, mask = inputs()
    mask = mask if masked else None
    keep = (torch.rand(2, 3, 5, 5) > RATE).to(torch.uint8)
    monkeypatch.setattr(attention, "random_keep", lambda like, rate, bits: (keep, 1 / (1 - rate)))
    result, expected = attend(*tensors, mask), by_hand(*tensors, mask, keep, 1 / (1 - RATE))
    torch.testing.assert_close(result, expected)
    noise = torch.randn_like(result)
    gradients = torch.autograd.grad(result, tensors, noise)
    for mine, theirs in zip(gradients, torch.autograd.grad(expected, tensors, noise)):
        torch.testing.assert_close(mine, theirs)
    assert torch.autograd.gradcheck(lambda *qkv: attend(*qkv, mask), tensors)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("length, width", [(7, 7), (9, 16), (16, 16), (20, 20), (27, 32)])
def test_keys_of_padding_change_nothing(length, width, masked, monkeypatch):
    torch.manual_seed(0)
    tensors = [torch.randn(2, 3, length, 4, requires_grad=True) for _ in range(3)]
    mask = torch.ones(2, 1, length, length, dtype=torch.bool)
    mask[1, :, :, 3:] = False
    mask = mask if masked else None
    widths, found = [], []
    widened = attention._widened

    def watched(*given):
        result = widened(*given)
        widths.append(result[0].shape[-2])
        return result

    monkeypatch.setattr(attention, "_widened", watched)
    for has_lanes in (True, False):
        monkeypatch.setattr(attention, "_has_lanes", lambda has=has_lanes: has)
        mixed = attend(*tensors, mask, dropout=0.0)
        found.append((mixed, *torch.autograd.grad(mixed.square().sum(), tensors)))
    assert widths == [width, length]
    for wide, narrow in zip(*found):
        torch.testing.assert_close(wide, narrow)
    attend(*tensors, mask)  # training draws as many numbers as before
    assert len(widths) == 2


def test_what_sees_nothing_is_no_nan():
    tensors, mask = inputs()
    mask[1, :, 4] = False
    result = attend(*tensors, mask)
    assert result.isfinite().all()
    assert all(grad.isfinite().all() for grad in torch.autograd.grad(result.sum(), tensors))


def test_the_mean_over_many_draws_is_attention_without_dropout():
    (query, key, value), mask = inputs()
    with torch.no_grad():
        mean = sum(attend(query, key, value, mask) for _ in range(4000)) / 4000
        plain = attend(query, key, value, mask, dropout=0.0)
    torch.testing.assert_close(mean, plain, rtol=0, atol=0.06)


def test_bfloat16_is_near():
    (query, key, value), mask = inputs(torch.float32)
    torch.manual_seed(1)
    exact = attend(query, key, value, mask)
    torch.manual_seed(1)
    rounded = attend(query.bfloat16(), key.bfloat16(), value.bfloat16(), mask)
    assert rounded.dtype == torch.bfloat16
    torch.testing.assert_close(rounded.float(), exact, rtol=0.05, atol=0.05)


def test_a_byte_for_each_probability_is_all_that_is_kept():
    tensors, mask = inputs(torch.float32)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        attention._Attend.apply(*tensors, mask, RATE, 0.5)
    assert [t.dtype for t in kept if t.shape == (2, 3, 5, 5)] == [torch.uint8]


@pytest.mark.parametrize("padded", [True, False])
def test_an_encoder_gives_the_same_vectors_with_it(padded):
    plain, fast = (AutoModel.from_pretrained(ENCODER).eval() for _ in range(2))
    if not use_fast_attention(fast):
        pytest.skip(
            "not here: this version of transformers has no attention functions of one's own"
        )
    ids = torch.randint(10, 100, (2, 7))
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0 if padded else 1
    with torch.no_grad():
        vectors = [model(ids, attention_mask=mask).last_hidden_state for model in (plain, fast)]
    torch.testing.assert_close(vectors[1][mask.bool()], vectors[0][mask.bool()])
    used = []
    with torch.no_grad(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention._Attend, "apply", lambda q, k, v, *_: used.append(1) or v)
        fast.train()(ids, attention_mask=mask)
    assert used
