"""The format of a file is recognized in spite of faults in its first line; byte order marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.errors import ConlluError
from udify_allennlp.text.roles.files import holds_roles, read_roles
from udify_allennlp.text.roles.styles import DEPENDENCIES, SPANS, STYLES, style_of
from udify_allennlp.text.sentence import BOM

FILES = sorted((FIXTURES / "roles").glob("en_hand-*"))
BLOCKS = {style: FIXTURES / "roles" / f"en_hand-dev.{style}" for style in STYLES}


def wide(word, lemma, *arguments):
    return "\t".join([word, "w", lemma, lemma, *["_"] * 10, *arguments]) + "\n"


SPAN_ROW = "1st\tCD\t*\t*\t-\tgo" + "\t*" * 9 + "\n"
BY_CONTENT = {
    "conll09": (wide("1", "w"), DEPENDENCIES),
    "conll09 with the lemma *": (wide("1", "*", "_"), DEPENDENCIES),
    "conll05": ("Go\tVB\t(S*)\t*\t01\tgo\t(V*)\n", SPANS),
    "conll05 of many predicates": (SPAN_ROW, SPANS),
    "conll05 with spaces": ("Who   WP  *  *  -   -\n", SPANS),
}


@pytest.mark.parametrize("name", [None, *STYLES])
@pytest.mark.parametrize("what", BY_CONTENT)
def test_content_says_what_it_is_whatever_the_name_is(what, name):
    text, expected = BY_CONTENT[what]
    assert style_of(text, name) == expected


FIRST_LINES = {
    "another id": ("conll09", wide("5", "w", "_"), "id is '5', but 1 was expected"),
    "another id, of the lemma *": ("conll09", wide("5", "*", "_"), "id is '5', but 1 was expected"),
    "FILLPRED": ("conll09", wide("1", "w").replace("_\t_\n", "*\t_\n"), "FILLPRED is '*'"),
    "13 columns": ("conll09", wide("1", "w")[2:], "13 columns, but conll09 has at least 14"),
    "not a bracket": ("conll05", SPAN_ROW.replace("*", "_"), "not a bracket of a span"),
}


@pytest.mark.parametrize("what", FIRST_LINES)
def test_a_fault_of_the_first_line_is_one_of_the_format_that_the_name_says(what, tmp_path):
    style, text, message = FIRST_LINES[what]
    path = tmp_path / f"bad.{style}"
    path.write_text(text + "\n" + BLOCKS[style].read_text())
    errors = []
    assert len(list(read_roles(path, errors.append))) == len(list(read_roles(BLOCKS[style])))
    (error,) = errors
    assert str(error).startswith(f"{path}:1: ") and message in str(error)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_carriage_return_is_no_part_of_a_label(path, tmp_path):
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes().replace(b"\n", b"\r\r\n"))
    with pytest.raises(ConlluError, match=r":1: the line contains a carriage return"):
        list(read_roles(copy))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_byte_order_mark_is_no_part_of_a_word_and_is_kept(path, newline, tmp_path):
    raw = path.read_bytes().replace(b"\n", newline.encode())
    marked = tmp_path / path.name
    marked.write_bytes(BOM.encode() + raw)
    assert holds_roles(marked)
    found, expected = list(read_roles(marked)), list(read_roles(path))
    assert [(s.forms, s.style, s.predicates) for s in found] == [
        (s.forms, s.style, s.predicates) for s in expected
    ]
    for blocks in (found, [s.replace([]).replace(s.predicates) for s in found]):
        assert "".join(s.text for s in blocks).encode() == marked.read_bytes()
    pairs = zip(read_sentences(marked), read_sentences(path), strict=True)
    assert all(a.text == b.text for a, b in pairs)


@given(blanks=st.text(" \t\n\r", max_size=4).map(lambda blanks: blanks + "\n"))
def test_a_mark_before_blank_lines_is_one_of_them(blanks, tmp_path_factory):
    path = tmp_path_factory.mktemp("blank") / "a.conll"
    path.write_bytes((BOM + blanks).encode() + BLOCKS[SPANS].read_bytes())
    assert holds_roles(path)
    assert "".join(s.text for s in read_roles(path)) == BLOCKS[SPANS].read_text()
    path.write_bytes((BOM + blanks).encode())
    assert not list(read_roles(path)) and not holds_roles(path)


def test_conllu_behind_a_mark_is_no_columns(tmp_path):
    path = tmp_path / "a.conll"
    for content in ("1\ta" + "\t_" * 8 + "\n\n", "# text = a\n1\ta" + "\t_" * 8 + "\n\n"):
        path.write_text(BOM + content)
        assert not holds_roles(path) and next(read_sentences(path)).forms == ["a"]


def test_a_first_word_may_be_a_number_sign(tmp_path):
    path = tmp_path / "a.conll05"
    path.write_text("# NN * * - -\n1 CD * * - -\n\n")
    assert holds_roles(path)
    assert next(read_sentences(path)).forms == ["#", "1"]
    path.write_text("# newdoc\n" + "# " + "a * * " * 3 + "\n1\ta" + "\t_" * 8 + "\n\n")
    assert not holds_roles(path)


def test_a_mark_inside_a_file_is_a_fault(tmp_path):
    path = tmp_path / "a.conll05"
    path.write_text(
        BOM + SPAN_ROW.replace("go", "-").replace("\t*" * 9, "") + "\n" + BOM + SPAN_ROW
    )
    with pytest.raises(
        ConlluError,
        match=":3: the line has a byte order mark, which is allowed only at the start of a file. "
        "Remove",
    ):
        list(read_roles(path))
