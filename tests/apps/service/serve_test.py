"""`allennlp ud-serve` as a user types it, and stops it."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import ROOT
from tests.helpers.http import fetch
from udify_allennlp import cli
from udify_allennlp.apps.service.server import listen


def test_it_finishes_what_it_has_begun_and_ends_with_0(run_folder):
    words = [sys.executable, "-m", "udify_allennlp", "ud-serve", f"xx={run_folder}", "--port", "0"]
    words.append("--access-log")
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as process:
        url = next(filter(starts, process.stderr)).split()[-1]
        data = urllib.parse.urlencode(
            {"data": "A dog sleeps\n" * 500, "input": "horizontal", "parser": "", "secret": "x"}
        )
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(fetch, url + "process", data.encode())
            while not answer.running() or fetch(url + "models")[0] != 200:
                pass
            process.send_signal(signal.SIGTERM)
            status, _, body = answer.result(60)
        log = process.stderr.read()
    assert process.returncode == 0
    assert status == 200 and json.loads(body)["result"].count("# sent_id") == 500
    assert "POST /process 200" in log and "Traceback" not in log
    assert "secret" not in log and "transformers" not in log  # nor what AllenNLP says


def starts(line):
    return line.startswith("xx at http://127.0.0.1:")


@pytest.fixture
def refusal(monkeypatch, capfd):
    """The last line that the command says."""
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-serve", *map(str, words)])
        assert cli.run() == 1
        return capfd.readouterr().err.splitlines()[-1]

    return execute


def test_mistakes_are_one_line(refusal, run_folder, tmp_path, monkeypatch):
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert f"Cannot listen on 127.0.0.1, port {port}" in refusal(run_folder, "--port", port)
    assert "Cannot listen on 127.0.0.1, port 70000" in refusal(run_folder, "--port", 70000)
    free = ("--port", 0)
    assert "--timeout is 0.0; it must be above 0" in refusal(run_folder, "--timeout", 0)
    assert "nknown language 'Englsh'. Did you mean en" in refusal(run_folder, "--lang", "Englsh")
    assert "nowhere: no such file" in refusal(tmp_path / "nowhere", *free)
    assert "Unknown tokenizer 'x'" in refusal(run_folder, "--tokenizer", "x", *free)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name)
    )
    expected = (
        "ud-serve needs uvicorn. Install the requirements: pip install 'udify_allennlp[serve]'"
    )
    assert refusal(run_folder).endswith(expected)
