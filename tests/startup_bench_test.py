"""`benchmarks/startup_bench.py` follows a model from the shell to the first parse."""

import sys

import pytest
import startup_bench

from tests.saved_model import save_run


@pytest.mark.slow
def test_it_times_the_stages_of_a_start(tmp_path, monkeypatch, capsys):
    run = str(save_run(tmp_path))
    monkeypatch.setattr(sys, "argv", ["startup_bench.py", run, "--repeats", "1"])
    assert startup_bench.main() == 0
    lines = capsys.readouterr().out.splitlines()
    for stage in ("reader and tokenizer", "build the model", "load weights", "start to parse"):
        (line,) = (line for line in lines if line.startswith(f"{stage}  "))
        assert float(line.split()[-1]) > 0
