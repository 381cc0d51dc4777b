"""Parsed sentences in the format that the name of a file asks for."""

import csv
import gzip

import pytest

from tests.helpers import DEV
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.output_kinds import check_output, write_output
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.raw_text import lines_of, read_text
from udify_allennlp.text.sentence import Sentence
from udify_allennlp.text.tokenizers import make_tokenizer


def table(path, **settings):
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, **settings))


def test_a_table_has_the_words_of_the_file(tmp_path):
    sentences = list(read_sentences(DEV))
    words = [word for sentence in sentences for word in ParsedSentence(sentence)]
    for name, separator in {"a.csv": ",", "a.tsv": "\t", "a.csv.gz": ","}.items():
        write_output(sentences, str(tmp_path / name))
        rows = table(tmp_path / name, delimiter=separator)
        assert [row["form"] for row in rows] == [word.form for word in words]
        assert [row["head_lemma"] for row in rows] == [
            word.parent.lemma if word.parent else "" for word in words
        ]
        assert {row["file"] for row in rows} == {str(DEV)}


def test_any_cell_comes_back(tmp_path):
    words = ['"', ",", ";", "a b", "NA", "\u2028", "'"]
    write_output([Sentence.from_words(words)], str(tmp_path / "a.csv"))
    write_output([Sentence.from_words(words)], str(tmp_path / "a.tsv"))
    for rows in (table(tmp_path / "a.csv"), table(tmp_path / "a.tsv", delimiter="\t")):
        assert [row["form"] for row in rows] == words
        assert {row["start"] for row in rows} == {""}


def test_places_are_those_in_each_text(tmp_path):
    texts = {"one.txt": "The dog.  It\tsleeps.", "two.txt": " Why?"}
    sentences = [
        sentence
        for path, text in texts.items()
        for sentence in read_text(lines_of(text), make_tokenizer(), path=path)
    ]
    write_output(sentences, str(tmp_path / "a.csv"), is_text=True)
    rows = table(tmp_path / "a.csv")
    for row in rows:
        assert texts[row["file"]][int(row["start"]) : int(row["end"])] == row["form"]
    assert sorted({(row["text_index"], row["sentence"]) for row in rows}) == [
        ("0", "0"),
        ("0", "1"),
        ("1", "2"),
    ]


def test_parquet_has_the_same(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra pandas")
    sentences = list(read_sentences(DEV))
    for name in ("a.csv", "a.parquet"):
        write_output(iter(sentences), str(tmp_path / name))
    rows = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    shown = [{n: "" if c is None else str(c) for n, c in row.items()} for row in rows]
    assert shown == table(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.xlsx", "a.txt", "a.json", "a.doc.gz", "a.parquet.gz"])
def test_other_endings_are_refused(tmp_path, name):
    pytest.importorskip("pyarrow", reason="needs the extra pandas")
    with pytest.raises(InputError, match=f"{name}: .*"):
        check_output(str(tmp_path / name))


def test_known_endings_are_not(tmp_path):
    for name in ("a", "a.conllu", "a.CONLLU", "a.conllu.xz", "a.jsonl", "a.csv", "a.tsv.gz"):
        check_output(str(tmp_path / name))
    check_output(str(tmp_path / "a.conll09"), ["roles"])
    check_output(str(tmp_path / "a.conll09"))  # CoNLL-U under that name
    check_output("/dev/stdout")
