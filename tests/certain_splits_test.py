"""Counts of contractions in treebanks."""

import sys

import certain_splits as bench
import pytest

from tests.conftest import FIXTURES

FRENCH = FIXTURES / "ud" / "fr_gsd-ud-dev.conllu"
WHOLE = "1\tdu\tdu\tDET\t_\t_\t2\tdet\t_\t_\n2\tpain\tpain\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
SPLIT = (
    "1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDe\tde\tADP\t_\t_\t2\tcase\t_\t_\n"
    "2\tle\tle\tDET\t_\t_\t0\troot\t_\t_\n\n"
)


@pytest.mark.parametrize("whole, rare", [(0, []), (1, ["du 1 of 2"])])
def test_by_hand(tmp_path, whole, rare):
    path = tmp_path / "fr_x-ud-test.conllu"
    path.write_text(SPLIT + whole * WHOLE)
    other = tmp_path / "fr_y-ud-test.conllu"  # splits none, and does not count
    other.write_text(3 * WHOLE)
    expected = ("fr", "contractions", "fr_x", 1 + whole, 1 / (1 + whole), rare)
    assert [*bench.rows(map(str, (path, other)))] == [expected]


def test_verbs_with_pronouns(tmp_path):
    path = tmp_path / "pt_x-ud-test.conllu"
    verb = SPLIT.replace("Du", "Viu-o").replace("De\tde", "Viu\tver").replace("le\tle", "o\to")
    path.write_text(3 * verb + WHOLE.replace("du\tdu", "há-se\thá-se"))
    assert [*bench.rows([str(path)])] == [("pt", "verbs", "pt_x", 4, 0.75, ["há-se 0 of 1"])]


def test_as_a_command(monkeypatch, capsys):
    english = FIXTURES / "ud" / "en_ewt-ud-dev.conllu"
    monkeypatch.setattr(sys, "argv", ["certain_splits.py", str(FRENCH), str(english)])
    assert bench.main() == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["en", "fr"] and header.startswith("lang")
