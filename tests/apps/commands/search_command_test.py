"""`allennlp ud-search`: lists, counts, pages."""

import gzip
import sys

import pytest

from tests.helpers import DEV, TRAIN, execute
from udify_allennlp.apps.commands import search
from udify_allennlp.text.conllu import read_sentences

PASSIVE = "//word[word/@deprel='aux:pass' and word/@deprel='obl:agent']"


def test_a_list_counts_and_a_page(capsys, tmp_path, monkeypatch):
    pytest.importorskip("lxml", reason="needs the extra search")
    file, page, found = tmp_path / "a.conllu.gz", tmp_path / "page.html", tmp_path / "b.conllu"
    with open(TRAIN, "rb") as source:
        file.write_bytes(gzip.compress(source.read()))
    assert execute("ud-search", PASSIVE, str(file)) == 0
    listed, said = capsys.readouterr()
    lines = listed.splitlines()
    assert lines[0].endswith("\tThe third was being [run] by the head of an investment firm.")
    assert f"in {len(lines)} of 200 sentences" in said
    monkeypatch.setattr(search, "MOST_DRAWN", 2)
    command = ["ud-search", PASSIVE, str(file), "--count", "lemma", "--count", "Tense"]
    assert execute(*command, "--page", str(page), "--out", str(found)) == 0
    head, *counts = capsys.readouterr().out.splitlines()
    assert head == "words\tlemma\tTense" and "1\trun\tPast" in counts
    assert len(list(read_sentences(found))) == len(lines) > 2
    html = page.read_text(encoding="utf-8")
    assert html.count("<mark>") == 2 and 'class="form found"' in html
    assert "the first 2 are drawn" in html
    assert execute("ud-search", "//word", str(file), "--limit", "3") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_without_lxml_one_line_names_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    assert execute("ud-search", "//word", DEV) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("pip install 'udify_allennlp[search]'")
