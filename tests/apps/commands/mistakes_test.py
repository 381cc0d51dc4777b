"""Mistakes in the options of commands: one line that names the option, before any work."""

import io
import sys

import pytest
import requests

from tests.conftest import FIXTURES
from tests.helpers import DEV
from udify_allennlp import cli
from udify_allennlp.compat import lazy_imports

MODEL = str(FIXTURES / "archives" / "all_decoders" / "model.tar.gz")
PREDICT, EVALUATE = ("predict", MODEL), ("evaluate", MODEL)
REPLACED = "is an input, and its output would replace it. Name another output."
A_FILE = "text.txt is a file, and the output is a folder. Name another folder."
NO_FOLDER = "the folder none does not exist. Create it first: mkdir -p none"
NO_JSON = "error: --overrides (-o) is not a JSON object"
SIZE = "--batch-size is {}: it must be at least 1."


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Runs a command where `text`, `text.txt` and `gold.conllu` are; status and errors."""
    (tmp_path / "text.txt").write_text("The dog sleeps.\n")
    (tmp_path / "text").write_text("The dog sleeps.\n")
    with open(DEV, "rb") as file:
        (tmp_path / "gold.conllu").write_bytes(file.read())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    for name in ("UD_TRAIN", "UD_DEV", "UD_ENCODER"):
        monkeypatch.setenv(name, "gold.conllu")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *words])
        status = cli.run()
        return status, capfd.readouterr().err

    return run


@pytest.mark.parametrize(
    "words, message",
    [
        ((*PREDICT, "text", "--output-file", "text"), f"text {REPLACED}"),
        ((*PREDICT, "tex?", "--output-file", "./text"), f"text {REPLACED}"),
        ((*EVALUATE, "gold.conllu", "--output-file", "gold.conllu"), REPLACED),
        ((*EVALUATE, "gold.conllu", "--predictions-output-file", "gold.conllu"), REPLACED),
        (("ud-view", "gold.conllu", "--out", "gold.conllu"), REPLACED),
        (("ud-score", "gold.conllu", "NAME=text.txt", "--out", "text.txt"), REPLACED),
        (("ud-pack", MODEL, "--precision", "int8", "--out", MODEL), REPLACED),
        ((*PREDICT, "text.txt", "--output-dir", "text.txt"), A_FILE),
        (("ud-parse", MODEL, "text.txt", "--out", "text.txt/x"), A_FILE),
        (("ud-view", "gold.conllu", "--out", "none/x.html"), NO_FOLDER),
        (("ud-score", "gold.conllu", "gold.conllu", "--out", "none/x.tsv"), NO_FOLDER),
        (("ud-view", "gold.conllu", "--out", "x.pdf"), "Name a web page that ends in .html."),
        ((*PREDICT, "text.txt", "--batch-size", "-1"), SIZE.format(-1)),
        ((*EVALUATE, "gold.conllu", "--batch-size", "0"), SIZE.format(0)),
        ((*PREDICT, "text.txt", "--include-package", "nopkg"), "--include-package nopkg: no such"),
        ((*PREDICT, "text.txt", "-o", "{bad"), NO_JSON),
        ((*PREDICT, "text.txt", "-o", "3", "--probabilities"), NO_JSON),
        ((*EVALUATE, "gold.conllu", "-o", "{bad"), NO_JSON),
        (("train", "tiny", "-s", "run", "-o", "{bad"), NO_JSON),
        ((*PREDICT, "text.txt", "--iterations", "2"), "Only models of type udify_refinement have"),
        ((*PREDICT, "-", "--output-dir", "out"), "standard input has no name. Use --output-file."),
        ((*PREDICT, "text.txt", "--output-dir", "out", "--every-iteration"), "--every-iteration"),
        (("ud-parse", MODEL, "nofile", "--out", "out"), "error: 'nofile' matches no file"),
        (
            ("ud-pack", "multilingual", "--precision", "int8"),
            "add --out, such as --out multilingual.int8.tar.gz",
        ),
        (("ud-view", "text.txt"), "Parse raw text first, with `allennlp predict`."),
    ],
)
def test_each_is_one_line(command, tmp_path, words, message):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    status, errors = command(*words)
    assert status == 1 and message in errors.splitlines()[-1]
    assert "Traceback" not in errors and "Finished work is kept" not in errors
    assert "Raw text belongs" not in errors and "damaged" not in errors
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    "words", [("predict", "https://a.test/m", "text.txt"), (*PREDICT, "https://a.test/m")]
)
def test_a_server_out_of_reach_is_one_line(command, monkeypatch, words):
    def fails(*_, **__):
        raise requests.exceptions.ConnectionError("Max retries exceeded")

    monkeypatch.setattr(lazy_imports.Later, "imported", lambda self: fails)
    status, errors = command(*words)
    line = "allennlp: error: https://a.test/m: cannot be downloaded (ConnectionError). Check"
    assert status == 1 and errors.startswith(line) and errors.count("\n") == 1


@pytest.mark.parametrize(
    "start, name", [(b"\x1f\x8b\x08\0", "gzip"), (b"\xfd7zXZ\0", "xz"), (b"PK\3\4", "zip")]
)
def test_a_compressed_pipe_is_named_as_such(command, monkeypatch, start, name):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(start + b"\xff\n\0")))
    status, errors = command(*PREDICT, "-")
    assert status == 1
    assert errors.endswith(f"input:1: the content is compressed ({name}). Uncompress it first.\n")


def test_a_pack_that_saves_nothing_says_so(tmp_path, monkeypatch, capfd):
    for out, source in (("small.tar.gz", MODEL), ("again.tar.gz", tmp_path / "small.tar.gz")):
        words = ["ud-pack", str(source), "--precision", "int8", "--out", str(tmp_path / out)]
        monkeypatch.setattr(sys, "argv", ["allennlp", *words])
        assert cli.run() == 0
        said = f"It is as large as {source}, whose weights may be packed already.\n"
        assert (said in capfd.readouterr().out) == (out == "again.tar.gz")
