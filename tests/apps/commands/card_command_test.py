"""`allennlp ud-card`, and languages on the command line."""

import json
import shutil
import sys

import pytest

from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.archives.card import Card, write_card


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = save_run(tmp_path_factory.mktemp("run"))
    older = Card(languages=["fr"], treebanks={"fr_gsd": {"words": 1}, "hi_silver": {"words": 2}})
    treebanks = {"en_ewt": {"sentences": 40, "words": 1700}, "ar_silver": {"words": 5}}
    write_card(folder, treebanks, {"best_validation_LAS": 7.125}, older)
    return folder


@pytest.fixture
def typed(monkeypatch, capsys):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", *map(str, words)])
        return cli.run(), capsys.readouterr()

    return execute


def test_it_says_what_is_known(typed, run, tmp_path):
    code, said = typed("ud-card", run)
    text = " ".join(said.out.split())
    assert code == 0 and "languages 2: English (en), French (fr)" in text
    assert "scores LAS 7.12 (development data)" in text
    assert "fine-tuned from a model of fr_gsd, and 1 silver treebank treebanks 1" in text
    assert "treebanks 1 en_ewt 40 sentences 1,700 words silver 1 (raw" in text
    assert text.endswith("ar_silver 5 words") and "unfinished" not in text
    assert json.loads(typed("ud-card", run, "--json")[1].out)["languages"] == ["en", "fr"]
    bare = save_run(tmp_path)
    assert "languages   unknown" in typed("ud-card", bare)[1].out
    code, said = typed("ud-card", tmp_path / "nowhere")
    assert code == 1 and said.err.endswith("nowhere: no such file.\n")


def test_help_says_where_the_languages_are_listed(typed, capsys):
    for command in ("predict", "ud-serve", "ud-parse"):
        with pytest.raises(SystemExit):
            typed(command, "--help")
        assert "`ud-card --languages`" in capsys.readouterr().out


def test_a_language_it_has_not_seen_is_warned_of(typed, run, tmp_path, caplog):
    (tmp_path / "a.txt").write_text("Wat?")
    code, _ = typed("predict", run, tmp_path / "a.txt", "--lang", "Dutch")
    assert code == 0 and caplog.text.count("not trained on Dutch (nl)") == 1
    for name in ("cs_x-ud-test.conllu", "da.conllu"):
        shutil.copy(DEV, tmp_path / name)
    caplog.clear()
    for name, warned in (("cs_x-ud-test.conllu", True), ("da.conllu", False)):
        typed("predict", run, tmp_path / name, "--output-file", tmp_path / "out.conllu", "--silent")
        assert ("was not trained on" in caplog.text) == warned
        caplog.clear()
    code, said = typed("predict", run, tmp_path / "a.txt", "--lang", "Duch")
    assert code == 1 and "nknown language 'Duch'. Did you mean nl (Dutch)" in said.err
