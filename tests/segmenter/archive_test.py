"""Segmenters on disk: by themselves, within parsers, for the service."""

import json
import shutil
import sys
import tarfile

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import FIXTURES
from tests.saved_model import save_run
from udify_allennlp import Parser, cli
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.archives.run_folder import model_folder
from udify_allennlp.archives.shipped import MULTILINGUAL
from udify_allennlp.segmenter.archive import FOLDER, _loaded, load_segmenter, own_tokenizer
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.raw_text import rebuild
from udify_allennlp.text.tokenizers import make_tokenizer

TEXT = "Il va du lit.\n\nIl dort au lit."


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("parser"))


@pytest.fixture(scope="module")
def bundle(parser, segmenter):
    path = str(parser / "bundle.tar.gz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["allennlp", "ud-bundle", str(parser), segmenter, "--out", path])
        assert cli.run() == 0
    return path


def expected(segmenter):
    return [s.forms for s in TextReader(segmenter).read(TEXT, "fr")]


def predicted(monkeypatch, tmp_path, *words):
    (tmp_path / "a.txt").write_text(TEXT)
    out = tmp_path / "parsed.conllu"
    words = ["allennlp", "predict", *map(str, words), "--lang", "fr", "--output-file", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    assert cli.run() == 0
    return list(read_sentences(out))


def test_predict_takes_a_segmenter(parser, segmenter, monkeypatch, tmp_path):
    words = parser, tmp_path / "a.txt", "--tokenizer", segmenter
    parsed = predicted(monkeypatch, tmp_path, *words)
    assert rebuild(parsed) == TEXT
    assert [s.forms for s in parsed] == expected(segmenter)
    assert all(sentence.heads.count("0") == 1 for sentence in parsed)


def test_a_parser_with_a_segmenter_uses_it(parser, bundle, segmenter, monkeypatch, tmp_path):
    assert own_tokenizer(bundle) == bundle
    parsed = predicted(monkeypatch, tmp_path, bundle, tmp_path / "a.txt")
    assert [s.forms for s in parsed] == expected(segmenter)
    found = Parser.load(bundle, lang="fr")(TEXT)
    assert [[word.form for word in sentence] for sentence in found] == expected(segmenter)
    rules = predicted(monkeypatch, tmp_path, bundle, tmp_path / "a.txt", "--tokenizer", "rules")
    assert [s.forms for s in rules] == [s.forms for s in TextReader("rules").read(TEXT, "fr")]


def test_a_bundle_can_be_bundled_anew_and_gives_its_segmenter(
    bundle, segmenter, parser, monkeypatch
):
    again = str(parser / "again.tar.gz")
    for model, other in ((bundle, segmenter), (bundle, bundle), (str(parser), bundle)):
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-bundle", model, other, "--out", again])
        assert cli.run() == 0
        with open(again, "rb") as ours, open(bundle, "rb") as first:
            assert ours.read() == first.read()


def test_a_bundle_does_not_tell_where_its_segmenter_was_trained(bundle, segmenter):
    with tarfile.open(bundle) as archive:
        text = archive.extractfile(f"{FOLDER}/config.json").read().decode()
    config = json.loads(text)
    assert str(FIXTURES) not in text and config["train_data_path"]
    assert all("/" not in name for name in config["train_data_path"])


def test_what_a_run_archives_is_in_its_bundle(parser, segmenter, tmp_path, monkeypatch):
    run = tmp_path / "run"
    shutil.copytree(parser, run, ignore=shutil.ignore_patterns("*.tar.gz"))
    config = json.loads((run / "config.json").read_text())
    include = {"include_in_archive": ["card.json", "initial", "../parser"]}
    (run / "config.json").write_text(json.dumps({**config, **include}))
    for name in ("card.json", "initial/model.tar.gz", "events.log"):
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text("{}")
    words = ["allennlp", "ud-bundle", str(run), segmenter, "--out", str(tmp_path / "out.tar.gz")]
    monkeypatch.setattr(sys, "argv", words)
    assert cli.run() == 0
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        names = {name for name in archive.getnames() if not name.startswith(FOLDER)}
    assert {"card.json", "initial/model.tar.gz", "config.json", "weights.th"} <= names
    assert not {"events.log", "best.th"} & names


def test_an_unseen_language_without_relatives_is_left_to_the_rules(segmenter):
    text = "Az nem jó. Nem."
    rules = list(make_tokenizer("rules", "hu")(text))
    assert list(make_tokenizer(segmenter, "hu")(text)) == rules
    assert not hasattr(make_tokenizer(segmenter, "hu"), "together")
    assert all(hasattr(make_tokenizer(segmenter, lang), "together") for lang in ("fr", None))


def test_an_unseen_language_is_segmented_like_its_nearest_relative(segmenter):
    text = "Il va au lit du chien. Il dort."
    assert list(make_tokenizer(segmenter, "frm")(text)) == list(
        make_tokenizer(segmenter, "fr")(text)
    )


def test_a_told_language_that_the_shipped_model_lacks_is_warned_of(caplog):
    (sentence, *_) = Parser.load(lang="Bulgarian")("Аз ям ябълка. Тя спи.")
    assert [word.form for word in sentence] == ["Аз", "ям", "ябълка", "."]
    assert "parsed as Macedonian (mk), the nearest training language" in caplog.text


@pytest.mark.parametrize("precision, least", [("int8", 0.99), ("int4", 0.9)])
def test_packed_it_cuts_almost_alike(segmenter, precision, least, tmp_path, monkeypatch):
    path = tmp_path / f"{precision}.tar.gz"
    words = ["ud-pack", segmenter, "--precision", precision, "--out", path]
    monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
    assert cli.run() == 0
    text = (FIXTURES / "ud" / "fr_gsd-ud-dev.conllu").read_text(encoding="utf-8")
    text = " ".join(line[9:] for line in text.splitlines() if line.startswith("# text = "))
    whole, packed = (
        {token for sentence in make_tokenizer(str(name), "fr")(text) for token in sentence}
        for name in (segmenter, path)
    )
    assert len(whole & packed) >= least * len(whole)


def test_a_parser_without_one_has_rules(parser):
    assert own_tokenizer(parser) == "rules"
    assert own_tokenizer("no/such.tar.gz") == "rules"
    with pytest.raises(ConfigurationError, match="has no segmenter"):
        make_tokenizer(str(parser))


def test_it_is_loaded_once_for_all_languages(segmenter):
    before = _loaded.cache_info().misses
    make_tokenizer(segmenter)
    for lang in ("fr", "de", "xx", None):
        make_tokenizer(segmenter, lang)
    assert _loaded.cache_info().misses <= before + 1


def test_the_service_keeps_lines(segmenter):
    texts = TextReader(segmenter)
    lines = [s.forms for s in texts.read("Il va. Il va\nau lit", "fr", "presegmented")]
    assert len(lines) == 2
    assert rebuild(texts.read(TEXT, "fr")) == TEXT
    ranges = list(texts.read("Il va.", "fr", "ranges"))[0].misc
    assert ranges[0].endswith("TokenRange=0:2")


@pytest.mark.parametrize("file", ["multiword_rule_labels", "multiword_form_labels"])
def test_a_damaged_vocabulary_is_refused(segmenter, tmp_path, file):
    with model_folder(segmenter) as unpacked:
        shutil.copytree(unpacked, tmp_path / "copy")
    labels = tmp_path / "copy" / "vocabulary" / f"{file}.txt"
    lines = labels.read_text(encoding="utf-8").split("\n")
    labels.write_text("\n".join(["no label at all", *lines[1:]]), encoding="utf-8")
    with pytest.raises(ArchiveError, match="no label|do not belong together"):
        make_tokenizer(str(tmp_path / "copy"))


def test_mistakes(parser, segmenter, monkeypatch, capsys):
    for words, message in (
        ([parser, segmenter, "bundle"], "bundle is not the name of an archive"),
        ([parser, parser, "out.tar.gz"], "has no segmenter"),
    ):
        monkeypatch.setattr(sys, "argv", ["allennlp", "ud-bundle", *map(str, words)])
        assert cli.run() == 1
        assert message in capsys.readouterr().err


def test_a_parser_tells_its_segmenter_the_known_words(segmenter):
    assert "ⲁⲩⲱ" in set(load_segmenter(MULTILINGUAL).multiwords.known_words("cop"))
    assert not set(load_segmenter(segmenter).multiwords.known_words("cop"))
