"""The benchmarks of parsing, on a model and a file of the fixtures."""

import re
import subprocess
import sys

import pytest

from tests.conftest import FIXTURES, ROOT
from tests.helpers.processors import needs_int8

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
FILE = FIXTURES / "ud" / "en_ewt-ud-dev.conllu"


def output_of(name):
    words = [ROOT / "benchmarks" / f"{name}.py", MODEL, FILE, "--sentences", "8", "--repeats", "1"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return done.stdout


@pytest.mark.slow
def test_the_cost_of_parsing_is_divided_among_its_parts():
    table = output_of("parse_bench").split("CPU s")[1]
    seconds = re.findall(r"^(\S.*?) +([\d.]+) +[\d.]+%", table, re.M)
    assert len(seconds) == 17
    assert {name for name, _ in seconds} >= {"encoder", "tree search", "everything else"}
    assert float(dict(seconds)["encoder"]) > 0


@needs_int8
@pytest.mark.slow
def test_precisions_take_turns():
    rows = output_of("precision_bench").splitlines()
    assert any(row.split()[0] == "float32" and row.split()[-1] == "100.00" for row in rows if row)
