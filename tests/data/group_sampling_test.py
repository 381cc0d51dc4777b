from collections import Counter

import numpy
import pytest
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.data.group_sampling import GroupSampling

COUNTS = st.lists(st.integers(0, 40), min_size=1, max_size=8).filter(any)
EPOCH = st.one_of(st.none(), st.integers(1, 300))
SETTINGS = st.one_of(
    st.builds(dict, sampling=st.sampled_from(["proportional", "uniform"]), epoch_size=EPOCH),
    st.builds(
        dict, sampling=st.just("temperature"), temperature=st.floats(1, 100), epoch_size=EPOCH
    ),
)


def treebanks(counts, seed):
    """Sentences of treebanks with `counts` sentences, in any order."""
    rows = numpy.repeat(numpy.arange(len(counts)), counts)
    return numpy.random.default_rng(seed).permutation(rows)


def exact_shares(counts, settings, factors=None):
    """Share by share, from the definition."""
    exponent = {"proportional": 1, "uniform": 0}.get(settings["sampling"])
    exponent = 1 / settings["temperature"] if exponent is None else exponent
    weights = [n**exponent * f if n else 0 for n, f in zip(counts, factors or [1] * len(counts))]
    return [weight / sum(weights) for weight in weights]


@given(
    counts=COUNTS,
    settings=SETTINGS,
    seed=st.integers(0, 2**62 - 1),
    factors=st.one_of(st.none(), st.lists(st.floats(0.1, 10), min_size=8, max_size=8)),
)
def test_shares_and_how_often_a_sentence_comes(counts, settings, seed, factors):
    sampling = GroupSampling(**settings)
    of = treebanks(counts, seed)
    if sampling.is_everything_once:
        factors = None
    rows = sampling.rows(of, seed, None if factors is None else numpy.array(factors))
    total = settings["epoch_size"] or len(of)
    assert len(rows) == total and rows.tolist() == sorted(rows)
    got = numpy.bincount(of[rows], minlength=len(counts))
    for i, share in enumerate(exact_shares(counts, settings, factors)):
        assert abs(got[i] - share * total) < 1 + 1e-6
    times = numpy.bincount(rows, minlength=len(of))
    for i in range(len(counts)):
        own = times[of == i]
        assert not len(own) or own.max() - own.min() <= 1


@given(counts=COUNTS, settings=SETTINGS, seed=st.integers(0, 2**62 - 1))
def test_the_seed_decides(counts, settings, seed):
    of = treebanks(counts, 0)
    first, second = (GroupSampling(**settings).rows(of, seed) for _ in range(2))
    assert first.tolist() == second.tolist()


@given(counts=COUNTS, seed=st.integers(0, 2**62 - 1))
def test_proportional_is_every_sentence_once_and_temperature_1_is_proportional(counts, seed):
    of = treebanks(counts, 0)
    assert GroupSampling().rows(of, seed).tolist() == list(range(len(of)))
    once = GroupSampling("temperature", temperature=1.0).rows(of, seed)
    got = numpy.bincount(of[once], minlength=len(counts))
    assert abs(got - numpy.array(counts)).max() <= 1  # a rounding error of a share


def test_on_average_the_shares_are_exact_and_every_sentence_has_its_chance():
    """Treebanks of 1, 16 and 81 sentences at temperature 4: 1, 2 and 3 sixths of 10 sentences."""
    of = numpy.repeat([0, 1, 2], [1, 16, 81])
    sampling = GroupSampling("temperature", temperature=4.0, epoch_size=10)
    numpy.testing.assert_allclose(sampling.shares(numpy.array([1, 16, 81])), [1 / 6, 1 / 3, 1 / 2])
    seen = Counter()
    for seed in range(3000):
        seen.update(sampling.rows(of, seed).tolist())
    got = numpy.array([sum(seen[row] for row in numpy.flatnonzero(of == i)) for i in range(3)])
    numpy.testing.assert_allclose(got / 30_000, [1 / 6, 1 / 3, 1 / 2], atol=0.002)
    each = numpy.array([seen[row] for row in range(17, 98)])
    assert each.min() > 0.75 * each.mean() and each.max() < 1.25 * each.mean()


def test_another_seed_is_another_epoch():
    of = numpy.repeat([0, 1], [5, 95])
    sampling = GroupSampling("uniform")
    assert sampling.rows(of, 1).tolist() != sampling.rows(of, 2).tolist()
    assert numpy.bincount(of[sampling.rows(of, 1)]).tolist() == [50, 50]


@given(counts=COUNTS, per_group=st.integers(1, 60), seed=st.integers(0, 2**62 - 1))
def test_each_group_has_exactly_so_many(counts, per_group, seed):
    of = treebanks(counts, seed)
    rows = GroupSampling(per_group=per_group).rows(of, seed)
    got = numpy.bincount(of[rows], minlength=len(counts))
    assert got.tolist() == [per_group if count else 0 for count in counts]
    times = numpy.bincount(rows, minlength=len(of))
    for i, count in enumerate(counts):
        # Repetition where a group is short, and none where it is not.
        assert not count or set(times[of == i]) <= {per_group // count, -(-per_group // count)}


def test_mistakes_are_clear():
    with pytest.raises(ConfigurationError, match="per_group is 0. It must be at least 1"):
        GroupSampling(per_group=0)
    with pytest.raises(
        ConfigurationError, match="per_group, .* together with sampling or epoch_size"
    ):
        GroupSampling("uniform", per_group=4)
    with pytest.raises(ConfigurationError, match="sampling is 'balanced'. Use one of"):
        GroupSampling("balanced")
    with pytest.raises(ConfigurationError, match="Set a temperature, such as 5"):
        GroupSampling("temperature")
    with pytest.raises(ConfigurationError, match="Set a temperature, such as 5"):
        GroupSampling("uniform", temperature=2.0)
    with pytest.raises(ConfigurationError, match="temperature is 0.5. It must be at least 1"):
        GroupSampling("temperature", temperature=0.5)
    with pytest.raises(ConfigurationError, match="epoch_size is 0"):
        GroupSampling(epoch_size=0)
