"""The output of commands on the screen, and the messages that go only to the run's log."""

import logging
import os
import signal
import sys

import pytest

from tests.conftest import FIXTURES
from tests.helpers import ENCODER
from udify_allennlp import cli
from udify_allennlp.compat import console_log

DEV = str(FIXTURES / "ud" / "en_ewt-ud-dev.conllu")
ENGLISH = str(FIXTURES / "ud" / "en_ewt-ud-train.conllu")


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Logging, signals and the environment are of the whole process."""
    root = logging.getLogger()
    handlers, level, handler = root.handlers[:], root.level, signal.getsignal(signal.SIGTERM)
    hook, levels = sys.excepthook, {each: (each.level, each.formatter) for each in root.handlers}
    for name in ("UDIFY_QUIET", "ALLENNLP_LOG_LEVEL", "ALLENNLP_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    yield
    root.handlers[:], sys.excepthook = handlers, hook
    root.setLevel(level)
    for each, (of_handler, formatter) in levels.items():
        each.setLevel(of_handler)
        each.setFormatter(formatter)
    os.environ.pop("UDIFY_QUIET", None)
    signal.signal(signal.SIGTERM, handler)


def test_verbose_and_levels_that_are_set_are_heard(monkeypatch):
    assert console_log.settle(["train", "x"]) == ["train", "x"] and console_log.quiet()
    console_log.forget()
    assert (
        console_log.settle(["train", "--verbose", "x"]) == ["train", "x"]
        and not console_log.quiet()
    )
    monkeypatch.setenv("ALLENNLP_LOG_LEVEL", "WARNING")
    console_log.settle(["train"])
    assert not console_log.quiet()


def test_a_run_shows_a_line_an_epoch_and_logs_the_rest(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, value in (("UD_TRAIN", ENGLISH), ("UD_DEV", DEV), ("UD_ENCODER", ENCODER)):
        monkeypatch.setenv(name, value)
    change = '{"trainer.num_epochs": 2, "dataset_reader.max_instances": 30}'
    monkeypatch.setattr(sys, "argv", ["udify", "train", "tiny", "-s", "run", "-o", change])
    assert cli.run() == 0
    shown, errors = capfd.readouterr()
    plan, where, first, last, model, size = shown.splitlines()
    assert plan.startswith("Training on cpu (") and size.startswith("Its size: ")
    assert where.endswith("run/out.log") and model.startswith("The model: run/model.tar.gz")
    assert first.startswith("epoch 1/2: LAS ") and first.endswith(" left")
    assert last.startswith("epoch 2/2: LAS ") and ", loss " in last and "UPOS" in last
    assert "INFO" not in errors and "warning" not in errors.lower() and not console_log.quiet()
    log = (tmp_path / "run" / "out.log").read_text()
    assert (
        "INFO" in log and "trains in float32" in log and "patience" not in log.split("params")[-1]
    )

    monkeypatch.setattr(sys, "argv", ["udify", "evaluate", "run", DEV])
    assert cli.run() == 0
    shown, errors = capfd.readouterr()
    assert [line.split()[0] for line in shown.splitlines()] == ["treebank", "en_ewt", "-:"]
    assert "INFO" not in errors
    monkeypatch.setattr(sys, "argv", ["udify", "evaluate", "run", DEV, "--verbose"])
    assert cli.run() == 0


def test_warnings_are_short():
    record = logging.LogRecord("a.b", logging.WARNING, "f", 1, "%s is old", ("x",), None)
    assert console_log._Short().format(record) == "warning: x is old"
    meaningless = "You provided a validation dataset but patience was set to None, meaning that"
    record = logging.LogRecord("a.b", logging.WARNING, "f", 1, meaningless, (), None)
    assert not console_log._means_something(record)
