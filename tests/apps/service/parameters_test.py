"""Parameters, however a client sends them."""

import pytest

from udify_allennlp.apps.service.parameters import RequestError, parameters

FORM = "application/x-www-form-urlencoded"
EXPECTED = {"data": "Děti & +1", "tokenizer": ""}


def multipart(*parts):
    body = b"".join(b"--X\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts)
    return b"", "multipart/form-data; boundary=X", body + b"--X--\r\n"


@pytest.mark.parametrize(
    "query, kind, body",
    [
        (b"data=D%C4%9Bti+%26+%2B1&tokenizer=", "", b""),
        ("data=Děti %26 %2B1&tokenizer".encode(), "", b""),
        (b"data=other", FORM, "tokenizer=&data=Děti %26 %2B1".encode()),
        multipart(
            b'name="tokenizer"\r\n\r\n',
            'name="data"; filename="../x"\r\nContent-Type: text/plain\r\n\r\nDěti & +1'.encode(),
        ),
        multipart(
            'name="data"\r\nContent-Transfer-Encoding: 8bit\r\n\r\nDěti & +1'.encode(),
            b'name="tokenizer"\r\nContent-Type: text/plain; charset="utf-8"\r\n\r\n',
        ),
    ],
)
def test_every_way_to_send_them(query, kind, body):
    assert parameters(query, kind, body) == EXPECTED


def test_a_large_file_stays_whole():
    body = multipart(b'name="data"; filename="x"\r\n\r\n' + b"a\r\n" * 1_000_000)
    assert parameters(*body) == {"data": "a\r\n" * 1_000_000}


@pytest.mark.parametrize(
    "query, kind, body, message",
    [
        (b"data=%C4", "", b"", "not UTF-8"),
        (b"data=\xc4", "", b"", "not UTF-8"),
        (*multipart(b'name="data"\r\n\r\nD\xc4'), "byte 0xc4 at 1"),
        (b"", "multipart/form-data", b"x", "cannot be read"),
        (b"", "multipart/form-data; boundary=X", b"junk", "cannot be read"),
        (b"a&" * 101, "", b"", "Max number of fields exceeded"),
        (*multipart(*[b'name="a"\r\n\r\n'] * 101), "Max number of fields exceeded"),
        (b"", "application/json", b"{}", "Content-Type 'application/json' is not taken"),
    ],
)
def test_what_is_no_form(query, kind, body, message):
    with pytest.raises(RequestError, match=message):
        parameters(query, kind, body)
