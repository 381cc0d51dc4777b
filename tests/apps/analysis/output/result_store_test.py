import json

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.result_store import KeptResults

SETTINGS = {"models": ["a"], "seed": 1, "inputs": {"a": None}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out" / "results.json"


def test_an_interrupted_run_goes_on(path):
    kept = KeptResults(path, "--out", SETTINGS)
    assert KeptResults(path, "--out", SETTINGS).results == []  # stopped before the first result
    kept.add({"layer": 1, "scores": {5: 0.5}})
    known = json.loads(path.read_text())
    assert known == {**SETTINGS, "finished": False, "results": [{"layer": 1, "scores": {"5": 0.5}}]}
    again = KeptResults(path, "--out", SETTINGS)
    assert again.has(layer=1) and not again.has(layer=2) and not again.has(model=1)
    again.add({"layer": 2})
    again.finish()
    known = json.loads(path.read_text())
    assert known["finished"] and [result["layer"] for result in known["results"]] == [1, 2]


@pytest.mark.parametrize("change", ["settings", "finished", "other"])
def test_nothing_else_is_gone_on_with(path, change):
    kept = KeptResults(path, "--out", SETTINGS)
    kept.add({"layer": 1})
    if change == "finished":
        kept.finish()
    if change == "other":
        path.rename(path.with_name("mine.json"))
    before = [file.read_text() for file in path.parent.iterdir()]
    settings = {**SETTINGS, "seed": 2} if change == "settings" else SETTINGS
    with pytest.raises(ConfigurationError, match="--out .* is not an empty folder"):
        KeptResults(path, "--out", settings)
    assert [file.read_text() for file in path.parent.iterdir()] == before
