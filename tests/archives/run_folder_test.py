"""The files that hold a model, in an archive and in a run folder."""

import os
import shutil

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model

from tests.conftest import FIXTURES
from tests.saved_model import save_run
from udify_allennlp.archives.loading import ArchiveError
from udify_allennlp.archives.run_folder import (
    load_weights,
    model_files,
    model_fingerprint,
    model_folder,
    vocabulary_folder,
    weights_file,
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("saved"))


@pytest.fixture
def run(saved, tmp_path):
    """The folder of a run, which the test may change."""
    return shutil.copytree(saved, tmp_path / "run")


@pytest.fixture
def archive(run, tmp_path):
    return archive_model(str(run), "best.th", str(tmp_path / "model.tar.gz"), ["encoder"])


def test_the_weights_are_those_that_allennlp_loads(run, archive):
    assert weights_file(run) == run / "best.th"
    assert weights_file(archive) == run.parent / "model.tar.gz"
    shutil.copy(run / "best.th", run / "weights.th")
    assert weights_file(run) == run / "weights.th"


def test_the_files_of_a_model(run, archive):
    names = [os.path.relpath(path, run) for path in model_files(run)]
    assert names[:2] == ["config.json", "best.th"]
    labels = {path.name for path in (run / "vocabulary").iterdir()} - {".lock"}
    assert set(names[2:]) == {f"vocabulary/{name}" for name in labels}
    assert model_files(archive) == [run.parent / "model.tar.gz"]


def test_the_fingerprint_is_another_when_a_part_that_is_loaded_is(run):
    before = model_fingerprint(run)
    (run / "training_state_e1_b0.th").write_bytes(b"of no matter")
    assert model_fingerprint(run) == before
    found = {before}
    for path in model_files(run):
        content = path.read_bytes()
        path.write_bytes(b"of " + path.name.encode())
        found.add(model_fingerprint(run))
        path.write_bytes(content)
    assert len(found) == 1 + len(model_files(run)) > 3
    assert model_fingerprint(run) == before


def test_a_folder_and_its_archive_give_the_same_weights_and_labels(run, archive):
    kept = {}
    for name in (str(run), archive):
        with model_folder(name) as folder:
            labels = {path.name: path.read_text() for path in vocabulary_folder(folder).iterdir()}
            kept[name] = (labels, load_weights(folder))
    # Also after the archive's folder is gone.
    assert not folder.exists()
    (labels, weights), (other_labels, other_weights) = kept.values()
    assert labels == other_labels and weights.keys() == other_weights.keys()
    assert all(torch.equal(weights[name], other_weights[name]) for name in weights) and weights


def test_the_folder_of_a_run_is_used_where_it_is(run):
    with model_folder(str(run)) as folder:
        assert folder == run
    assert run.exists()


def test_an_old_file_of_weights_is_loaded(run):
    """Of torch before 1.6, which cannot be mapped into memory."""
    expected = load_weights(run)
    expected = {name: value.clone() for name, value in expected.items()}
    torch.save(expected, run / "best.th", _use_new_zipfile_serialization=False)
    found = load_weights(run)
    assert expected and found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_what_is_no_model(run, tmp_path):
    for path, message in (
        (tmp_path / "none", "none: no such file"),
        (tmp_path, "config.json: no such file, so this is not an AllenNLP model"),
        (FIXTURES / "README.md", "not a gzipped tar file"),
    ):
        with pytest.raises(ArchiveError, match=message), model_folder(str(path)):
            pass
    (run / "config.json").write_text('{"model": {"type": "os.system"}}')
    with pytest.raises(ArchiveError, match="would import a module"), model_folder(str(run)):
        pass


def test_a_run_before_its_first_epoch_ended(run):
    (run / "best.th").unlink()
    for function in (weights_file, load_weights, model_files, model_fingerprint):
        with pytest.raises(ConfigurationError, match="run has no weights.th or best.th: no model"):
            function(run)
    shutil.rmtree(run / "vocabulary")
    for function in (vocabulary_folder, model_files):
        with pytest.raises(ConfigurationError, match="run has no vocabulary: no model was trained"):
            function(run)


def test_weights_that_are_not_tensors_are_refused(run):
    torch.save({"a": print}, run / "best.th")
    with pytest.raises(ArchiveError, match="holds something other than tensors"):
        load_weights(run)
