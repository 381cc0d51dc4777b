"""A document: its sentences, its text, and what it is turned into."""

import builtins
import json
import pickle

import pytest

from tests.helpers import DEV
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.document import SHOWN, Document
from udify_allennlp.text.parsed import ParsedSentence
from udify_allennlp.text.sentence import BOM, Sentence


@pytest.fixture(scope="module")
def dev():
    return Document([ParsedSentence(sentence) for sentence in read_sentences(DEV)])


def test_its_conllu_is_a_file(dev, tmp_path):
    (tmp_path / "again.conllu").write_text(dev.conllu)
    assert [s.text for s in read_sentences(tmp_path / "again.conllu")] == [s.conllu for s in dev]
    row = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"
    cut = Document([ParsedSentence(Sentence(BOM + row)), ParsedSentence(Sentence(row + "\n\n"))])
    assert cut.conllu == f"{row}\n\n{row}\n\n"
    write_sentences((s.sentence for s in dev), tmp_path / "written.conllu")
    assert (tmp_path / "written.conllu").read_text() == dev.conllu


def test_it_is_a_sequence(dev):
    assert len(dev) == 40 and dev[0] in dev and len(dev[3:5]) == 2
    assert len(dev.words) == sum(len(sentence) for sentence in dev)
    assert repr(dev) == "<Document of 40 sentences>"
    assert pickle.loads(pickle.dumps(dev)).conllu == dev.conllu
    assert json.loads(dev.to_json()) == dev.to_dict()


def test_a_table_of_words(dev):
    pytest.importorskip("pandas", reason="needs the extra pandas")
    table = dev.to_pandas()
    assert len(table) == len(dev.words)
    assert list(table["sentence"].unique()) == list(range(40))
    first = table[table["sentence"] == 0]
    assert list(first["form"]) == [word.form for word in dev[0]]
    assert list(first["head"]) == [word.head for word in dev[0]]
    assert list(first["feats"]) == dev[0].sentence.feats
    assert first["start"].isna().all()


def test_a_table_has_all_its_columns_always(dev):
    pandas = pytest.importorskip("pandas", reason="needs the extra pandas")
    empty = Document([])
    for asked in ({}, {"heads": True}):
        table = empty.to_pandas(**asked)
        assert len(table) == 0 and list(table.columns) == list(dev.to_pandas(**asked).columns)
    joined = pandas.concat([empty.to_pandas(), dev.to_pandas()])
    assert set(joined["file"]) == {str(DEV)}
    keys = joined[["file", "text_index", "sentence", "id"]]
    assert not keys.duplicated().any()
    made = Document([ParsedSentence(Sentence.from_words(["a"]))]).to_pandas()
    assert made["file"].isna().all()


def test_a_table_with_heads_and_features(dev):
    pandas = pytest.importorskip("pandas", reason="needs the extra pandas")
    table = dev.to_pandas(heads=True, feats=True)
    for (_, row), word in zip(table.iterrows(), dev.words):
        head = word.parent
        cells = [None] * 3 if head is None else [head.form, head.lemma, head.upos]
        shown = [row[name] for name in ("head_form", "head_lemma", "head_upos")]
        assert [None if pandas.isna(cell) else cell for cell in shown] == cells
        feats = {name: cell for name, cell in row.items() if name.startswith("feats_")}
        assert {n[6:]: c for n, c in feats.items() if not pandas.isna(c)} == word.feats


def test_a_table_without_pandas_says_what_to_install(dev, monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"pip install 'udify_allennlp\[pandas\]'"):
        dev.to_pandas()


def test_a_notebook_shows_the_first_trees(dev):
    page = dev._repr_html_()
    assert page.count("<svg") == SHOWN and f"and {40 - SHOWN} more sentences" in page
    assert "more sentences" not in dev[:2]._repr_html_()
    hostile = Document([ParsedSentence(Sentence.from_words(["<script>"]))])
    assert "<script>" not in hostile._repr_html_()
