import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive

from tests.apps.analysis.helpers import save_run
from tests.conftest import FIXTURES
from tests.helpers import DEV, ENCODER, make_model
from udify_allennlp.apps.analysis.encoders import load_encoder
from udify_allennlp.apps.analysis.languages.treebank_vectors import (
    layer_weights,
    mean_vectors,
    sample,
)
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.conllu import Sentence, read_sentences

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for kind in ("task", "global", "sum", "last"):
        (folder / kind).mkdir()
        found[kind] = save_run(folder / kind, layer_attention=kind)
    return found


class TestSample:
    def test_a_treebank_gives_the_same_whatever_the_others(self):
        both = sample([GERMAN, DEV], 5, seed=1)
        assert list(both) == ["de_gsd", "en_ewt"]
        assert [len(known) for known in both.values()] == [5, 5]
        assert sample([DEV], 5, seed=1) == {"en_ewt": both["en_ewt"]}
        assert sample([DEV], 5, seed=2) != {"en_ewt": both["en_ewt"]}

    def test_sentences_stay_in_order_and_few_are_all(self):
        everything = [sentence.forms for sentence in read_sentences(DEV)]
        assert sample([DEV], 10**6, seed=1) == {"en_ewt": everything}
        rows = [everything.index(words) for words in sample([DEV], 5, seed=1)["en_ewt"]]
        assert rows == sorted(rows)

    def test_an_empty_file(self, tmp_path):
        (tmp_path / "xx_none-ud-test.conllu").write_text("")
        with pytest.raises(ConfigurationError, match="xx_none: has no sentence"):
            sample([str(tmp_path / "xx_none-ud-test.conllu")], 5, seed=1)


@pytest.mark.parametrize("kind", ["task", "global", "sum", "last"])
def test_a_trained_model_gives_what_its_decoder_sees(runs, kind):
    """The means of the very tensors that reach the dependency decoder inside the model."""
    treebanks = sample([GERMAN, DEV], 5, seed=1)
    encoder = load_encoder(str(runs[kind]))
    found = mean_vectors(encoder, treebanks, layer_weights(encoder))
    archive = load_archive(str(runs[kind]))
    seen, expected = [], []
    decoder = archive.model.eval().decoders["deps"]
    scores = decoder.scores
    decoder.scores = lambda encoded: seen.append(encoded.words) or scores(encoded)
    predictor = ConlluPredictor(archive.model, archive.dataset_reader)
    for known in treebanks.values():
        predictor.columns([Sentence.from_words(words) for words in known])
        expected.append(torch.cat(seen).mean(0).detach().numpy())
        seen.clear()
    numpy.testing.assert_allclose(found, expected, atol=1e-5)


def test_weights_by_hand(runs):
    encoder = load_encoder(str(runs["task"]))
    assert layer_weights(encoder, layer=2).tolist() == [0, 0, 1, 0]
    assert layer_weights(encoder, layer=0).tolist() == [1, 0, 0, 0]
    for task, weights in load_archive(str(runs["task"])).model.layer_weights().items():
        assert layer_weights(encoder, task=task).tolist() == pytest.approx([0, *weights])
    torch.testing.assert_close(
        layer_weights(load_encoder(ENCODER)), torch.tensor([0, 1 / 3, 1 / 3, 1 / 3])
    )
    # Before training, layer attention is that mean.
    encoder.layer_weights = make_model().layer_weights()
    torch.testing.assert_close(layer_weights(encoder), layer_weights(load_encoder(ENCODER)))


def test_layers_and_tasks_that_are_not_there(runs):
    encoder = load_encoder(str(runs["global"]))
    with pytest.raises(ConfigurationError, match="--layer has 4, but .* has layers 0 to 3"):
        layer_weights(encoder, layer=4)
    with pytest.raises(ConfigurationError, match="--task is 'x', but .* deps, feats, lemma, upos"):
        layer_weights(encoder, task="x")
