import json

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import (
    names_of,
    new_folder,
    numbers,
    total_size_and_time,
    write_json,
    write_table,
)


def test_numbers_and_ranges():
    assert numbers("3", "--layers") == [3]
    assert numbers("7-9,1,8", "--layers") == [7, 8, 9, 1]
    for text in ("", "a", "1,", "3-", "-3", "5-2", "1.5"):
        with pytest.raises(ConfigurationError, match="--layers is .* such as 1,3,7-9"):
            numbers(text, "--layers")


def test_names_are_as_short_as_they_can_be():
    assert names_of(["out/ewt"]) == ["ewt"]
    assert names_of(["out/ewt/model.tar.gz", "bert"]) == ["ewt", "bert"]
    assert names_of(["model.tar.gz"]) == ["model.tar.gz"]
    assert names_of(["a/x/m.tar.gz", "b/x/m.tar.gz"]) == ["a/x/m.tar.gz", "b/x/m.tar.gz"]
    assert names_of(["a/x/m.tar.gz", "a/y/m.tar.gz"]) == ["x/m.tar.gz", "y/m.tar.gz"]


def test_the_same_model_twice_is_refused():
    with pytest.raises(ConfigurationError, match="'out/ewt' appears twice"):
        names_of(["out/ewt", "b", "out/ewt"])


def test_a_folder_must_be_new_or_empty(tmp_path):
    assert new_folder(str(tmp_path / "a" / "b"), "--out").is_dir()
    assert new_folder(str(tmp_path / "a" / "b"), "--out").is_dir()
    for path in (tmp_path / "file", tmp_path / "a" / "b" / "file"):
        path.write_text("kept")
    for path in (tmp_path / "file", tmp_path / "a" / "b"):
        with pytest.raises(ConfigurationError, match="--out .* is not an empty folder"):
            new_folder(str(path), "--out")
    assert (tmp_path / "a" / "b" / "file").read_text() == "kept"


def test_tables_and_json(tmp_path):
    text = write_table(tmp_path / "t.tsv", [["a", "b", "c"], ["ß", None, 0.123456]])
    assert text == (tmp_path / "t.tsv").read_text(encoding="utf-8") == "a\tb\tc\nß\t\t0.1235\n"
    write_json(tmp_path / "t.json", {"ß": [1]})
    assert "ß" in (tmp_path / "t.json").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8")) == {"ß": [1]}


def test_a_size_and_time_changes_with_what_it_is_of(tmp_path):
    for path in (tmp_path / "file", tmp_path):
        (tmp_path / "file").write_text("1")
        first = total_size_and_time(str(path))
        assert total_size_and_time(str(path)) == first
        (tmp_path / "file").write_text("22")
        assert total_size_and_time(str(path)) != first
    assert total_size_and_time("a-hub/name") is None
