import warnings

import numpy
import pytest

from tests.apps.analysis.helpers import ODD_NAMES
from udify_allennlp.apps.analysis.languages import figures
from udify_allennlp.apps.analysis.languages.distances import centred_cosine_distances, cluster


@pytest.fixture
def drawn(tmp_path):
    pytest.importorskip("matplotlib")

    def draw(function, panels, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(tmp_path / "f.png", panels, **settings)
        return (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")

    return draw


def test_clusters(drawn):
    panels = []
    for names in (ODD_NAMES, ODD_NAMES[:3]):
        distances = centred_cosine_distances(
            numpy.random.default_rng(1).normal(size=(len(names), 4))
        )
        panels.append(
            figures.ClusterPanel(
                "$t$",
                names,
                {ODD_NAMES[1]},
                distances,
                cluster(distances),
                ("trained on", "zero-shot"),
            )
        )
    assert drawn(figures.draw_clusters, panels)


def test_points(drawn):
    points = {name: (place, -place) for place, name in enumerate(ODD_NAMES)}
    plain = figures.PointPanel("$t$", points, {ODD_NAMES[0]}, kinds=("_these", "$those$"))
    axes = figures.PointPanel("one", {"a": (1, 1)}, xlabel="x", ylabel="y")
    assert drawn(figures.draw_points, [plain, axes], side=3)
