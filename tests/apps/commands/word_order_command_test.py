"""`allennlp ud-word-order`, as a user types it."""

import sys

import pytest

from tests.conftest import FIXTURES
from udify_allennlp import cli
from udify_allennlp.order_transfer.word_order import correlations
from udify_allennlp.text.conllu import read_sentences, write_sentences

UD = FIXTURES / "ud"


@pytest.fixture
def execute(monkeypatch, capfd, tmp_path):
    def run(*words, out="out"):
        given = ["allennlp", "ud-word-order", *words, "--out", tmp_path / out]
        monkeypatch.setattr(sys, "argv", list(map(str, given)))
        return (cli.run(), *capfd.readouterr())

    return run


def table(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_languages_types_distances_and_lengths(execute, tmp_path):
    code, output, _ = execute(UD / "*-dev.conllu", UD / "en_ewt-ud-train.conllu")
    assert code == 0 and output.splitlines()[1] == "en\t0.000"
    order, distances = (table(tmp_path / "out" / f"{n}.tsv") for n in ("order", "distances"))
    assert order[0] == ["type", "de", "en", "fi", "fr"] and len(order) == 53
    shares = {row[0]: list(map(float, row[1:])) for row in order[1:]}
    assert shares["VERB>ROOT>root"] == [0] * 4
    assert shares["DET>NOUN>det"][2] == 0.5  # Finnish has none here
    assert min(shares["DET>NOUN>det"][:2]) > 0.95
    assert shares["ADJ>NOUN>amod"][3] <= 0.5 < shares["ADJ>NOUN>amod"][1]  # French, English
    rows = [list(map(float, row[1:])) for row in distances[1:]]
    assert all(rows[i][i] == 0 for i in range(4)) and rows == [list(r) for r in zip(*rows)]
    lengths = table(tmp_path / "out" / "dependencies.tsv")
    assert all(abs(sum(map(float, row[1:])) - 100) < 0.01 for row in lengths[1:])
    assert f"de\t{rows[1][0]:.3f}" in output


def test_transfer_is_correlated_with_distance(execute, tmp_path):
    scores = {"en_ewt": 80.0, "de_gsd": 60.0, "fr_gsd": 50.0, "fi_tdt": 30.0, "de_pud": 62.0}
    lines = ["treebank\tresources\tmodel\tUAS_without_punct\tLAS_without_punct\n"]
    lines += [f"{name}\tx\tA\t{s + 1}\t{s - 1}\n" for name, s in scores.items()]
    lines.append("macro average (5)\tx\tA\t1\t1\n")
    (tmp_path / "scores.tsv").write_text("".join(lines))
    given = (UD / "*-dev.conllu", "--scores", tmp_path / "scores.tsv")
    assert execute(*given)[0] == 0
    rows = table(tmp_path / "out" / "correlation.tsv")
    # Four languages: too few for a coefficient.
    assert rows[1:] == [["A", "4", name, "", "", ""] for name in ("pearson", "spearman")]
    assert correlations([1, 2, 3, 4], [1, 2, 3, 4])["pearson"].value is None

    (tmp_path / "scores.tsv").write_text(lines[0] + lines[2])
    code, _, errors = execute(*given, out="b")
    assert code == 1 and "has no score of A for --source en" in errors
    # What has no figures, or is of a language that the system has learned, is not counted.
    others = ["de_gsd\tx\tB\t\t\n", "en_pud\tlanguage seen\tA\t1\t1\n"]
    (tmp_path / "scores.tsv").write_text("".join(lines + others))
    code, _, errors = execute(*given, out="e")
    assert code == 0 and table(tmp_path / "out" / "correlation.tsv") == rows
    assert "B has no UAS_without_punct and LAS_without_punct for de_gsd: skipped" in errors
    (tmp_path / "scores.tsv").write_text(lines[0] + "en_ewt\tx\tA\tb\t1\n")
    code, _, errors = execute(*given, out="c")
    assert code == 1 and "scores.tsv:2: a score is not a number" in errors
    (tmp_path / "scores.tsv").write_text("a\tb\n")
    assert "has no columns treebank, model" in execute(*given, out="d")[2]


def test_systems_are_compared_by_distance(execute, tmp_path):
    lines = ["treebank\tmodel\tUAS\tLAS\n"]
    scores = {"A": (80, 60, 50, 30), "B": (70, 66, 40, 10), "C": (75, 50, 45, 45)}
    for model, own in scores.items():
        for name, score in zip(("en_ewt", "de_gsd", "fr_gsd", "fi_tdt"), own):
            lines.append(f"{name}\t{model}\t{score + 1}\t{score - 1}\n")
    (tmp_path / "scores.tsv").write_text("".join(lines))
    given = (UD / "*-dev.conllu", "--scores", tmp_path / "scores.tsv")
    code, output, _ = execute(*given, "--compare", "A,B:C", "--compare", "A:B")
    assert code == 0 and "max(A, B) - C" in output
    head, *rows = table(tmp_path / "out" / "differences.tsv")
    assert head == ["language", "distance", "max(A, B) - C", "A - B"]
    found = {row[0]: list(map(float, row[2:])) for row in rows[:4]}
    assert found == {"en": [5, 10], "de": [16, -6], "fr": [5, 10], "fi": [-15, 20]}
    assert len(rows) == 4
    # A Pearson's interval of four points is endless; beside each system its own.
    named = [row[:3] for row in table(tmp_path / "out" / "correlation.tsv")[1:]]
    assert [n for n, _, kind in named if kind == "pearson"] == [
        "A",
        "B",
        "C",
        "max(A, B) - C",
        "A - B",
    ]
    assert {count for _, count, _ in named} == {"4"}
    for name in ("map", "differences"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 5000
    assert "Use two groups of A, B, C" in execute(*given, "--compare", "A:D", out="b")[2]
    assert "Add --scores" in execute(given[0], "--compare", "A:B", out="c")[2]


def test_types_can_be_those_that_are_frequent(execute, tmp_path):
    frequent = (UD / "*-dev.conllu", "--types", "frequent")
    code, _, errors = execute(*frequent)
    assert code == 1 and "No type of arc occurs in --in-languages 20 of 4" in errors
    assert execute(*frequent, "--in-languages", 4, "--share", 0.02)[0] == 0
    order = table(tmp_path / "out" / "order.tsv")
    assert 5 < len(order) < 30 and "ADP>NOUN>case" in {row[0] for row in order}


def test_a_file_without_heads_is_one_line(execute, tmp_path):
    gold = read_sentences(UD / "en_ewt-ud-dev.conllu")
    path = tmp_path / "en_x-ud-dev.conllu"
    write_sentences([s.replace(heads=["_"] * len(s)) for s in gold], path)
    code, _, errors = execute(path, UD / "fr_gsd-ud-dev.conllu")
    assert code == 1 and "en_x-ud-dev.conllu:" in errors and "needs a head" in errors


def test_the_source_has_to_be_there(execute):
    code, _, errors = execute(UD / "de_gsd-ud-dev.conllu")
    assert code == 1 and "The files are in de. Name files of --source, en" in errors
