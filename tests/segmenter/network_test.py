"""Vectors of characters: the context that each depends on."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.segmenter.network import CharacterNetwork

KINDS, CLASSES = 3, 5


def make(**settings):
    torch.manual_seed(1)
    settings = {"buckets": [49, 7, 49], "dim": 4, "class_dim": 2, "hidden_dim": 8, **settings}
    settings = {"dilations": (1, 2, 4), "noise": [0.0] * KINDS, "dropout": 0.0, **settings}
    return CharacterNetwork(classes=CLASSES, **settings)


def characters(n, rows=1):
    torch.manual_seed(n)
    return torch.randint(0, 2**32, (rows, n, KINDS)), torch.randint(0, CLASSES, (rows, n))


def test_each_character_sees_as_far_as_it_says():
    network = make().eval()
    given = network.features(*characters(40)).detach().requires_grad_()
    network(given)[0, 20].sum().backward()
    seen = torch.nonzero(given.grad[0].abs().sum(-1)).flatten()
    assert (int(seen[0]), int(seen[-1])) == (20 - network.reach, 20 + network.reach)


def test_masked_characters_keep_texts_apart():
    """In one row as in rows of their own, and whatever stands where nothing is."""
    network = make().eval()
    one, two = (network.features(*characters(n)) for n in (9, 6))
    bias = torch.randn(1, network.layers, 8)
    between = torch.randn(1, network.step, network.features_dim)
    row = torch.cat([one, between, two, between], 1)
    mask = torch.ones(row.shape[:2], dtype=torch.bool)
    mask[:, 9 : 9 + network.step] = mask[:, -network.step :] = False
    found = network(row, mask, bias)
    torch.testing.assert_close(found[:, :9], network(one, None, bias))
    torch.testing.assert_close(found[:, 9 + network.step :][:, :6], network(two, None, bias))


def test_rows_of_a_batch_do_not_meet():
    network = make().eval()
    given = network.features(*characters(12, rows=3))
    together = network(given)
    for row in range(3):
        torch.testing.assert_close(together[row : row + 1], network(given[row : row + 1]))


@pytest.mark.parametrize("n", [1, 5, 40])
def test_short_texts_are_convolved_as_others_are(n):
    network = make().eval()
    given = network.features(*characters(n, rows=2))
    with torch.no_grad():
        short = network(given)
    torch.testing.assert_close(short, network(given))


def test_features_by_hand():
    network = make().eval()
    hashes = torch.tensor([[[0, 1, 50], [49, 98, 2**32 - 1]]])
    found = network.features(hashes, torch.tensor([[3, 4]]))
    table = network.table.weight
    rows = [[0, 1 + 49 + 1, 1 + 56 + 1], [1, 1 + 49, 1 + 56 + (2**32 - 1) % 49]]
    expected = [torch.cat([*table[row], network.classes.weight[c]]) for row, c in zip(rows, (3, 4))]
    torch.testing.assert_close(found[0], torch.stack(expected))
    assert not table[0].any()


def test_noise_makes_equal_features_of_a_text_equal_others():
    network = make(buckets=[1000] * 3, noise=[0.5, 0.0, 0.5])
    hashes = torch.tensor([[[7, 7, 0], [8, 8, 0], [7, 7, 0]]]).expand(200, 3, 3)
    classes = torch.zeros(200, 3, dtype=torch.long)
    plain = network.eval().features(hashes, classes)[..., :12].unflatten(-1, (3, 4))
    noisy = network.train().features(hashes, classes)[..., :12].unflatten(-1, (3, 4))
    torch.testing.assert_close(noisy[:, 0], noisy[:, 2])
    torch.testing.assert_close(noisy[:, :, 1:], plain[:, :, 1:])
    changed = (noisy[:, 0, 0] != plain[:, 0, 0]).any(-1).float().mean()
    assert 0.35 < changed < 0.65


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"buckets": [9, 9]}, "2 buckets and 3 shares"),
        ({"hidden_dim": 0}, "model.hidden_dim is 0"),
        ({"dilations": ()}, "model.dilations is 0"),
        ({"noise": [0.0, 0.0, 1.0]}, "shares in"),
    ],
)
def test_mistakes(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        make(**settings)
