"""Numbers of spans after pruning, by each reading of Table 4.4's 0.6 and 300."""

import pytest
from allennlp.common.checks import ConfigurationError

from tests.helpers import tensors
from tests.helpers.roles import build, scored


@pytest.mark.parametrize(
    "share_of,left",
    [
        (None, lambda n, spans: spans),  # as `squares`: up to 24 words nothing is pruned
        ("squares", lambda n, spans: spans),
        ("spans", lambda n, spans: int(0.6 * spans)),
        ("words", lambda n, spans: int(0.6 * n)),
    ],
)
def test_spans_that_pruning_leaves(share_of, left):
    settings = {} if share_of is None else {"span_share_of": share_of}
    model, instances = build("conll05", **settings)
    batch = tensors(instances, model.vocab)
    _, scores = scored(model, batch)
    counts = scores.spans.sentence.bincount().tolist()
    lengths = [len(sentence) for sentence in batch["sentences"]]
    assert max(lengths) < 24
    assert counts == [max(1, left(n, n * (n + 1) // 2)) for n in lengths]


def test_squares_are_more_than_all_spans_of_both_styles():
    for n in range(1, 500):
        assert int(0.6 * (n + 1) ** 2) >= n * (n + 1) // 2 + n


def test_shares_are_of_something_known():
    with pytest.raises(ConfigurationError, match="span_share_of is 'pairs'. Use one of words"):
        build("conll05", span_share_of="pairs")
