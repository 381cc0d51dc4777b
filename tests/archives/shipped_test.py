"""Models that come with the package are named wherever a path could be."""

import shutil
import tarfile
from pathlib import Path

import pytest
from allennlp.models.archival import archive_model

import udify_allennlp
from tests.helpers import execute
from tests.saved_model import save_run
from udify_allennlp import Parser
from udify_allennlp.archives import shipped
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.archives.run_folder import model_fingerprint, model_folder
from udify_allennlp.data import encoder_files
from udify_allennlp.models.extract_encoder import is_model
from udify_allennlp.text.raw_text import lines_of, read_text
from udify_allennlp.text.tokenizers import make_tokenizer

TEXT = "The dog sleeps. It snores."


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    run = save_run(tmp_path_factory.mktemp("run"))
    archive_model(run, "best.th", run / "model.tar.gz", ["encoder"])
    return run / "model.tar.gz"


@pytest.fixture
def model_name(archive, tmp_path, monkeypatch):
    shutil.copyfile(archive, tmp_path / "tiny.tar.gz")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return "tiny"


def parsed(name):
    return Parser.load(name)(TEXT).to_dict()


def test_a_name_is_its_archive(model_name, archive):
    assert shipped.names() == ["tiny"]
    assert parsed(model_name) == parsed(archive)
    assert model_fingerprint(model_name) == model_fingerprint(archive)
    with model_folder(model_name) as folder:
        assert (folder / "config.json").is_file()


def test_training_starts_from_its_encoder(model_name):
    assert is_model(model_name) and encoder_files.locate(model_name) != model_name


def test_commands_take_it(model_name, tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    assert execute("predict", model_name, text, "--output-file", tmp_path / "out.conllu") == 0
    assert (tmp_path / "out.conllu").read_text().count("# sent_id") == 2
    assert execute("ud-card", model_name) == 0


def test_its_segmenter_segments_for_others(model_name, segmenter, tmp_path):
    shutil.copyfile(segmenter, tmp_path / "cut.tar.gz")
    words = ("predict", model_name, tmp_path / "text.txt", "--output-file", tmp_path / "out.conllu")
    (tmp_path / "text.txt").write_text("Das ist das Haus am Meer. Er geht zum Meer.\n")
    by_name, by_path = (
        list(read_text(lines_of("Er geht zum Meer."), make_tokenizer(name, "de")))
        for name in ("cut", segmenter)
    )
    assert [s.text for s in by_name] == [s.text for s in by_path]
    assert execute(*words, "--lang", "de", "--tokenizer", "cut") == 0


def test_a_file_of_that_name_goes_first(model_name, tmp_path):
    (tmp_path / "elsewhere" / "tiny").write_text("no archive")
    with pytest.raises(ArchiveError):
        Parser.load("tiny")


def test_other_names_say_which_there_are(model_name):
    for name in ("tinny", "../tiny", "tiny.tar.gz", ""):
        assert shipped.archive_of(name) is None
    with pytest.raises(ArchiveError, match="Models by name: tiny"):
        Parser.load("tinny")


@pytest.mark.parametrize("is_default", [True, False])
def test_a_folder_of_the_user_has_models_by_name(is_default, model_name, archive, monkeypatch):
    """By default `models` of the current folder. Only those of the package are trusted."""
    folder = "models" if is_default else str(shipped.FOLDER / "more")
    if not is_default:
        monkeypatch.setenv("UDIFY_MODELS", folder)
    assert shipped.archive_of("mine") is None
    Path(folder).mkdir()
    for name in ("mine", model_name):
        shutil.copyfile(archive, Path(folder, f"{name}.tar.gz"))
    assert shipped.names() == ["mine", model_name]
    found = shipped.archive_of("mine")
    assert found == Path(folder, "mine.tar.gz") and not shipped.is_shipped(found)
    assert shipped.is_shipped(shipped.archive_of(model_name))
    assert parsed("mine") == parsed(archive)
    assert execute("ud-card", "mine") == 0


def test_the_folder_of_the_package_has_the_model_that_commands_name():
    assert Path(udify_allennlp.__file__).parent / "pretrained" == shipped.FOLDER
    assert "multilingual" in shipped.names()
    with tarfile.open(shipped.archive_of("multilingual")) as archive:
        assert {"config.json", "weights.th"} <= {name.lstrip("./") for name in archive.getnames()}
