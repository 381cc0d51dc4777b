"""`allennlp ud-score --by arcs` as a user types it."""

import csv
from collections import Counter

import pytest

from tests.apps.analysis.helpers import run_command
from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.helpers.treebanks import spoilt
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.scoring.bootstrap import paired_bootstrap
from udify_allennlp.scoring.official import official_counts, official_scores
from udify_allennlp.text.conllu import read_sentences, write_sentences

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
TEST = str(FIXTURES / "ud" / "en_ewt-ud-test.conllu")


@pytest.fixture
def errors(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda *words: run_command(monkeypatch, capsys, "ud-score", "--by", "arcs", *words)


@pytest.fixture
def passes(tmp_path):
    """Three parses, each better than the one before."""
    shares = {"first": 0.5, "second": 0.3, "third": 0.1}
    return {
        f"{name}.conllu": spoilt(DEV, share, tmp_path / f"{name}.conllu", seed)
        for seed, (name, share) in enumerate(shares.items())
    }


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_passes_and_what_each_mends(errors, passes, tmp_path):
    code, output, _ = errors(DEV, *passes, "--samples", 200, "--out", "out")
    assert code == 0
    gold = list(read_sentences(DEV))
    las = [official_scores(gold, parse, name)["LAS"] for name, parse in passes.items()]
    rows = rows_of(tmp_path / "out" / "passes.tsv")
    found = [row for row in rows if row["metric"] == "LAS"]
    overs = ["", "first.conllu", "second.conllu", "first.conllu"]
    assert [row["over"] for row in found] == overs
    assert [float(row["value"]) for row in found] == pytest.approx([*las, las[-1]], abs=1e-4)
    for row, (before, after) in zip(found[1:], ((0, 1), (1, 2), (0, 2))):
        expected = 100 * (las[after] - las[before]) / (100 - las[before])
        assert float(row["rer"]) == pytest.approx(expected, abs=1e-3)
    counts = [[official_counts(gold, parse, name)] for name, parse in passes.items()]
    expected = paired_bootstrap(counts[1], counts[2], 200)["LAS"]
    assert [float(found[2][key]) for key in ("points", "low", "high", "p")] == pytest.approx(
        list(expected), abs=1e-4
    )
    for view in ("dependency length", "distance to root", "sentence length", "relation"):
        assert view in output
    bins = rows_of(tmp_path / "out" / "errors.tsv")
    assert {row["parse"] for row in bins} == set(passes)
    projective = [row for row in bins if row["bin"] == "projective"]
    assert [row["rer"] == "" for row in projective] == [True, False, False]


@pytest.mark.parametrize("other", [GERMAN, TEST], ids=["two treebanks", "two files of one"])
def test_gold_files_are_one_text(errors, tmp_path, other):
    parts = []
    for path in (DEV, other):
        parts += list(read_sentences(path))
        (tmp_path / "a").mkdir(exist_ok=True)
        name = path.rsplit("/", 1)[-1]
        write_sentences(spoilt(path, 0.3, tmp_path / "x.conllu"), tmp_path / "a" / name)
    assert errors(f"{DEV},{other}", "a", "--samples", 0, "--out", "out")[0] == 0
    rows = rows_of(tmp_path / "out" / "errors.tsv")
    lengths = [int(row["gold"]) for row in rows if row["view"] == "sentence length"]
    assert sum(lengths) == sum(map(len, parts))
    assert rows_of(tmp_path / "out" / "passes.tsv")[0]["p"] == ""


def test_relations_with_their_subtypes_are_a_view(errors, tmp_path):
    write_sentences(read_sentences(DEV), tmp_path / "parsed.conllu")
    code, output, _ = errors(DEV, "parsed.conllu", "--samples", 0, "--out", "out")
    assert code == 0
    labels = Counter(label for sentence in read_sentences(DEV) for label in sentence.deprels)
    rows = rows_of(tmp_path / "out" / "errors.tsv")
    found = {row["bin"]: int(row["gold"]) for row in rows if row["view"] == "relation with subtype"}
    assert found == labels and found["acl:relcl"] and found["nsubj:pass"]
    tables = {table.split("  ")[0]: table for table in output.split("\n\n")}
    assert "\nacl:relcl " in tables["relation with subtype"]
    assert ":" not in tables["relation"]
    assert len(tables["relation"].splitlines()) <= 21


def test_figure(errors, passes, tmp_path, monkeypatch, caplog):
    pytest.importorskip("matplotlib")
    assert errors(DEV, *passes, "--samples", 0, "--out", "out")[0] == 0
    assert (tmp_path / "out" / "errors.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(figures.importlib.util, "find_spec", lambda name: None)
    assert errors(DEV, *passes, "--samples", 0, "--out", "again")[0] == 0
    names = {path.name for path in (tmp_path / "again").iterdir()}
    assert names == {"errors.tsv", "passes.tsv"} and "matplotlib is missing" in caplog.text


def test_mistakes_are_one_line(errors, tmp_path):
    gold = list(read_sentences(DEV))
    write_sentences(gold[:3], tmp_path / "short.conllu")
    write_sentences(gold[1:], tmp_path / "other.conllu")
    cycle = gold[0].replace(heads=["2", "1", *gold[0].heads[2:]])
    write_sentences([cycle, *gold[1:]], tmp_path / "cycle.conllu")
    (tmp_path / "empty.conllu").touch()
    for words, message in (
        (
            [DEV, "short.conllu"],
            f"short.conllu: has 3 sentences, but the gold file has {len(gold)}",
        ),
        ([DEV, "other.conllu"], "other.conllu:1: the words differ from those of"),
        ([DEV, "cycle.conllu"], "cycle.conllu:"),
        ([DEV, "none.conllu"], "none.conllu: no such file"),
        ([DEV, DEV, "--samples", "-1"], "--samples is -1"),
        ([DEV, DEV, DEV], "appears twice"),
        ([f"{DEV},{GERMAN}", "."], "has no file for"),
        ([f"{DEV},{TEST}", DEV], "has no file for en_ewt-ud-test.conllu"),
        (["empty.conllu", "empty.conllu"], "empty.conllu has no sentences. Name files with"),
        ([DEV, "empty.conllu"], "empty.conllu: has 0 sentences"),
    ):
        code, output, said = errors(*words)
        assert (code, output) == (1, "") and message in said.splitlines()[-1], said
        assert "Traceback" not in said
