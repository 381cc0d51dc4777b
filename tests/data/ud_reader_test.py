import logging

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from tests.conftest import FIXTURES
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import read_sentences, treebank_name
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.lemma_rules import apply_rule

ENCODER = str(FIXTURES / "encoder")
TRAIN = str(FIXTURES / "ud" / "en_ewt-ud-train.conllu")
DEV = str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")
BAD = sorted((FIXTURES / "conllu" / "bad").glob("*.conllu"))


def values(instance, column):
    return instance._row.table.values(0, column)


@pytest.fixture
def reader():
    return UniversalDependenciesReader(ENCODER)


def test_labels_are_the_columns(reader):
    instances = list(reader.read(TRAIN))
    sentences = list(read_sentences(TRAIN))
    assert len(instances) == len(sentences)
    for instance, sentence in zip(instances, sentences):
        assert values(instance, "upos") == sentence.upos
        assert values(instance, "feats") == sentence.feats
        assert values(instance, "heads") == [int(head) for head in sentence.heads]
        assert values(instance, "deprels") == sentence.deprels
        lemmas = map(apply_rule, sentence.forms, values(instance, "lemma"))
        assert list(lemmas) == list(sentence.lemmas)
        assert "xpos" not in instance.fields
        assert treebank_name(instance["sentences"].metadata.path) == "en_ewt"


def test_a_list_and_a_glob_give_all_files(reader):
    count = sum(1 for path in (TRAIN, DEV) for _ in read_sentences(path))
    assert len(list(reader.read([TRAIN, DEV]))) == count
    everything = list(reader.read(str(FIXTURES / "ud" / "*-ud-train.conllu")))
    treebanks = {treebank_name(i["sentences"].metadata.path) for i in everything}
    assert {"en_ewt", "de_gsd"} <= treebanks


def test_only_the_tasks_asked_for(reader):
    reader = UniversalDependenciesReader(ENCODER, tasks=["xpos", "deps"])
    fields = next(iter(reader.read(TRAIN))).fields
    assert set(fields) == {"layout", "wordpieces", "sentences", "xpos", "heads", "deprels"}
    with pytest.raises(ConfigurationError, match="dataset_reader.tasks: Unknown task 'pos'"):
        UniversalDependenciesReader(ENCODER, tasks=["pos"])


def test_too_small_a_window_is_refused():
    with pytest.raises(ConfigurationError, match="dataset_reader.max_pieces is 3"):
        UniversalDependenciesReader(ENCODER, max_pieces=3)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_files_are_refused_with_file_and_line(reader, path):
    with pytest.raises(ConlluError, match=rf"{path.name}:\d+: "):
        list(reader.read(str(path)))


def test_invalid_sentences_are_skipped_and_counted_on_demand(caplog):
    reader = UniversalDependenciesReader(ENCODER, skip_invalid=True)
    with caplog.at_level(logging.WARNING):
        for path in BAD:
            list(reader.read(str(path)))
            assert f"{path}: skipped " in caplog.text
            caplog.clear()


def test_data_without_trees_keeps_its_feats_and_is_not_checked(tmp_path):
    path = str(FIXTURES / "sigmorphon" / "en_hand-um-dev.conllu")
    settings = {"tasks": ["feats", "lemma"], "cache_dir": str(tmp_path)}
    unchecked = UniversalDependenciesReader(ENCODER, check_trees=False, **settings)
    first = next(iter(unchecked.read(path)))
    assert values(first, "feats") == ["DEF;DET", "N;SG", "V;PST;IND", "_"]
    assert unchecked.table(path).values(0, "feats") == values(first, "feats")
    # What was kept unchecked is no answer to who wants it checked.
    with pytest.raises(ConlluError, match="word 1 has head '_'"):
        UniversalDependenciesReader(ENCODER, **settings).table(path)
    with pytest.raises(ConfigurationError, match="the task deps and check_trees false"):
        UniversalDependenciesReader(ENCODER, check_trees=False)


def test_prediction_takes_columns_of_underscores(reader):
    path = str(FIXTURES / "conllu" / "unannotated.conllu")
    with pytest.raises(ConlluError):
        list(reader.read(path))
    sentence, *_ = reader.sentences(path)
    instance = reader.text_to_instance(sentence, annotated=False)
    assert set(instance.fields) == {"layout", "wordpieces", "sentences"}


def test_the_vocabulary_numbers_labels_by_frequency(reader):
    vocab = Vocabulary.from_instances(reader.read(TRAIN))
    counts = {}
    for instance in reader.read(TRAIN):
        for label in values(instance, "lemma"):
            counts[label] = counts.get(label, 0) + 1
    table = vocab.get_index_to_token_vocabulary("lemma_labels")
    ordered = [counts[table[index]] for index in range(len(table))]
    assert ordered == sorted(counts.values(), reverse=True)


def test_the_vocabulary_survives_its_files(reader, tmp_path):
    vocab = Vocabulary.from_instances(reader.read(str(FIXTURES / "ud" / "*-ud-train.conllu")))
    vocab.save_to_files(tmp_path / "vocabulary")
    again = Vocabulary.from_files(tmp_path / "vocabulary")
    for namespace in ("upos_labels", "feats_labels", "lemma_labels", "deprel_labels"):
        assert again.get_index_to_token_vocabulary(
            namespace
        ) == vocab.get_index_to_token_vocabulary(namespace)
