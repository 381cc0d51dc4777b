import shutil

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Vocabulary
from allennlp.models import Model

from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, TRAIN, stirred, tensors
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.table_builder import join
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.decoders.treebank_tag import TreebankTagDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.training.gradients import clip_norm

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-train.conllu")
PAIRS = ["en_ewt\tNN", "en_ewt\tVB", "de_gsd\tNN", "de_gsd\tADJA"]


@pytest.fixture(scope="module")
def reader():
    return UniversalDependenciesReader(ENCODER, ["xpos"], treebanks=True)


def make(**settings):
    vocab = Vocabulary()
    for pair in PAIRS:
        treebank, tag = pair.split("\t")
        vocab.add_token_to_namespace(pair, "treebank_xpos_labels")
        vocab.add_token_to_namespace(treebank, "treebank_labels")
        vocab.add_token_to_namespace(tag, "xpos_labels")
    torch.manual_seed(0)
    decoder = TreebankTagDecoder(vocab, input_dim=4, label_smoothing=0.0, **settings).eval()
    torch.nn.init.normal_(decoder.embedding.weight)
    return decoder


TWO = ["a", "b"]


def scores(decoder, words, treebanks):
    """Of sentences of two words each, of these treebanks; -1 is one that training has not seen."""
    layout = Layout.from_lengths([2] * (len(words) // 2))
    return decoder.scores(Encoded(words, layout, inputs={"treebank": torch.tensor(treebanks)}))


def decode(decoder, words, treebanks):
    sentences = [Sentence.from_words(TWO)] * len(treebanks)
    return decoder.decode(scores(decoder, words, treebanks), sentences)


def test_the_loss_of_three_words_by_hand():
    """One of each treebank, and one of a treebank that training has not seen."""
    decoder, words = make(), torch.randn(6, 4)
    vectors = words + decoder.embedding.weight[[1, 1, 2, 2, 0, 0]]
    log_prob = decoder.output.log_prob(vectors)
    expected = -(log_prob[0, 1] + log_prob[2, 2] + log_prob[5, 0]) / 3
    gold = {"xpos": torch.tensor([1, -1, 2, -1, -1, 0])}
    torch.testing.assert_close(decoder.loss(scores(decoder, words, [0, 1, -1]), gold), expected)


def test_a_treebank_gets_its_own_tags():
    decoder = make()
    words = 5 * torch.randn(4, 4)
    with torch.no_grad():
        decoder.output.head.bias.copy_(torch.tensor([0.0, 50.0, 90.0]))  # NN < VB < ADJA
    columns = decode(decoder, words, [0, -1])
    assert columns == [{"xpos": ["VB", "VB"]}, {"xpos": ["ADJA", "ADJA"]}]
    decoder.own = None
    assert decode(decoder, words, [0, -1])[0] == {"xpos": ["ADJA", "ADJA"]}


def own_tags(decoder, number):
    """A mask of the tags of a treebank, by its number."""
    tags = torch.arange(decoder.output.num_labels)
    return decoder.own.has(torch.full_like(tags, number), tags)


def test_own_tags_are_the_best_of_them():
    decoder, words = make(), torch.randn(60, 4)
    numbers = torch.tensor([1, 1, 2, 2, 0, 0] * 10)
    log_prob = decoder.output.log_prob(words + decoder.embedding(numbers))
    own = torch.stack([own_tags(decoder, number) for number in numbers.tolist()])
    expected = log_prob.masked_fill(~own, -torch.inf).argmax(-1)
    of_words = scores(decoder, words, [0, 1, -1] * 10)
    found = decoder.best(of_words, decoder.label_scores(of_words))
    assert found.tolist() == expected.tolist()
    assert (log_prob.argmax(-1) != expected).any()


def test_the_option_names_the_treebank_of_every_file():
    words = torch.randn(4, 4)
    assert decode(make(treebank="de_gsd"), words, [0, -1]) == decode(make(), words, [1, 1])
    assert decode(make(treebank="unknown"), words, [0, 1]) == decode(make(), words, [-1, -1])
    assert decode(make(), words, [1, 1]) != decode(make(), words, [-1, -1])


def test_the_unknown_treebank_learns_from_known_ones_in_training_only():
    decoder, words = make(unknown_probability=0.5), torch.randn(100, 4)
    gold = {"xpos": torch.zeros(100, dtype=torch.long)}
    decoder.loss(scores(decoder, words, [0] * 50), gold).backward()
    assert not decoder.embedding.weight.grad[0].any()
    decoder.train().loss(scores(decoder, words, [0] * 50), gold).backward()
    assert decoder.embedding.weight.grad[0].any() and not decoder.embedding.weight.grad[2].any()


def test_batches_of_tables_are_those_of_instances(reader, tmp_path):
    instances = [instance for path in (DEV, GERMAN) for instance in reader.read(path)]
    table = join([reader.table(DEV), reader.table(GERMAN)])
    made = [TableInstance(table, row, reader.schema) for row in range(len(table))]
    vocab, other = (Vocabulary.from_instances(i) for i in (made, instances))
    for namespace in ("treebank_labels", "treebank_xpos_labels"):
        counted = vocab.get_token_to_index_vocabulary(namespace)
        assert counted == other.get_token_to_index_vocabulary(namespace)
    vocab.save_to_files(tmp_path / "vocabulary")
    vocab = Vocabulary.from_files(tmp_path / "vocabulary")
    collate = Collator(table, reader.schema)
    collate.index_with(vocab)
    rows = [0, len(table) - 1, 3]
    for each in (made, instances):
        batch = Batch([each[row] for row in rows])
        batch.index_instances(vocab)
        given, expected = batch.as_tensor_dict()["inputs"], collate(rows)["inputs"]
        assert torch.equal(given["treebank"], expected["treebank"])
        assert expected["treebank"].tolist() == [1, 0, 1]  # German has more words
    decoder = TreebankTagDecoder(vocab, input_dim=4)
    assert own_tags(decoder, 0).all()
    tags = torch.stack([own_tags(decoder, number) for number in (1, 2)])
    assert 0 < tags.sum() < tags.numel()


def test_a_kept_table_has_the_treebank_of_the_file_asked_for(tmp_path):
    settings = {"treebanks": True, "cache_dir": str(tmp_path / "cache")}
    copy = tmp_path / "xx_copy-ud-dev.conllu"
    shutil.copy(DEV, copy)
    for path, name in ((DEV, "en_ewt"), (str(copy), "xx_copy")):
        table = UniversalDependenciesReader(ENCODER, ["xpos"], **settings).table(path)
        assert table.columns["treebank"].names == [name]


@pytest.mark.slow
def test_in_a_model_it_trains_predicts_and_never_asks_a_gpu(reader):
    instances = list(reader.read([TRAIN, GERMAN]))
    params = {
        "type": "udify_multitask",
        "embedder": {"type": "udify_encoder", "model_name": ENCODER},
        "decoders": {"xpos": {"type": "udify_treebank_tag_decoder"}},
    }
    vocab = Vocabulary.from_instances(instances)
    model = stirred(Model.from_params(Params(params), vocab=vocab)).eval()
    some = [*instances[:5], *instances[-5:]]
    together = model(**tensors(some, vocab))["columns"]
    assert together == [model(**tensors([one], vocab))["columns"][0] for one in some]
    pairs = vocab.get_token_to_index_vocabulary("treebank_xpos_labels")
    assert all(f"en_ewt\t{tag}" in pairs for new in together[:5] for tag in new["xpos"])
    assert "decoders.xpos.own.table" not in model.state_dict()
    model = model.train().to("meta")
    batch = tensors(some, vocab)
    for field in ("wordpieces", "layout", "inputs"):
        batch[field] = {name: tensor.to("meta") for name, tensor in batch[field].items()}
    model(**batch)["loss"].backward()
    assert clip_norm(model, 5.0).is_meta


def test_mistakes_are_clear():
    with pytest.raises(ConfigurationError, match="treebank is 'en'. Use unknown or one of"):
        make(treebank="en")
    vocab = Vocabulary()
    vocab.add_token_to_namespace("NN", "xpos_labels")
    with pytest.raises(ConfigurationError, match="Set dataset_reader.treebanks to true"):
        TreebankTagDecoder(vocab, input_dim=4)
