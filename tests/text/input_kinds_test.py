"""Kinds of input files, by their name or their beginning."""

import gzip
import io

import pytest

from tests.conftest import FIXTURES
from udify_allennlp.text.input_kinds import CONLLU, JSON, TEXT, is_text, kind_of_name, look_at
from udify_allennlp.text.newdoc import bare_name

ROW = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
BEGINNINGS = [
    (TEXT, "Hello world.\n"),
    (TEXT, ""),
    (TEXT, "\n\n# A heading\n\nSome text.\n"),
    (TEXT, "{not JSON}\n"),
    (TEXT, "1 2 3 go\n"),
    (TEXT, "#text\n"),
    (CONLLU, ROW),
    (CONLLU, "\ufeff" + ROW),
    (CONLLU, "\n# sent_id = 1\n" + ROW),
    (CONLLU, "# some comment\n" + ROW),
    (CONLLU, "1-2\tdu\n"),
    (CONLLU, "# text = a b\n1 a _ _\n"),
    (CONLLU, "# global.columns = ID FORM\n"),
    (JSON, '{"sentence": "a"}\n'),
    (JSON, '\n{"text": "a"}\n'),
]


@pytest.mark.parametrize("kind, text", BEGINNINGS)
@pytest.mark.parametrize("name", ["notes", "notes.x", "a.gz", "1.2"])
def test_a_name_that_does_not_say_it(tmp_path, kind, text, name):
    path = str(tmp_path / name)
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert kind_of_name(path) is None and is_text(path) == (kind == TEXT)
    assert look_at(path, io.BytesIO()) == (path, kind, None)


@pytest.mark.parametrize("kind, text", BEGINNINGS)
def test_a_pipe_loses_nothing(kind, text):
    data = text.encode() * 3
    found = look_at("-", io.BytesIO(data))
    assert found[:2] == ("standard input", kind)
    assert b"".join(found.lines) == data


def test_a_name_says_it_whatever_is_inside(tmp_path):
    for name, kind in {
        "a.txt": TEXT,
        "A.TXT": TEXT,
        "a.md": TEXT,
        "a.txt.gz": TEXT,
        "a.conllu": CONLLU,
        "a.conllu.xz": CONLLU,
        "a.conll09": CONLLU,
        "a.jsonl": JSON,
        "a.json.gz": JSON,
    }.items():
        assert kind_of_name(name) == kind
        (tmp_path / name).write_bytes(b"")
        assert look_at(str(tmp_path / name), io.BytesIO()).kind == kind
    for path in [*FIXTURES.glob("ud/*.conllu"), *FIXTURES.glob("conllu/*.conllu")]:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.write_bytes(path.read_bytes())
        assert is_text(str(elsewhere)) == (not path.stat().st_size)  # an empty file is a text


def test_the_name_of_what_becomes_of_it():
    names = ("a.txt", "b/A.TXT", "a.b", "notes", "a.md.gz")
    assert [bare_name(name) for name in names] == ["a", "A", "a.b", "notes", "a"]
