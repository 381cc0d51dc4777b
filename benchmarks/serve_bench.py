"""
How many sentences per second does the service parse for many clients, and how long does each wait?

    python benchmarks/serve_bench.py MODEL FILE.conllu [--clients 32] [--sentences 400]

MODEL is an archive or a run folder. The service is a separate process, `allennlp ud-serve MODEL`;
each request is one sentence to tag and parse. "File" is `Parser` on all sentences at once, without
HTTP: an upper limit for the service. "One by one" is a single client. They take turns, so that a
slow moment of the machine affects all.
"""

import argparse
import http.client
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

import machine  # before allennlp: it applies the fixes that importing allennlp needs

from udify_allennlp import Parser
from udify_allennlp.text.conllu import Sentence, read_sentences


class Measured(NamedTuple):
    seconds: float
    waits: list[float]
    """Seconds from request to answer, for each sentence; none for a file."""


@contextmanager
def service(model: str, options: list[str]) -> Iterator[str]:
    """Yields host and port of a service in another process."""
    program = [sys.executable, "-m", "udify_allennlp", "ud-serve", f"model={model}", "--port", "0"]
    with subprocess.Popen([*program, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = ""
        for line in process.stderr:
            if line.startswith("model at http://"):
                break
        else:
            raise SystemExit(f"the service did not start: {line}")
        # Its log must be redirected; otherwise it would block on a full pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield line.split("http://")[1].strip().rstrip("/")
        finally:
            process.terminate()


def parse_file(parser: Parser, sentences: list[Sentence]) -> Measured:
    parser._predictor.reader.forget()
    start = time.perf_counter()
    list(parser.parse(sentences))
    return Measured(time.perf_counter() - start, [])


def ask(place: str, sentences: list[Sentence], clients: int) -> Measured:
    """Sends every sentence once; each client sends its next one after the answer to the last."""
    todo: SimpleQueue = SimpleQueue()
    for sentence in sentences:
        todo.put(urllib.parse.urlencode({"data": sentence.text, "tagger": "", "parser": ""}))
    waits: list[float] = []
    threads = [threading.Thread(target=_client, args=(place, todo, waits)) for _ in range(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    if len(waits) < len(sentences):
        raise SystemExit(f"{len(sentences) - len(waits)} of {len(sentences)} requests failed")
    return Measured(seconds, waits)


def _client(place: str, todo: SimpleQueue, waits: list[float]) -> None:
    connection = http.client.HTTPConnection(place)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    while True:
        try:
            body = todo.get_nowait()
        except Empty:
            connection.close()
            return
        start = time.perf_counter()
        connection.request("POST", "/process", body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            return
        waits.append(time.perf_counter() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("model", help="model archive (model.tar.gz) or run folder")
    parser.add_argument("file", type=Path, help="a CoNLL-U file")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument(
        "--sentences", type=int, default=400, help="number of sentences, from the start of the file"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--round-words", type=int, help="words per round, as for allennlp ud-serve")
    parser.add_argument(
        "--cuda-device", type=int, default=-1, help="number of the GPU; -1 is the CPU"
    )
    arguments = parser.parse_args()
    if min(arguments.clients, arguments.sentences, arguments.repeats) < 1:
        parser.error("--clients, --sentences and --repeats must be at least 1")
    sentences = list(islice(read_sentences(arguments.file), arguments.sentences))
    if not sentences:
        parser.error(f"{arguments.file} has no sentences")
    options = ["--cuda-device", str(arguments.cuda_device)]
    if arguments.round_words:
        options += ["--round-words", str(arguments.round_words)]

    local = Parser.load(arguments.model, cuda_device=arguments.cuda_device)
    words = sum(map(len, sentences))
    print(machine.describe())
    print(f"file       {arguments.file.name}, {len(sentences)} sentences, {words} words")
    print(f"{'':<14}{'s':>8}{'sentences/s':>13}{'of file':>9}{'median ms':>11}{'p95 ms':>8}")
    ratios = []
    with service(arguments.model, options) as place:
        ask(place, sentences[:40], 4)  # warms up
        parse_file(local, sentences[:40])
        for _ in range(arguments.repeats):
            rows = {
                "file": parse_file(local, sentences),
                "one by one": ask(place, sentences, 1),
                f"{arguments.clients} clients": ask(place, sentences, arguments.clients),
            }
            for name, measured in rows.items():
                print(_row(name, len(sentences), measured, rows["file"].seconds))
            file, alone, many = (measured.seconds for measured in rows.values())
            ratios.append((alone / many, file / many))
    faster, share = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"many clients: {faster:.2f} times as fast as one by one, {share:.2f} of file (medians)")
    return 0


def _row(name: str, count: int, measured: Measured, file: float) -> str:
    row = f"{name:<14}{measured.seconds:8.2f}{count / measured.seconds:13.1f}"
    row += f"{file / measured.seconds:9.2f}"
    if measured.waits:
        waits = sorted(1000 * wait for wait in measured.waits)
        row += f"{statistics.median(waits):11.0f}{waits[int(0.95 * (len(waits) - 1))]:8.0f}"
    return row


if __name__ == "__main__":
    sys.exit(main())
