"""A parser that is exported to ONNX predicts what the model predicts, without PyTorch."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from tests.conftest import ROOT
from tests.helpers.exportable import labels, save_exportable, settings, without
from tests.helpers.processes import allennlp, python
from tests.saved_kinds import TREES, save_kind
from udify_allennlp import Parser
from udify_allennlp.text.conllu import expand_paths, read_sentences, write_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import Sentence

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from udify_allennlp.engine import OnnxParser  # noqa: E402
from udify_allennlp.models import onnx_export, onnx_storage  # noqa: E402

PATHS = sorted(expand_paths(TREES))
SENTENCES = [sentence for path in PATHS for sentence in read_sentences(path)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_exportable(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    target = tmp_path_factory.mktemp("exported") / "model"
    allennlp("ud-export", run, "--onnx", target, "--precision", "float32")
    return target


@pytest.fixture
def copy(folder, tmp_path):
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def blocks(sentences):
    return [sentence.text for sentence in sentences]


@pytest.mark.parametrize("lang", [None, "de", "fr_gsd", "sv"])
def test_every_column_is_that_of_the_model(run, folder, lang):
    predictor = Predictor.from_archive(load_archive(str(run)))
    expected = blocks(predictor.parse(SENTENCES, **predictor.origins_of(lang)))
    found = blocks(OnnxParser(folder).parse(SENTENCES, lang))
    assert found == expected
    assert found != blocks(SENTENCES)


def test_spellings_are_seen_as_by_the_model(run, folder):
    forms = ["Моји", "коњи", "e\u0301te\u0301", "ﬁnd"]
    written = [Sentence.from_words(forms)] * 2
    predictor = Predictor.from_archive(load_archive(str(run)))
    expected = blocks(predictor.parse(written, **predictor.origins_of("fr")))
    assert blocks(OnnxParser(folder).parse(written, "fr")) == expected
    composed = [Sentence.from_words([*forms[:2], "\u00e9t\u00e9", "find"])]
    (one,), two = OnnxParser(folder).parse(composed, "fr"), OnnxParser(folder).parse(written, "fr")
    assert {tuple(each.lemmas) for each in two} == {tuple(one.lemmas)}


def test_the_command_parses_without_torch_and_allennlp(folder, tmp_path):
    source, target = tmp_path / "text.txt", tmp_path / "parsed.conllu"
    source.write_text("The dog sleeps. It snores.\n")
    words = [str(folder), str(source), "--output-file", str(target), "--lang", "en"]
    done = python(f"""
        import sys
        from udify_allennlp.engine.command import main
        main({words!r})
        print(sorted({{"torch", "allennlp", "transformers", "scipy"}} & set(sys.modules)))
        """)
    assert done.stdout == "[]\n", done.stderr
    parsed = list(read_sentences(target))
    assert [sentence.forms for sentence in parsed] == [
        ["The", "dog", "sleeps", "."],
        ["It", "snores", "."],
    ]
    assert all("_" not in sentence.heads for sentence in parsed)


def test_batches_do_not_matter(folder):
    parser = OnnxParser(folder)
    alone = [block for sentence in SENTENCES[:9] for block in blocks(parser.parse([sentence]))]
    assert blocks(parser.parse(SENTENCES[:9])) == alone


def test_eight_bits_change_little(copy):
    expected = list(OnnxParser(copy).parse(SENTENCES))
    for path in copy.glob("*.onnx"):
        onnx.save(onnx.load(path), path)  # with its tensors, as it is exported
        onnx_storage.store(path, "int8")
    found = list(OnnxParser(copy).parse(SENTENCES))
    pairs = [pair for s, t in zip(expected, found) for pair in zip(s.upos, t.upos)]
    assert sum(a == b for a, b in pairs) > 0.9 * len(pairs)


@pytest.mark.parametrize("kind", ["udify-last", "from_archive", "keeping", "student"])
def test_models_that_differ_in_training_only_are_exported(kind, tmp_path):
    onnx_export.check(load_archive(str(save_kind(kind, tmp_path))).model, "it")


def test_the_shipped_model_is_exported():
    onnx_export.check(Parser.load().predictor.model, "multilingual")


@pytest.mark.parametrize("kind", ["syntr", "senttr", "rngtr"])
def test_other_models_are_refused_before_anything_is_written(kind, tmp_path):
    model = load_archive(str(save_kind(kind, tmp_path))).model
    with pytest.raises(ConfigurationError, match="^it: .* cannot be exported to ONNX. Use"):
        onnx_export.check(model, "it")


def outside(folder):
    """A graph whose weights are another file of the machine."""
    path, data = folder / "scores.onnx", folder / "scores.onnx.data"
    path.write_bytes(path.read_bytes().replace(data.name.encode(), b"../elsewhere.dat"))
    (folder.parent / "elsewhere.dat").write_bytes(data.read_bytes())


HOSTILE = {
    "no settings": (without("settings.json"), "settings.json, so it is not an exported model"),
    "format": (settings(format=2), "format 1. Export"),
    "task": (settings(tasks=["../upos"]), "settings.json: is damaged"),
    "window": (settings(framing=dict.fromkeys(["start_id", "end_id"], 0)), "is damaged"),
    "origin": (settings(origins={"lang": 3}), "is damaged"),
    "more": (settings(code="import os"), "is damaged"),
    "no graph": (without("upos.onnx"), "upos.onnx: no such file"),
    "graph": (lambda folder: (folder / "scores.onnx").write_bytes(b"x" * 99), "is damaged"),
    "no tokenizer": (without("tokenizer.json"), "is damaged"),
    "tab": (labels("upos_labels.txt", "A\tB\nC\n"), "'A.tB' is not a label"),
    "fewer labels": (labels("lemma_labels.txt", "lk=|=\n"), "is damaged"),
    "rule": (labels("lemma_labels.txt", "x\n" * 9999), "is damaged"),
    "outside": (outside, "scores.onnx: is damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_damaged_and_hostile_folders_are_refused_in_one_line(copy, name):
    change, message = HOSTILE[name]
    change(copy)
    with pytest.raises(InputError, match=message) as error:
        list(OnnxParser(copy).parse(SENTENCES))
    assert "\n" not in str(error.value)


def test_a_fault_is_one_line_of_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "udify_allennlp.engine", tmp_path, PATHS[0]]
        + ["--output-file", tmp_path / "out.conllu"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 1 and done.stderr.startswith("udify-onnx: error: ")
    assert done.stderr.count("\n") == 1 and not (tmp_path / "out.conllu").exists()


def test_a_precision_is_for_parsers_only(run, tmp_path):
    done = allennlp("ud-export", run, "--out", tmp_path / "x", "--precision", "int8", check=False)
    assert done.returncode and "--precision applies only to --onnx" in done.stderr


def test_files_are_read_as_elsewhere(folder, tmp_path):
    """`en_ewt-ud-dev.conllu` is English without `--lang`."""
    source = next(path for path in PATHS if "en_ewt" in path)
    expected = blocks(OnnxParser(folder).parse(read_sentences(source), "en_ewt"))
    write_sentences(OnnxParser(folder).parse(read_sentences(source)), tmp_path / "out.conllu")
    assert blocks(read_sentences(tmp_path / "out.conllu")) == expected


def onnx_command(*words):
    return subprocess.run(
        [sys.executable, "-m", "udify_allennlp.engine", *map(str, words)],
        capture_output=True,
        cwd=ROOT,
    )


def test_the_name_of_the_output_determines_its_format(folder, tmp_path):
    text = tmp_path / "text.txt"
    text.write_bytes("Le café dort.\n".encode("latin-1"))
    words = [folder, text, "--tokenizer", "rules", "--lang", "fr", "--encoding", "latin-1"]
    shown = onnx_command(*words, "--output-file", "-")
    assert shown.returncode == 0 and not (ROOT / "-").exists()
    assert "# text = Le café dort.\n" in shown.stdout.decode()
    assert onnx_command(*words, "--output-file", tmp_path / "words.csv").returncode == 0
    table = (tmp_path / "words.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 5 and "café" in table[2]


@pytest.mark.parametrize(
    "output, message",
    [
        ("text.txt", "the ending .txt is not supported"),
        ("words.xyz", "the ending .xyz is not supported"),
        ("in", "in is an input, and its output would replace it"),
        ("folder", "folder: is a directory. Name a file."),
        ("none/out.conllu", "the folder {0}/none does not exist. Create it first"),
    ],
)
def test_outputs_that_would_lose_something_are_refused_before_any_work(output, message, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("The dog sleeps.\n")
    shutil.copy(tmp_path / "text.txt", tmp_path / "in")
    source = tmp_path / (output if output == "in" else "text.txt")
    before = source.read_bytes()
    # No model is read: its folder does not exist.
    done = onnx_command(tmp_path / "model", source, "--output-file", tmp_path / output)
    assert done.returncode == 1 and message.format(tmp_path) in done.stderr.decode()
    assert source.read_bytes() == before
