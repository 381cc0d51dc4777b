"""Equations 6.1 and 6.2."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.translation.losses import distillation_loss, gold_loss

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, tokens=4, pieces=7):
    generator = torch.Generator().manual_seed(seed)
    scores, taught = torch.randn(2, tokens, pieces, generator=generator) * 3
    return scores, taught, torch.randint(pieces, (tokens,), generator=generator)


@settings(max_examples=15)
@given(seed=SEEDS)
def test_losses_are_the_sums_of_the_equations(seed):
    scores, taught, labels = drawn(seed)
    p, q = scores.softmax(-1), taught.softmax(-1)
    gold = kd = 0.0
    for j in range(len(labels)):
        for z in range(p.shape[1]):
            gold -= float(labels[j] == z) * p[j, z].log() / len(labels)
            kd -= q[j, z] * p[j, z].log() / len(labels)
    torch.testing.assert_close(gold_loss(scores, labels), torch.as_tensor(gold))
    torch.testing.assert_close(distillation_loss(scores, taught), torch.as_tensor(kd))


@given(seed=SEEDS)
def test_a_teacher_that_is_sure_of_the_gold_piece_is_the_gold_loss(seed):
    scores, _, labels = drawn(seed)
    taught = torch.full_like(scores, -torch.inf).scatter(1, labels.unsqueeze(1), 0.0)
    torch.testing.assert_close(distillation_loss(scores, taught), gold_loss(scores, labels))


@given(seed=SEEDS)
def test_the_gradient_is_the_difference_of_the_distributions(seed):
    scores, taught, _ = drawn(seed)
    scores.requires_grad_()
    taught.requires_grad_()
    (distillation_loss(scores, taught) * len(scores)).backward()
    torch.testing.assert_close(scores.grad, (scores.softmax(-1) - taught.softmax(-1)).detach())
    assert taught.grad is None


@given(seed=SEEDS, top=st.integers(1, 8))
def test_the_best_pieces_of_a_teacher_sum_to_1(seed, top):
    scores, taught, labels = drawn(seed)
    found = distillation_loss(scores, taught, top)
    kept = F.one_hot(taught.topk(min(top, 7)).indices, 7).sum(1)
    q = taught.softmax(-1) * kept
    q = q / q.sum(-1, keepdim=True)
    torch.testing.assert_close(found, -(q * scores.log_softmax(-1)).sum(-1).mean())
    if top >= 7:
        torch.testing.assert_close(found, distillation_loss(scores, taught))


def test_by_hand():
    """Two pieces of probability 3/4 and 1/4, the first is gold, smoothed by 0.1."""
    scores = torch.tensor([[0.75, 0.25]]).log()
    labels = torch.tensor([0])
    assert gold_loss(scores, labels).item() == pytest.approx(0.28768, abs=1e-5)
    assert gold_loss(scores, labels, 0.1).item() == pytest.approx(
        0.95 * 0.28768 + 0.05 * 1.38629, abs=1e-5
    )
    assert distillation_loss(scores, torch.zeros(1, 2)).item() == pytest.approx(
        (0.28768 + 1.38629) / 2, abs=1e-5
    )
