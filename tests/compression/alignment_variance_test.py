"""Eq 5.1 and 5.2: beside loops, and in cases worked by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.translation import make_model, subwords_of, write_numbers
from udify_allennlp.compression.alignment_variance import alignment_variance, relative_alignment
from udify_allennlp.translation.cross_attention import cross_attention
from udify_allennlp.translation.pairs import Pair
from udify_allennlp.translation.placement import PLACEMENTS, place


def loop(attention):
    source, target = attention.shape
    total = 0.0
    for i in range(source):
        mean = sum((j + 1) * float(attention[i, j]) for j in range(target))
        for j in range(target):
            total += float(attention[i, j]) * (mean - (j + 1)) ** 2
    return total / (source * target)


@settings(max_examples=30)
@given(source=st.integers(1, 5), target=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_it_is_the_loop(source, target, seed):
    torch.manual_seed(seed)
    attention = torch.rand(source, target)
    assert alignment_variance(attention) == pytest.approx(loop(attention), rel=1e-6)


def test_cases_by_hand():
    assert alignment_variance(torch.eye(4)) == 0
    # Two target pieces attend half to each of two source pieces: mu = 1.5, and each of the four
    # places adds 0.5 * 0.25; a quarter of that.
    assert alignment_variance(torch.full((2, 2), 0.5)) == pytest.approx(0.125)
    # All attend to the first: mu_1 = 1 + 2 + 3 = 6, (25 + 16 + 9) / 9; the second has no weight.
    collapsed = torch.zeros(3, 3)
    collapsed[0] = 1
    assert alignment_variance(collapsed) == pytest.approx(50 / 9)


def test_collapse_is_far_above_uniform():
    collapsed = torch.zeros(10, 10)
    collapsed[0] = 1
    uniform = torch.full((10, 10), 0.1)
    assert alignment_variance(collapsed) > 10 * alignment_variance(uniform)


def test_lambda_of_a_model_with_itself_is_1():
    assert relative_alignment([0.2, 3.0], [0.2, 3.0]) == 1
    assert relative_alignment([1.0, 3.0], [2.0, 2.0]) == 1  # of means
    assert relative_alignment([2.0], [5.0]) == 2.5
    assert relative_alignment([], []) is None
    assert relative_alignment([0.0], [1.0]) is None


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_attention_is_the_mean_of_layers_and_heads_without_codes_and_ends(tmp_path, placement):
    subwords = subwords_of(write_numbers(tmp_path / "numbers", "train", 30))
    model = make_model(tmp_path / "model", subwords, placement=placement).eval()
    texts = [("one two three", "eins zwei"), ("seven", "sieben sieben sieben")]
    pairs = [Pair(("en", "de"), *subwords.numbers(list(both))) for both in texts]
    usual = model.network.config._attn_implementation
    together = cross_attention(model.network, pairs, subwords, placement)
    assert model.network.config._attn_implementation == usual
    for pair, found in zip(pairs, together):
        assert found.shape == (len(pair.source), len(pair.target))
        (alone,) = cross_attention(model.network, [pair], subwords, placement)
        torch.testing.assert_close(found, alone)  # padding changes nothing
        placed = place([pair], subwords, placement)
        model.network.set_attn_implementation("eager")
        with torch.no_grad():
            layers = model.network(
                input_ids=placed.input_ids,
                decoder_input_ids=placed.decoder_input_ids,
                output_attentions=True,
            ).cross_attentions
        model.network.set_attn_implementation(usual)
        shift = 0 if placement == "small100" else 1
        for i in range(len(pair.source)):
            for j in range(len(pair.target)):
                every = [
                    float(layer[0, head, j + shift, i + 1])
                    for layer in layers
                    for head in range(layer.shape[1])
                ]
                assert float(found[i, j]) == pytest.approx(sum(every) / len(every), abs=1e-5)
