"""`make gpu-check`, rehearsed on a CPU: one of its checks, and the report."""

import subprocess
import sys

import pytest
import torch

from tests.conftest import ROOT

COMMAND = [sys.executable, "benchmarks/gpu_check.py"]


def test_a_rehearsal_writes_a_report_that_says_so(tmp_path):
    report = tmp_path / "new" / "gpu.md"
    words = ["--device", "cpu", "--only", "ddp", "--report", str(report)]
    done = subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = report.read_text(encoding="utf-8")
    assert done.stdout == text
    assert "A rehearsal on a CPU: its figures mean nothing." in text
    assert "failed: nothing." in text and "## Distributed training on one card" in text
    assert "gradients equal to those without a group" in text


def test_a_check_that_fails_is_in_the_report(tmp_path):
    words = ["--device", "cpu", "--only", "parsing", "--train", str(tmp_path / "none.conllu")]
    done = subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "failed: parsing." in done.stdout and "none.conllu" in done.stdout


def test_without_a_gpu_it_says_how_to_rehearse():
    if torch.cuda.is_available():
        pytest.skip("not here: there is a GPU, and the message is for machines without")
    done = subprocess.run(COMMAND, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Rehearse the checks without one: --device cpu" in done.stderr.splitlines()[-1]
