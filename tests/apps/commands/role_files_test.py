"""`allennlp ud-join-roles` and `ud-role-score` as a user types them."""

import csv

import pytest

from tests.apps.analysis.helpers import run_command
from tests.conftest import FIXTURES
from tests.helpers import DEV
from udify_allennlp.text.conllu import check_tree, read_sentences
from udify_allennlp.text.roles.files import read_roles, write_roles
from udify_allennlp.text.roles.predicates import predicates_of, with_predicates

SPANS, HEADS = (
    str(FIXTURES / "roles" / f"en_hand-train.{style}") for style in ("conll05", "conll09")
)


@pytest.fixture
def allennlp(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return lambda *words: run_command(monkeypatch, capsys, *words)


def test_both_styles_in_one_file(allennlp, tmp_path):
    assert allennlp("ud-join-roles", SPANS, HEADS, "--out", "both.conllu")[0] == 0
    joined = list(read_sentences("both.conllu"))
    for sentence, spans, heads in zip(joined, read_roles(SPANS), read_roles(HEADS), strict=True):
        check_tree(sentence)
        found = predicates_of(sentence)
        assert [each.spans for each in found] == [each.spans for each in spans.predicates]
        assert [each._replace(spans=()) for each in found] == heads.predicates
    code, output, _ = allennlp("ud-role-score", "both.conllu", "both.conllu", "--out", "a.tsv")
    assert code == 0 and "span_F1" in output and "dep_F1" in output
    with open("a.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {float(row["value"]) for row in rows if row["metric"] != "roles_F1"} == {100}


def test_scores_of_several_files(allennlp):
    sentences = list(read_sentences(SPANS))
    fewer = [s.replace(misc=with_predicates(s.misc, predicates_of(s)[:1])) for s in sentences]
    write_roles(fewer, "fewer.conll05", "conll05")
    write_roles(sentences, "all.conll05", "conll05")
    code, output, _ = allennlp("ud-role-score", SPANS, "fewer.conll05", "all.conll05")
    head, first, second = (line.split() for line in output.splitlines())
    assert code == 0 and head[:4] == ["file", "span_P", "span_R", "span_F1"]
    assert first[1] == "100.00" and float(first[2]) < 80 and set(second[1:]) == {"100.00"}


def test_mistakes_are_one_line(allennlp, tmp_path):
    dev = SPANS.replace("train", "dev")
    for words, message in (
        (["ud-join-roles", SPANS, dev, "--out", "x"], "the words differ from those of"),
        (["ud-role-score", SPANS, HEADS, HEADS], "appears twice"),
        (["ud-role-score", DEV, DEV], "has no predicates"),
        (["ud-role-score", SPANS, "none.conll05"], "none.conll05"),
    ):
        code, output, errors = allennlp(*words)
        assert (code, output) == (1, "") and message in errors.splitlines()[-1], errors
        assert "Traceback" not in errors and not (tmp_path / "x").exists()
    (tmp_path / "short.conllu").write_text("1\tThe" + "\t_" * 8 + "\n\n")
    code, _, errors = allennlp("ud-role-score", "short.conllu", SPANS)
    assert code == 1 and "words differ from those" in errors
