"""Files of a command line: names, folders, globs and commas name the same ones."""

import pytest

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.named_files import files_of, split_names


@pytest.fixture
def names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ud").mkdir()
    found = ["ud/a.conllu", "ud/b.conllu.gz", "ud/c.conllu"]
    for name in [*found, "ud/readme.md", "ud/text.txt", "x,y.conllu"]:
        (tmp_path / name).touch()
    return found


@pytest.mark.parametrize(
    "words",
    [
        ["ud/a.conllu", "ud/b.conllu.gz", "ud/c.conllu"],
        ["ud/a.conllu,ud/b.conllu.gz,ud/c.conllu"],
        ["ud/a.conllu,ud/b.conllu.gz", "ud/c.conllu"],
        ["ud/*.conllu*"],
        ["ud"],
        ["ud/a.conllu", "ud"],
    ],
)
def test_every_spelling_names_the_same_files(names, words):
    assert files_of(words) == names


def test_a_name_with_a_comma_is_that_of_the_file(names):
    assert split_names(["x,y.conllu", "a,,b"]) == ["x,y.conllu", "a", "b"]
    assert files_of(["x,y.conllu"]) == ["x,y.conllu"]


def test_a_folder_gives_what_a_command_reads(names, tmp_path):
    assert files_of(["ud"], (".txt",)) == ["ud/text.txt"]
    assert len(files_of(["ud"], (".conllu", ".txt"))) == 4
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty is a folder without files in .conllu. Name"):
        files_of(["empty"])
    with pytest.raises(FileNotFoundError, match="'none.conllu' matches no file"):
        files_of(["ud,none.conllu"])
