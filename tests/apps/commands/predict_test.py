"""`allennlp predict` with as few words as possible, and with the many that it took before."""

import csv
import gzip
import io
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from allennlp.common.util import SigTermReceived

from tests.conftest import FIXTURES
from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.apps.commands import predict
from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
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
    size = f"{Path(DEV).stat().st_size / 1000:.1f}k"
    assert "100%" in errors and f"{size}/{size} " in errors and f"{count} sentences" in errors


def test_silent_shows_no_bar(allennlp, tmp_path):
    code, output, errors = allennlp(DEV, "--silent", "--output-file", tmp_path / "p.conllu")
    assert (code, output) == (0, b"") and " sentences" not in errors
    assert (tmp_path / "p.conllu").exists()
    code, output, errors = allennlp(DEV, "--silent")
    assert (code, output) == (1, b"") and "Add --output-file" in errors


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
    outputs[2][0] = outputs[2][0].replace("newdoc id = packed", "newdoc id = de_gsd-ud-dev")
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
    assert [c for s in parsed for c in s.comments if "sent_id" in c] == [
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
    assert code == 1 and "the ending .xlsx is not supported" in errors.splitlines()[-1]
    assert not (tmp_path / "p.xlsx").exists()


def test_a_text_file_is_conllu_to_the_dataset_reader(allennlp, expected, tmp_path):
    (tmp_path / "a.txt").write_bytes(Path(DEV).read_bytes())
    assert allennlp(tmp_path / "a.txt", "--use-dataset-reader")[:2] == (0, expected)


@pytest.mark.parametrize(
    "words, message",
    [
        ([DEV, "--lang", "en"], "contains CoNLL-U, and --lang is for raw text"),
        (["{a}.jsonl", "--lang", "en"], "--lang is for raw text, and"),
        (
            ["{a}", "--use-dataset-reader", "--tokenizer", "lines"],
            "Omit them, or --use-dataset-reader.",
        ),
        (
            [f"{{a}},{DEV}"],
            "en_ewt-ud-dev.conllu CoNLL-U. Parse them separately or with --output-dir, or add",
        ),
        (["{a}", "--tokenizer", "line"], "Unknown tokenizer 'line'. Use rules, lines, spaces"),
        (
            ["{a}"],
            "byte 0xff is not UTF-8. Convert the file to UTF-8, or name its encoding: predict --",
        ),
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
    assert not output.exists() and f"{output}.part has the sentences" in errors
    output.write_text("before")
    assert allennlp(bad, "--output-file", output, "--batch-size", 5)[0] == 1
    assert output.read_text() == "before"


def test_a_file_can_be_parsed_into_itself(allennlp, expected, tmp_path):
    path = tmp_path / "p.conllu"
    write_sentences(read_sentences(DEV), path)
    assert allennlp(path, "--output-file", path)[0] == 0
    assert path.read_bytes() == expected


def test_each_input_has_its_output(allennlp, expected, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_bytes(TEXT.encode())
    (texts / "b.txt").write_bytes(b"Why?")
    (texts / "empty.txt").write_bytes(b"")
    (texts / DEV.rpartition("/")[2]).write_bytes(Path(DEV).read_bytes())
    assert allennlp(texts, "--output-dir", tmp_path / "out")[:2] == (0, b"")
    found = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert {*found} == {"a.conllu", "b.conllu", "empty.conllu", "en_ewt-ud-dev.conllu"}
    assert found["en_ewt-ud-dev.conllu"] == expected and found["empty.conllu"] == b""
    for name in "ab":  # as if each was parsed by itself
        assert allennlp(texts / f"{name}.txt")[1] == found[f"{name}.conllu"]
    words = (texts / "a.txt", texts / "b.txt", "--output-dir", tmp_path / "out")
    assert allennlp(*words, "--output-format", "csv")[0] == 0
    assert (tmp_path / "out" / "b.csv").read_text().count("\n") == 3
    code, _, errors = allennlp(DEV, "--output-dir", Path(DEV).parent)
    assert code == 1 and "is an input, and its output would replace it" in errors
    (texts / "a.md").write_bytes(b"No")
    code, _, errors = allennlp(texts / "a.*", "--output-dir", tmp_path / "out")
    assert code == 1 and "have the same output" in errors


def test_one_output_says_where_each_text_begins(allennlp, tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT.encode())
    (tmp_path / "b.txt").write_bytes(b"Why?")
    output = allennlp(tmp_path / "a.txt", tmp_path / "b.txt")[1].decode()
    assert [line for line in output.splitlines() if "newdoc" in line] == [
        "# newdoc id = a",
        "# newdoc id = b",
    ]
    output = allennlp(GERMAN, DEV)[1].decode()
    given = Path(DEV).read_text()  # begins inside a document
    assert not given.startswith("# newdoc")
    assert output.startswith("# newdoc id = de_gsd-ud-dev\n")
    assert "\n# newdoc id = en_ewt-ud-dev\n" in output
    assert output.count("# newdoc") == given.count("# newdoc") + 2


@pytest.mark.parametrize(
    "encoding, words",
    [("utf-8-sig", []), ("utf-16", []), ("utf-16-le", []), ("latin-1", ["--encoding", "latin-1"])],
)
def test_encodings(allennlp, tmp_path, encoding, words):
    text = "Die Straße schläft.\r\nWarum?\n"
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    code, output, _ = allennlp(tmp_path / "a.txt", "--tokenizer", "lines", *words)
    assert code == 0
    (tmp_path / "p.conllu").write_bytes(output)
    assert rebuild(read_sentences(tmp_path / "p.conllu")) == text


def test_mistakes_with_encodings_are_one_line(allennlp, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a")
    code, _, errors = allennlp(tmp_path / "a.txt", "--encoding", "latin-x")
    assert code == 1 and "--encoding latin-x: unknown encoding" in errors.splitlines()[-1]
    code, _, errors = allennlp(DEV, "--encoding", "latin-1")
    assert code == 1 and "--encoding is for raw text" in errors.splitlines()[-1]


def test_a_bad_file_does_not_cost_the_rest(allennlp, tmp_path):
    for name, data in (("a", b"Good."), ("bad", b"Good.\n\n\xfcber"), ("c", b"Good.")):
        (tmp_path / f"{name}.txt").write_bytes(data)
    for words in (["--output-dir", tmp_path / "out"], ["--output-file", tmp_path / "p.conllu"]):
        code, _, errors = allennlp(tmp_path, "--skip-bad-files", *words)
        assert code == 1 and f"skipped {tmp_path / 'bad.txt'}:3: byte 0xfc" in errors
        assert "1 of 3 files were skipped" in errors.splitlines()[-1]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.conllu", "c.conllu"}
    assert [len(sentence) for sentence in read_sentences(tmp_path / "p.conllu")] == [2, 2]


@pytest.mark.parametrize("stop, status", [(KeyboardInterrupt, 130), (SigTermReceived, 143)])
@pytest.mark.parametrize("folder", [False, True])
def test_an_interrupted_run_goes_on(
    allennlp, expected, tmp_path, monkeypatch, stop, status, folder
):
    target = tmp_path / "out" / Path(DEV).name
    words = ["--output-dir", target.parent] if folder else [GERMAN, "--output-file", target]
    target.parent.mkdir()
    assert allennlp(DEV, *words)[0] == 0
    whole = target.read_bytes()
    target.unlink()
    columns, sizes = ConlluPredictor.columns, []

    def stopped(self, sentences, **origins):
        sizes.append(len(sentences))
        if len(sizes) == 3:
            raise stop
        return columns(self, sentences, **origins)

    monkeypatch.setattr(ConlluPredictor, "columns", stopped)
    part = Path(f"{target}.part")
    part.write_bytes(whole * 2)  # of another run, which is not gone on with
    code, _, errors = allennlp(DEV, *words, "--batch-size", 5)
    assert code == status and f"{part} has the sentences parsed so far" in errors
    assert not target.exists() and len(list(read_sentences(part))) == 10
    assert whole.startswith(part.read_bytes())
    assert allennlp(DEV, *words, "--resume")[0] == 0
    assert target.read_bytes() == whole and [*target.parent.iterdir()] == [target]
    count = len(list(read_sentences(target)))
    assert sizes[:3] == [5, 5, 5] and sum(sizes[3:]) == count - 10  # none is parsed twice
    done = len(sizes)
    if folder:
        assert allennlp(DEV, *words, "--resume")[0] == 0
        assert len(sizes) == done
    part.write_bytes(Path(GERMAN).read_bytes())
    target.unlink()
    code, _, errors = allennlp(DEV, *words, "--resume")
    assert code == 1 and "sentence 1 differs from the input" in errors.splitlines()[-1]


def test_the_first_batches_are_small(allennlp, tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("No!\n" * 400)
    columns, sizes = ConlluPredictor.columns, []

    def counted(self, sentences, **origins):
        sizes.append(len(sentences))
        return columns(self, sentences, **origins)

    monkeypatch.setattr(ConlluPredictor, "columns", counted)
    words = ("--tokenizer", "lines", "--output-file", tmp_path / "p.conllu")
    assert allennlp(tmp_path / "a.txt", *words)[0] == 0
    assert sizes == [16, 64, 256, 64]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--output-dir", "out", "--output-file", "p"], "both name the output"),
        (["--output-format", "csv"], "--output-format is for --output-dir"),
        (["--resume"], "--resume needs the --output-dir or --output-file"),
        (["--output-dir", "{tmp}", "--output-format", "doc"], "the ending .doc is not supported"),
    ],
)
def test_mistakes_with_outputs_are_one_line(allennlp, tmp_path, words, message):
    code, _, errors = allennlp(DEV, *(word.format(tmp=tmp_path) for word in words))
    assert code == 1 and message in errors.splitlines()[-1] and "Traceback" not in errors


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
        archive_file="model.tar.gz",
        source_lang=None,
        target_lang=None,
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
        output_dir=None,
        output_format=None,
        resume=False,
        encoding=None,
        skip_bad_files=False,
    )
    predict._predict(args)
    args.batch_size = 3
    predict._predict(args)
    assert seen == [("a.conllu", None, size, True, False, None) for size in (1, 3)]
