"""The service with 200 clients for two minutes, of whom many mean no good; `make soak` runs it."""

import collections
import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections import Counter
from pathlib import Path

import pytest
from tokenizer_bench import RUNS, make_run

from tests.conftest import FIXTURES, ROOT
from tests.helpers import DEV
from tests.robustness.mutants import mutants

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
CLIENTS, SECONDS = 200, 120
ANSWERS = {200, 400, 413, 503, 504}
PATIENCE = 60.0  # seconds that a client waits: far more than the service's own limit
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ALL = {"tokenizer": "", "tagger": "", "parser": ""}


class Clients:
    """Threads that ask until time is up, and what they were answered."""

    def __init__(self, address: str) -> None:
        self.host, port = address.removeprefix("http://").strip("/").split(":")
        self.port = int(port)
        self.answers: Counter[int] = collections.Counter()
        self.faults: list[str] = []
        self._bodies = [urllib.parse.urlencode(given).encode() for given in _requests()]

    def ask(self, number: int, end: float) -> None:
        draw = random.Random(number)
        while time.monotonic() < end:
            body = draw.choice(self._bodies)
            try:
                if draw.random() < 0.1:
                    self._leave(body)
                else:
                    self.answers[self.fetch("POST", "/process", body)] += 1
            except OSError as error:
                self.faults.append(repr(error))

    def fetch(self, method: str, path: str, body: bytes = b"") -> int:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, FORM)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def _leave(self, body: bytes) -> None:
        """Goes without waiting for the answer, or in the middle of the request."""
        head = f"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        head += f"Content-Type: {FORM['Content-Type']}\r\n\r\n"
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as connection:
            connection.sendall(head.encode() + body[: random.Random(body).choice([10, 10**9])])


def _requests() -> list[dict[str, str]]:
    raw = [{"data": make_run(name, length), **ALL} for name in RUNS for length in (100, 20_000)]
    text = Path(DEV).read_text(encoding="utf-8")
    mutated = [{"data": data.decode("utf-8", "replace"), "tagger": ""} for data in mutants(50)]
    good = [{"data": "The dog sleeps. Why?", **ALL}, {"data": text[: text.index("\n\n") + 2]}]
    return [*raw, *mutated, *good * 50, {"data": "x" * 2**20}, {}]


def held(process: int) -> dict[str, float]:
    """What a process holds: MB of memory, open files and sockets, threads."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return {
        "MB": pages * os.sysconf("SC_PAGESIZE") / 1e6,
        "files": len([*Path(f"/proc/{process}/fd").iterdir()]),
        "threads": len([*Path(f"/proc/{process}/task").iterdir()]),
    }


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_two_hundred_clients_for_two_minutes(tmp_path):
    words = [sys.executable, "-m", "udify_allennlp", "ud-serve", f"en={MODEL}", "--port", "0"]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    with (
        open(tmp_path / "log", "w+") as log,
        subprocess.Popen([*words, "--timeout", "10"], env=env, stderr=log) as process,
    ):
        try:
            clients = Clients(_address(tmp_path / "log", process))
            for number in range(10):  # what every service has after its first requests
                clients.ask(number, time.monotonic() + 1)
            start, waits = held(process.pid), []
            end = time.monotonic() + SECONDS
            threads = [
                threading.Thread(target=clients.ask, args=(number, end), daemon=True)
                for number in range(CLIENTS)
            ]
            for thread in threads:
                thread.start()
            while time.monotonic() < end:
                asked = time.monotonic()
                assert clients.fetch("GET", "/models") == 200
                waits.append(time.monotonic() - asked)
                time.sleep(0.5)
            for thread in threads:
                thread.join(PATIENCE)
            time.sleep(2)  # for the last connections to be closed
            after = held(process.pid)
            process.send_signal(signal.SIGTERM)
            status = process.wait(PATIENCE)
        finally:
            process.kill()
    log_text = (tmp_path / "log").read_text()
    sys.stdout.write(
        f"\nanswers {dict(clients.answers)}, broken connections {len(clients.faults)}\n"
        f"start {start}\nend   {after}\n"
        f"/models: {len(waits)} times, longest wait {max(waits):.2f} s\n"
    )
    assert status == 0 and "Traceback" not in log_text
    assert set(clients.answers) <= ANSWERS and clients.answers[200] > 0
    assert not clients.faults and not any(thread.is_alive() for thread in threads)
    assert max(waits) < 5
    assert after["files"] <= start["files"] + 5 and after["threads"] <= start["threads"] + 10
    assert after["MB"] <= start["MB"] + 300


def _address(log: Path, process: subprocess.Popen) -> str:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        for line in log.read_text().splitlines():
            if line.startswith("en at http://"):
                return line.split()[-1]
        time.sleep(0.2)
    raise AssertionError(log.read_text())
