"""`allennlp ud-parse` as a user types it, and kills it."""

import gzip
import os
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

from tests.conftest import ROOT
from tests.helpers import DEV, TRAIN
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.text.conllu import read_sentences, write_sentences


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a run, as training leaves it."""
    return save_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A plain file of 40 sentences and a compressed one of 80."""
    folder = tmp_path_factory.mktemp("in")
    write_sentences(islice(read_sentences(DEV), 40), folder / "a.conllu")
    write_sentences(islice(read_sentences(TRAIN), 80), folder / "b.conllu.gz")
    return folder


@pytest.fixture
def allennlp(monkeypatch, capfd):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        return cli.run(), capfd.readouterr().err

    return execute


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_files_are_those_of_predict(allennlp, model, inputs, tmp_path):
    names = f"{inputs}/a.conllu,{inputs}/*.gz"
    code, errors = allennlp("ud-parse", model, names, "--out", tmp_path / "out")
    assert code == 0 and "120/120 " in errors and "sentences/s" in errors
    for name in ("a.conllu", "b.conllu.gz"):
        allennlp("predict", model, inputs / name, "--output-file", tmp_path / name, "--silent")
        texts = [
            [sentence.text for sentence in read_sentences(folder / name)]
            for folder in (tmp_path, tmp_path / "out")
        ]
        assert texts[0] == texts[1]


def test_the_model_of_the_package_by_its_name(allennlp, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("Elle va au lit.")
    words = ["-m", "udify_allennlp", "ud-parse", "multilingual", text, "--out", tmp_path / "out"]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "Warning" not in done.stderr, done.stderr
    allennlp("predict", "multilingual", text, "--output-file", tmp_path / "a.conllu")
    assert (tmp_path / "out" / "a.conllu").read_text() == (tmp_path / "a.conllu").read_text()


def test_raw_text_is_segmented_as_predict_does(allennlp, model, segmenter, tmp_path):
    texts, bundle = tmp_path / "texts", tmp_path / "bundle.tar.gz"
    texts.mkdir()
    (texts / "a.txt").write_text("Il va du lit.\n\nIl dort au lit.")
    (texts / "b.txt.gz").write_bytes(gzip.compress(b"Elle va au lit."))
    assert allennlp("ud-bundle", model, segmenter, "--out", bundle)[0] == 0
    words = ["ud-parse", bundle, f"{texts}/*", "--lang", "fr", "--out", tmp_path / "out"]
    assert allennlp(*words)[0] == 0
    assert sorted(files(tmp_path / "out")) == ["a.conllu", "b.conllu.gz"]
    output = tmp_path / "a.conllu"
    allennlp("predict", bundle, texts / "a.txt", "--lang", "fr", "--output-file", output)
    assert (tmp_path / "out" / "a.conllu").read_text() == output.read_text()
    (tmp_path / "out" / "a.conllu").unlink()  # is made again of the same words
    assert allennlp("ud-parse", *words[1:])[0] == 0
    assert (tmp_path / "out" / "a.conllu").read_text() == output.read_text()
    (texts / "a.txt").write_text("Un autre texte.")
    code, errors = allennlp("ud-parse", *words[1:])
    assert code == 1 and "a.txt, --tokenizer or --lang has changed" in errors


def test_languages_have_codes_and_names_and_treebanks_of_their_own(
    allennlp, model, segmenter, tmp_path
):
    (tmp_path / "a.txt").write_text("Il va bien.")  # `du` would be certain without a treebank
    bundle = tmp_path / "bundle.tar.gz"
    assert allennlp("ud-bundle", model, segmenter, "--out", bundle)[0] == 0
    found = set()
    for lang in ("fr", "French", "fr_gsd"):
        out = tmp_path / lang
        words = ("ud-parse", bundle, tmp_path / "a.txt", "--lang", lang, "--out", out)
        assert allennlp(*words)[0] == 0
        found.add((out / "a.conllu").read_text())
    assert len(found) == 1  # it knows one French treebank
    words = ("ud-parse", bundle, tmp_path / "a.txt", "--lang", "Frensh", "--out", tmp_path / "x")
    code, errors = allennlp(*words)
    assert code == 1 and "Did you mean fr (French)" in errors


def test_mistakes_with_raw_text(allennlp, model, inputs, tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("a")
    out = "--out", tmp_path / "out"
    code, errors = allennlp("ud-parse", model, f"{tmp_path}/x/a.txt,{tmp_path}/y/a.txt", *out)
    assert code == 1 and "have the same name" in errors
    code, errors = allennlp("ud-parse", model, inputs / "a.conllu", "--lang", "fr", *out)
    assert code == 1 and "no input is raw text" in errors


@pytest.mark.slow
def test_killed_in_the_middle_and_resumed_it_gives_the_same_bytes(
    allennlp, model, inputs, tmp_path
):
    words = ["ud-parse", model, f"{inputs}/*", "--shard-size", "1"]
    assert allennlp(*words, "--out", tmp_path / "whole")[0] == 0
    command = [sys.executable, "-m", "udify_allennlp", *words, "--out", tmp_path / "cut"]
    process = subprocess.Popen(
        [str(word) for word in [*command, "--workers", 2]],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    shards = tmp_path / "cut" / ".ud-parse" / "shards"
    deadline = time.time() + 180
    while len(list(shards.glob("*/*/[0-9]*"))) < 5 and time.time() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(files(tmp_path / "cut")) < 2
    assert allennlp(*words, "--out", tmp_path / "cut")[0] == 0
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert not list(shards.iterdir())
    with gzip.open(tmp_path / "cut" / "b.conllu.gz") as file:
        assert file.read().count(b"\n\n") == 80


@pytest.mark.parametrize(
    "words, message",
    [
        (["--workers", "0"], "--workers is 0"),
        (["--shard-size", "0"], "--shard-size is 0"),
        (["--cuda-device", "x"], "--cuda-device is 'x'"),
    ],
)
def test_mistakes_are_one_line(allennlp, model, inputs, tmp_path, words, message):
    code, errors = allennlp("ud-parse", model, f"{inputs}/*", "--out", tmp_path / "out", *words)
    assert code == 1 and message in errors.splitlines()[-1]


def test_a_model_that_cannot_be_loaded_is_one_line(allennlp, inputs, tmp_path):
    (tmp_path / "model.tar.gz").write_bytes(b"x" * 1000)
    words = ["ud-parse", tmp_path / "model.tar.gz", f"{inputs}/a.conllu", "--out", tmp_path / "o"]
    code, errors = allennlp(*words)
    assert code == 1 and "not a gzipped tar file" in errors.splitlines()[-1]
