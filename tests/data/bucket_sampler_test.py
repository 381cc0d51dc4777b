import random

import numpy
import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.data.fields import MetadataField
from hypothesis import given
from hypothesis import strategies as st

from tests.data.by_hand import instances_of, windows_by_hand
from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.buckets import Sizes


def cost(batch):
    return sum(i.size.windows for i in batch) * max(i.size.widths for i in batch)


def sizes(widths):
    widths = numpy.array(widths)
    return Sizes(numpy.ones_like(widths), widths, widths)


@given(
    lengths=st.lists(st.integers(1, 120), max_size=60),
    batch_size=st.integers(1, 8),
    cap=st.integers(1, 400),
    shuffle=st.booleans(),
)
def test_every_sentence_once_and_both_bounds_hold(lengths, batch_size, cap, shuffle):
    data = instances_of(lengths)
    sampler = BucketSampler(batch_size, cap, shuffle=shuffle)
    batches = list(sampler.get_batch_indices(data))
    assert sorted(index for batch in batches for index in batch) == list(range(len(data)))
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        assert len(batch) == 1 or cost([data[index] for index in batch]) <= cap


def test_without_shuffling_it_is_the_same_every_time_and_counts_its_batches():
    data = instances_of([3, 9, 9, 1, 40, 7, 2])
    sampler = BucketSampler(batch_size=2, shuffle=False)
    first, second = (list(sampler.get_batch_indices(data)) for _ in range(2))
    assert first == second == [[4, 1], [2, 5], [0, 6], [3]]
    assert sampler.get_num_batches(data) == len(first)


def test_noise_moves_a_length_by_a_tenth_at_most():
    random.seed(0)
    data = instances_of(list(range(1, 48)) * 4)
    sampler = BucketSampler(batch_size=4, max_wordpieces=10**6, noise=0.1)
    seen = set()
    for batch in sampler.get_batch_indices(data):
        sizes = [data[index].size.widths for index in batch]
        # Two lengths side by side after fuzzing differ by 0.9 to 1.1 and a rank or two at most.
        assert min(sizes) >= max(sizes) * 0.9 / 1.1 - 3
        seen.add(len(set(sizes)))
    assert max(seen) > 1


@given(lengths=st.lists(st.integers(1, 60), max_size=80), seed=st.integers(0, 2**62 - 1))
def test_numbers_and_instances_give_the_same_batches(lengths, seed):
    sampler = BucketSampler(batch_size=4)
    random.seed(seed)
    from_instances = list(sampler.get_batch_indices(instances_of(lengths)))
    random.seed(seed)
    windows = [windows_by_hand([[7]] * n, max_pieces=50)[0] for n in lengths]
    columns = [
        numpy.array([len(each) for each in windows], dtype=int),
        numpy.array([max(map(len, each)) for each in windows], dtype=int),
        numpy.array([sum(map(len, each)) for each in windows], dtype=int),
    ]
    assert sampler.batches(Sizes(*columns), sampler.draw()) == from_instances


@given(lengths=st.lists(st.integers(3, 300), min_size=1, max_size=300), seed=st.integers(0, 999))
def test_a_batch_is_short_of_an_eighth_of_padding_or_its_padding_is_cheap(lengths, seed):
    for batch in BucketSampler().batches(sizes(lengths), seed):
        cells = len(batch) * max(lengths[i] for i in batch)
        wasted = cells - sum(lengths[i] for i in batch)
        assert wasted <= max(64, cells / 8)


def test_padding_is_small_and_batches_are_full():
    """Lengths as in a treebank: the goal is 8%, and mean batches close to 32 sentences."""
    generator = numpy.random.default_rng(0)
    lengths = 3 + generator.gamma(1.8, 10, 12_000).astype(int)
    for groups, shuffle, most in (
        ([lengths], True, 0.03),
        (lengths.reshape(-1, 1000), False, 0.07),
    ):
        batches = [
            [group[i] for i in batch]
            for group in groups
            for batch in BucketSampler(shuffle=shuffle).batches(sizes(group), 1)
        ]
        cells = sum(len(batch) * max(batch) for batch in batches)
        assert 1 - lengths.sum() / cells < most
        assert len(lengths) / len(batches) > 28


def test_one_draw_from_random_decides_an_epoch():
    random.seed(5)
    state = random.getstate()
    sampler = BucketSampler()
    first = sampler.draw()
    random.setstate(state)
    assert sampler.draw() == first != sampler.draw()
    data = sizes(list(range(3, 90)) * 9)
    assert sampler.batches(data, first) == sampler.batches(data, first)
    assert sampler.batches(data, first) != sampler.batches(data, first + 1)


def test_bad_numbers_and_foreign_readers_are_refused():
    with pytest.raises(ConfigurationError, match="batch_size is 0"):
        BucketSampler(batch_size=0)
    with pytest.raises(ConfigurationError, match="noise is 1"):
        BucketSampler(noise=1.0)
    with pytest.raises(ConfigurationError, match="needs a reader whose instances have"):
        list(BucketSampler().get_batch_indices([Instance({"wordpieces": MetadataField(1)})]))
