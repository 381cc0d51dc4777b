"""`benchmarks/word_features.py`: the features that word lists give to forms that training lacks."""

import lzma
from collections import Counter

import pytest
import word_features
from allennlp.data import Vocabulary
from word_features import counts_of, distinct, lines_of, readings_of, trusted

from tests.helpers.known import vocabulary
from udify_allennlp.data.known_words import Analysis, KnownWords, Treebank, Word

LIST = """\
Hose	Hose	NOUN	Case=Acc|Number=Sing
Hose	Hose	NOUN	Gender=Fem|Number=Sing
Hose	Hose	NOUN	Number=Sing
Hosen	Hose	NOUN	Number=Plur
See	See	NOUN	Gender=Fem|Number=Sing
See	See	NOUN	Gender=Masc|Number=Sing
Haus	Haus	NOUN	Gender=Neut|Number=Sing
Ton-Art	Ton-Art	NOUN	Number=Sing
ging	gehen	VERB	Tense=Past
rot	rot	ADJ	Degree=Pos
Tuch	Tuch	NOUN	Gender=Neut|Number=Sing
Leben	Lebe	NOUN	Gender=Fem|Number=Plur
leben	leben	VERB	VerbForm=Inf
"""
WORDS = {"Haus": "Gender=Neut|Number=Sing", "Hosen": "Number=Sing", "Leute": "Number=Plur"}


@pytest.fixture
def folder(tmp_path):
    """Word lists. No treebank has the past tense of `ging`."""
    (tmp_path / "languages.tsv").write_text(
        "ud_code\tlanguage\ttables (first wins)\nde\tGerman\tde\nfr\tFrench\t\n"
    )
    (tmp_path / "de.tsv.xz").write_bytes(lzma.compress(LIST.encode()))
    return tmp_path


@pytest.fixture
def words():
    return {
        form: Word((Analysis("NOUN", feats, "l|"),), is_rare=False) for form, feats in WORDS.items()
    }


def test_readings(folder):
    found = readings_of(folder, "de")
    assert set(found) == {
        *(("hose", "NOUN"), ("hosen", "NOUN"), ("see", "NOUN"), ("haus", "NOUN")),
        *(("ging", "VERB"), ("tuch", "NOUN"), ("leben", "NOUN"), ("leben", "VERB")),
    }
    assert len(found["hose", "NOUN"]) == 3 and readings_of(folder, "fr") == {}


def test_a_feature_that_all_treebanks_contradict_is_not_trusted(folder, words, monkeypatch):
    readings, treebank = readings_of(folder, "de"), Treebank("de_one", frozenset(), words)
    assert trusted(readings, [treebank], "de") == set()  # too few words
    monkeypatch.setattr(word_features, "FEWEST", 1)
    gender, number = ("NOUN", "Gender"), ("NOUN", "Number")
    assert trusted(readings, [treebank], "de") == {gender}
    other = Treebank("de_two", frozenset(), {"Haus": words["Haus"]})
    assert trusted(readings, [treebank, other], "de") == {gender, number}
    monkeypatch.setattr(word_features, "MOST_WRONG", 0.5)
    assert trusted(readings, [treebank], "de") == {gender, number}


def test_readings_have_the_gender_of_the_word_and_none_contains_another():
    names = {("NOUN", "Gender"), ("NOUN", "Number")}
    rows = [
        {"Case": "Acc", "Number": "Sing"},
        {"Gender": "Fem", "Number": "Sing"},
        {"Gender": "Fem", "Number": "Plur"},
        {"Number": "Sing"},
    ]
    assert distinct(rows, "NOUN", names) == [
        {"Number": "Sing", "Gender": "Fem"},
        {"Gender": "Fem", "Number": "Plur"},
    ]
    both = [{"Gender": "Fem"}, {"Gender": "Masc"}, {"Gender": "Fem", "Number": "Sing"}]
    assert distinct(both, "NOUN", names) == both[:2]


def test_lines(folder, words, monkeypatch):
    monkeypatch.setattr(word_features, "FEWEST", 1)
    monkeypatch.setattr(word_features, "MOST_WRONG", 0.5)
    known = KnownWords(vocabulary(Vocabulary(), Treebank("de_one", frozenset(), words)))
    counts = Counter({"hose": 2, "see": 5, "haus": 9, "tuch": 1, "ging": 9, "leben": 9})
    assert [*lines_of(folder, "de", known, counts)] == [
        "NOUN Gender=Fem|Number=Sing: hose",
        "NOUN Gender=Fem|Number=Sing Gender=Masc|Number=Sing: see",
    ]
    assert not [*lines_of(folder, "de", known, counts, ["VERB"])]


def test_counts_are_of_the_texts_of_a_language(tmp_path):
    for name in ("wiki.de.txt.xz", "train.de.xz", "wiki.fr.txt.xz"):
        (tmp_path / name).write_bytes(lzma.compress(b"Die Hose, die Hosen-Tasche 3b.\n"))
    files = [str(file) for file in sorted(tmp_path.iterdir())]
    assert counts_of(files, "de") == {"die": 4, "hose": 2, "hosen": 2, "tasche": 2, "b": 2}
