import json

import pytest
import torch
from transformers import AutoModel, BertConfig

from tests.helpers import ENCODER
from tests.helpers.processors import needs_int8
from udify_allennlp.encoders.bert import Bert, BertSettings, settings_of
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.pretrained import with_weights
from udify_allennlp.kernels.attention import use_fast_attention
from udify_allennlp.kernels.dropout import use_fast_dropout
from udify_allennlp.kernels.precision import Int8Linear, lower
from udify_allennlp.kernels.products import linear_layers

SMALL = {
    "model_type": "bert",
    "vocab_size": 50,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
    "pad_token_id": 1,
}


@pytest.fixture
def ours() -> Bert:
    torch.manual_seed(3)
    return Bert(BertSettings(SMALL)).eval()


def theirs(ours: Bert) -> torch.nn.Module:
    """The encoder of transformers with the same weights, as `HuggingFaceEncoder` has it."""
    model = with_weights(ours.config, ours.state_dict())
    use_fast_dropout(model)
    use_fast_attention(model)
    return model.train(ours.training)


def layers(model: torch.nn.Module, **inputs: torch.Tensor) -> torch.Tensor:
    output = model(**inputs, output_hidden_states=True, return_dict=True)
    return torch.stack(output.hidden_states)


@pytest.mark.parametrize("padded", [False, True])
def test_every_layer_equals_that_of_transformers_bit_by_bit(ours, padded):
    ids, mask = torch.randint(50, (3, 17)), torch.ones(3, 17, dtype=torch.long)
    if padded:
        mask[1, 9:] = mask[2, 1:] = 0
    with torch.no_grad():
        other = theirs(ours)
        assert torch.equal(
            layers(ours, input_ids=ids, attention_mask=mask),
            layers(other, input_ids=ids, attention_mask=mask),
        )
        vectors = torch.randn(3, 17, 24)
        full = mask.bool()[:, None, None, :].expand(-1, -1, 17, -1)
        assert torch.equal(
            layers(ours, inputs_embeds=vectors, attention_mask=full),
            layers(other, inputs_embeds=vectors, attention_mask=full),
        )


def test_training_drops_the_same_and_has_the_same_gradients(ours):
    other = theirs(ours.train())
    ids, mask = torch.randint(50, (2, 9)), torch.ones(2, 9, dtype=torch.long)
    gradients = []
    for model in (ours, other):
        model.zero_grad()
        torch.manual_seed(5)
        layers(model, input_ids=ids, attention_mask=mask).square().sum().backward()
        gradients.append({name: p.grad.clone() for name, p in model.named_parameters()})
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradient, gradients[1][name], msg=name)


def test_weights_have_the_names_order_and_shapes_of_transformers(ours):
    other = AutoModel.from_config(BertConfig(**SMALL), add_pooling_layer=False)
    shapes = [(name, weight.shape) for name, weight in other.named_parameters()]
    assert [(name, weight.shape) for name, weight in ours.named_parameters()] == shapes


def test_weights_start_as_those_of_transformers_do(ours):
    for name, weight in ours.named_parameters():
        kind = name.rpartition(".")[0]
        if "LayerNorm" in kind or name.endswith("bias"):
            assert torch.equal(weight, torch.full_like(weight, float("LayerNorm.weight" in name)))
        else:
            assert 0.01 < weight.std() < 0.03, name


@pytest.mark.parametrize(
    "change",
    [
        {"model_type": "electra"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
        {"num_attention_heads": 5},
        {"model_type": None},
    ],
)
def test_an_encoder_with_more_to_it_is_left_to_transformers(tmp_path, change):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(SMALL))
    assert settings_of(str(tmp_path)).num_hidden_layers == 3
    path.write_text(json.dumps({**SMALL, **change}))
    assert settings_of(str(tmp_path)) is None


def test_it_is_only_for_models_that_bring_their_weights():
    assert isinstance(HuggingFaceEncoder(ENCODER, load_weights=False).transformer, Bert)
    assert not isinstance(HuggingFaceEncoder(ENCODER).transformer, Bert)
    checkpointed = HuggingFaceEncoder(ENCODER, load_weights=False, gradient_checkpointing=True)
    assert not isinstance(checkpointed.transformer, Bert)


def test_dropout_and_layers_are_those_asked_for():
    encoder = HuggingFaceEncoder(ENCODER, dropout=0.4, load_weights=False, layers=2)
    assert encoder.num_layers == len(encoder.transformer.encoder.layer) == 2
    assert {m.p for m in encoder.modules() if isinstance(m, torch.nn.Dropout)} == {0.4}
    plain = encoder.as_transformers()
    assert plain.config.num_hidden_layers == 2 and plain.config.hidden_dropout_prob == 0.1


@needs_int8
def test_one_product_in_8_bits_equals_three(ours):
    merged = Bert(BertSettings(SMALL)).eval()
    merged.load_state_dict(ours.state_dict())
    for module, name, child in linear_layers(ours):
        setattr(module, name, Int8Linear(child))
    lower(merged, "int8")
    ids = torch.randint(50, (3, 17))
    with torch.no_grad():
        assert torch.equal(layers(merged, input_ids=ids), layers(ours, input_ids=ids))
    assert isinstance(merged.encoder.layer[0].attention.self.together, Int8Linear)
