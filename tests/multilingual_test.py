"""The making of the model that ships, rehearsed on fixtures."""

import gzip
import json
import os
import shutil
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import multilingual
import multilingual_steps
import pytest
import silver
from exceptions import exceptions

from tests.conftest import FIXTURES
from tests.helpers import ENCODER, execute
from udify_allennlp import Parser
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.lemma_rules import make_rule
from udify_allennlp.text.sentence import Sentence

# The first "was" has no lemma, so any is right; the second "saw" is given another of its own.
GOLD = [
    (["saw", "saw", "went", "was"], ["see", "saw", "go", "_"]),
    (["saw", "went", "was"], ["saw", "go", "be"]),
]


@pytest.fixture
def ud(tmp_path, monkeypatch):
    table = tmp_path / "treebanks.tsv"
    table.write_text(
        "# a comment\nfolder\ttrained\nUD_English-EWT\tyes\nUD_German-GSD\tyes\nUD_French-GSD\tno\n"
    )
    for folder, name in (("UD_English-EWT", "en_ewt"), ("UD_German-GSD", "de_gsd")):
        (tmp_path / "ud" / folder).mkdir(parents=True)
        for split in ("train", "dev"):
            file = f"{name}-ud-{split}.conllu"
            shutil.copyfile(FIXTURES / "ud" / file, tmp_path / "ud" / folder / file)
    (tmp_path / "ud" / "UD_French-GSD").mkdir()
    monkeypatch.setattr(multilingual, "TREEBANKS", table)
    monkeypatch.setenv("UD", str(tmp_path / "ud"))
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    return tmp_path


def run_here(command, check, cwd, env):
    """In this process, which is much faster."""
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        os.chdir(cwd)
        try:
            assert execute(*command[3:]) == 0
        finally:
            os.chdir(before)


def main(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["multilingual.py", *map(str, words)])
    return multilingual.main()


def test_every_step_makes_what_the_next_one_takes(ud, monkeypatch, capsys):
    monkeypatch.setattr(multilingual_steps, "subprocess", SimpleNamespace(run=run_here))
    raw = ud / "raw"
    raw.mkdir()
    (raw / "wiki.en.txt").write_text("The dog sleeps in the house.\nT h e  d o g\nShort.\n")
    (raw / "wiki.th.txt").write_text("T h e d o g\n")
    monkeypatch.setenv("RAW", str(raw))
    monkeypatch.setattr(silver, "SHORTEST", 1)  # this segmenter has learned nothing
    out = ud / "out"
    assert main(monkeypatch, "all", "--quick", "--out", out) == 0
    assert (out / "silver" / "texts.tsv").read_text().count("\t0\n") == 1
    assert [path.name for path in out.glob("silver/*.conllu")] == ["en_silver-ud-train.conllu"]
    given = json.loads((out / "student" / "config.json").read_text())["train_data_path"]
    assert given[-1] == str(out / "silver" / "en_silver-ud-train.conllu") and len(given) == 3
    archive = str(out / "multilingual.tar.gz")
    assert own_tokenizer(archive) == archive
    assert len(Parser.load(archive)([["The", "dog", "sleeps", "."]])[0]) == 4
    with tarfile.open(archive) as files:
        assert files.extractfile("vocabulary/lemma_lexicon_labels.txt").read()
        for name in ("config.json", "segmenter/config.json", "card.json"):
            text = files.extractfile(name).read().decode()
            assert str(ud) not in text and ENCODER not in text and "teacher" not in text
    capsys.readouterr()
    assert main(monkeypatch, "--out", out) == 0
    assert capsys.readouterr().out.count("(done)") == len(multilingual.STEPS)
    # Nothing is run again.
    monkeypatch.setattr(multilingual_steps, "subprocess", SimpleNamespace(run=None))
    assert main(monkeypatch, "all", "--out", out) == 0

    # What was made is trained further, and keeps its segmenter.
    monkeypatch.setattr(multilingual_steps, "subprocess", SimpleNamespace(run=run_here))
    monkeypatch.setenv("UD_ENCODER", archive)
    monkeypatch.delenv("RAW")
    names = [step.name for step in multilingual.steps(further=True)]
    assert {*names} == {step.name for step in multilingual.STEPS} - {"segmenter", "silver"}
    words = *names[: names.index("bundle") + 1], "--further", "--quick", "--out", ud / "further"
    assert main(monkeypatch, *words) == 0
    newer = str(ud / "further" / "multilingual.tar.gz")
    assert own_tokenizer(newer) == newer
    with tarfile.open(archive) as first, tarfile.open(newer) as second:
        weights = [
            [files.extractfile(f"{folder}weights.th").read() for folder in ("segmenter/", "")]
            for files in (first, second)
        ]
        assert second.extractfile("vocabulary/lemma_lexicon_labels.txt").read()
        assert archive not in second.extractfile("config.json").read().decode()
    assert weights[0][0] == weights[1][0] and weights[0][1] != weights[1][1]

    # A student goes on from that one, of whose place nothing is told.
    monkeypatch.setenv("UD_STUDENT", newer)
    third = ud / "third"
    shutil.copytree(out, third)
    shutil.rmtree(third / "student")
    for name in ("calibrated.tar.gz", "calibrated.int4.tar.gz", "multilingual.tar.gz"):
        (third / name).unlink()
    assert main(monkeypatch, "student", "calibrated", "bundle", "--quick", "--out", third) == 0
    given = json.loads((third / "student" / "config.json").read_text())
    assert given["model"]["start"] == newer
    with tarfile.open(third / "multilingual.tar.gz") as files:
        assert str(ud) not in files.extractfile("config.json").read().decode()


def test_silver_without_a_segmenter_is_refused(ud, tmp_path):
    shutil.copy(FIXTURES / "archives" / "all_decoders" / "model.tar.gz", tmp_path)
    (tmp_path / "model.tar.gz").rename(tmp_path / "teacher.small.tar.gz")
    with pytest.raises(SystemExit, match="No model contains a segmenter"):
        multilingual.segmenter(tmp_path)


def test_exceptions_are_the_forms_with_a_lemma_that_they_have_nowhere():
    gold = [Sentence.from_words(words).replace(lemmas=lemmas) for words, lemmas in GOLD]
    lemmas = [["see", "saw", "went", "a"], ["see", "go", "a"]]
    guesses = [sentence.replace(lemmas=own) for sentence, own in zip(gold, lemmas)]
    wrong = [("was", "be"), ("went", "go")]
    assert exceptions(gold, guesses) == [f"{form}\t{make_rule(form, own)}" for form, own in wrong]


def test_mistakes_are_said_before_anything_runs(ud, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        main(monkeypatch, "techer", "--out", ud / "out")
    assert "Unknown step techer" in capsys.readouterr().err
    monkeypatch.setenv("UD", str(ud))
    with pytest.raises(SystemExit):
        main(monkeypatch, "teacher", "--out", ud / "out")
    assert "has no UD_English-EWT" in capsys.readouterr().err


def test_the_list_of_the_shipped_model_is_of_free_licences():
    rows = multilingual.treebanks()
    trained = [row["licence"] for row in rows if row["trained"] == "yes"]
    assert len(rows) == 226 and len(trained) == 87
    assert not any("NC" in licence or licence.startswith("GPL") for licence in trained)


def test_which_lines_of_raw_text_are_taken(tmp_path):
    path = tmp_path / "wiki.fo.txt.gz"
    path.write_bytes(gzip.compress("Ein góður dagur.\n\nI a m\nA b cd\n".encode()))
    assert list(silver.lines(str(path))) == ["Ein góður dagur."]
    assert silver.language(str(path)) == "fo"
    path.write_bytes(gzip.compress(b"word " * 80 + b"\n" + b"a word " * 60))
    assert len(list(silver.lines(str(path)))) == 1
