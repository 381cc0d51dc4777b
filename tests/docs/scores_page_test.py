"""The generated tables of the shipped model's page, and what the README repeats of them."""

import re

import pytest

from docs.reference import published, scores
from tests.conftest import ROOT
from udify_allennlp.text.line_reader import read_rows

HEADS = "treebank\tlang\tsentences\twords\tUPOS\tUFeats\tLemmas\tUAS\tLAS\traw Tokens"
HEADS += "\traw Sentences\traw Words\traw UPOS\traw UFeats\traw Lemmas\traw UAS\traw LAS"
SOURCES = """# a comment
folder\tlang\tuse\tsentences\tlicence\tcommit\tdate
UD_English-EWT\ten\ttrain\t12544\tCC-BY-SA-4.0\tx\t2026-01-01
UD_English-GUM\ten\tno\t0\tCC-BY-NC-SA-4.0\tx\t2026-01-01
UD_English-PUD\ten\tsplit\t1000\tCC-BY-SA-3.0\tx\t2026-01-01
UD_Manx-Cadhan\tgv\tno\t0\tCC-BY-SA-4.0\tx\t2026-01-01
"""


def line(name, lang, las, lemmas="90.00"):
    return "\t".join(
        [name, lang, "2", "9", "91.00", "92.00", lemmas, "80.00", las]
        + ["99.00", "98.00", "97.00", "90.00", "89.00", lemmas, "70.00", "60.00"]
    )


@pytest.fixture
def files(tmp_path):
    rows = [line("gv_cadhan", "gv", "30.00", "-"), line("en_gum", "en", "70.00")]
    rows.append(line("en_pud", "en", "84.00"))
    (tmp_path / "s.tsv").write_text("\n".join([HEADS, *rows, line("en_ewt", "en", "86.00")]) + "\n")
    (tmp_path / "t.tsv").write_text(SOURCES)
    return tmp_path / "s.tsv", tmp_path / "t.tsv"


def test_treebanks_are_grouped_by_what_was_trained_on(files):
    summary = scores.averages(*files)
    assert "| Trained on | 2 | 91.00 | 92.00 | 90.00 | 80.00 | 85.00 |" in summary
    assert "| on 10,000 or more | 1 | 91.00" in summary and "| on 1,000 to 9,999 | 1 |" in summary
    assert "| Languages that it was not trained on | 1 | 91.00 | 92.00 | - |" in summary


def test_languages_have_the_mean_of_the_treebanks_that_were_trained_on(files):
    trained, others = scores.languages(*files).split("### ")
    assert trained.splitlines()[2:4] == ["| English (2) | 85.00 | 92.00 | 90.00 | 60.00 |", ""]
    assert others.startswith(scores.GROUPS[2])
    assert "| Manx | 30.00 | 92.00 | - | 60.00 |" in others


def test_published_figures_stand_beside_ours_with_means_of_what_all_have(files, tmp_path):
    rows = ["en_ewt\tA\t1\t1\t80.00", "en_ewt\tB\t1\t1\t90.00", "gv_cadhan\tA\t1\t1\t81.00"]
    (tmp_path / "p.tsv").write_text(
        "\n".join(["# by others", "treebank\tparser\traw UFeats\traw Lemmas\traw LAS", *rows, ""])
    )
    assert published.markdown(tmp_path / "p.tsv", *files).splitlines() == [
        "| treebank | `multilingual` | A | B |",
        "| --- | --- | --- | --- |",
        "| English-EWT | 60.00 | 80.00 | 90.00 |",
        "| Manx-Cadhan † | 60.00 | 81.00 |  |",
        "| **mean (1 that all publish)** | **60.00** | **80.00** | **90.00** |",
    ]


def test_published_figures_are_of_scored_treebanks_whose_test_files_were_not_trained_on():
    sources = {
        scores.treebank(row): row for row in read_rows(ROOT / "benchmarks/edition_treebanks.tsv")
    }
    scored = {row["treebank"] for row in read_rows(ROOT / "docs/results/multilingual.tsv")}
    names = {row["treebank"] for row in read_rows(ROOT / "docs/results/published.tsv")}
    assert names <= scored and all(sources[name]["use"] != "split" for name in names)
    assert len({sources[name]["lang"] for name in names}) == len(names)


def test_nothing_is_shown_before_anything_is_scored(tmp_path):
    for made in (scores.averages, scores.languages):
        assert made(tmp_path / "none.tsv", tmp_path / "none.tsv") == ""


def test_the_readme_has_the_figures_of_the_page():
    results = ROOT / "docs" / "results"
    head, _, trained, *_ = scores.averages(
        results / "multilingual.tsv", ROOT / "benchmarks" / "edition_treebanks.tsv"
    ).splitlines()
    mean = dict(zip(head.split(" | "), trained.split(" | "), strict=True))
    page = (results / "multilingual.md").read_text(encoding="utf-8")
    ewt = re.search(r"English-EWT, whole.*LAS ([\d.]+) .* raw text ([\d.]+)\.$", page, re.M)
    figures = (ewt[1], mean["LAS"], ewt[2], mean["raw LAS |"].strip(" |"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.search(r"\| LAS \|(.*)\|", readme)[1]
    assert re.findall(r"[\d.]+", told) == [f"{float(figure):.1f}" for figure in figures]
