import shutil
from collections import namedtuple
from pathlib import Path

import numpy
import pytest
import torch
import transformers
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.models.archival import archive_model

from tests.apps.analysis.helpers import save_run
from tests.helpers import DEV, ENCODER, tensors
from udify_allennlp.apps.analysis.encoders import PlainEncoder, load_encoder, pretrained
from udify_allennlp.apps.analysis.probing.word_vectors import WordVectors
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.encoders.pretrained import in_float32
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import Sentence, read_sentences

SENTENCES = [sentence.forms for sentence in read_sentences(DEV)][:6]
# More wordpieces than the fixture encoder's 64 positions.
SENTENCES.append(SENTENCES[0] * 12)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


@torch.no_grad()
def layers_inside(run):
    """What the encoder in the model gives to the mixtures, `(layers, words, dim)`."""
    archive = load_archive(str(run))
    reader = archive.dataset_reader
    sentences = map(Sentence.from_words, SENTENCES)
    instances = [reader.text_to_instance(sentence, annotated=False) for sentence in sentences]
    batch = tensors(instances, archive.model.vocab)
    return archive.model.eval().embedder(batch, Layout(**batch["layout"]))


def vectors(encoder, layers):
    found = dict(encoder.vectors(SENTENCES, layers))
    assert sorted(found) == list(range(len(SENTENCES)))
    return torch.cat([found[row] for row in sorted(found)], dim=1)


def test_vectors_are_those_inside_the_model(run):
    encoder = load_encoder(str(run))
    assert (encoder.num_layers, encoder.num_heads, encoder.dim) == (3, 2, 32)
    torch.testing.assert_close(vectors(encoder, [1, 2, 3]), layers_inside(run))
    torch.testing.assert_close(vectors(encoder, [3, 1]), layers_inside(run)[[2, 0]])
    # The embedding table, and an encoder that was not fine-tuned, give others.
    assert not torch.allclose(vectors(encoder, [0]), vectors(encoder, [1]), atol=0.1)
    assert not torch.allclose(vectors(load_encoder(ENCODER), [3]), vectors(encoder, [3]), atol=0.1)


def test_an_archive_is_its_folder(run, tmp_path):
    path = archive_model(str(run), "best.th", str(tmp_path / "m.tar.gz"), ["encoder"])
    assert torch.equal(vectors(load_encoder(path), [2]), vectors(load_encoder(str(run)), [2]))


def test_nothing_of_ours_is_in_the_encoder(run):
    transformer = load_encoder(str(run)).transformer
    assert transformer.config._attn_implementation in ("sdpa", "eager")
    assert not any("udify" in type(module).__module__ for module in transformer.modules())


def test_attention_is_shared_out_and_is_that_of_the_model(run):
    encoder = load_encoder(str(run), attentions=True)
    pieces, shares = encoder.attentions(SENTENCES[0])
    assert shares.shape == (3, 2, len(pieces), len(pieces))
    assert (pieces[0], pieces[-1]) == ("[CLS]", "[SEP]")
    torch.testing.assert_close(shares.sum(-1), torch.ones(3, 2, len(pieces)))
    # By hand, for the first layer: softmax of scaled products of queries and keys.
    layer = encoder.transformer.encoder.layer[0].attention.self
    ids = [encoder._tokenizer.start_id, *sum(encoder._tokenizer(SENTENCES[0]), ())]
    ids.append(encoder._tokenizer.end_id)
    with torch.no_grad():
        inputs = encoder.transformer.embeddings(torch.tensor([ids]))[0]
        query, key = (part(inputs).view(-1, 2, 16) for part in (layer.query, layer.key))
        expected = (torch.einsum("qhd,khd->hqk", query, key) / 16**0.5).softmax(-1)
    torch.testing.assert_close(shares[0], expected)


def test_a_sentence_of_several_windows_has_no_attention_map(run):
    with pytest.raises(ConfigurationError, match="windows .* without attention between them"):
        load_encoder(str(run), attentions=True).attentions(SENTENCES[-1])


@pytest.mark.parametrize("architecture", ["DistilBert", "Roberta", "Electra", "XLMRoberta"])
def test_other_architectures(architecture, tmp_path):
    """With and without pooler, token types, and BERT's names of settings."""
    small = {"vocab_size": 1000, "hidden_size": 32, "num_hidden_layers": 2}
    small |= {"num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 80}
    if architecture == "DistilBert":
        small |= {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64}
    config = getattr(transformers, f"{architecture}Config")(**small)
    getattr(transformers, f"{architecture}Model")(config).save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path(ENCODER, name), tmp_path)
    encoder = load_encoder(str(tmp_path), attentions=True)
    words = SENTENCES[0]
    (_, found), *_ = encoder.vectors([words], [0, 1, 2])
    assert found.shape == (3, len(words), 32)
    pieces, shares = encoder.attentions(words)
    assert shares.shape == (2, 2, len(pieces), len(pieces))


@pytest.mark.parametrize("pooler", [True, False])
def test_the_pooler_is_left_out_where_there_is_one(pooler):
    """As in training: one function does it for both."""
    given = []

    class Model(torch.nn.Linear):
        def __init__(self, **settings):
            if not pooler and "add_pooling_layer" in settings:
                raise TypeError("unexpected keyword argument")
            given.append(settings)
            super().__init__(1, 1, dtype=torch.float16)

    built = in_float32(Model, "eager")
    expected = {"attn_implementation": "eager"} | ({"add_pooling_layer": False} if pooler else {})
    assert given == [expected] and built.weight.dtype == torch.float32


def test_layers_that_are_not_there():
    encoder = load_encoder(ENCODER)
    encoder.check_layers([0, 3])
    with pytest.raises(ConfigurationError, match="--layers has 4, but .* has layers 0 to 3"):
        encoder.check_layers([1, 4])
    with pytest.raises(ConfigurationError, match="--layers has 0, but .* has layers 1 to 3"):
        encoder.check_layers([0], lowest=1)


def test_what_cannot_be_loaded(run, tmp_path):
    with pytest.raises(ConfigurationError, match="No encoder could be loaded from .*/none"):
        load_encoder(str(tmp_path / "none"))
    (tmp_path / "config.json").write_text('{"model": {"type": "other"}}')
    with pytest.raises(ArchiveError, match="its config.json has no section dataset_reader"):
        load_encoder(str(tmp_path))
    (tmp_path / "m.tar.gz").write_bytes(b"no archive")
    with pytest.raises(ArchiveError, match="not a gzipped tar file"):
        load_encoder(str(tmp_path / "m.tar.gz"))
    early = shutil.copytree(run, tmp_path / "early", ignore=shutil.ignore_patterns("best.th"))
    with pytest.raises(
        ArchiveError, match="early/best.th: no such file. No model was trained there"
    ):
        load_encoder(str(early))
    torch.save({"embedder.transformer.x": torch.ones(1)}, early / "best.th")
    with pytest.raises(ArchiveError, match="early: cannot be loaded"):
        load_encoder(str(early))


class TestWordVectors:
    def test_they_are_those_of_the_encoder(self, tmp_path):
        encoder = load_encoder(ENCODER)
        for dtype, tolerance in (("float32", 0), ("float16", 1e-3)):
            kept = WordVectors(encoder, SENTENCES, [0, 2], tmp_path / dtype, dtype)
            for layer in (0, 2):
                expected = vectors(encoder, [layer])[0].numpy()
                numpy.testing.assert_allclose(
                    kept.layer(layer), expected, rtol=tolerance, atol=tolerance
                )

    def test_a_number_that_does_not_fit(self, tmp_path):
        encoder = PlainEncoder("big", pretrained(ENCODER), WordpieceTokenizer(ENCODER))
        with torch.no_grad():
            encoder.transformer.encoder.layer[-1].output.LayerNorm.weight.mul_(1e6)
        with pytest.raises(ConfigurationError, match="Use --dtype float32"):
            WordVectors(encoder, SENTENCES, [3], tmp_path / "v", "float16")
        WordVectors(encoder, SENTENCES, [3], tmp_path / "v", "float32")

    def test_a_full_disk(self, tmp_path, monkeypatch):
        usage = namedtuple("usage", "free")(10)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
        with pytest.raises(ConfigurationError, match="0.0 GB are free. Choose fewer --layers"):
            WordVectors(load_encoder(ENCODER), SENTENCES, [3], tmp_path / "v")
        assert list(tmp_path.iterdir()) == []
