import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules import soft_labels
from udify_allennlp.modules.adaptive_softmax import AdaptiveSoftmax, LinearSoftmax
from udify_allennlp.modules.soft_labels import (
    hidden_loss,
    learnable,
    soft_cross_entropy,
    soft_loss,
)


@given(seed=st.integers(0, 2**32 - 1), labels=st.integers(1, 6))
def test_against_an_explicit_loop(seed, labels):
    torch.manual_seed(seed)
    scores, taught = torch.randn(2, 3, labels), torch.randn(2, 3, labels)
    found = soft_cross_entropy(scores, taught)
    for i in range(2):
        for j in range(3):
            p, q = (torch.exp(x) / torch.exp(x).sum() for x in (scores[i, j], taught[i, j]))
            expected = -sum(float(q[k]) * float(p[k].log()) for k in range(labels))
            assert float(found[i, j]) == pytest.approx(expected, abs=1e-5)


def test_a_sure_teacher_is_a_gold_label():
    scores = torch.randn(4, 5)
    gold = torch.tensor([0, 3, 1, 4])
    taught = torch.full((4, 5), -torch.inf).scatter(1, gold.unsqueeze(1), 0.0)
    expected = torch.nn.functional.cross_entropy(scores, gold)
    torch.testing.assert_close(soft_cross_entropy(scores, taught).mean(), expected)


def test_masked_labels_are_no_trouble():
    scores = torch.randn(2, 3, requires_grad=True)
    masked = torch.tensor([[0.0, 0.0, -torch.inf]] * 2)
    loss = soft_cross_entropy(scores + masked, torch.randn(2, 3) + masked).sum()
    loss.backward()
    assert torch.isfinite(loss) and torch.isfinite(scores.grad).all()


def test_who_has_learnt_all_learns_no_more():
    """The gradient is 0 at the teacher's own scores, where the loss is the teacher's entropy."""
    taught = torch.randn(3, 4)
    scores = taught.clone().requires_grad_()
    loss = soft_cross_entropy(scores, taught)
    loss.sum().backward()
    torch.testing.assert_close(scores.grad, torch.zeros(3, 4))
    torch.testing.assert_close(
        loss.detach(), torch.distributions.Categorical(logits=taught).entropy()
    )


@pytest.mark.parametrize("kind", ["linear", "plain", "clusters"])
def test_two_softmaxes_are_compared_label_by_label(kind, monkeypatch):
    monkeypatch.setattr(soft_labels, "SMALLEST_SHARE", -1.0)

    def make(dim):
        if kind == "linear":
            return LinearSoftmax(dim, 30)
        return AdaptiveSoftmax(dim, 30, min_labels=1 if kind == "clusters" else 1000)

    torch.manual_seed(1)
    student, teacher = make(16), make(20)
    x, taught = torch.randn(7, 16), torch.randn(7, 20)
    expected = soft_cross_entropy(student.log_prob(x), teacher.log_prob(taught)).mean()
    torch.testing.assert_close(soft_loss(student, x, teacher, taught), expected)


def test_a_cluster_that_the_teacher_does_not_mean_is_left_out():
    student, teacher = (AdaptiveSoftmax(16, 30, min_labels=1) for _ in range(2))
    with torch.no_grad():
        teacher.head.bias[student.shortlist_size :] = -50.0
    x = torch.randn(5, 16)
    loss = soft_loss(student, x, teacher, x)
    loss.backward()
    assert all(float(p.grad.abs().sum()) == 0 for p in student.clusters.parameters())
    expected = soft_cross_entropy(student.log_prob(x), teacher.log_prob(x)).mean()
    torch.testing.assert_close(loss, expected)


def test_labels_that_only_the_student_has_are_improbable():
    torch.manual_seed(2)
    scores, taught = torch.randn(3, 5), torch.randn(3, 4)
    wider = torch.cat([taught, torch.full((3, 1), -torch.inf)], 1)
    torch.testing.assert_close(
        soft_cross_entropy(scores, taught), soft_cross_entropy(scores, wider)
    )


def test_which_softmaxes_can_learn_from_which():
    assert learnable(LinearSoftmax(4, 5), LinearSoftmax(8, 5))
    assert learnable(LinearSoftmax(4, 6), LinearSoftmax(4, 5))
    assert not learnable(LinearSoftmax(4, 5), LinearSoftmax(4, 6))
    assert not learnable(LinearSoftmax(4, 5), AdaptiveSoftmax(4, 5))
    assert not learnable(AdaptiveSoftmax(4, 30), AdaptiveSoftmax(4, 30, min_labels=1))
    clusters = AdaptiveSoftmax(4, 30, min_labels=1)
    more = AdaptiveSoftmax(4, 33, min_labels=1, cutoffs=[2 / 33, 6 / 33])
    assert learnable(more, clusters) and not learnable(clusters, more)


def test_directions_of_hidden_vectors():
    x = torch.randn(2, 3, 4)
    assert float(hidden_loss(x, 5 * x)) == pytest.approx(0, abs=1e-6)
    assert float(hidden_loss(x, -x)) == pytest.approx(4, rel=1e-5)
