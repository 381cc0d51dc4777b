import os
import signal
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.corpus import workers
from udify_allennlp.apps.corpus.workers import share_out


def squares(number):
    return lambda task: (task * task, os.getpid())


def dies_once_at_three(folder):
    def work(task):
        if task == 3:
            begun = Path(folder) / "begun"
            if not begun.exists():
                begun.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return task

    return work


class DiesOnceAtThree:
    def __init__(self, folder):
        self.folder = folder

    def __call__(self, number):
        return dies_once_at_three(self.folder)


def fails_at_three(number):
    def work(task):
        if task == 3:
            raise ValueError("no threes")
        return task

    return work


def cannot_start(number):
    raise ValueError("no such model")


@pytest.fixture
def said(monkeypatch):
    lines = []
    monkeypatch.setattr(
        workers.logger, "warning", lambda text, *values: lines.append(text % values)
    )
    return lines


def test_every_task_once_by_processes_that_start_once(said):
    results = dict(share_out(range(20), 2, squares))
    assert {task: square for task, (square, _) in results.items()} == {n: n * n for n in range(20)}
    assert len({pid for _, pid in results.values()}) <= 2 and not said


def test_a_process_that_dies_is_reported_and_its_task_tried_again(tmp_path, said):
    results = sorted(share_out(range(6), 2, DiesOnceAtThree(str(tmp_path))))
    assert results == [(n, n) for n in range(6)]
    assert len(said) == 1 and "at 3: the process was killed by signal 9 (SIGKILL)" in said[0]


def test_a_task_that_fails_twice_ends_the_run(said):
    with pytest.raises(ConfigurationError, match="3 failed 2 times; .*ValueError: no threes"):
        list(share_out(range(6), 1, fails_at_three))
    assert len(said) == 1


def test_a_process_that_cannot_start_ends_the_run():
    with pytest.raises(ConfigurationError, match="worker 0 could not start: .*no such model"):
        list(share_out(range(6), 1, cannot_start))
