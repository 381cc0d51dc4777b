import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from hypothesis import given
from hypothesis import strategies as st
from udtools import udeval

from tests.conftest import FIXTURES
from tests.data.by_hand import Letters
from tests.helpers import DEV, ENCODER, TRAIN
from udify_allennlp.data.tasks import STANDARD, LabelTask, Task, in_order, task_of
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.scoring.official import official_scores
from udify_allennlp.scoring.word_scores import WordScores
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.universal_labels import UNIVERSAL_FEATURES

FILES = sorted((FIXTURES / "ud").glob("*.conllu"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("name", [name for name in STANDARD if name != "deps"])
def test_cells_become_labels_and_labels_cells_again(name, path):
    task = task_of(name)
    for sentence in read_sentences(path):
        cells = task.cells(sentence, task.labels(sentence))
        assert cells == getattr(sentence, task.columns[0])


@pytest.mark.parametrize("name", STANDARD)
def test_every_task_says_what_a_table_holds_of_it(name):
    task = task_of(name)
    sentence = next(read_sentences(DEV))
    values = task.values(sentence)
    assert len(values) == len(task.specs) and all(len(v) == len(sentence) for v in values)
    assert set(task.right(sentence, {c: getattr(sentence, c) for c in task.columns}).values()) == {
        len(sentence)
    }


@given(heads=st.lists(st.integers(0, 4), min_size=4, max_size=4), deprel=st.text("ab:", min_size=1))
def test_scores_of_tasks_are_those_of_the_official_script(heads, deprel):
    gold = Sentence.from_words(["a", "b", "c", "d"]).replace(
        upos=["X", "Y", "X", "Z"],
        lemmas=["_", "b", "C", "d"],
        feats=["Case=Nom|Odd=1", "_", "Odd=2", "Number=Sing"],
        heads=["0", "1", "2", "3"],
        deprels=["root", "a:b", "a", "b"],
    )
    guess = {
        "upos": ["X", "X", "X", "Z"],
        "lemmas": ["q", "b", "c", "d"],
        "feats": ["Case=Nom", "Odd=3", "_", "Number=Plur"],
        "heads": ["0", "1", "1", "2"],
        "deprels": ["root", "a", "a:c", deprel],
    }
    scores = WordScores()
    scores([gold], [guess])
    official = official_scores([gold], [gold.replace(**guess)], "by hand")
    found = scores.get_metric()
    assert list(found) == ["UPOS", "UFeats", "Lemmas", "UAS", "LAS"]
    assert found == pytest.approx({name: official[name] for name in found})


def test_the_features_scored_are_those_of_the_script():
    assert UNIVERSAL_FEATURES == udeval.UNIVERSAL_FEATURES


def test_a_task_without_scores_of_its_own_compares_labels():
    task = Letters()
    gold = Sentence.from_words(["a", "b"]).replace(misc=["x", "y"])
    assert task.right(gold, {"misc": ["x", "z"]}) == {"Letters": 1}
    scores = WordScores([task])
    scores([gold], [{"misc": ["x", "z"]}])
    assert scores.get_metric(reset=True) == {"Letters": 50.0}


def test_names_tasks_and_configs_name_tasks():
    assert Task.list_available()[: len(STANDARD)] == list(STANDARD)
    own = Letters()
    assert task_of(own) is own and task_of("feats").name == "feats"
    for name in ("pos", "os.abort", "this.c"):
        with pytest.raises(ConfigurationError, match="Unknown task"):
            task_of(name)
    names = [task.name for task in in_order([own, task_of("deps"), task_of("upos")])]
    assert names == ["upos", "deps", "letters"]
    params = {"type": "udify_universal_dependencies", "model_name": ENCODER}
    for tasks in (["upos", "deps"], [{"type": "upos"}, "deps"]):
        reader = DatasetReader.from_params(Params({**params, "tasks": list(tasks)}))
        assert [task.name for task in reader.schema.targets] == ["upos", "deps"]
        assert all(isinstance(task, Task) for task in reader.schema.targets)


def test_a_column_can_be_given_and_learned_at_once():
    """In prediction it is given, whatever else is not there."""
    reader = UniversalDependenciesReader(ENCODER, ["upos", "deps"], inputs=["upos", "xpos"])
    assert [spec.name for spec in reader.schema.specs][2:] == ["upos", "heads", "deprels", "xpos"]
    assert [spec.name for spec in reader.schema.unannotated().specs][2:] == ["upos", "xpos"]
    vocab = Vocabulary.from_instances(reader.read(TRAIN))
    assert vocab.get_vocab_size("xpos_labels") > 20
    for name in ("upos", "xpos"):
        task = task_of(name)
        assert isinstance(task, LabelTask)
        counts = {}
        for sentence in read_sentences(TRAIN):
            for label in task.labels(sentence):
                counts[label] = counts.get(label, 0) + 1
        table = vocab.get_index_to_token_vocabulary(task.namespace)
        ordered = [counts[table[number]] for number in range(len(table))]
        assert ordered == sorted(counts.values(), reverse=True)
