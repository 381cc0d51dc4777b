"""The second edition of the model that ships: its data, and its making rehearsed on fixtures."""

import lzma
import shutil
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import edition
import edition_data
import multilingual_steps
import pytest
import torch
from edition_data import as_people_write, key, share

from tests.conftest import FIXTURES
from tests.helpers import ENCODER, TRAIN, execute
from udify_allennlp import Parser
from udify_allennlp.archives.run_folder import load_weights, model_folder
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.conllu import check_tree, read_sentences, write_sentences
from udify_allennlp.text.line_reader import read_rows
from udify_allennlp.text.sentence import Sentence

SPLITS = ("train", "dev", "test")


@pytest.fixture(scope="module")
def ud(tmp_path_factory):
    """
    Two treebanks that have training files, one with a test file alone, one that is annotated
    otherwise than others of its language, and two that are left out.
    """
    folder = tmp_path_factory.mktemp("edition")
    rows = ["# a comment", "folder\tuse\tlicence\twhy"]
    for name, use, licence, files in (
        (
            "UD_English-EWT",
            "train",
            "CC-BY-SA-4.0",
            {split: f"en_ewt-ud-{split}" for split in SPLITS},
        ),
        ("UD_German-GSD", "split", "CC-BY-SA-4.0", {"test": "de_gsd-ud-train"}),
        ("UD_French-GSD", "train", "CC-BY-SA-4.0", {"train": "fr_gsd-ud-dev"}),
        ("UD_French-PUD", "style", "CC-BY-4.0", {"train": "fr_gsd-ud-dev"}),
        ("UD_Finnish-TDT", "no", "CC-BY-NC-SA-4.0", {"train": "fi_tdt-ud-dev"}),
        ("UD_Finnish-PUD", "no", "GPL-3.0", {"train": "fi_tdt-ud-dev"}),
    ):
        rows.append(f"{name}\t{use}\t{licence}\t{'licence' if use == 'no' else ''}")
        (folder / "ud" / name).mkdir(parents=True)
        for split, file in files.items():
            stem = "fr_pud" if use == "style" else file[:6]
            target = folder / "ud" / name / f"{stem}-ud-{split}.conllu"
            shutil.copyfile(FIXTURES / "ud" / f"{file}.conllu", target)
    # A sentence of the test file is in the training file, too.
    test = next(read_sentences(folder / "ud" / "UD_English-EWT" / "en_ewt-ud-test.conllu"))
    with open(folder / "ud" / "UD_English-EWT" / "en_ewt-ud-train.conllu", "a") as file:
        file.write(test.text)
    (folder / "treebanks.tsv").write_text("\n".join(rows) + "\n")
    edition_data.prepare(folder / "ud", folder / "out" / "data", folder / "treebanks.tsv")
    return folder


def weights_of(archive):
    with model_folder(str(archive)) as folder:
        return load_weights(folder)


def sentences(folder, split, name):
    return list(read_sentences(folder / "out" / "data" / split / f"{name}-ud-{split}.conllu"))


def test_nothing_that_is_scored_is_trained_on(ud):
    counts = (ud / "out" / "data" / "counts.tsv").read_text().splitlines()
    assert "UD_English-EWT\ten_ewt\ttrain\t200\t" in counts[1] and counts[1].endswith("\t1")
    assert len(counts) == 5 and not list((ud / "out" / "data").glob("*/fi_*"))
    (style,) = (ud / "out" / "data").glob("*/fr_pud*")
    assert style.parent.name == "style" and counts[4].startswith("UD_French-PUD\tfr_pud\tstyle\t")
    assert len(list(read_sentences(style))) == int(counts[4].split("\t")[3]) > 0
    parts = [sentences(ud, split, "de_gsd") for split in SPLITS]
    whole = list(read_sentences(FIXTURES / "ud" / "de_gsd-ud-train.conllu"))
    assert sum(map(len, parts)) == len(whole)
    for part, (low, end) in zip(parts, ((0, 75), (75, 80), (80, 100))):
        expected = [s for s in whole if low <= share(s) < end]
        assert len(part) == len(expected)
        if low:
            assert [s.text for s in part] == [s.text for s in expected]
    assert not {*map(key, parts[2])} & {*map(key, parts[0] + parts[1])}


def test_words_go_into_an_archive_only_under_licences_that_allow_its_own(tmp_path, monkeypatch):
    table = tmp_path / "treebanks.tsv"
    licences = {
        "a": "CC-BY-SA-4.0",
        "b": "LGPLLR",
        "c": "CC-BY-4.0",
        "d": "CC0-1.0",
        "e": "C-UDA-1.0",
    }
    rows = "".join(f"UD_{name}\t{licence}\n" for name, licence in licences.items())
    table.write_text(f"folder\tlicence\n{rows}")
    monkeypatch.setattr(edition_data, "TREEBANKS", table)
    (tmp_path / "data").mkdir()
    counts = "".join(f"UD_{name}\ten_{name}\n" for name in licences)
    (tmp_path / "data" / "counts.tsv").write_text(f"folder\ttreebank\n{counts}")
    names = ["en_a", "en_a_trees", "en_b", "en_b_trees", "en_c", "en_d", "en_e"]
    files = [f"{name}-ud-train.conllu" for name in names]
    found = edition.may_be_shared(files, tmp_path)
    assert found == [files[place] for place in (0, 1, 4, 5)]


def test_non_commercial_treebanks_are_taken_on_demand(ud, tmp_path):
    """Those under other licences that leave them out are not."""
    edition_data.prepare(ud / "ud", tmp_path / "data", ud / "treebanks.tsv", non_commercial=True)
    files = {path.name for path in (tmp_path / "data" / "train").iterdir()}
    assert "fi_tdt-ud-train.conllu" in files and len(files) == 4


def test_new_treebanks_and_those_with_unknown_letters_are_favoured(tmp_path):
    texts = {"en_ewt": "word", "en_mine": "word", "de_gsd": "ᚹᛟᚱᛏ", "fr_gsd": "mot"}
    paths = []
    for name, form in texts.items():
        paths.append(str(tmp_path / f"{name}-ud-train.conllu"))
        Path(paths[-1]).write_text(f"1\t{form}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    assert edition.favoured("multilingual", paths) == ["en_mine", "de_gsd"]


def test_features_of_an_older_training_file_are_not_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(edition_data, "DEV", 2)
    folder = tmp_path / "ud" / "UD_Finnish-TDT"
    folder.mkdir(parents=True)
    whole = list(read_sentences(FIXTURES / "ud" / "fi_tdt-ud-dev.conllu"))
    draft = Sentence("1\tx\tx\tUX\t_\t_\t0\troot\t_\t_\n\n")  # no UPOS of UD
    for split, part in (("train", [draft, *whole[::2]]), ("dev", whole[1::2])):
        write_sentences(part, folder / f"fi_tdt-ud-{split}.conllu")
    table = tmp_path / "treebanks.tsv"
    table.write_text("folder\tuse\tlicence\twhy\nUD_Finnish-TDT\ttrees\tCC-BY-SA-4.0\t\n")
    edition_data.prepare(tmp_path / "ud", tmp_path / "data", table)
    counts = (tmp_path / "data" / "counts.tsv").read_text().splitlines()
    assert counts[1] == f"UD_Finnish-TDT\tfi_tdt\ttrees\t{len(whole) - 2}\t2\t1"
    train, dev = tmp_path / "data" / "train", tmp_path / "data" / "dev"
    older = list(read_sentences(train / "fi_tdt_trees-ud-train.conllu"))
    assert [s.heads for s in older] == [s.heads for s in whole[::2]]
    assert {cell for s in older for cell in s.feats} == {"_"}
    newer = list(read_sentences(dev / "fi_tdt-ud-dev.conllu"))
    further = list(read_sentences(train / "fi_tdt-ud-train.conllu"))
    assert len(newer) == 2 and len(newer + further) == len(whole[1::2])
    assert {cell for s in further for cell in s.feats} > {"_"}
    paths = [str(path) for path in train.iterdir()]
    assert edition.favoured("multilingual", paths) == ["fi_tdt"]


def test_training_continues_a_model_that_has_got_its_letters(ud, monkeypatch):
    monkeypatch.delenv("UD_START", raising=False)
    monkeypatch.setattr(edition, "call", lambda step, *rest: told.update({step.name: rest}))
    told, out = {}, ud / "out"
    for step in edition.STEPS[1:3]:
        edition.run(step, out, SimpleNamespace(quick=True, further=True))
    words = told["letters"][0]
    train = ",".join(edition.files(out, "train"))
    assert words[:2] == ["ud-pack", "multilingual"] and words[words.index("--letters") + 1] == train
    words, _, variables, _ = told["model"]
    assert words[1].endswith("edition_further.jsonnet") and variables["UD_TRAIN"] == train
    assert variables["UD_START"] == str(out / "letters.tar.gz") and not variables["UD_FAVOURED"]


def test_the_segmenter_learns_sentences_as_they_are_written(ud):
    for name in ("en_ewt", "de_gsd", "fr_gsd"):
        own = list(read_sentences(ud / "out" / "data" / "text" / f"{name}-ud-train.conllu"))
        changed = sentences(ud, "train", name)
        assert len(own) == len(changed)
        assert [as_people_write(s).text for s in own] == [s.text for s in changed]


def test_the_licence_of_the_non_commercial_model_names_its_treebanks():
    rows = [row for row in read_rows(edition_data.TREEBANKS) if edition_data.is_non_commercial(row)]
    text = (FIXTURES.parent / "models" / "README.md").read_text(encoding="utf-8")
    for licence in {row["licence"] for row in rows}:
        names = " ".join(text.partition(f"- {licence}: ")[2].partition(".\n")[0].split())
        expected = {row["folder"].removeprefix("UD_") for row in rows if row["licence"] == licence}
        assert {*names.split(", ")} == expected


def test_some_sentences_are_as_people_write(ud):
    whole = [s for file in (FIXTURES / "ud").glob("*.conllu") for s in read_sentences(file)]
    changed = [(s, new) for s in whole if (new := as_people_write(s)) is not s]
    kinds = {"curly": 0, "capitals": 0, "unfinished": 0}
    for old, new in changed:
        check_tree(new)
        if len(new) < len(old):
            kinds["unfinished"] += 1
            assert old.upos[-1] == "PUNCT" and new.heads == old.heads[:-1]
            continue
        assert new.heads == old.heads and new.lemmas == old.lemmas
        curly = new.forms == [form.replace("'", "’") for form in old.forms]
        kinds["curly" if curly else "capitals"] += 1
        assert curly or new.forms == [form.upper() for form in old.forms]
    assert all(kinds.values()) and len(changed) < len(whole) / 8


def run_here(command, check, cwd, env):
    """In this process, which is much faster."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        assert execute(*command[3:]) == 0


@pytest.mark.slow
def test_every_step_makes_what_the_next_one_takes(ud, monkeypatch, capsys):
    monkeypatch.setattr(multilingual_steps, "subprocess", SimpleNamespace(run=run_here))
    words = ud / "words"
    words.mkdir()
    (words / "LICENSES").write_text("CC0\n")
    (words / "languages.tsv").write_text("ud_code\ttables (first wins)\nen\ten\n")
    known = {"went": "go", "said": "say", "had": "have", "made": "make", "got": "get"}
    rows = {row for s in read_sentences(TRAIN) for row in zip(s.forms, s.lemmas, s.upos)}
    rows |= {(f"{form}xy", lemma, "VERB") for form, lemma in known.items()}
    text = "".join("\t".join(row) + "\n" for row in sorted(rows))
    (words / "en.tsv.xz").write_bytes(lzma.compress(text.encode()))
    settings = {"UD_START": "", "UD_ENCODER": ENCODER}
    for name, value in {**settings, "WORDS": str(words)}.items():
        monkeypatch.setenv(name, value)
    out = ud / "out"
    monkeypatch.setattr(sys, "argv", ["edition.py", "all", "--quick", "--out", str(out)])
    assert edition.main() == 0
    archive = str(out / "multilingual.tar.gz")
    assert own_tokenizer(archive) == archive
    with tarfile.open(archive) as files:
        assert files.extractfile("LICENSES").read() == b"CC0\n"
        trusted = files.extractfile("vocabulary/lemma_trusted_labels.txt").read().decode()
        assert "words\ten\tNOUN\n" in trusted and "\tde\tPROPN" not in trusted
        exceptions = files.extractfile("vocabulary/lemma_exceptions_labels.txt").read().decode()
        known = files.extractfile("vocabulary/known_words_labels.txt").read().decode()
        assert not [name for name in files.getnames() if "lexicon" in name]
        labels = files.extractfile("vocabulary/lang_feats_labels.txt").read().decode()
        languages = files.extractfile("vocabulary/lang_labels.txt").read()
        text = files.extractfile("config.json").read().decode()
    assert {line.split("\t")[0] for line in labels.splitlines()} == {"en", "de", "fr"}
    assert str(ud) not in text and ENCODER not in text
    parser = Parser.load(archive)
    # Of the words of lists the model, which has learned next to nothing, gets some wrong.
    assert {line.split("\t")[0] for line in exceptions.splitlines()} >= {"en"}
    assert "\tVERB\t!go\twentxy\n" in exceptions
    assert {line.split("\t")[0] for line in known.splitlines()} == {"en", "de", "fr", "fr_pud"}
    lines = labels.splitlines()
    assert lines == sorted(lines)
    assert languages == (out / "model" / "vocabulary" / "lang_labels.txt").read_bytes()
    french = {line.split("\t")[1] for line in labels.splitlines() if line.startswith("fr\t")}
    document = parser("Le chien du voisin dort. Il est content.", lang="fr")
    assert document.lang == "fr"
    feats = {cell for s in document for cell in s.sentence.feats}
    assert feats <= french
    assert parser("Le chien dort.", lang="fr_pud").lang == "fr"
    names = {"en_ewt", "de_gsd", "fr_gsd", "fr_pud"}
    assert parser.card.treebanks.keys() == names and not parser.card.started_from
    before, after = (weights_of(out / name / "model.tar.gz") for name in ("model", "styles"))
    # One treebank has got a vector, the rest is as it was.
    *vectors, new = after.pop("origins.treebanks.weight")
    assert torch.equal(torch.stack(vectors), before.pop("origins.treebanks.weight"))
    assert new.abs().max() > 0 and after.keys() == before.keys()
    assert all(torch.equal(weight, before[name]) for name, weight in after.items())
    # Nothing is run again.
    monkeypatch.setattr(multilingual_steps, "subprocess", SimpleNamespace(run=None))
    assert edition.main() == 0
    monkeypatch.setattr(sys, "argv", ["edition.py", "--out", str(out)])
    capsys.readouterr()
    assert edition.main() == 0
    # All but `letters`, which needs a model to start from.
    assert capsys.readouterr().out.count("(done)") == len(edition.STEPS) - 1


def test_the_config_depends_on_the_machine_and_on_further(monkeypatch):
    configs = []
    for has_gpu in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda has_gpu=has_gpu: has_gpu)
        configs += [edition.config(further=False), edition.config(further=True)]
    assert configs == ["edition", "edition_further", "edition_gpu", "edition_further"]
    folder = edition.CONFIGS / "multilingual"
    assert all((folder / f"{config}.jsonnet").exists() for config in configs)
