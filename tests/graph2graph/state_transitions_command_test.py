"""Commands as a user types them: StateTr+G2GTr+C trained, archived and used for parsing."""

from itertools import islice

import pytest

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, assert_same_side_by_side, run
from tests.helpers.processors import needs_int8
from udify_allennlp import Parser
from udify_allennlp.predictors.loading import load_predictor
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.tree_check import tree_fault

CONFIG = CONFIGS / "graph2graph" / "statetr_g2g_c_small_cpu.jsonnet"
SETTINGS = '{"trainer.num_epochs": 1, "model.embedder.layers": 2}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statetr")
    for split in ("train", "dev"):
        path = FIXTURES / "ud" / f"en_ewt-ud-{split}.conllu"
        short = (one for one in read_sentences(str(path)) if len(one) < 12)
        write_sentences(islice(short, 8), str(folder / f"{split}.conllu"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", str(folder / "train.conllu"))
        patch.setenv("UD_DEV", str(folder / "dev.conllu"))
        run("train", CONFIG, "-s", folder / "run", "-o", SETTINGS)
    return folder


@pytest.mark.parametrize(
    "precision", ["float32", "bfloat16", pytest.param("int8", marks=needs_int8)]
)
def test_it_parses_as_any_other(folder, precision):
    output = folder / f"{precision}.conllu"
    changes = f'{{"model.precision": "{precision}"}}'
    model = folder / "run" / "model.tar.gz"
    run("predict", model, folder / "dev.conllu", "--output-file", output, "-o", changes)
    sentences = list(read_sentences(str(output)))
    assert len(sentences) == 8
    assert all(tree_fault(s.heads, s.deprels) is None for s in sentences)
    parser = Parser.load(model, precision=precision)
    again = list(parser.parse(read_sentences(str(folder / "dev.conllu"))))
    assert [s.text for s in again] == [s.text for s in sentences]


def test_batches_side_by_side_give_the_same(folder):
    sentences = list(read_sentences(str(folder / "dev.conllu")))
    assert_same_side_by_side(load_predictor(folder / "run"), sentences)


def test_it_is_scored(folder):
    scores = folder / "scores.json"
    run("evaluate", folder / "run", folder / "dev.conllu", "--output-file", scores)
    assert '"LAS"' in scores.read_text()
