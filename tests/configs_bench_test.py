"""The benchmark of configs beside each other, on a config with changes and without."""

import json
import sys

import configs_bench
import pytest

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER
from tests.saved_typology import SMALL

UD = FIXTURES / "ud"


def test_a_row_for_each_config_and_times_of_the_first(monkeypatch, capsys):
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", str(UD / "en_ewt-ud-train.conllu"))
    monkeypatch.setenv("UD_DEV", str(UD / "en_ewt-ud-dev.conllu"))
    config = CONFIGS / "typology" / "small_cpu.jsonnet"
    words = [
        f"{name}={config} {json.dumps({**SMALL, 'model.embedder.keep_below': megabytes})}"
        for name, megabytes in (("anew", 0), ("kept", 100))
    ]
    monkeypatch.setattr(sys, "argv", ["x", *words, "--batches", "2", "--repeats", "1"])
    assert configs_bench.main() == 0
    head, anew, kept = capsys.readouterr().out.splitlines()[-4:-1]
    assert head.split() == ["training:", "words/s", "times", "validation:", "words/s", "times"]
    name, *figures = anew.split()
    assert name == "anew" and figures[1] == figures[3] == "1.00"
    assert kept.split()[0] == "kept" and all(float(figure) > 0 for figure in kept.split()[1:])


@pytest.mark.parametrize("words", [["--batches", "0", "a=b"], ["--repeats", "0", "a=b"]])
def test_counts_below_one_are_told(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "argv", ["x", *words])
    with pytest.raises(SystemExit):
        configs_bench.main()
    assert "must be at least 1" in capsys.readouterr().err
