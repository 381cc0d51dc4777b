"""Equations 1, 3 and 4 of Ji et al. (2023), against loops and by their properties."""

import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.modules.position_generators import PositionGenerator
from udify_allennlp.modules.positions import sinusoids
from udify_allennlp.modules.value_vectors import ValueVectors

PLACES, DIM, TYPOLOGY, LANGUAGES = 5, 6, 7, 3
NAMES = ("universal", "per_language", "id", "feat", "mlp", "attn")
EXTRA = {"mlp": {"hidden_dim": 4}, "attn": {"prior_dim": 8}}


def generator(name, places=None, dim=DIM, typology=TYPOLOGY, seed=0, **extra):
    torch.manual_seed(seed)
    places = torch.arange(PLACES) if places is None else places
    given_ = dict(places=places, output_dim=dim, typology_dim=typology, num_languages=LANGUAGES)
    made = PositionGenerator.by_name(name)(**given_, **(extra or EXTRA.get(name, {})))
    return made.double()


def languages(seed=1):
    torch.manual_seed(seed)
    return torch.randn(LANGUAGES, TYPOLOGY, dtype=torch.float64), torch.arange(LANGUAGES)


def test_equation_1():
    found = sinusoids(torch.tensor([-2, 0, 3]), 6)
    for row, i in zip(found.tolist(), (-2, 0, 3)):
        for k in range(3):
            angle = i / 10000 ** (2 * k / 6)
            assert row[2 * k] == pytest.approx(math.sin(angle), abs=1e-6)
            assert row[2 * k + 1] == pytest.approx(math.cos(angle), abs=1e-6)


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), tied=st.booleans(), priors=st.sampled_from([None, 9]))
def test_attention_equals_the_loops_of_equation_4(seed, tied, priors):
    places = torch.arange(-2, 3)
    made = generator("attn", places, seed=seed, prior_dim=4, tie_kv=tied, num_priors=priors)
    typology, numbers = languages(seed)
    found = made(typology, numbers)
    among = places if priors is None else torch.arange(priors)
    c = sinusoids(among, 4).double()
    with torch.no_grad():
        for n in range(LANGUAGES):
            for i in range(len(places)):
                asked = typology[n] @ made.query[i]
                scores = torch.stack([asked @ (c_j @ made.key[i]) for c_j in c])
                alpha = (scores / DIM**0.5).softmax(0)
                vector = sum(a * (c_j @ made.value[i]) for a, c_j in zip(alpha, c))
                torch.testing.assert_close(made.attention(typology)[n, i], alpha)
                torch.testing.assert_close(found[n, i], vector)


def test_mlp_equals_the_loops_of_equation_3():
    made, (typology, numbers) = generator("mlp"), languages()
    with torch.no_grad():
        made.inner_bias.normal_(), made.outer_bias.normal_()
        found = made(typology, numbers)
        for n in range(LANGUAGES):
            for i in range(PLACES):
                hidden = torch.relu(typology[n] @ made.inner[i] + made.inner_bias[i])
                expected = hidden @ made.outer[i] + made.outer_bias[i]
                torch.testing.assert_close(found[n, i], expected)


@pytest.mark.parametrize("name", ["mlp", "attn"])
@given(place=st.integers(0, PLACES - 1))
@settings(max_examples=PLACES)
def test_the_gradient_of_a_position_reaches_its_own_weights_alone(name, place):
    made = generator(name)
    made(*languages())[:, place].pow(2).sum().backward()
    for parameter in made.parameters():
        touched = parameter.grad.flatten(1).abs().sum(1) > 0
        assert touched.tolist() == [i == place for i in range(PLACES)]


def test_priors_are_trained_in_the_ablation_alone():
    fixed, learned = generator("attn"), generator("attn", prior_dim=8, learned_priors=True)
    assert {n for n, _ in learned.named_parameters()} - {
        n for n, _ in fixed.named_parameters()
    } == {"priors"}
    learned(*languages()).sum().backward()
    assert learned.priors.grad.abs().sum() > 0
    assert "priors" not in fixed.state_dict()


def test_alpha_is_a_distribution_and_positions_lie_between_the_priors():
    made = generator("attn", dim=8, prior_dim=8)
    with torch.no_grad():
        made.value[:] = torch.eye(8)
        alpha = made.attention(languages()[0])
        assert (alpha >= 0).all()
        torch.testing.assert_close(alpha.sum(-1), torch.ones_like(alpha[..., 0]))
        found = made(*languages())
        assert (found <= made.priors.max(0).values + 1e-9).all()
        assert (found >= made.priors.min(0).values - 1e-9).all()


def test_the_same_typology_gives_the_same_positions_and_another_gives_others():
    typology, numbers = languages()
    typology[1] = typology[0]
    for name in ("feat", "mlp", "attn"):
        found = generator(name)(typology, numbers)
        torch.testing.assert_close(found[0], found[1])
        assert not torch.allclose(found[0], found[2])


@pytest.mark.parametrize("name", NAMES)
def test_whether_differences_of_positions_are_the_same_in_all_languages(name):
    made = generator(name)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter))
        found = made(*languages())
    differences = found[:, 1:] - found[:, :-1]
    same = torch.allclose(differences[0], differences[1])
    assert same == (name in ("universal", "id", "feat"))
    assert torch.allclose(found[0], found[1]) == (name == "universal")


def test_tables_of_languages_that_are_alike_are_the_universal_one():
    # As they start; and a universal one that has the same numbers.
    free, universal = generator("per_language"), generator("universal")
    with torch.no_grad():
        universal.table.copy_(free.tables[0])
    torch.testing.assert_close(free(*languages()), universal(*languages()))


def test_the_numbers_of_weights_of_appendix_b():
    # They fit 129 absolute and 9 relative positions of 768, 103 features and tied keys and values.
    def weights(name, **extra):
        return sum(
            p.numel()
            for places in (torch.arange(129), torch.arange(-4, 5))
            for p in generator(name, places, 768, 103, **extra).parameters()
        )

    assert weights("attn", prior_dim=128, tie_kv=True) == pytest.approx(24.5e6, rel=0.01)
    assert weights("mlp", hidden_dim=256) == pytest.approx(30.8e6, rel=0.01)


@pytest.mark.parametrize(
    "name, extra, message",
    [
        ("mlp", {"hidden_dim": 0}, "hidden_dim is 0. It must be at least 1"),
        ("attn", {"prior_dim": 5}, "prior_dim is 5, num_priors"),
        ("attn", {"num_priors": -1}, "num_priors -1"),
        (
            "attn",
            {"tie_kv": True, "inner_dim": 4},
            "tie_kv and inner_dim 4, but keys are then values",
        ),
    ],
)
def test_what_cannot_be_is_one_line(name, extra, message):
    with pytest.raises(ConfigurationError, match=message):
        generator(name, **extra)


def test_the_widths_of_typology_vectors():
    vectors = ValueVectors([4, 3, 3, 2, 3, 2])
    assert len(vectors.vectors) == 17 + 6  # a vector for what is not known of each
    found = vectors(torch.tensor([[3, 2, 2, 1, 1, 1], [3, 0, 2, 1, 1, 1]]))
    assert found.shape == (2, 18)
    assert found[0, 3:6].abs().sum() > 0 and found[1, 3:6].abs().sum() == 0
    assert (found[0] == found[1]).tolist() == [True] * 3 + [False] * 3 + [True] * 12
    # The values of one feature are no values of another.
    found.sum().backward()
    touched = vectors.vectors.grad.abs().sum(1) > 0
    assert touched.nonzero().flatten().tolist() == [3, 5, 7, 11, 14, 17, 21]
