"""Services that run for a test: with a small model, or with a parser that waits to be let go."""

import threading
from contextlib import contextmanager

import pytest

from tests.saved_model import save_run
from udify_allennlp.apps.service.app import make_app
from udify_allennlp.apps.service.batcher import Batcher
from udify_allennlp.apps.service.models import ServedModel, load_models
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.server import address, listen, make_server, run
from udify_allennlp.apps.service.texts import TextReader


@contextmanager
def serving(
    models, max_input=100_000, timeout=60.0, hosts=(), origins=(), guess=None, metrics=None
):
    """The address of a service in this process."""
    listening = listen("127.0.0.1", 0)
    url = address(listening)
    app = make_app(
        Service(models, TextReader(), guess, metrics), max_input, timeout, hosts, origins
    )
    server = make_server(app, timeout)
    thread = threading.Thread(target=run, args=(server, listening))
    thread.start()
    try:
        yield url
    finally:
        server.should_exit = True
        thread.join(30)
        server.force_exit = True  # a connection that a client left open is not waited for
        thread.join()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="session")
def models(run_folder):
    return load_models([f"en_ewt={run_folder}", f"french-gsd-ud={run_folder}"])


@pytest.fixture(scope="session")
def url(models):
    with serving(models) as found:
        yield found


class Gate:
    """Parses nothing until it is opened; `rounds` are the words of what it was given."""

    def __init__(self):
        self.open = threading.Event()
        self.entered = threading.Event()
        self.rounds = []

    def __call__(self, sentences, names, langs):
        self.rounds.append([sentence.forms for sentence in sentences])
        self.entered.set()
        assert self.open.wait(30)
        return [sentence.replace(upos=["X"] * len(sentence)) for sentence in sentences]


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def gated(gate):
    """A model whose parser is the gate; two words may wait."""
    steps = {"tokenizer": [], "tagger": ["upos"], "parser": ["heads", "deprels"]}
    return ServedModel("slow", Batcher(gate, max_waiting=2), steps)
