"""Reports on a terminal: the same numbers in a ruled table; elsewhere the text as it is."""

import io
import sys

import pytest

from udify_allennlp.apps.analysis.output.screen import show, show_pairs
from udify_allennlp.scoring.official import report

REPORT = report(
    [("a b", {"UAS": 90.5, "LAS": 80.0}), ("c", {"UAS": 91.25, "LAS": 79.5})],
    ("UAS", "LAS", "CLAS"),
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    def shown(width, function, *args, **kwargs):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setattr(sys, "stdout", Terminal())
        function(*args, **kwargs)
        return sys.stdout.getvalue()

    return shown


def test_in_a_pipe_a_report_is_the_text_byte_for_byte(capsys):
    show(REPORT, best=True)
    assert capsys.readouterr().out == REPORT


def test_on_a_terminal_the_same_cells_are_ruled_and_the_best_is_marked(terminal):
    text = terminal(100, show, REPORT, best=True)
    for cell in ("treebank", "a b", "90.50", "91.25", "macro average", "90.88"):
        assert cell in text
    assert "─" in text and "\x1b[1;32m91.25" in text and "\x1b[1;32m90.50" not in text
    assert REPORT.splitlines()[-1] in text  # the note on what is -


def test_a_table_that_is_too_wide_stays_as_it_is(terminal):
    assert terminal(20, show, REPORT) == REPORT


def test_pairs_wrap_beside_their_names(terminal):
    text = terminal(40, show_pairs, [("languages", "word " * 12), ("date", "today")])
    lines = text.splitlines()
    assert len(lines) >= 3 and max(len(line) for line in lines) < 60
    assert "languages" in lines[0] and "today" in lines[-1]
