"""The tests for a GPU, on its stand-in; and that this is like one."""

import os
import re
import subprocess
import sys

import pytest
import torch

from tests import stand_in
from tests.conftest import ROOT

CONFIGS = (
    "udify_small_cpu.jsonnet",
    "segmenter.jsonnet",
    "typology/small_cpu",
    "pretraining/small_cpu",
    "graph2graph/rngtr_small_cpu",
    "graph2graph/syng2g_small_cpu",
    "order_transfer/selfatt_stack_small_cpu",
)
"""Shipped configs of each kind of model, which the suite tries; `make soak` tries all."""
ALIKE = ("StateCLSTr", "G2CLSTr", "StateTr+G2GTr", "G2GTr+C", "udify_graph_transitions")
"""Transition parsers that differ from others in little, and take ten seconds each."""
LONG = ("positions_of_languages", "student")
"""Tests that take ten seconds or more, and run what the configs run."""


def test_the_tests_for_a_gpu_pass_on_its_stand_in():
    if torch.cuda.is_available():
        pytest.skip("not here: there is a GPU, on which they run themselves")
    if not stand_in.is_available():
        pytest.skip("not here: this PyTorch has no devices that are written in Python")
    # To collect all others takes longer than some of these.
    files = [path for path in ROOT.glob("tests/**/*_test.py") if "mark.gpu" in path.read_text()]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "--stand-in", *map(str, files)]
    if not os.environ.get("UDIFY_SOAK"):  # all configs take seven minutes
        tried = f"(not test_a_shipped_config or {' or '.join(CONFIGS)})"
        command += ["-k", " and not ".join([tried, *ALIKE, *LONG])]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 45


@pytest.fixture
def numbers(gpu):
    return torch.arange(6.0).to(gpu)


REFUSED = {
    "a sum": lambda x: x + torch.ones(6),
    "a product": lambda x: torch.mm(x.view(2, 3), torch.ones(3, 2)),
    "one tensor of two": lambda x: torch.cat([x, torch.ones(6)]),
    "rows by an index of the CPU": lambda x: x.index_select(0, torch.tensor([1, 2])),
    "numbers of the CPU, written": lambda x: x.index_put((torch.tensor([1, 2]),), torch.ones(2)),
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", REFUSED)
def test_two_devices_in_one_operation_are_refused(numbers, name):
    with pytest.raises(RuntimeError, match="device|cpu"):
        REFUSED[name](numbers)


WAITS = {
    "a number": lambda x: x[0].item(),
    "a condition": lambda x: bool((x > 3).any()),
    "a list": lambda x: x.tolist(),
    "what is where": lambda x: x.nonzero(),
    "by a mask": lambda x: x[x > 3],
    "by a list": lambda x: x[[1, 2]],
    "to the CPU": lambda x: x.cpu(),
    "from the CPU": lambda x: torch.ones(6).to(x.device),
    "from Python": lambda x: torch.tensor([1.0, 2.0], device=x.device),
    "different ones": lambda x: x.unique(),
    "repeated": lambda x: x.repeat_interleave(x.long()),
    "counted": lambda x: x.long().bincount(),
    "a number, written by an index": lambda x: x.clone().__setitem__(x.argsort(), 0.0),
}
GOES_ON = {
    "a sum with a number": lambda x: x + torch.tensor(2.0),
    "one number by a mask": lambda x: x.masked_fill(x > 3, 0),
    "written by a mask": lambda x: x.clone().__setitem__(x > 3, 0.0),
    "by an index": lambda x: x[x.argsort()],
    "filled by an index": lambda x: x.index_fill(0, x.argsort(), 0.0),
    "from the CPU, when it can": lambda x: torch.ones(6).to(x.device, non_blocking=True),
    "made there": lambda x: torch.zeros(6, device=x.device) + torch.arange(6, device=x.device),
    "another type": lambda x: x.long().double(),
}


@pytest.mark.gpu
@pytest.mark.parametrize("name", [*WAITS, *GOES_ON])
def test_the_cpu_waits_for_what_it_asks(numbers, gpu, name):
    with stand_in.watched(gpu) as waits:
        {**WAITS, **GOES_ON}[name](numbers)
    assert bool(waits) == (name in WAITS)


@pytest.mark.gpu
def test_gradients_are_those_of_a_cpu(gpu):
    torch.manual_seed(0)
    layers = torch.nn.LSTM(4, 3, bidirectional=True), torch.nn.LSTMCell(6, 5)
    rows = torch.randn(7, 2, 4)

    def gradients(device):
        for layer in layers:
            layer.to(device).zero_grad()
        layers[1](layers[0](rows.to(device))[0].flatten(0, 1))[0].sum().backward()
        return [x.grad.cpu().clone() for layer in layers for x in layer.parameters()]

    for found, expected in zip(gradients(gpu), gradients(torch.device("cpu")), strict=True):
        torch.testing.assert_close(found, expected)
