import copy
import pickle

import pytest
from allennlp.data import Vocabulary

from udify_allennlp.data import vocabulary_files
from udify_allennlp.data.vocabulary_entries import entries, has_entries

FILES = {
    "lang_labels": "en\nde\ncs\n",
    "feats_labels": "Number=Sing\n_\nNumber=Plur\n",
    "lang_feats_labels": "en\tNumber=Sing\nde\t_\nen\tNumber=Plur\nend\t_\nen\t_",
    "odd_labels": "a@@NEWLINE@@b\r\nc\n\n",
    "tokens": "@@UNKNOWN@@\nthe\n",
    "non_padded_namespaces": "*labels\n*tags\n",
}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "vocabulary"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / f"{name}.txt").write_text(text, newline="")
    return folder


def tables(vocab):
    return dict(vocab._token_to_index), dict(vocab._index_to_token)


def test_an_empty_file_is_an_empty_namespace(folder):
    (folder / "none_labels.txt").write_text("")
    vocab = Vocabulary.from_files(folder)
    assert not has_entries(vocab, "none_labels") and not list(entries(vocab, "none_labels"))


def test_it_is_the_vocabulary_of_allennlp(folder, tmp_path):
    theirs = vocabulary_files._original(Vocabulary, folder)
    ours = Vocabulary.from_files(folder)
    assert ours.get_namespaces() == theirs.get_namespaces()
    assert len(ours._token_to_index) == len(theirs._token_to_index)
    assert "feats_labels" in ours._token_to_index and ours._token_to_index.texts
    assert tables(pickle.loads(pickle.dumps(Vocabulary.from_files(folder)))) == tables(theirs)
    assert tables(copy.deepcopy(Vocabulary.from_files(folder))) == tables(theirs)
    for namespace in [*theirs.get_namespaces(), "new_labels", "new"]:
        assert entries(ours, namespace) is not None
        assert has_entries(ours, namespace) == has_entries(theirs, namespace)
        assert list(entries(ours, namespace)) == list(entries(theirs, namespace))
        assert ours.get_vocab_size(namespace) == theirs.get_vocab_size(namespace)
    assert tables(ours) == tables(theirs)
    Vocabulary.from_files(folder).save_to_files(str(tmp_path / "saved"))
    vocabulary_files._original(Vocabulary, folder).save_to_files(str(tmp_path / "theirs"))
    for path in (tmp_path / "theirs").glob("[!.]*"):
        assert (tmp_path / "saved" / path.name).read_bytes() == path.read_bytes()


def test_entries_of_a_language_are_the_same_from_text_and_table(folder):
    ours, theirs = Vocabulary.from_files(folder), vocabulary_files._original(Vocabulary, folder)
    for vocab in (ours, theirs):
        of_english = list(entries(vocab, "lang_feats_labels", "en"))
        assert of_english == ["Number=Sing", "Number=Plur", "_"]
        assert list(entries(vocab, "lang_feats_labels", "cs")) == []
    assert "lang_feats_labels" in ours._token_to_index.texts  # not a table yet
    assert ours._token_to_index.pop("lang_feats_labels") is not None
    assert ours._token_to_index.pop("lang_feats_labels", None) is None


def test_what_is_no_utf_8_is_refused_at_once(folder):
    (folder / "feats_labels.txt").write_bytes(b"\xff\n")
    with pytest.raises(UnicodeDecodeError):
        Vocabulary.from_files(folder)
