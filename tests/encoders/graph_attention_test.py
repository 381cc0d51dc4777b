import pytest
import torch
import transformers
from allennlp.common.checks import ConfigurationError

from tests.helpers import ENCODER
from udify_allennlp.encoders.graph_attention import GraphAttention
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.kernels.attention import use_fast_attention
from udify_allennlp.modules.pair_attention import pair_attention

SIZE = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
KINDS = {
    "BERT": lambda: transformers.BertModel(transformers.BertConfig(**SIZE)),
    "RoBERTa": lambda: transformers.RobertaModel(transformers.RobertaConfig(**SIZE)),
    "XLM-R": lambda: transformers.XLMRobertaModel(transformers.XLMRobertaConfig(**SIZE)),
    "ELECTRA": lambda: transformers.ElectraModel(transformers.ElectraConfig(**SIZE)),
    "DistilBERT": lambda: transformers.DistilBertModel(
        transformers.DistilBertConfig(
            vocab_size=50, dim=16, n_layers=3, n_heads=2, hidden_dim=32, max_position_embeddings=32
        )
    ),
}
ROWS = 5


def text(seed=0, n=6):
    """Two sentences, the second with padding."""
    torch.manual_seed(seed)
    mask = torch.ones(2, n, dtype=torch.long)
    mask[1, 4:] = 0
    return {"input_ids": torch.randint(3, 50, (2, n)), "attention_mask": mask}


def graph(seed=0, n=6):
    torch.manual_seed(seed)
    return torch.randint(ROWS, (2, n, n))


@pytest.mark.parametrize("kind", KINDS)
def test_no_graph_is_the_stock_encoder_to_the_bit(kind):
    torch.manual_seed(1)
    model = KINDS[kind]().eval()
    expected = model(**text()).last_hidden_state
    names = list(model.state_dict())
    conditioned = GraphAttention(model, ROWS)
    assert torch.equal(model(**text(), **conditioned(None)).last_hidden_state, expected)
    assert list(model.state_dict()) == names and not model.training
    # Rows of zeros for NONE, and a graph of nothing else: the same within rounding.
    zeros = GraphAttention(model, ROWS, none_row_zero=True, use_key=True)
    found = model(**text(), **zeros(torch.zeros(2, 6, 6, dtype=torch.long))).last_hidden_state
    real = text()["attention_mask"].bool()
    torch.testing.assert_close(found[real], expected[real], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_layer_attends_with_tables_of_its_own(kind):
    torch.manual_seed(2)
    model = KINDS[kind]().eval()
    conditioned = GraphAttention(model, ROWS, layer_norm=True)
    assert len(conditioned.tables) == 3
    model(**text(), **conditioned(graph())).last_hidden_state.pow(2).sum().backward()
    for tables in conditioned.tables:
        assert tables.scores.grad.abs().sum() > 0 and tables.values.grad.abs().sum() > 0


def test_a_layer_of_bert_by_the_equation():
    torch.manual_seed(3)
    model = KINDS["BERT"]().eval()
    conditioned = GraphAttention(model, ROWS, use_key=True)
    seen = []
    own = model.encoder.layer[0].attention.self
    own.register_forward_hook(
        lambda module, args, kwargs, out: seen.append((args, kwargs, out)), with_kwargs=True
    )
    model(**text(), **conditioned(graph()))
    (hidden, *_), _, (found, *_) = seen[0]
    split = [
        part(hidden).unflatten(-1, (2, 8)).transpose(1, 2)
        for part in (own.query, own.key, own.value)
    ]
    mask = text()["attention_mask"].bool()
    expected, _ = pair_attention(*split, graph(), mask, *conditioned.tables[0]())
    torch.testing.assert_close(found, expected.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("settings", [{}, {"use_key": True, "use_value": False}])
def test_rows_that_a_batch_does_not_name_change_nothing(settings):
    torch.manual_seed(1)
    model = KINDS["BERT"]().eval()
    conditioned = GraphAttention(model, 40, **settings)
    ids = torch.tensor([3, 17, 39])[torch.randint(3, (2, 6, 6))]
    few = conditioned(ids)
    assert {len(t) for own in few["pair_tables"] for t in own if t is not None} == {3}
    whole = {**few, "pair_ids": ids, "pair_tables": [tables() for tables in conditioned.tables]}
    outputs, gradients = [], []
    for given in (few, whole):
        conditioned.zero_grad()
        outputs.append(model(**text(), **given).last_hidden_state)
        outputs[-1].square().sum().backward()
        gradients.append([p.grad.clone() for p in conditioned.parameters()])
    torch.testing.assert_close(*outputs)
    torch.testing.assert_close(*gradients)
    met = [gradient.abs().sum(1).nonzero().flatten().tolist() for gradient in gradients[0]]
    assert all(rows in ([3, 17, 39], []) for rows in met) and [3, 17, 39] in met


def test_sentences_do_not_meet_and_padding_changes_nothing():
    torch.manual_seed(4)
    model = KINDS["BERT"]().eval()
    conditioned = GraphAttention(model, ROWS)
    together = model(**text(), **conditioned(graph())).last_hidden_state
    alone = {name: value[1:, :4] for name, value in text().items()}
    one = model(**alone, **conditioned(graph()[1:, :4, :4])).last_hidden_state
    torch.testing.assert_close(together[1:, :4], one, atol=1e-5, rtol=1e-5)


def test_a_relation_changes_the_output_and_the_unscaled_term_is_another():
    outputs = []
    for scaled, ids in ((True, graph()), (True, graph(1)), (False, graph())):
        torch.manual_seed(5)
        model = KINDS["BERT"]().eval()
        conditioned = GraphAttention(model, ROWS, scale_graph_term=scaled)
        outputs.append(model(**text(), **conditioned(ids)).last_hidden_state)
    assert not torch.allclose(outputs[0], outputs[1])
    assert not torch.allclose(outputs[0], outputs[2])


def test_dropout_and_gradient_checkpointing_in_training():
    torch.manual_seed(6)
    model = KINDS["BERT"]().train()
    model.gradient_checkpointing_enable()
    conditioned = GraphAttention(model, ROWS)
    assert model.training
    results = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        results.append(model(**text(), **conditioned(graph())).last_hidden_state)
    # text() and graph() draw as well, from seeds of their own: what follows them is dropout.
    assert torch.equal(results[0], results[1])
    results[0].sum().backward()
    assert conditioned.tables[0].values.grad.abs().sum() > 0


def test_parameters_are_layers_times_tables_times_rows_times_the_width_of_a_head():
    conditioned = GraphAttention(KINDS["BERT"](), ROWS)
    assert sum(p.numel() for p in conditioned.parameters()) == 3 * 2 * ROWS * 8


def test_an_encoder_that_cannot_have_one_is_one_clear_error():
    model = transformers.FNetModel(
        transformers.FNetConfig(
            vocab_size=50, hidden_size=16, num_hidden_layers=2, intermediate_size=32
        )
    )
    with pytest.raises(ConfigurationError, match="FNetModel cannot attend to a graph.*Use BERT"):
        GraphAttention(model, ROWS)


OTHERS = {
    "heads share keys": lambda: transformers.EuroBertModel(
        transformers.EuroBertConfig(
            **SIZE,
            num_key_value_heads=1,
            **dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "mask_token_id"), 0),
        )
    ),
    "attend only to those before them": lambda: transformers.BertModel(
        transformers.BertConfig(**SIZE, is_decoder=True)
    ),
    "added numbers": lambda: transformers.LayoutLMModel(
        transformers.LayoutLMConfig(**SIZE, max_2d_position_embeddings=8)
    ),
    "2 layers have 1 attention modules": lambda: transformers.AlbertModel(
        transformers.AlbertConfig(**{**SIZE, "num_hidden_layers": 2, "embedding_size": 8})
    ),
    "has a position_bias": lambda: transformers.T5EncoderModel(
        transformers.T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
    ),
}


@pytest.mark.parametrize("why", OTHERS)
def test_an_encoder_whose_attention_is_another_is_refused_and_left_as_it_is(why):
    torch.manual_seed(1)
    model = OTHERS[why]().eval()
    reads = {name: value.clone() for name, value in text().items()}
    reads["attention_mask"][:] = 1  # without padding, some have no mask at all
    expected = model(**reads).last_hidden_state
    use_fast_attention(model)
    assert torch.equal(model(**reads).last_hidden_state, expected)
    with pytest.raises(ConfigurationError, match=f"cannot attend to a graph: .*{why}.*Use BERT"):
        GraphAttention(model, ROWS)


def test_padding_far_from_all_words_of_an_encoder_that_looks_around_itself_is_no_nan():
    """It sees no piece at all, and was NaN, which the next layer multiplied with 0."""
    torch.manual_seed(1)
    settings = {**SIZE, "local_attention": 4, "global_attn_every_n_layers": 3, "pad_token_id": 0}
    ends = dict.fromkeys(("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"), 1)
    model = transformers.ModernBertModel(transformers.ModernBertConfig(**settings, **ends)).eval()
    conditioned = GraphAttention(model, ROWS)
    reads = text(n=30)
    together = model(**reads, **conditioned(graph(n=30))).last_hidden_state
    alone = {name: value[1:, :4] for name, value in reads.items()}
    one = model(**alone, **conditioned(graph(n=30)[1:, :4, :4])).last_hidden_state
    assert together.isfinite().all()
    torch.testing.assert_close(together[1:, :4], one, atol=1e-5, rtol=1e-5)
    together[1, :4].square().sum().backward()
    assert conditioned.tables[0].values.grad.isfinite().all()


def test_queries_that_are_scaled_already():
    torch.manual_seed(1)
    settings = {**SIZE, "pad_token_id": 1, "mask_token_id": 2, "position_embedding_type": "rotary"}
    model = transformers.EsmModel(transformers.EsmConfig(**settings)).eval()
    expected = model(**text()).last_hidden_state
    zeros = GraphAttention(model, ROWS, none_row_zero=True, use_key=True)
    found = model(**text(), **zeros(torch.zeros(2, 6, 6, dtype=torch.long))).last_hidden_state
    real = text()["attention_mask"].bool()
    torch.testing.assert_close(found[real], expected[real], atol=1e-5, rtol=1e-5)


def test_the_lowest_layers_alone():
    whole = HuggingFaceEncoder(ENCODER, mask_probability=0.0).eval().transformer
    first = HuggingFaceEncoder(ENCODER, mask_probability=0.0, layers=2).eval()
    assert first.num_layers == 2 and len(first.transformer.encoder.layer) == 2
    ids = torch.randint(10, 60, (2, 7))
    expected = whole(input_ids=ids, output_hidden_states=True).hidden_states[2]
    torch.testing.assert_close(first.transformer(input_ids=ids).last_hidden_state, expected)
    for layers in (0, 4):
        with pytest.raises(
            ConfigurationError, match=f"embedder.layers is {layers}, but the encoder has 3"
        ):
            HuggingFaceEncoder(ENCODER, layers=layers)
