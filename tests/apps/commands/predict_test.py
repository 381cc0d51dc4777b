"""`allennlp predict` with as few words as possible, and with the many that it took before."""

import csv
import gzip
import io
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.apps.commands import predict
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.raw_text import rebuild

GERMAN = str(FIXTURES / "ud" / "de_gsd-ud-dev.conllu")
OLD_FLAGS = ["--use-dataset-reader", "--predictor", "udify", "--batch-size", "7", "--silent"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("run"))


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
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    outputs = {allennlp(name)[1] for name in (tmp_path / "a.jsonl", tmp_path / "a.json.gz", "-")}
    assert len(outputs) == 1
    (tmp_path / "p.conllu").write_bytes(outputs.pop())
    forms = [sentence.forms for sentence in read_sentences(tmp_path / "p.conllu")]
    assert forms == [["The", "dog", "sleeps", "."], ["No", "!"]]


TEXT = "The dog\tsleeps.  It doesn't\nsnore!\n\nNo |\r\n"


def test_raw_text_by_its_name(allennlp, tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode())
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Why?"))
    code, output, errors = allennlp(
        tmp_path / "[ab].txt*", "--lang", "en", "--output-file", tmp_path / "p.conllu"
    )
    assert (code, output) == (0, b"") and "4 sentences" in errors
    parsed = list(read_sentences(tmp_path / "p.conllu"))
    assert [len(sentence) for sentence in parsed] == [4, 5, 2, 2]
    assert rebuild(parsed) == TEXT + "Why?"
    assert [c for s in parsed for c in s.comments if "id" in c] == [
        f"# sent_id = {i}" for i in range(1, 5)
    ]
    assert all(sentence.heads.count("0") == 1 for sentence in parsed)


def test_any_name_and_standard_input_with_a_tokenizer(allennlp, tmp_path, monkeypatch):
    path = tmp_path / "notes.json"
    path.write_bytes(TEXT.encode())
    code, output, _ = allennlp(path, "--tokenizer", "spaces")
    assert code == 0
    (tmp_path / "p.conllu").write_bytes(output)
    parsed = list(read_sentences(tmp_path / "p.conllu"))
    assert rebuild(parsed) == TEXT
    assert [sentence.forms[-1] for sentence in parsed] == ["doesn't", "snore!", "|"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert allennlp("-", "--tokenizer", "spaces")[1] == output


def test_standard_input_and_any_name_are_what_they_begin_as(
    allennlp, expected, tmp_path, monkeypatch
):
    (tmp_path / "a.txt").write_bytes(TEXT.encode())
    output = allennlp(tmp_path / "a.txt")[1]
    for name in ("notes", "README.md", "A.TXT"):
        (tmp_path / name).write_bytes(TEXT.encode())
        assert allennlp(tmp_path / name)[:2] == (0, output)
    for data, wanted in ((TEXT.encode(), output), (Path(DEV).read_bytes(), expected)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert allennlp("-")[:2] == (0, wanted)
    (tmp_path / "treebank").write_bytes(Path(DEV).read_bytes())
    assert allennlp(tmp_path / "treebank")[:2] == (0, expected)


def test_a_table_and_an_unknown_ending(allennlp, tmp_path):
    assert allennlp(DEV, "--output-file", tmp_path / "p.csv")[0] == 0
    with open(tmp_path / "p.csv", encoding="utf-8", newline="") as file:
        forms = [row["form"] for row in csv.DictReader(file)]
    assert forms == [form for sentence in read_sentences(DEV) for form in sentence.forms]
    code, _, errors = allennlp(DEV, "--output-file", tmp_path / "p.xlsx")
    assert code == 1 and "the ending .xlsx is not one that is written" in errors.splitlines()[-1]
    assert not (tmp_path / "p.xlsx").exists()


def test_a_text_file_is_conllu_to_the_dataset_reader(allennlp, expected, tmp_path):
    (tmp_path / "a.txt").write_bytes(Path(DEV).read_bytes())
    assert allennlp(tmp_path / "a.txt", "--use-dataset-reader")[:2] == (0, expected)


@pytest.mark.parametrize(
    "words, message",
    [
        ([DEV, "--lang", "en"], "holds CoNLL-U, and --lang is for raw text"),
        (["{a}.jsonl", "--lang", "en"], "--lang is for raw text, and"),
        (
            ["{a}", "--use-dataset-reader", "--tokenizer", "lines"],
            "Leave them out, or --use-dataset-reader.",
        ),
        (
            [f"{{a}},{DEV}"],
            "en_ewt-ud-dev.conllu CoNLL-U. Parse each by itself, or add --tokenizer",
        ),
        (["{a}", "--tokenizer", "line"], "There is no tokenizer 'line'. Use rules, lines, spaces"),
        (["{a}"], "a.txt:2: byte 0xff is not UTF-8. Convert the file to UTF-8."),
    ],
)
def test_mistakes_with_raw_text_are_one_line(allennlp, tmp_path, words, message):
    (tmp_path / "a.txt").write_bytes(b"a\n\xff\n")
    (tmp_path / "a.txt.jsonl").write_text('{"sentence": "a"}')
    words = [word.format(a=tmp_path / "a.txt") for word in words]
    code, output, errors = allennlp(*words, "--output-file", tmp_path / "p.conllu")
    assert (code, output) == (1, b"")
    assert errors.splitlines()[-1].startswith("allennlp: error: ")
    assert message in errors.splitlines()[-1] and "Traceback" not in errors
    assert not (tmp_path / "p.conllu").exists()


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
        iterations=None,
        every_iteration=False,
        probabilities=False,
    )
    predict._predict(args)
    args.batch_size = 3
    predict._predict(args)
    assert seen == [("a.conllu", None, size, True, False, None) for size in (1, 3)]
