"""Python and `allennlp` in separate processes."""

import os
import subprocess
import sys
import textwrap

from tests.conftest import ROOT


def python(code: str, *flags: str) -> subprocess.CompletedProcess:
    """Runs `code` in a fresh interpreter: import order cannot be tested in this one."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *flags, "-c", textwrap.dedent(code)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def allennlp(*arguments, check=True, **environment):
    """Run the command from another folder, as a user would; gives the finished process."""
    done = subprocess.run(
        [sys.executable, "-m", "udify_allennlp", *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        cwd=environment.get("PWD", str(ROOT)),
    )
    # With what it said: the error of `check=True` would keep that to itself.
    assert not check or done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done


def predict(archive, source, output, *options, check=True):
    return allennlp(
        "predict",
        archive,
        source,
        "--include-package",
        "udify_allennlp",
        "--predictor",
        "udify",
        "--output-file",
        output,
        "--silent",
        *options,
        check=check,
    )
