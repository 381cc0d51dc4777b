"""One refiner of several treebanks, which predicts all columns with the graph in its attention."""

import shutil
from itertools import islice

import pytest

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER, run
from udify_allennlp import Parser
from udify_allennlp.text.conllu import read_sentences, write_sentences

CONFIG = CONFIGS / "graph2graph" / "rngtr_all_tasks_small_cpu.jsonnet"
INITIAL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("all_tasks")
    (folder / "predicted").mkdir()
    treebanks = []
    for name in ("en_ewt", "de_gsd"):
        path = folder / f"{name}-ud-train.conllu"
        some = islice(read_sentences(str(FIXTURES / "ud" / path.name)), 20)
        write_sentences(some, str(path))
        treebanks.append(str(path))
        run("predict", INITIAL, path, "--output-file", folder / "predicted" / path.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UD_ENCODER", ENCODER)
        patch.setenv("UD_TRAIN", ",".join(treebanks))
        patch.setenv("UD_DEV", str(FIXTURES / "ud" / "de_gsd-ud-test.conllu"))
        patch.setenv("UD_INITIAL", str(INITIAL))
        patch.setenv("UD_PREDICTED", str(folder / "predicted"))
        run("train", CONFIG, "-s", folder / "run", "-o", '{"trainer.num_epochs": 1}')
    shutil.rmtree(folder / "predicted")
    return folder


def test_it_learns_from_all_treebanks(folder):
    parser = Parser.load(folder / "run" / "model.tar.gz")
    assert parser.languages == ["de", "en"]
    assert {*parser._predictor.model.decoders} == {"upos", "feats", "lemma", "deps"}
    # XPOS are those of the parser before it.
    assert [task.name for task in parser.tasks] == ["upos", "xpos", "feats", "lemma", "deps"]


def test_each_pass_predicts_all_columns_anew(folder):
    """With no pass all is the first parser's; with one, every column is the refiner's."""
    sentences = list(islice(read_sentences(str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")), 10))
    found = [
        list(Parser.load(folder / "run", iterations=count).parse(sentences)) for count in (0, 1)
    ]
    for column in ("upos", "feats", "lemmas", "heads"):
        before, after = ([getattr(s, column) for s in some] for some in found)
        assert before != after
