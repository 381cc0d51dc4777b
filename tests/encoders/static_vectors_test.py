import json

import numpy
import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.conftest import CONFIGS
from tests.helpers import DEV, TRAIN
from udify_allennlp import Parser
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.static_vectors import StaticVectorEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.recurrent import StackedLstm
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence

LSTM = Lazy(StackedLstm, constructor_extras={"hidden_dim": 8, "num_layers": 2})


def vectors_of(path, dim=16):
    """A random vector for each word of the training file that is lower-cased."""
    words = sorted({form.lower() for s in read_sentences(TRAIN) for form in s.forms})
    StaticVectors(words, numpy.random.default_rng(1).normal(size=(len(words), dim))).save(path)
    return str(path)


def test_text_and_npz_hold_the_same(tmp_path):
    (tmp_path / "a.vec").write_text("3 2\nthe 1 2\nNew York 3 4\n0000 -1 0.5\n")
    (tmp_path / "b.txt").write_text("the 1 2\nNew York 3 4\n0000 -1 0.5 \n")
    StaticVectors.load(tmp_path / "a.vec").save(tmp_path / "c.npz")
    numpy.savez(
        tmp_path / "d.npz", words=["the", "New York", "0000"], vectors=[[1, 2], [3, 4], [-1, 0.5]]
    )
    for name in ("a.vec", "b.txt", "c.npz", "d.npz"):
        found = StaticVectors.load(tmp_path / name)
        assert found.words == ["the", "New York", "0000"] and found.dim == 2
        rows = found.of(["The", "New York", "1984", "none", "the"])
        assert rows.tolist() == [[1, 2], [3, 4], [-1, 0.5], [0, 0], [1, 2]]


@pytest.mark.parametrize(
    "text, message",
    [
        ("the 1 2\nof 1\n", r":2: a word and 2 numbers were expected"),
        ("the 1 x\n", r":1: a word and its numbers were expected"),
        ("the\n", r":1: a word and its numbers"),
        ("", r"has no vectors"),
        ("2 2\n", r"has no vectors"),
        ("the 1 nan\n", r"the vector of 'the' is not finite"),
    ],
)
def test_what_is_no_file_of_vectors_is_one_line(text, message, tmp_path):
    (tmp_path / "bad.vec").write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        StaticVectors.load(tmp_path / "bad.vec")


@pytest.mark.parametrize("number", [1, 2, 5])
def test_the_line_that_is_not_utf8_is_the_one_that_is_named(number, tmp_path):
    lines = [b"w%d 1 2\n" % place for place in range(1, 6)]
    lines[number - 1] = b"\xff 1 2\n"
    (tmp_path / "bad.vec").write_bytes(b"".join(lines))
    with pytest.raises(ConfigurationError, match=rf"bad.vec:{number}: is not UTF-8"):
        StaticVectors.load(tmp_path / "bad.vec")


@pytest.mark.parametrize("field", [6, 8])
@pytest.mark.parametrize("value", [1, 77, 98])
def test_npz_packed_in_unknown_ways_are_one_line(field, value, tmp_path):
    """The flags (6) and the method (8) of each entry, in its own header and in the directory."""
    path = tmp_path / "a.npz"
    numpy.savez(path, words=["a"], vectors=numpy.zeros((1, 3)))
    data = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", field), (b"PK\x01\x02", field + 2)):
        place = data.find(magic)
        while place >= 0:
            data[place + offset] = value
            place = data.find(magic, place + 1)
    path.write_bytes(data)
    try:
        assert StaticVectors.load(path).words == ["a"]  # a flag without meaning
    except ConfigurationError as error:
        assert "a.npz is not an .npz" in str(error)


def test_npz_that_are_none_are_one_line_and_run_no_code(tmp_path):
    numpy.savez(tmp_path / "a.npz", words=["a"], vectors=numpy.zeros((2, 3)))
    numpy.savez(tmp_path / "b.npz", words=["a"], vectors=numpy.array([object()]))
    numpy.savez(tmp_path / "c.npz", word=["a"])
    (tmp_path / "d.npz").write_bytes(b"no archive")
    for name in "abcd":
        with pytest.raises(ConfigurationError, match=rf"{name}.npz (has|is not an .npz)"):
            StaticVectors.load(tmp_path / f"{name}.npz")
    with pytest.raises(ConfigurationError, match="embedder.vectors: .*none.vec cannot be read"):
        StaticVectorEncoder(Vocabulary(), LSTM, vectors=str(tmp_path / "none.vec"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    torch.manual_seed(1)
    path = vectors_of(tmp_path_factory.mktemp("vectors") / "en.npz")
    vocab = Vocabulary()
    for upos in ("NOUN", "VERB"):
        vocab.add_token_to_namespace(upos, "upos_labels")
    return (
        StaticVectorEncoder(
            vocab,
            LSTM,
            vectors=path,
            upos_dim=4,
        ).eval(),
        vocab,
    )


def run(encoder, vocab, sentences):
    reader = UniversalDependenciesReader(tasks=[], forms=True, inputs=["upos"])
    schema = reader.schema.unannotated()
    made = [Sentence.from_words(w).replace(upos=u) for w, u in sentences]
    collate = Collator(reader.table_of(made, schema), schema)
    collate.index_with(vocab)
    batch = collate(range(len(made)))
    with torch.no_grad():
        return encoder(batch, Layout(**batch["layout"]))


def test_each_sentence_is_read_by_itself_with_its_root(encoder):
    """Against the LSTMs run on one sentence at a time, made by hand."""
    model, vocab = encoder
    sentences = [
        (["The", "dog", "qqq"], ["X", "NOUN", "VERB"]),
        (["sleeps"], ["VERB"]),
        (["the", "THE"], ["NOUN", "NOUN"]),
    ]
    rows = run(model, vocab, sentences)[0]
    assert rows.shape == (3 + 6, 16)
    start = 3
    for number, (words, upos) in enumerate(sentences):
        vectors = torch.from_numpy(model.vectors.of(["en"] * len(words), words))
        tags = model.upos.weight[[{"NOUN": 1, "VERB": 2}.get(u, 0) for u in upos]]
        nodes = torch.cat([model.root.unsqueeze(0), torch.cat([vectors, tags], 1)]).unsqueeze(0)
        with torch.no_grad():
            for layer in model.layers.layers:
                nodes, _ = layer(nodes)
        torch.testing.assert_close(rows[number], nodes[0, 0])
        torch.testing.assert_close(rows[start : start + len(words)], nodes[0, 1:])
        start += len(words)


def test_vectors_are_not_trained_and_not_saved_twice(encoder, tmp_path):
    model, _ = encoder
    assert not any("vectors" in name for name in model.state_dict())
    model.vectors.vectors_of("en").save(tmp_path / "v.npz")
    with pytest.raises(ConfigurationError, match="Add 'upos' to dataset_reader.inputs"):
        StaticVectorEncoder(Vocabulary(), LSTM, vectors=str(tmp_path / "v.npz"), upos_dim=3)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("static")
    names = {"UD_VECTORS": vectors_of(folder / "en.npz"), "UD_TRAIN": TRAIN, "UD_DEV": DEV}
    small = {
        "model.embedder.layers.hidden_dim": 32,
        "model.embedder.layers.num_layers": 1,
        "model.embedder.upos_dim": 8,
        "model.decoders.deps.arc_dim": 32,
        "model.decoders.deps.deprel_dim": 16,
        "trainer.num_epochs": 15,
        "trainer.learning_rate_scheduler.warmup_epochs": 8,
        "trainer.optimizer.lr": 0.01,
        "trainer.optimizer.parameter_groups": None,
        "data_loader.batch_size": 8,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in names.items():
            patch.setenv(name, value)
        train_model_from_file(
            str(CONFIGS / "static_vectors.jsonnet"),
            str(folder / "run"),
            overrides=json.dumps(small),
        )
    (folder / "en.npz").unlink()  # the archive has its own
    return folder / "run"


def test_the_shipped_config_trains_is_archived_and_parses(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["best_validation_LAS"] > 25  # without words and tags about 10
    parser = Parser.load(trained / "model.tar.gz")
    gold = list(read_sentences(DEV))
    parsed = list(parser.parse(gold))
    right = sum(a == b for g, p in zip(gold, parsed) for a, b in zip(g.heads, p.heads))
    assert 100 * right / sum(map(len, gold)) == pytest.approx(metrics["best_validation_UAS"])
    assert [s.upos for s in parsed] == [s.upos for s in gold]
    # UPOS are an input: others give other trees.
    other = [s.replace(upos=["X"] * len(s)) for s in gold]
    assert [s.heads for s in parser.parse(other)] != [s.heads for s in parsed]


def test_raw_words_can_be_parsed_too(trained):
    parser = Parser.load(trained / "model.tar.gz")
    (sentence,) = parser(["The", "dog", "sleeps"], tokenized=True)
    assert sentence.root.head == 0 and len(sentence) == 3
