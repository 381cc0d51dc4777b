"""Vectors of several languages: a shipped config of order transfer, and the encoder itself."""

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
from udify_allennlp import Parser, cli
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.static_vectors import StaticVectors
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.static_vectors import StaticVectorEncoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.position_attention import PositionAttention
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.sentence import Sentence

SMALL = {
    "model.embedder.layers": {
        "type": "udify_position_attention", "num_layers": 1, "num_heads": 2, "head_dim": 8,
        "value_dim": 8, "hidden_dim": 16, "dropout": 0.0, "attention_dropout": 0.0,
    },
    "model.embedder.upos_dim": 8,
    "model.decoders.deps.arc_dim": 32,
    "model.decoders.deps.deprel_dim": 16,
    "trainer.num_epochs": 8,
    "trainer.optimizer.lr": 0.01,
    "data_loader.batch_size": 8,
}  # fmt: skip


def mirror(word):
    """A word of the language `xx`: an English one read backwards, that no English one is like."""
    return "~" + word.lower()[::-1]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """English vectors in a folder, and those of `xx` apart."""
    words = sorted({form.lower() for s in read_sentences(TRAIN) for form in s.forms})
    numbers = numpy.random.default_rng(1).normal(size=(len(words), 16))
    own, other = (tmp_path_factory.mktemp(name) for name in ("vectors", "more"))
    StaticVectors(words, numbers).save(own / "en.npz")
    (other / "xx.vec").write_text(
        "".join(
            f"{mirror(word)} {' '.join(map(repr, row.tolist()))}\n"
            for word, row in zip(words, numbers.astype(numpy.float32))
        )
    )
    return str(own), str(other / "xx.vec")


@pytest.fixture(scope="module")
def trained(vectors, tmp_path_factory):
    run = tmp_path_factory.mktemp("transfer") / "run"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("UD_VECTORS", vectors[0]), ("UD_TRAIN", TRAIN), ("UD_DEV", DEV)):
            patch.setenv(name, value)
        config = CONFIGS / "order_transfer" / "small_cpu.jsonnet"
        train_model_from_file(str(config), str(run), overrides=json.dumps(SMALL))
    return run


def test_the_shipped_config_learns_first_level_deprels(trained):
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["best_validation_LAS_without_punct"] > 25
    labels = (trained / "vocabulary" / "deprel_labels.txt").read_text().split()
    assert "nsubj" in labels and not any(":" in label for label in labels)


def test_an_unseen_language_is_parsed_by_its_vectors_alone(trained, vectors, tmp_path, monkeypatch):
    """English with its words spelled backwards is parsed as English is, once it has vectors."""
    gold = [s for s in read_sentences(DEV) if len(s) < 12]
    mirrored = [Sentence.from_words([*map(mirror, s.forms)]).replace(upos=s.upos) for s in gold]
    write_sentences(mirrored, tmp_path / "xx_x-ud-test.conllu")
    expected = [s.heads for s in Parser.load(trained / "model.tar.gz").parse(gold, lang="en")]
    found = {}
    for name, extra in (
        ("with", ["-o", json.dumps({"model.embedder.more_vectors": vectors[1]})]),
        ("without", []),
    ):
        out = tmp_path / f"{name}.conllu"
        words = [trained / "model.tar.gz", tmp_path / "xx_x-ud-test.conllu", "--output-file", out]
        monkeypatch.setattr("sys.argv", ["allennlp", "predict", *map(str, words), *extra])
        assert cli.run() == 0
        found[name] = [s.heads for s in read_sentences(out)]
    assert found["with"] == expected != found["without"]


def make(vectors=None, upos=("NOUN", "VERB"), **settings):
    vocab = Vocabulary()
    for tag in upos:
        vocab.add_token_to_namespace(tag, "upos_labels")
    torch.manual_seed(2)
    layers = Lazy(PositionAttention, constructor_extras={"num_layers": 1, "clip": 2})
    settings = {"layers": layers, "upos_dim": 4, **settings}
    return StaticVectorEncoder(vocab, vectors=vectors, **settings).eval(), vocab


def run(encoder, vocab, sentences, langs=None):
    """Rows of sentences, each of words, a UPOS and a language."""
    reader = UniversalDependenciesReader(tasks=[], forms=True, inputs=["upos"], langs=True)
    schema = reader.schema.unannotated()
    made = [Sentence.from_words(words).replace(upos=upos) for words, upos in sentences]
    langs = langs or ["en"] * len(made)
    collate = Collator(reader.table_of(made, schema, lang=langs), schema)
    collate.index_with(vocab)
    batch = collate(range(len(made)))
    return encoder(batch, Layout(**batch["layout"]))[0]


WORDS, UPOS = ["the", "of", "and", "to", "qqq"], ["X", "NOUN", "VERB", "NOUN", "VERB"]


@pytest.mark.parametrize("encode_root", [True, False])
def test_without_root_before_the_words_their_order_is_not_seen_at_all(vectors, encode_root):
    encoder, vocab = make(vectors[0], encode_root=encode_root)
    there = run(encoder, vocab, [(WORDS, UPOS), (["of"], ["NOUN"])])
    back = run(encoder, vocab, [(WORDS[::-1], UPOS[::-1]), (["of"], ["NOUN"])])
    assert encoder.encodes_root == encode_root and len(there) == 6 + 2 * encode_root
    first = 2 * encode_root  # the ROOTs come before the words
    same = torch.allclose(there[first : first + 5].flip(0), back[first : first + 5], atol=1e-6)
    assert same == (not encode_root)
    alone = run(encoder, vocab, [(["of"], ["NOUN"])])
    torch.testing.assert_close(there[-1], alone[-1])


def test_delexicalised_it_sees_upos_only():
    encoder, vocab = make()
    one, two, other = (
        run(encoder, vocab, [(words, upos)])
        for words, upos in ((WORDS, UPOS), (["x"] * 5, UPOS), (WORDS, UPOS[::-1]))
    )
    assert torch.equal(one, two) and not torch.allclose(one, other)
    assert encoder.reads == () and encoder.inputs == ("upos",)
    with pytest.raises(ConfigurationError, match="no vectors and upos_dim 0"):
        make(upos_dim=0)


def test_several_languages_need_to_know_which(vectors):
    encoder, vocab = make(vectors[0], more_vectors=vectors[1])
    assert encoder.inputs == ("lang", "upos")
    mirrored = [mirror(word) for word in WORDS]
    both = run(encoder, vocab, [(WORDS, UPOS), (mirrored, UPOS)], ["en", "xx"])
    torch.testing.assert_close(both[2:7], both[7:])


def test_vectors_are_frozen_and_those_of_upos_are_trained(vectors):
    encoder, vocab = make(vectors[0])
    before = encoder.vectors.vectors_of("en").vectors.copy()
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    run(encoder, vocab, [(WORDS, UPOS)]).pow(3).sum().backward()
    optimizer.step()
    numpy.testing.assert_array_equal(encoder.vectors.vectors_of("en").vectors, before)
    assert encoder.upos.weight.grad[1:].abs().sum() > 0


def test_a_word_loses_its_whole_vector_and_a_sentence_the_same_numbers(vectors):
    encoder, _ = make(vectors[0], word_dropout=0.5)
    encoder.train()
    words = {"strings": ["the"], "langs": ["en"], "words": torch.zeros(400, dtype=torch.long)}
    upos = torch.zeros(400, dtype=torch.long)
    layout = Layout.from_lengths([400])
    found = encoder.words({"forms": words, "inputs": {"upos": upos}}, layout)
    lost = found[:, :16].abs().sum(1) == 0
    assert 130 < lost.sum() < 270 and (found[:, 16:] == found[0, 16:]).all()
    vector = torch.from_numpy(encoder.vectors.of(["en"], ["the"]))[0]
    torch.testing.assert_close(found[~lost][0, :16], 2 * vector)

    encoder, vocab = make(vectors[0], output_dropout=0.5)
    encoder.train()
    rows = run(encoder, vocab, [(WORDS, UPOS), (WORDS, UPOS)])
    first, second = rows[2:7] == 0, rows[7:] == 0
    assert first.any() and (first == first[:1]).all() and (second == second[:1]).all()
    assert not torch.equal(first[0], second[0])
    with pytest.raises(ConfigurationError, match="embedder.word_dropout is 1"):
        make(vectors[0], word_dropout=1.0)
