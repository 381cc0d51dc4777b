import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.text.encodings import check_encoding, text_lines
from udify_allennlp.text.errors import ConlluError, InputError
from udify_allennlp.text.raw_text import lines_of

MARKS = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-8": codecs.BOM_UTF8,
}


@given(text=st.text("aßя言😀\r\n\x85\u2028", min_size=1), encoding=st.sampled_from([*MARKS]))
def test_a_mark_tells_the_encoding_and_every_character_is_kept(text, encoding):
    data = MARKS[encoding] + text.encode(encoding)
    for parts in (data.splitlines(True), data.split(b"\n"), [data]):
        whole = b"".join(parts) == data
        for wrong in (None, "latin-1"):
            if whole:
                assert list(text_lines(parts, "a", wrong)) == list(lines_of(text))


@given(text=st.text("abß\n", min_size=1))
def test_what_is_named_is_believed_where_there_is_no_mark(text):
    for encoding in ("latin-1", "cp1252", "utf-16-le"):
        assert "".join(text_lines([text.encode(encoding)], "a", encoding)) == text


@pytest.mark.parametrize(
    "parts, encoding, where",
    [
        ([b"a\n", b"\xe4\n"], None, "a:2: byte 0xe4 is not UTF-8. Convert"),
        ([b"a\n", b"b\n\xe4"], None, "a:3: byte 0xe4 is not UTF-8. Convert"),
        ([codecs.BOM_UTF8 + b"\xe4\n"], None, "a:1: byte 0xe4 is not UTF-8. Convert"),
        ([b"\xff\xfea"], None, "a:1: byte 0x61 is not UTF-16. Convert"),
        ([b"a\n", b"\xe4\n"], "ascii", "a:2: byte 0xe4 is not ASCII. Convert"),
    ],
)
def test_another_encoding_is_one_line_that_says_where_and_how(parts, encoding, where):
    with pytest.raises(ConlluError, match="--encoding") as caught:
        list(text_lines(parts, "a", encoding))
    assert str(caught.value).startswith(where)


@pytest.mark.parametrize("name", ["latin-x", "base64"])
def test_unknown_encodings(name):
    with pytest.raises(InputError, match=f"--encoding {name}: unknown encoding"):
        check_encoding(name)
