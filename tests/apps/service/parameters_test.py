"""Parameters, however a client sends them."""

import pytest

from udify_allennlp.apps.service.formats import read_conllu
from udify_allennlp.apps.service.parameters import RequestError, parameters

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
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
        (b"", JSON, '{"data": "Děti & +1", "tokenizer": true, "parser": false}'.encode()),
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


def test_words_in_json_become_conllu():
    given = parameters(b"", f"{JSON}; charset=utf-8", b'{"data": [["A", "<b>"], ["c d"]]}')
    forms = [sentence.forms for sentence in read_conllu(given.pop("data"))]
    assert forms == [["A", "<b>"], ["c d"]] and given == {}


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
        (b"", "text/xml", b"<a/>", "Content-Type 'text/xml' is not supported"),
        (b"", JSON, b"{", "The body is not JSON"),
        (b"", JSON, b"\xff", "The body is not JSON"),
        (b"", JSON, b"[" * 100_000, "The body is not JSON"),
        (b"", JSON, b"[]", "not a JSON object"),
        (b"", JSON, b'{"lang": 1}', "The parameter 'lang' is neither a string nor true or false"),
        (b"", JSON, b'{"data": ["a"]}', "Sentence 1 of the data is not a list of words"),
        (b"", JSON, b'{"data": [["a"], []]}', "Sentence 2 of the data: "),
        (b"", JSON, b'{"data": [["a\\nb"]]}', "Sentence 1 of the data: "),
        (b"", JSON, b'{"data": [["a"]], "tokenizer": ""}', "The data are already words"),
    ],
)
def test_what_is_no_form(query, kind, body, message):
    with pytest.raises(RequestError, match=message):
        parameters(query, kind, body)
