"""Faults of a user's own files end in one line that names the file, with exit status 1."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import torch

from tests.conftest import FIXTURES, ROOT
from tests.helpers import ENCODER
from udify_allennlp import cli
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.text.conllu import check_tree, read_sentences
from udify_allennlp.text.errors import ConlluError

MODEL = FIXTURES / "archives" / "all_decoders" / "model.tar.gz"
ROW = "{}\ta\ta\tX\t_\t_\t{}\troot\t_\t_\n\n"
HUGE = "9" * 5000
FILES = {
    "good.conllu": ROW.format(1, 0).encode(),
    "id.conllu": (ROW.format(1, 0) + ROW.format(HUGE, 0)).encode(),
    "range.conllu": (ROW.format(f"1-{HUGE}", "_")[:-1] + ROW.format(1, 0)).encode(),
    "head.conllu": (ROW.format(1, 0) + ROW.format(1, HUGE)).encode(),
    "utf8.jsonl": b'{"sentence": "a"}\n\n{"sentence": "\xff"}\n',
    "surrogate.jsonl": b'{"sentence": "a \\ud800 b"}\n',
    "deep.jsonl": b'{"sentence": ' + b"[" * 100_000 + b"\n",
    "digits.jsonl": b'{"sentence": "a", "n": ' + HUGE.encode() + b"}\n",
    "deep.jsonnet": b"[" * 100_000,
    "text.conllu": b"The dog sleeps.\n",
    "comments.conllu": b"# Dogs\n\nThey sleep.\n",
    "empty.conllu": b"",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.conllu").symlink_to(tmp_path / "loop.conllu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    for name in ("UD_TRAIN", "UD_DEV"):
        monkeypatch.setenv(name, "head.conllu")
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    handler = signal.getsignal(signal.SIGTERM)
    yield tmp_path
    signal.signal(signal.SIGTERM, handler)


def outcome(monkeypatch, capfd, *words):
    """The exit status, and the last line that is said."""
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    status = cli.run()
    return status, capfd.readouterr().err.splitlines()[-1]


PREDICT, EVALUATE = ("predict", MODEL), ("evaluate", MODEL)
OUT = ("--output-file", "out")
TRAIN = ("train", ROOT / "training_config" / "tiny.jsonnet", "-s")
NO_SENTENCE = 'Not a line of {"sentence": "..."}: '


@pytest.mark.parametrize(
    "words, message",
    [
        ((*PREDICT, "utf8.jsonl", *OUT), "utf8.jsonl:3: byte 0xff is not UTF-8. Convert the file"),
        (
            (*PREDICT, "surrogate.jsonl", *OUT),
            "surrogate.jsonl:1: the sentence has '\\ud800', half",
        ),
        ((*PREDICT, "deep.jsonl", *OUT), f"deep.jsonl:1: {NO_SENTENCE}"),
        ((*PREDICT, "digits.jsonl", *OUT), f"digits.jsonl:1: {NO_SENTENCE}"),
        ((*PREDICT, "id.conllu", *OUT), "id.conllu:3: '999"),
        ((*PREDICT, "range.conllu", *OUT), "range.conllu:1: '1-999"),
        ((*PREDICT, "loop.conllu", *OUT), "loop.conllu: too many levels of symbolic links. Corr"),
        (
            (*PREDICT, "folder", *OUT),
            "folder is a folder without files in .conllu or .txt. Name files",
        ),
        ((*PREDICT, "good.conllu/a.conllu", *OUT), "'good.conllu/a.conllu' matches no file"),
        ((*PREDICT, "good.conllu", "--output-file", "folder"), "folder: is a directory. Name a fi"),
        ((*PREDICT, "good.conllu", "--output-file", "good.conllu/out"), ": not a directory. Name"),
        (
            (*PREDICT, "good.conllu", "--output-file", "no/out"),
            "no/out: the folder no does not exist. Create",
        ),
        (
            (*EVALUATE, "good.conllu", "--output-file", "no/out"),
            "no/out: the folder no does not exist. ",
        ),
        (
            (*EVALUATE, "good.conllu", "--predictions-output-file", "no/o"),
            "no/o: the folder",
        ),
        (
            (*PREDICT, "text.conllu", *OUT),
            "text.conllu:1: the line has 1 columns instead of 10. Raw",
        ),
        (
            (*PREDICT, "comments.conllu", *OUT),
            "comments.conllu:1: the block has no words. Remove the block, or the",
        ),
        (("trian", "x"), "unknown command 'trian'. Did you mean train? All commands: allennlp"),
        (("stup",), "unknown command 'stup'. Did you mean setup? All commands: allennlp"),
        (("--verison",), "unknown option '--verison'."),
        (("push-to-hf", "x"), "Upload the archive of a model with: hf upload NAME/REPOSITORY mod"),
        ((*PREDICT, "good.conllu", "--output-file", "o" * 300), ": file name too long. Use a"),
        ((*PREDICT, "good.conllu", "--output-file", "/dev/full"), "no space left on device. Free"),
        ((*EVALUATE, "id.conllu"), "id.conllu:3: '999"),
        ((*EVALUATE, "head.conllu"), "head.conllu:3: word 1 has head 999"),
        ((*EVALUATE, "good.conllu", "--output-file", "folder"), "folder: is a directory. Name a"),
        ((*TRAIN, "run"), "head.conllu:3: word 1 has head 999"),
        ((*TRAIN, "good.conllu"), "good.conllu: not a directory. Name a file inside a folder."),
        (("train", "folder", "-s", "run"), "folder: is a directory. Name a file."),
        (("train", "deep.jsonnet", "-s", "run"), "deep.jsonnet:1:501: Exceeded maximum parse dep"),
        (("ud-view", "id.conllu", "--out", "page.html"), "id.conllu:3: '999"),
        (("ud-view", "head.conllu", "--out", "page.html"), "head.conllu:3: word 1 has head '999"),
        (("ud-view", "loop.conllu", "--out", "page.html"), "loop.conllu: too many levels of symb"),
        (("ud-view", "good.conllu", "--out", "folder"), "folder: is a directory. Name a file."),
        (("ud-view", "good.conllu", "--out", "/dev/full"), "/dev/full: no space left on"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value[::2]))[-40:],
)
def test_one_line(here, monkeypatch, capfd, words, message):
    if "/dev/full" in words and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    status, line = outcome(monkeypatch, capfd, *words)
    assert status == (2 if len(words) < 3 else 1) and line.startswith("allennlp: error: ")
    assert message in line and len(line) < 500
    left = {path.name for path in here.iterdir()} - {*FILES, "folder", "loop.conllu", "run"}
    assert not left  # nothing half-written stays


@pytest.mark.parametrize("words", [("two", "one.conllu"), ("two/a.conllu,one.conllu",)])
def test_several_files_one_after_the_other(here, monkeypatch, capfd, words):
    (here / "two").mkdir()
    for name in ("one.conllu", "two/a.conllu"):
        (here / name).write_bytes(FILES["good.conllu"])
    for command in (EVALUATE, PREDICT):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, command), *words])
        assert cli.run() == 0
        output = capfd.readouterr().out
        if command is EVALUATE:
            assert [line.split()[0] for line in output.splitlines()[1:4]] == ["a", "one", "macro"]
        else:
            assert output.count("\n1\ta\t") + output.startswith("1\ta\t") == 2


def test_a_faulty_file_among_several(here, monkeypatch, capfd):
    status, line = outcome(monkeypatch, capfd, *EVALUATE, "good.conllu", "id.conllu")
    assert status == 1 and "id.conllu:3: '999" in line


def test_an_empty_training_file(here, monkeypatch, capfd):
    monkeypatch.setenv("UD_TRAIN", "empty.conllu")
    status, line = outcome(monkeypatch, capfd, *TRAIN, "run")
    assert (status, line) == (
        1,
        "allennlp: error: empty.conllu has no sentences. Name files with sentences.",
    )


def test_training_without_development_data(here, monkeypatch, capfd):
    """The weights of the last epoch are kept."""
    monkeypatch.setenv("UD_TRAIN", str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu"))
    monkeypatch.setenv("UD_DEV", "")
    words = ["allennlp", *map(str, TRAIN), "run", "-o", '{"trainer.num_epochs": 2}']
    monkeypatch.setattr(sys, "argv", words)
    assert cli.run() == 0
    assert "No development data (UD_DEV is empty): no epoch is scored" in capfd.readouterr().err
    metrics = json.loads((here / "run" / "metrics.json").read_text())
    assert metrics["best_epoch"] == 1 and "best_validation_LAS" not in metrics
    assert (here / "run" / "model.tar.gz").exists()


def test_an_archive_of_the_released_code_is_told_from_a_damaged_one(here, monkeypatch, capfd):
    config = {
        "dataset_reader": {"type": "udify_universal_dependencies", "lazy": False},
        "model": {"type": "udify_model", "tasks": ["upos"]},
    }
    (here / "config.json").write_text(json.dumps(config))
    torch.save({"a": torch.zeros(1)}, here / "weights.th")
    (here / "vocabulary").mkdir()
    (here / "vocabulary" / "upos.txt").write_text("NOUN\n")
    with tarfile.open("old.tar.gz", "w:gz") as tar:
        for name in ("config.json", "weights.th", "vocabulary"):
            tar.add(name)
    status, line = outcome(monkeypatch, capfd, "predict", "old.tar.gz", "good.conllu")
    assert status == 1 and line.startswith("allennlp: error: old.tar.gz: it is a model of the rel")
    assert "docs/from_udify.md" in line and (ROOT / "docs" / "from_udify.md").exists()


def test_json_lines_of_standard_input(here, monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FILES["utf8.jsonl"])))
    status, line = outcome(monkeypatch, capfd, *PREDICT, "-")
    assert (status, line.partition(": ")[2][:45]) == (
        1,
        "error: standard input:3: byte 0xff is not UTF",
    )


@pytest.mark.parametrize("name, kept", [("id.conllu", 1), ("head.conllu", 1), ("range.conllu", 0)])
def test_numbers_of_many_digits_can_be_skipped(here, name, kept):
    errors = []
    sentences = list(read_sentences(name, errors.append))
    for sentence in sentences:
        try:
            check_tree(sentence)
        except ConlluError as error:
            errors.append(error)
    assert len(errors) == 1 and len(str(errors[0])) < 200
    (here / "more.conllu").write_bytes(FILES[name] + FILES["good.conllu"])
    reader = UniversalDependenciesReader(ENCODER, skip_invalid=True)
    assert len(list(reader.read("more.conllu"))) == kept + 1


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EISDIR, errno.ELOOP]
)
def test_faults_of_files_are_told_with_their_names(number):
    text = os.strerror(number)
    assert cli.describe(OSError(number, text, "a.txt")).startswith(f"a.txt: {text.lower()}. ")
    assert cli.describe(OSError(number, text, "a.tmp", None, "a")).startswith(
        f"a: {text.lower()}. "
    )
    assert cli.describe(OSError(number, text)).startswith(f"{text.lower()}. ")
    assert cli.describe(OSError(errno.ECONNRESET, "reset")) is None  # perhaps a fault of ours


def test_a_file_that_may_not_be_read(here, monkeypatch, capfd):
    Path("good.conllu").chmod(0)
    if os.access("good.conllu", os.R_OK):
        pytest.skip("not here: this user may read everything")
    status, line = outcome(monkeypatch, capfd, *PREDICT, "good.conllu", *OUT)
    assert (status, "good.conllu: permission denied. Ask" in line) == (1, True)


def test_standard_output_on_a_full_disk(here):
    words = [sys.executable, "-m", "udify_allennlp", *map(str, PREDICT), "good.conllu"]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, env=env, stdout=full, stderr=subprocess.PIPE, text=True)
    assert "Traceback" not in done.stderr
    assert "no space left on device" in done.stderr and done.returncode != 0
