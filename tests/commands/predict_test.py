"""`allennlp predict` with as few words as possible, and with the many that it took before."""

import gzip
import io
import json
import sys
from argparse import Namespace
from pathlib import Path

import pytest
import torch

from tests.conftest import FIXTURES
from tests.helpers import DECODERS, DEV, ENCODER, make_model, stirred
from udify_allennlp import cli
from udify_allennlp.commands import predict
from udify_allennlp.conllu import read_sentences, write_sentences

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
OLD_FLAGS = ["--use-dataset-reader", "--predictor", "udify", "--batch-size", "7", "--silent"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a run, as training leaves it."""
    folder = tmp_path_factory.mktemp("run")
    tasks = ["upos", "feats", "lemma", "deps"]
    model = stirred(make_model(tasks))
    model.vocab.save_to_files(str(folder / "vocabulary"))
    torch.save(model.state_dict(), folder / "best.th")
    config = {
        "dataset_reader": {"type": "udify_universal_dependencies", "model_name": ENCODER},
        "model": {
            "type": "udify_multitask",
            "embedder": {"type": "udify_encoder", "model_name": ENCODER},
            "decoders": {task: DECODERS[task] for task in tasks},
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def allennlp(run, monkeypatch, capsysbinary):
    """Runs `allennlp predict` on the model: exit code, standard output and error."""

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", "predict", str(run), *map(str, words)])
        code = cli.run()
        output, errors = capsysbinary.readouterr()
        return code, output, errors.decode()

    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    return execute


@pytest.fixture(scope="module")
def expected(run, tmp_path_factory):
    """The parsed development file, by the long command line."""
    path = tmp_path_factory.mktemp("expected") / "old.conllu"
    words = ["allennlp", "predict", str(run), DEV, *OLD_FLAGS, "--output-file", str(path)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        assert cli.run() == 0
    return path.read_bytes()


def test_the_short_command_line_does_what_the_long_one_does(allennlp, expected, tmp_path):
    code, output, errors = allennlp(DEV, "--output-file", tmp_path / "new.conllu")
    assert (code, output) == (0, b"")
    assert (tmp_path / "new.conllu").read_bytes() == expected
    count = len(list(read_sentences(DEV)))
    assert f"{count}/{count} " in errors and "sentences/s" in errors


def test_silent_shows_no_bar(allennlp, tmp_path):
    code, output, errors = allennlp(DEV, "--silent", "--output-file", tmp_path / "p.conllu")
    assert (code, output) == (0, b"") and "sentences/s" not in errors
    assert (tmp_path / "p.conllu").exists()
    code, output, errors = allennlp(DEV, "--silent")
    assert (code, output) == (1, b"") and "Give --output-file" in errors


@pytest.mark.parametrize("words", [[], ["--output-file", "-"], ["--output-file", "/dev/stdout"]])
def test_standard_output_is_conllu_and_nothing_else(allennlp, expected, words):
    assert allennlp(DEV, *words)[:2] == (0, expected)


def test_several_files_plain_or_compressed(allennlp, tmp_path):
    packed = tmp_path / "packed.conllu.gz"
    packed.write_bytes(gzip.compress(Path(GERMAN).read_bytes()))
    both = FIXTURES / "ud" / "[de]*_[ge]*-dev.conllu"  # a glob is sorted: German first
    outputs = []
    for name in (both, f"{GERMAN},{DEV}", f"{packed},{DEV}"):
        assert allennlp(name, "--output-file", tmp_path / "p.conllu.xz")[0] == 0
        outputs.append([sentence.text for sentence in read_sentences(tmp_path / "p.conllu.xz")])
    assert outputs[0] == outputs[1] == outputs[2]
    gold = [*read_sentences(GERMAN), *read_sentences(DEV)]
    assert len(outputs[0]) == len(gold)


def test_json_lines_by_name_or_from_standard_input(allennlp, tmp_path, monkeypatch):
    lines = '{"sentence": "The dog sleeps ."}\n\n{"sentence": "No !"}\n'
    (tmp_path / "a.jsonl").write_text(lines)
    with gzip.open(tmp_path / "a.json.gz", "wt") as file:
        file.write(lines)
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    outputs = {allennlp(name)[1] for name in (tmp_path / "a.jsonl", tmp_path / "a.json.gz", "-")}
    assert len(outputs) == 1
    (tmp_path / "p.conllu").write_bytes(outputs.pop())
    forms = [sentence.forms for sentence in read_sentences(tmp_path / "p.conllu")]
    assert forms == [["The", "dog", "sleeps", "."], ["No", "!"]]


def test_a_run_that_fails_leaves_the_output_as_it_was(allennlp, tmp_path):
    bad, output = tmp_path / "bad.conllu", tmp_path / "p.conllu"
    bad.write_text(Path(DEV).read_text() + "not a row\n")
    code, _, errors = allennlp(bad, "--output-file", output, "--batch-size", 5)
    assert code == 1 and f"{bad}:" in errors.splitlines()[-1]
    assert list(tmp_path.iterdir()) == [bad]
    output.write_text("before")
    assert allennlp(bad, "--output-file", output, "--batch-size", 5)[0] == 1
    assert output.read_text() == "before"


def test_a_file_can_be_parsed_into_itself(allennlp, expected, tmp_path):
    path = tmp_path / "p.conllu"
    write_sentences(read_sentences(DEV), path)
    assert allennlp(path, "--output-file", path)[0] == 0
    assert path.read_bytes() == expected


def test_other_predictors_get_what_allennlp_gives_them(monkeypatch):
    seen = []

    class Manager:
        def __init__(self, *arguments):
            seen.append(arguments[1:])

        def run(self):
            pass

    monkeypatch.setattr(predict, "_get_predictor", lambda args: object())
    monkeypatch.setattr(predict, "_PredictManager", Manager)
    args = Namespace(
        input_file="a.conllu",
        output_file=None,
        batch_size=None,
        silent=False,
        use_dataset_reader=False,
        multitask_head=None,
        file_friendly_logging=False,
    )
    predict._predict(args)
    args.batch_size = 3
    predict._predict(args)
    assert seen == [("a.conllu", None, size, True, False, None) for size in (1, 3)]
