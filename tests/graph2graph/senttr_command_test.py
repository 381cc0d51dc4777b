"""Commands as a user types them: SentTr and SentTr+G2GTr trained, archived, used and scored."""

import pytest

from tests.conftest import CONFIGS
from tests.helpers import ENCODER, assert_same_side_by_side, execute, run
from udify_allennlp import Parser
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.tree_check import tree_fault

SETTINGS = '{"trainer.num_epochs": 1, "model.embedder.layers": 2}'


@pytest.fixture(scope="module", params=["senttr", "senttr_g2g"])
def folder(request, tmp_path_factory, small_data):
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", small_data[0])
        patch.setenv("UD_DEV", small_data[1])
        config = CONFIGS / "graph2graph" / f"{request.param}_small_cpu.jsonnet"
        run("train", config, "-s", folder / "run", "-o", SETTINGS)
    return folder


def test_it_parses_and_is_scored(folder, small_data):
    model, output = folder / "run" / "model.tar.gz", folder / "parsed.conllu"
    run("predict", model, small_data[1], "--output-file", output)
    sentences = list(read_sentences(str(output)))
    assert sentences and all(tree_fault(s.heads, s.deprels) is None for s in sentences)
    again = Parser.load(model).parse(read_sentences(small_data[1]))
    assert [s.text for s in again] == [s.text for s in sentences]
    run("evaluate", model, small_data[1], "--output-file", folder / "scores.json")
    assert '"LAS"' in (folder / "scores.json").read_text()


def test_batches_side_by_side_give_the_same(folder, small_data):
    assert_same_side_by_side(load_predictor(folder / "run"), list(read_sentences(small_data[1])))


def test_it_has_no_probabilities_to_calibrate(folder, small_data, capfd):
    words = ("ud-calibrate", folder / "run" / "model.tar.gz", small_data[1])
    assert execute(*words, "--out", folder / "new.tar.gz") == 1
    (line,) = [line for line in capfd.readouterr().err.splitlines() if "error: " in line]
    assert "has no probabilities" in line or "in several passes" in line
