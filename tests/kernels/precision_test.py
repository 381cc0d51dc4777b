import pytest
import torch
from allennlp.common.checks import ConfigurationError
from torch.nn import Linear

from tests.helpers import DEV, ENCODER, make_model, stirred
from tests.helpers.processors import needs_int8
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.kernels import precision
from udify_allennlp.kernels.precision import (
    Int8Linear,
    check,
    context,
    encoder_context,
    lower,
    raised,
)
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.conllu import read_sentences

CPU = torch.device("cpu")


def vectors(transformer, name="float32"):
    """The last layer of two sentences, `(2, 20, dim)`."""
    torch.manual_seed(1)
    ids = torch.randint(10, 60, (2, 20))
    with torch.no_grad(), encoder_context(name, CPU):
        found = transformer(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    return raised(found)


def parse(name, batch_size):
    model = stirred(make_model()).eval()
    lower(model.embedder, name)
    predictor = ConlluPredictor(model, UniversalDependenciesReader(ENCODER))
    instances = list(predictor.reader.read(DEV))
    outputs = []
    with context(name, CPU, training=False):
        for start in range(0, len(instances), batch_size):
            outputs += predictor.predict_batch_instance(instances[start : start + batch_size])
    return outputs


@needs_int8
@pytest.mark.parametrize("bias", [True, False])
def test_int8_product_worked_by_hand(bias):
    # In steps of 1 (weights) and of 2 (input) nothing is lost, but for -3, half way, which is -4.
    linear = Linear(3, 2, bias=bias)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[127.0, 1, -2], [0, -127, 5]]))
        if bias:
            linear.bias.copy_(torch.tensor([1000.0, 0]))
    x = torch.tensor([[[254.0, -4, -3]], [[0, 0, 0]]])
    expected = torch.tensor([[[32262.0, 488]], [[0, 0]]])
    if bias:
        expected += torch.tensor([1000.0, 0])
    torch.testing.assert_close(Int8Linear(linear)(x), expected)


@needs_int8
@pytest.mark.parametrize("rows", [1, 7, 3000])
def test_int8_is_near_and_each_row_stands_alone(rows):
    torch.manual_seed(0)
    linear = Linear(96, 40)
    lowered = Int8Linear(linear)
    x = torch.randn(rows, 96)
    error = (lowered(x) - linear(x)).abs().max() / linear(x).std()
    assert error < 0.05
    # A scale for the whole input would make all other rows zeros.
    torch.testing.assert_close(lowered(torch.cat([x, 1e6 * x[:1]]))[:-1], lowered(x))


@needs_int8
def test_not_a_number_is_passed_on():
    x = torch.ones(2, 8)
    x[1, 3] = torch.nan
    nan = Int8Linear(Linear(8, 4))(x).isnan()
    assert not nan[0].any() and nan[1].all()


@pytest.mark.parametrize("name", ["bfloat16", pytest.param("int8", marks=needs_int8)])
def test_an_encoder_gives_nearly_the_same_vectors(name):
    encoder = HuggingFaceEncoder(ENCODER).eval()
    exact = vectors(encoder.transformer)
    lower(encoder, name)
    near = vectors(encoder.transformer, name)
    assert near.dtype == torch.float32
    assert 0 < (near - exact).norm() / exact.norm() < 0.02
    kept = {m for m in encoder.modules() if type(m) is Linear and m.weight.dtype == torch.float32}
    assert not kept
    norms = [
        m for m in encoder.modules() if isinstance(m, (torch.nn.LayerNorm, torch.nn.Embedding))
    ]
    assert norms and all(m.weight.dtype == torch.float32 for m in norms)


@needs_int8
def test_int8_predictions_are_mostly_those_of_float32_in_any_batch():
    exact, one, many = parse("float32", 1000), parse("int8", 1), parse("int8", 1000)
    for others, least in ((exact, 0.9), (one, 0.99)):
        for column in ("upos", "heads"):
            same = [a == b for o, m in zip(others, many) for a, b in zip(o[column], m[column])]
            assert len(same) == sum(map(len, read_sentences(DEV)))
            assert sum(same) / len(same) > least


def test_decoders_are_in_float32_on_a_cpu(monkeypatch):
    model = stirred(make_model()).eval()
    predictor = ConlluPredictor(model, UniversalDependenciesReader(ENCODER))
    instances = list(predictor.reader.read(DEV))
    exact = predictor.predict_batch_instance(instances)
    model.lower("bfloat16")
    met, scores_of = [], model.scores_of

    def watched(layers, *others):
        for scored in scores_of(layers, *others):
            met.append((layers.dtype, torch.is_autocast_enabled("cpu")))
            yield scored

    monkeypatch.setattr(model, "scores_of", watched)
    near = predictor.predict_batch_instance(instances)
    assert met and set(met) == {(torch.float32, False)}
    same = [a == b for o, m in zip(exact, near) for a, b in zip(o["heads"], m["heads"])]
    assert sum(same) / len(same) > 0.9


def test_float32_changes_nothing():
    encoder = HuggingFaceEncoder(ENCODER).eval()
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    lower(encoder, "float32")
    after = encoder.state_dict()
    assert set(before) == set(after) and all(before[name].equal(after[name]) for name in before)
    with torch.autocast("cpu", torch.bfloat16), context("float32", CPU, training=True):
        assert torch.is_autocast_enabled("cpu")  # the trainer's own stays on


@needs_int8
def test_the_layer_that_is_lowered_keeps_its_weights():
    linear = Linear(8, 4)
    before = linear.weight.detach().clone(), linear.bias.detach().clone()
    Int8Linear(linear)(torch.randn(3, 8))
    assert linear.weight.equal(before[0]) and linear.bias.equal(before[1])


@pytest.mark.parametrize("name", ["bfloat16", "float16", "int8"])
def test_training_is_refused(name):
    with pytest.raises(ConfigurationError, match=f"precision is '{name}', which is for predict"):
        context(name, CPU, training=True)


def test_mistakes_are_clear(monkeypatch):
    with pytest.raises(ConfigurationError, match="'int4'. Use one of float32, bfloat16"):
        check("int4")
    encoder = torch.nn.Sequential(Linear(4, 4))
    with pytest.raises(ConfigurationError, match="'float16', which is for GPUs"):
        lower(encoder, "float16")
    with pytest.raises(ConfigurationError, match="the model is on meta"):
        lower(torch.nn.Sequential(Linear(4, 4, device="meta")), "int8")
    monkeypatch.setattr(precision, "Int8Linear", missing)
    with pytest.raises(ConfigurationError, match="cannot multiply int8 without overflow"):
        lower(encoder, "int8")


def missing(linear):
    raise AttributeError("no such operator")


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_half_precision_on_a_gpu(name, gpu):
    transformer = HuggingFaceEncoder(ENCODER).eval().transformer.to(gpu)
    ids = torch.randint(10, 60, (2, 20), device=gpu)
    with torch.no_grad():
        exact = transformer(input_ids=ids).last_hidden_state
        lower(transformer, name)
        with context(name, ids.device, training=False):
            near = transformer(input_ids=ids).last_hidden_state.float()
    assert (near - exact).norm() / exact.norm() < 0.02
    with pytest.raises(ConfigurationError, match=f"the model is on {gpu.type}"):
        lower(transformer, "int8")
