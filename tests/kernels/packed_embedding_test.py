import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers import DEV
from udify_allennlp import Parser
from udify_allennlp.archives.shipped import archive_of
from udify_allennlp.kernels.fresh_weights import FreshWeights, can_be_taken
from udify_allennlp.kernels.packed_embedding import PackedEmbedding, tables_to_keep
from udify_allennlp.kernels.packed_weights import packed, unpacked
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor
from udify_allennlp.predictors import load_predictor
from udify_allennlp.text.conllu import read_sentences

LAYOUTS = {
    "int4": QuantizedTensor.of_blocks,
    "int8": QuantizedTensor.of_rows,
    "short rows, int4": lambda table: QuantizedTensor.of_table(table[:, :16], 4),
    "short rows, int8": lambda table: QuantizedTensor.of_table(table[:, :32], 8),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_rows_are_those_of_the_whole_table_bit_by_bit(layout):
    table = layout(torch.randn(50, 128))
    dim = table.unpack().shape[1]
    ids = torch.randint(50, (3, 7))
    embedding = PackedEmbedding(table)
    assert PackedEmbedding.can_keep(table) and embedding.fits(torch.nn.Embedding(50, dim))
    assert not embedding.fits(torch.nn.Embedding(50, 64))
    assert torch.equal(embedding(ids), table.unpack()[ids])
    assert torch.equal(embedding.weight, table.unpack())
    assert torch.equal(embedding.state_dict()["weight"], table.unpack())
    assert not list(embedding.parameters()) and embedding(ids[:, :0]).shape == (3, 0, dim)


def test_it_is_not_trained():
    embedding = PackedEmbedding(QuantizedTensor.of_rows(torch.randn(5, 64)))
    assert not embedding.eval().training
    with pytest.raises(ConfigurationError, match="loaded to parse cannot be trained"):
        torch.nn.Sequential(embedding).train()


def test_only_who_parses_keeps_tables_packed():
    state = packed({"x.word_embeddings.weight": torch.randn(1100, 64)}, "int4")
    assert tables_to_keep(state) == {} and FreshWeights(state).keys() == unpacked(state).keys()


def test_a_parser_and_a_model_that_can_be_trained_predict_the_same():
    sentences = list(read_sentences(DEV))[:6]
    full = load_predictor(archive_of("multilingual"))
    kept = Parser.load().predictor
    table = kept.model.embedder.transformer.get_input_embeddings()
    whole = full.model.embedder.transformer.get_input_embeddings()
    assert isinstance(table, PackedEmbedding) and isinstance(whole, torch.nn.Embedding)
    assert table.num_embeddings == whole.num_embeddings and torch.equal(table.weight, whole.weight)
    assert full.columns(sentences) == kept.columns(sentences)
    assert kept.model.state_dict().keys() == full.model.state_dict().keys()
    full.model.train()


def test_weights_are_taken_only_where_that_is_the_same_as_copying_them():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    assert can_be_taken(model, weights)
    assert not can_be_taken(model, {**weights, "1.weight": weights["0.weight"]})
    assert not can_be_taken(model, {**weights, "1.weight": weights["1.weight"].double()})
    assert not can_be_taken(model, {**weights, "1.weight": weights["1.weight"].t()})
    model[1].weight = model[0].weight
    assert not can_be_taken(model, weights)
