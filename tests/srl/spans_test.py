"""Scores of roles against the equations pair by pair, and what pruning keeps."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.spans import Spans
from udify_allennlp.srl.spans import Pairs, SpanRoles, keep_best, kept

DIM, LABELS = 8, 5


def scorer(**settings):
    torch.manual_seed(1)
    made = SpanRoles(DIM, LABELS, 6, 7, 4, **settings).double().eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return made


@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize("relu", [True, False])
def test_scores_are_those_of_the_equations(swap, relu):
    """Equations 4.4 to 4.6, one pair after the other."""
    model = scorer(swap_halves=swap, label_relu=relu)
    lengths = [3, 1]
    nodes = torch.randn(2, 5, DIM, dtype=torch.double)
    spans = Spans.of(lengths, True, True, nodes.device)
    assert len(spans.left) == (6 + 3) + (1 + 1)
    predicates = torch.tensor([[0, 2], [0, 3], [1, 1]])  # sentence, word
    vectors = nodes[predicates[:, 0], predicates[:, 1]]
    pairs = Pairs.of(predicates[:, 0], spans.sentence, 2)
    assert len(pairs.span) == 9 + 9 + 2
    ends = model.ends(nodes)
    arguments = model.spans(ends, spans)
    found = model.label_scores(vectors, arguments, pairs)
    unary = model.span_scores(ends, spans)
    for row, (p, s) in enumerate(zip(pairs.predicate.tolist(), pairs.span.tolist())):
        sentence, left, right = (int(each[s]) for each in spans)
        assert sentence == predicates[p, 0]
        z = nodes[sentence]
        f, b = z.chunk(2, 1)
        sr = torch.cat([b[right + 1], f[right]] if swap else [f[right], b[right + 1]])
        sl = torch.cat([f[left], b[left + 1]])
        a = torch.relu(model.span.weight @ (sr - sl) + model.span.bias)
        v = z[predicates[p, 1]]
        weight = torch.cat([model.label_of_span.weight, model.label_of_predicate.weight], 1)
        hidden = model.norm(weight @ torch.cat([a, v]) + model.label_of_span.bias)
        expected = model.label(torch.relu(hidden) if relu else hidden)
        torch.testing.assert_close(found[row], expected)
        torch.testing.assert_close(arguments[s], a)
        torch.testing.assert_close(unary[s], model.argument(a)[0])


@given(
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=5),
    keep=st.lists(st.integers(1, 4), min_size=5, max_size=5),
    seed=st.integers(0, 99),
)
def test_the_best_of_each_sentence_are_kept(counts, keep, seed):
    torch.manual_seed(seed)
    sentence = torch.arange(len(counts)).repeat_interleave(torch.tensor(counts))
    scores = torch.randn(len(sentence))
    chosen = keep_best(scores, sentence, torch.tensor(keep[: len(counts)])).tolist()
    expected = []
    for number in range(len(counts)):
        own = [i for i in range(len(scores)) if sentence[i] == number]
        expected += sorted(own, key=lambda i: -float(scores[i]))[: keep[number]]
    assert chosen == sorted(expected)


def test_bounds_of_pruning():
    lengths = torch.tensor([1, 2, 10, 40, 100])
    assert kept(lengths, 0.6, 30).tolist() == [1, 1, 6, 24, 30]
    assert kept((lengths + 1) ** 2, 0.6, 300).tolist() == [2, 5, 72, 300, 300]


def test_many_spans_are_scored_in_parts(monkeypatch):
    model = scorer()
    nodes = torch.randn(1, 9, DIM, dtype=torch.double)
    spans = Spans.of([7], True, False, nodes.device)
    whole = model.span_scores(model.ends(nodes), spans)
    monkeypatch.setattr("udify_allennlp.srl.spans._AT_ONCE", 5)
    torch.testing.assert_close(model.span_scores(model.ends(nodes), spans), whole)
    assert len(whole) == 28 and not len(
        model.span_scores(model.ends(nodes), spans.at(spans.left < 0))
    )


def test_widths_are_checked():
    with pytest.raises(ConfigurationError, match="the first width even"):
        SpanRoles(7, 3)
