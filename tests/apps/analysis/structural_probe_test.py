import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.analysis.helpers import random_heads, tree
from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree
from udify_allennlp.apps.analysis.probing.probe import (
    NO_GOLD,
    DepthProbe,
    DistanceProbe,
    probe_loss,
)
from udify_allennlp.apps.analysis.probing.scores import depth_scores, distance_scores
from udify_allennlp.apps.analysis.probing.training import (
    ProbeData,
    Training,
    mean_loss,
    predict,
    train,
)

DIM = 16


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    rank=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    origin=st.sampled_from([0.0, 300.0]),
)
def test_predictions_are_those_of_a_loop_over_pairs(lengths, rank, seed, origin):
    torch.manual_seed(seed)
    words = torch.randn(sum(lengths), 5) + origin
    distance, depth = DistanceProbe(5, rank), DepthProbe(5, rank)
    distances, depths = distance(words, lengths), depth(words, lengths)
    assert distances.shape == (len(lengths), max(lengths), max(lengths))
    assert depths.shape == (len(lengths), max(lengths))
    for row, sentence in enumerate(words.double().split(lengths)):
        for i, x in enumerate(sentence):
            norm = (depth.map.double() @ x).square().sum()
            assert depths[row, i].item() == pytest.approx(norm.item(), rel=1e-4)
            for j, y in enumerate(sentence):
                squared = (distance.map.double() @ (x - y)).square().sum()
                assert distances[row, i, j].item() == pytest.approx(squared.item(), abs=1e-3)


def test_a_loss_by_hand():
    """Words at 0, 1, 3 on the line that the probe looks at; the tree is a chain."""
    words = torch.tensor([[0.0, 9.0], [1.0, 7.0], [3.0, 5.0], [2.0, 2.0]])
    distance, depth = DistanceProbe(2, 1), DepthProbe(2, 1)
    for probe in (distance, depth):
        probe.map.data = torch.tensor([[1.0, 0.0]])
    data = ProbeData([GoldTree(tree("0 1 2")), GoldTree(tree("0"))], words.numpy())
    assert distance(words, [3, 1])[0].tolist() == [[0, 1, 9], [1, 0, 4], [9, 4, 0]]
    # Against 1, 2, 1 the errors are 0, 7, 3, each twice; the sentence of one word has none.
    assert mean_loss(distance, data) == pytest.approx((20 / 9 + 0) / 2)
    assert depth(words, [3, 1])[0].tolist() == [0, 1, 9]
    # Against 0, 1, 2 the errors are 0, 0, 7; that of the other sentence is 4.
    assert mean_loss(depth, data) == pytest.approx((7 / 3 + 4) / 2)
    assert mean_loss(depth, data, batch_size=1) == pytest.approx((7 / 3 + 4) / 2)


def test_padding_is_out_of_the_loss():
    gold = torch.tensor([[0.0, 1.0], [0.0, NO_GOLD]])
    predicted = torch.tensor([[0.0, 2.0], [0.5, 99.0]], requires_grad=True)
    loss = probe_loss(predicted, gold, [2, 1])
    assert loss.item() == pytest.approx((1 / 2 + 0.5) / 2)
    loss.backward()
    assert predicted.grad[1, 1] == 0


def planted(count, seed):
    """
    Trees, and vectors in which they are: each arc has a direction of its own, a word is the sum of
    the arcs above it, and a fixed matrix mixes these directions with noise.
    """
    rng = numpy.random.default_rng(seed)
    mixing = numpy.linalg.qr(numpy.random.default_rng(0).normal(size=(DIM, DIM)))[0]
    trees, vectors = [], []
    for _ in range(count):
        heads = random_heads(int(rng.integers(2, 8)), int(rng.integers(2**32)))
        trees.append(GoldTree(tree(" ".join(map(str, heads)))))
        arcs = rng.permutation(DIM // 2)
        for word in range(len(heads)):
            vector = numpy.concatenate([numpy.zeros(DIM // 2), rng.normal(size=DIM // 2)])
            at = word
            while heads[at]:
                vector[arcs[at]] = 1
                at = heads[at] - 1
            vectors.append(mixing @ vector)
    return ProbeData(trees, numpy.array(vectors, dtype=numpy.float32))


@pytest.fixture(scope="module")
def splits():
    return [planted(count, seed) for seed, count in enumerate((300, 60, 60), start=1)]


QUICK = Training(epochs=30, learning_rate=0.02)


def test_a_planted_metric_is_found(splits):
    train_data, dev_data, test_data = splits
    probe = train("distance", train_data, dev_data, QUICK)
    scores = distance_scores(predict(probe, test_data), test_data.trees)
    assert scores["uuas"] == 100 and scores["spearman"] > 0.95
    # A map of half the rank is enough; of rank 1 it is not.
    narrow = train("distance", train_data, dev_data, QUICK._replace(rank=DIM // 2))
    assert narrow.map.shape == (DIM // 2, DIM)
    assert distance_scores(predict(narrow, test_data), test_data.trees)["uuas"] == 100
    flat = train("distance", train_data, dev_data, QUICK._replace(rank=1))
    assert distance_scores(predict(flat, test_data), test_data.trees)["uuas"] < 80


def test_planted_depths_are_found(splits):
    train_data, dev_data, test_data = splits
    probe = train("depth", train_data, dev_data, QUICK)
    predicted = predict(probe, test_data)
    scores = depth_scores(predicted, test_data.trees)
    assert scores["root_accuracy"] == 100 and scores["spearman"] > 0.9
    gold = numpy.concatenate([known.depths for known in test_data.trees])
    assert abs(numpy.concatenate(predicted) - gold).mean() < 0.1


def test_what_is_not_there_is_not_found(splits):
    rng = numpy.random.default_rng(5)
    noise = [
        ProbeData(data.trees, rng.normal(size=(sum(map(len, data.trees)), DIM)).astype("float32"))
        for data in splits
    ]
    probe = train("distance", noise[0], noise[1], QUICK)
    assert distance_scores(predict(probe, noise[2]), noise[2].trees)["uuas"] < 65


def test_batches_do_not_change_a_prediction(splits):
    data = splits[2]
    probe = DistanceProbe(DIM)
    for one, many in zip(predict(probe, data, 1), predict(probe, data, 20), strict=True):
        numpy.testing.assert_allclose(one, many, atol=1e-6)


def test_the_best_epoch_is_kept(splits):
    epochs = []
    few = ProbeData(splits[0].trees[:15], splits[0].words(range(15)).numpy())
    # What is learned of so few sentences soon does not hold for others.
    probe = train("depth", few, splits[1], Training(learning_rate=0.1), epochs.append)
    losses = [epoch["dev_loss"] for epoch in epochs]
    assert [epoch["epoch"] for epoch in epochs] == list(range(1, len(losses) + 1))
    assert mean_loss(probe, splits[1]) == pytest.approx(min(losses), abs=1e-4) != losses[-1]


def test_training_stops_after_five_epochs_without_progress(splits):
    epochs = []
    train("depth", splits[1], splits[2], Training(learning_rate=0.0), epochs.append)
    assert len(epochs) == 1 + 5


def test_the_same_seed_gives_the_same_probe(splits):
    settings = Training(epochs=2)
    maps = [train("distance", *splits[:2], settings._replace(seed=s)).map for s in (1, 1, 2)]
    assert torch.equal(maps[0], maps[1]) and not torch.equal(maps[0], maps[2])
