import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.helpers import make_model, read, stirred, tensors
from tests.helpers.tags import decode, encoded
from udify_allennlp.decoders.feats_by_attribute import FeatsByAttributeDecoder
from udify_allennlp.text.conllu import Sentence

LABELS = ["_", "Case=Nom|Number=Sing", "Case=Acc", "Gender=Fem,Masc|Number=Plur"]
SENTENCE = Sentence.from_words(["a", "b"])


def make(labels=LABELS, **settings):
    vocab = Vocabulary()
    for label in labels:
        vocab.add_token_to_namespace(label, "feats_labels")
    torch.manual_seed(0)
    return FeatsByAttributeDecoder(vocab, input_dim=4, **settings).eval()


def test_labels_are_the_values_of_their_attributes():
    decoder = make()
    assert list(decoder._values) == ["Case", "Gender", "Number"]
    assert decoder._values["Case"] == ["_", "Case=Acc", "Case=Nom"]
    assert decoder.table.tolist() == [[0, 0, 0], [2, 0, 2], [1, 0, 0], [0, 1, 1], [-1, -1, -1]]


def test_cells_may_be_new_and_come_back_from_their_values():
    decoder = make()
    with torch.no_grad():
        decoder.output.linear.weight.zero_()
        decoder.output.linear.bias.zero_()
        decoder.output.linear.bias[[1, 4, 6]] = 1  # Case=Acc, Gender=Fem,Masc, Number=Plur
    assert decode(decoder, torch.randn(2, 4), [SENTENCE]) == [
        {"feats": 2 * ["Case=Acc|Gender=Fem,Masc|Number=Plur"]}
    ]
    with torch.no_grad():
        decoder.output.linear.bias[[0, 3, 5]] = 2
    assert decode(decoder, torch.randn(2, 4), [SENTENCE]) == [{"feats": ["_", "_"]}]


def test_unseen_labels_are_left_out_of_the_loss():
    decoder, words = make(), torch.randn(2, 4)
    both = decoder.loss(decoder.scores(encoded(words)), {"feats": torch.tensor([1, -1])})
    torch.testing.assert_close(
        both, decoder.loss(decoder.scores(encoded(words[:1])), {"feats": torch.tensor([1])})
    )


def test_beside_whole_strings_these_decide():
    decoder, words = make(whole=True), torch.randn(2, 4)
    gold = {"feats": torch.tensor([1, 3])}
    parts = decoder.output.loss(words, decoder.table[gold["feats"]])
    whole = decoder.whole.loss(decoder.whole.scores(encoded(words)), gold)
    torch.testing.assert_close(decoder.loss(decoder.scores(encoded(words)), gold), parts + whole)
    assert decode(decoder, words, [SENTENCE]) == decode(decoder.whole, words, [SENTENCE])


@pytest.mark.parametrize("whole", [False, True])
def test_it_trains_and_says_how_sure_it_is(whole):
    kind = {"type": "udify_feats_by_attribute_decoder", "whole": whole}
    model = stirred(make_model(decoders={"feats": kind}, probabilities=True)).train()
    batch = tensors(read(count=4), model.vocab)
    model(**batch)["loss"].backward()
    assert all(p.grad is not None for p in model.decoders.parameters())
    sentence = model.eval()(**batch)["columns"][0]
    assert "FeatsProb=" in sentence["misc"][0] and sentence["feats"]


def test_data_without_feats_is_refused():
    with pytest.raises(ConfigurationError, match="decoders.feats has no attributes"):
        make(["_"])
