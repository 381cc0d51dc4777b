"""Figures are drawn for odd input too; what they look like is for eyes."""

import struct
import warnings

import numpy
import pytest

from tests.apps.analysis.helpers import ODD_NAMES
from udify_allennlp.apps.analysis.output import figures


@pytest.fixture
def drawn(tmp_path):
    """Whether a drawing becomes a PNG file, without a warning."""
    pytest.importorskip("matplotlib")

    def draw(function, panels):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(tmp_path / "f.png", panels)
        return (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")

    return draw


def test_lines(drawn):
    lines = {name: {1: 0.5, 12: -0.5} for name in ODD_NAMES}
    panels = [figures.LinePanel(title, "y", lines) for title in ODD_NAMES[:2]]
    assert drawn(figures.draw_lines, [panels, [figures.LinePanel("", "none", {})] * 2])


def test_trees(drawn):
    gold, predicted = {(0, 1), (1, 5), (2, 3)}, {(0, 5), (2, 3)}
    panels = [
        figures.TreePanel("$t$", ODD_NAMES, gold, predicted, "tab:red"),
        figures.TreePanel("one", ["word"], set(), set(), "tab:blue"),
    ]
    assert drawn(figures.draw_trees, panels)


def test_maps(drawn):
    panel = figures.MapPanel("$t$", ODD_NAMES, numpy.eye(6))
    assert drawn(figures.draw_maps, [[panel, figures.MapPanel("", ["a"], numpy.eye(1))]])
    nothing = figures.MapPanel("zeros", ["a", "b"], numpy.zeros((2, 2)))
    assert drawn(figures.draw_maps, [[nothing]])


def test_maps_of_a_long_sentence_stand_below_each_other(drawn, tmp_path):
    panel = figures.MapPanel("long", ["word"] * 80, numpy.eye(80))
    assert drawn(figures.draw_maps, [[panel, panel]])
    width, height = struct.unpack(">II", (tmp_path / "f.png").read_bytes()[16:24])
    assert width < 2000 < height


def test_a_figure_is_not_larger_than_matplotlib_takes(drawn):
    panel = figures.TreePanel("long", ["word"] * 600, {(0, 599)}, set(), "tab:red")
    assert drawn(figures.draw_trees, [panel])
