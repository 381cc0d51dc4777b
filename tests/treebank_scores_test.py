"""The table of a model's scores: equal to those of `evaluate`, and resumable."""

import csv
import json
import sys

import pytest
import treebank_scores

from tests.conftest import FIXTURES
from tests.helpers import run

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
FILES = [str(FIXTURES / "ud" / f"{name}-ud-dev.conllu") for name in ("de_gsd", "fr_gsd")]


@pytest.fixture
def table(tmp_path, monkeypatch):
    def make(*files):
        out = tmp_path / "scores.tsv"
        words = ["treebank_scores.py", str(MODEL), *files, "--out", str(out)]
        monkeypatch.setattr(sys, "argv", words)
        assert treebank_scores.main() == 0
        with out.open(encoding="utf-8") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    return make


def test_figures_are_those_of_evaluate_and_of_raw_text(table, tmp_path):
    rows = table(FILES[1])
    assert [row["treebank"] for row in rows] == ["fr_gsd"] and rows[0]["lang"] == "fr"
    run("evaluate", MODEL, FILES[1], "--output-file", tmp_path / "scores.json")
    scores = json.loads((tmp_path / "scores.json").read_text())
    for name in ("UPOS", "UFeats", "Lemmas", "UAS", "LAS"):
        (found,) = [v for k, v in scores.items() if k.split("_")[-1].split("/")[-1] == name]
        assert float(rows[0][name]) == pytest.approx(found, abs=0.006)
    assert 0 < float(rows[0]["raw Words"]) <= 100
    assert float(rows[0]["raw LAS"]) <= float(rows[0]["raw Words"])


def test_what_is_there_is_not_scored_again(table, monkeypatch):
    table(FILES[1])
    asked = []
    original = treebank_scores.row
    monkeypatch.setattr(
        treebank_scores, "row", lambda *args: asked.append(args[1]) or original(*args)
    )
    assert [row["treebank"] for row in table(*FILES)] == ["fr_gsd", "de_gsd"]
    assert asked == FILES[:1]


def test_raw_text_is_of_its_language_or_its_treebank(monkeypatch):
    named = []
    monkeypatch.setattr(
        treebank_scores, "from_text", lambda parser, text, lang: named.append(lang) or parser
    )
    monkeypatch.setattr(treebank_scores, "official_counts", lambda gold, found, path: {})
    monkeypatch.setattr(treebank_scores, "scores_of", lambda counts: {})

    class Echo(list):
        parse = staticmethod(lambda sentences: sentences)

    for told in (False, True):
        treebank_scores.row(Echo(), FILES[1], 2, told)
    assert named == ["fr", "fr_gsd"]
