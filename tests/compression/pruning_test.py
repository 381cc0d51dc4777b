"""Pruning: exact numbers of zeros, one threshold for a layer, ties, tied embeddings."""

import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import make_model as make_parser
from tests.helpers.translation import make_model, subwords_of, write_numbers
from udify_allennlp.compression.pruning import layers_of, prune, prune_layer

SHARES = st.sampled_from([0.0, 0.1, 0.29, 0.3, 0.45, 0.57, 1.0])


def brute_force(weights, share):
    """Sort all numbers by magnitude and place; the first of them go."""
    flat = [x for weight in weights for x in weight.flatten().tolist()]
    order = sorted(range(len(flat)), key=lambda place: (abs(flat[place]), place))
    gone = set(order[: round(share * 100) * len(flat) // 100])
    return [0.0 if place in gone else x for place, x in enumerate(flat)]


@settings(max_examples=50)
@given(
    sizes=st.lists(st.sampled_from([(1,), (7,), (3, 5), (2, 2, 3)]), min_size=1, max_size=3),
    share=SHARES,
    has_ties=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_it_is_the_brute_force_and_removes_nothing_larger(sizes, share, has_ties, seed):
    torch.manual_seed(seed)
    weights = [torch.randn(size) for size in sizes]
    if has_ties:
        weights = [weight.round() + 0.5 for weight in weights]  # no zeros, many equal
    before = torch.cat([weight.flatten() for weight in weights])
    expected = brute_force(weights, share)
    prune_layer(weights, share)
    after = torch.cat([weight.flatten() for weight in weights])
    assert after.tolist() == expected
    is_gone = after == 0
    assert int(is_gone.sum()) == round(share * 100) * len(before) // 100
    assert after[~is_gone].equal(before[~is_gone])
    if is_gone.any() and not is_gone.all():
        assert before[is_gone].abs().max() <= before[~is_gone].abs().min()


def test_of_equal_magnitudes_the_first_go():
    first, second = torch.tensor([2.0, -1.0, 1.0]), torch.tensor([[1.0, 3.0], [-1.0, 0.5]])
    prune_layer([first, second], 0.45)  # floor(3.15): 0.5, and two of four ones
    assert first.tolist() == [2, 0, 0] and second.tolist() == [[1, 3], [-1, 0]]


@pytest.fixture
def translation(tmp_path):
    subwords = subwords_of(write_numbers(tmp_path / "numbers", "train", 30))
    return make_model(tmp_path / "model", subwords)


def test_layers_of_a_translation_model_and_tied_embeddings_once(translation):
    layers = layers_of(translation)
    embedding = translation.network.model.shared.weight
    assert translation.network.lm_head.weight is embedding
    assert [name for name, some in layers.items() if any(w is embedding for w in some)] == [
        "network.model.shared"
    ]
    assert layers["network.model.shared"] == [embedding]
    assert {f"network.model.encoder.layers.{i}" for i in (0, 1)} <= set(layers)
    assert {f"network.model.decoder.layers.{i}" for i in (0, 1, 2)} <= set(layers)
    every = [parameter for some in layers.values() for parameter in some]
    assert len(every) == len(set(every))
    others = {name for name, each in translation.named_parameters() if each not in set(every)}
    assert others == {
        f"network.model.{part}.layer_norm.{name}"
        for part in ("encoder", "decoder")
        for name in ("weight", "bias")
    }


def test_layers_of_a_parser():
    layers = layers_of(make_parser())
    names = ["embedder.transformer.embeddings", "decoders.deps.arcs", "decoders.deps.deprels"]
    assert {*names, "embedder.transformer.encoder.layer.0"} <= layers.keys()
    assert len(layers["embedder.transformer.embeddings"]) == 5
    # The scale of what a task reads is one number, and all of a task hangs on it.
    assert not [name for name in layers if name.startswith("mixes")]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.45])
def test_each_layer_loses_its_share_and_modules_differ(translation, share):
    before = {name: w.clone() for name, w in translation.named_parameters()}
    prune(translation, share)
    for name, weights in layers_of(translation).items():
        zeros = sum(int((weight == 0).sum()) for weight in weights)
        assert zeros == math.floor(share * sum(weight.numel() for weight in weights)), name
    if not share:
        assert all(before[name].equal(w) for name, w in translation.named_parameters())
    else:
        layer = translation.network.model.encoder.layers[0]
        parts = {round(float((w == 0).float().mean()), 3) for w in layer.parameters()}
        assert len(parts) > 2


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_from_0_to_1(translation, share):
    with pytest.raises(ConfigurationError, match="--prune is .*. Use a share from 0 to 1"):
        prune(translation, share)
