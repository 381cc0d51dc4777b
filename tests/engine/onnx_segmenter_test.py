"""A segmenter that is exported to ONNX finds what the segmenter finds, without PyTorch."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.helpers import run
from tests.helpers.exportable import labels, save_exportable, settings, without
from tests.helpers.processes import python
from udify_allennlp.segmentation import tokenizer as tokenizer_module
from udify_allennlp.segmentation.tokenizer import tokenizer_or_rules
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

from udify_allennlp.engine import OnnxParser  # noqa: E402
from udify_allennlp.engine.segmenter import OnnxSegmenter  # noqa: E402
from udify_allennlp.segmenter import onnx_export  # noqa: E402
from udify_allennlp.segmenter.archive import load_segmenter  # noqa: E402

PATHS = sorted(expand_paths(str(FIXTURES / "ud" / "*-ud-dev.conllu")))
TEXTS = [rebuild(list(read_sentences(path))) for path in PATHS]
TEXTS += [
    "\n\n".join(TEXTS[0].split(". ")),
    "Il va du lit.\n\n\nEr geht zum Bett. http://a.b/c",
    "x",
]
LANGS = [None, "de", "fr_gsd", "ltg", "en"]


@pytest.fixture(scope="module")
def folder(segmenter, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "segmenter"
    onnx_export.export(load_segmenter(segmenter), folder)
    return folder


@pytest.fixture
def copy(folder, tmp_path):
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def blocks(text, tokenizer):
    return [sentence.text for sentence in read_text(lines_of(text), tokenizer)]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("block", [97, 8192])
def test_it_finds_what_the_segmenter_finds(segmenter, folder, lang, block, monkeypatch):
    monkeypatch.setattr(tokenizer_module, "BLOCK", block)
    expected = load_segmenter(segmenter).tokenizer(lang)
    found = OnnxSegmenter(folder).tokenizer(lang)
    for text in TEXTS:
        assert blocks(text, found) == blocks(text, expected)


def test_languages_without_a_relative_are_left_to_the_rules(folder):
    tokenizer = tokenizer_or_rules(OnnxSegmenter(folder), "hu")
    assert not hasattr(tokenizer, "together")
    assert len(blocks("A kutya alszik. Az ablak nyitva.", tokenizer)) == 2


def test_multiword_tokens_are_split(folder):
    words = [s.forms for s in read_text(["Il va du lit."], OnnxSegmenter(folder).tokenizer("fr"))]
    assert any(pair == ("de", "le") for forms in words for pair in pairwise(forms))


@pytest.mark.slow
def test_raw_text_is_parsed_as_by_the_parser_without_torch(segmenter, tmp_path):
    parser = save_exportable(tmp_path)
    bundle, target, source = (tmp_path / name for name in ("b.tar.gz", "exported", "text.txt"))
    run("ud-bundle", parser, segmenter, "--out", bundle)
    run("ud-export", bundle, "--onnx", target, "--precision", "float32")
    source.write_text("Il va du lit. Il dort.\n\nEr geht zum Bett.\n", encoding="utf-8")
    for options in ([], ["--lang", "fr", "--tokenizer", "lines"]):
        files = [str(tmp_path / name) for name in ("one.conllu", "other.conllu")]
        run("predict", bundle, source, "--output-file", files[0], *options)
        words = [str(target), str(source), "--output-file", files[1], *options]
        done = python(f"""
            import sys
            from udify_allennlp.engine.command import main
            main({words!r})
            print(sorted({{"torch", "allennlp", "transformers", "scipy"}} & set(sys.modules)))
            """)
        assert done.stdout == "[]\n", done.stderr
        one, other = (Path(file).read_text(encoding="utf-8") for file in files)
        assert one == other
    lines = list(OnnxParser(target).segment(["a b\n", "c d"], "fr", "spaces"))
    assert [sentence.forms for sentence in lines] == [["a", "b"], ["c", "d"]]
    assert all("# lang = fr" in sentence.text for sentence in lines)


HOSTILE = {
    "no settings": without("settings.json"),
    "reach": settings(reach=10**9),
    "reach as text": settings(reach="4"),
    "standards": settings(standards={"de": "de_gsd"}),
    "no graph": without("flags.onnx"),
    "another graph": lambda folder: shutil.copy(folder / "guess.onnx", folder / "flags.onnx"),
    "no languages": without("vocabulary/lang_labels.txt"),
    "fewer languages": labels("lang_labels.txt", "de_gsd\n"),
    "rule": labels("multiword_rule_labels.txt", "x\n"),
    "form": labels("multiword_form_labels.txt", "x\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_damaged_and_hostile_folders_are_refused_in_one_line(copy, name):
    HOSTILE[name](copy)
    with pytest.raises(InputError, match="Export the model again") as error:
        blocks(TEXTS[0], OnnxSegmenter(copy).tokenizer())
    assert "\n" not in str(error.value)
