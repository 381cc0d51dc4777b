"""The service over HTTP, as UDPipe's clients use it."""

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import itertools
import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.apps.service.conftest import serving
from tests.helpers import DEV, wait_for
from tests.helpers.http import fetch
from udify_allennlp import cli
from udify_allennlp.apps.service.metrics import make_metrics
from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

ALL = {"tokenizer": "", "tagger": "", "parser": ""}
TEXT = "The dog sleeps.  It doesn't snore!\n\nWhy?"


def post(url, **given):
    status, _, body = fetch(url + "process", urllib.parse.urlencode(given).encode())
    assert status == 200, body
    return json.loads(body)


def refused(url, **given):
    status, headers, body = fetch(url + "process?" + urllib.parse.urlencode(given))
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert body.endswith("\n") and body.count("\n") == 1
    return status, body


def test_models(url):
    status, headers, body = fetch(url + "models")
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, None)
    steps = ["tokenizer", "tagger", "parser"]
    found = json.loads(body)
    assert found["models"] == {"en_ewt": steps, "french-gsd-ud": steps}
    assert found["default_model"] == "en_ewt"
    assert set(found["languages"]) == set(found["models"])
    assert fetch(url + "api/models", b"")[2] == body


@pytest.mark.parametrize("name, ending", [("text.txt", TEXT), ("dev.conllu", None)])
def test_results_are_those_of_predict(url, run_folder, tmp_path, monkeypatch, name, ending):
    if ending is None:
        write_sentences(itertools.islice(read_sentences(DEV), 40), tmp_path / name)
    else:
        (tmp_path / name).write_text(ending)
    words = ["predict", run_folder, tmp_path / name, "--output-file", tmp_path / "out", "--silent"]
    words += ["--lang", "en"] if ending else []
    monkeypatch.setattr("sys.argv", ["allennlp", *map(str, words)])
    assert cli.run() == 0
    given = ALL if ending else {"tagger": "", "parser": ""}
    answer = post(url, data=(tmp_path / name).read_text(encoding="utf-8"), **given)
    assert answer["result"] == (tmp_path / "out").read_text(encoding="utf-8")
    assert answer["model"] == "en_ewt" and isinstance(answer["acknowledgements"], list)


def test_the_form_of_udpipes_own_client(url):
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in {"data": "Dog ě", "input": "horizontal", "output": "vertical"}.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    data = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    answer = fetch(url + "api/process", data, {"Content-Type": message["Content-Type"]})[2]
    assert json.loads(answer)["result"] == "Dog\ně\n\n"


def test_only_the_steps_that_are_asked_for(url):
    given = Sentence.from_words(["A", "dog"]).replace(upos=["X", "X"], heads=["7", "7"])
    untouched, tagged, parsed, both = (
        Sentence(post(url, data=given.text, **dict.fromkeys(steps, ""))["result"])
        for steps in ([], ["tagger"], ["parser"], ["tagger", "parser"])
    )
    assert untouched.text == given.text
    assert tagged.text == both.replace(heads=given.heads, deprels=given.deprels).text != both.text
    assert parsed.replace(upos=both.upos, feats=both.feats, lemmas=both.lemmas).text == both.text
    assert parsed.upos == given.upos and tagged.heads == given.heads
    none = post(url, data=given.text, tagger="none", parser="none")["result"]
    assert none == given.text


def test_model_language_and_formats(url):
    for name, full in {"french": "french-gsd-ud", "en_ewt": "en_ewt", "": "en_ewt"}.items():
        assert post(url, data="a", input="horizontal", model=name)["model"] == full
    for lang, expected in {"en": "It does n't .", "af": "It doesn't ."}.items():
        found = post(url, data="It doesn't.", tokenizer="", lang=lang, output="horizontal")
        assert found["result"].strip() == expected
    generic = post(url, data="A dog.", input="generic_tokenizer", output="horizontal")
    assert generic["result"] == "A dog .\n"
    assert post(url, data="", **ALL)["result"] == ""


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, "The parameter data is missing."),
        ({"data": "a"}, "data:1: the line has 1 columns instead of 10."),
        ({"data": "a", "model": "<b>\n"}, r"Requested model '<b>\\n' does not exist."),
        ({"data": "a", "input": "pdf"}, "Unknown input format 'pdf'. Use conllu, horizontal,"),
        ({"data": "a", "output": "pdf"}, "Unknown output format 'pdf'. Use conllu, horizontal,"),
        (
            {"data": "a", "tokenizer": "", "lang": "../x"},
            "The parameter lang: Unknown language '../x'.",
        ),
        ({"data": "a " * 1001, "input": "horizontal"}, "Sentence 1 has 1001 words"),
        ({"data": "a" * 10_001, "input": "horizontal"}, "Sentence 1 has 1 words of 10001"),
    ],
)
def test_mistakes_are_one_line(url, given, message):
    status, body = refused(url, **given)
    assert status == 400 and body.startswith(message.replace("\\\\", "\\"))


def test_words_in_and_trees_out_as_json(url):
    given = {"data": [["A", "<script>"], ["B"]], "parser": True, "output": "json"}
    headers = {"Content-Type": "application/json"}
    status, _, body = fetch(url + "process", json.dumps(given).encode(), headers)
    answer = json.loads(body)
    assert status == 200 and answer["model"] == "en_ewt"
    assert [[w["form"] for w in s["words"]] for s in answer["result"]] == given["data"]
    assert [sum(w["head"] == 0 for w in s["words"]) for s in answer["result"]] == [1, 1]


def test_the_language_is_told(url, models):
    english = {"code": "en", "name": "English", "guessed": False, "trained": None}
    assert post(url, data="A dog.", tokenizer="")["language"] == english
    assert post(url, data="A dog.", tokenizer="", lang="en_gum")["language"] == english
    model = ServedModel("all", models[0].batcher, models[0].steps, languages=["en", "fr"])
    seen = []

    def guess(text, expected):
        seen.append((text.strip(), list(expected)))
        return {"Ein Hund.": "de", "A dog.": "en"}.get(text.strip())

    with serving([model], guess=guess) as told_url:
        answer = post(told_url, data="Ein Hund.", **ALL)
        assert answer["language"] == {
            "code": "de",
            "name": "German",
            "guessed": True,
            "trained": False,
        }
        assert answer["warning"].startswith("The text looks German, which is not among")
        answer = post(told_url, data="A dog.", **ALL)
        assert answer["language"]["trained"] and "warning" not in answer
        assert post(told_url, data="?", **ALL)["language"] is None
        warned = post(told_url, data="Ein Hund.", lang="German", **ALL)
        assert warned["warning"].startswith("German is not among")
        assert seen[0] == ("Ein Hund.", ["en", "fr"]) and len(seen) == 3
        body = fetch(f"{told_url}?data=Ein+Hund.")[2]
        assert "Language: German (guessed)" in body and '<p role="status">The text looks' in body


def test_health(gated):
    with serving([gated]) as url:
        assert fetch(url + "health")[::2] == (200, '{\n "status": "ok"\n}\n')
        gated.batcher.close()
        assert fetch(url + "health")[::2] == (503, '{\n "status": "stopped"\n}\n')


def test_metrics(models, url):
    status, _, body = fetch(url + "metrics")
    assert (status, body.count("\n")) == (501, 1) and "prometheus_client" in body
    pytest.importorskip("prometheus_client")
    with serving(models, metrics=make_metrics(models)) as counted:
        post(counted, data="A dog.\n", input="horizontal", parser="")
        assert refused(counted, data="a", model="<script>")[0] == 400
        body = fetch(counted + "metrics")[2]
    for line in (
        'udify_requests_total{path="/process",status="200"} 1.0',
        'udify_requests_total{path="/process",status="400"} 1.0',
        'udify_sentences_total{model="en_ewt"} 1.0',
        'udify_words_total{model="en_ewt"} 2.0',
        'udify_waiting_words{model="en_ewt"} 0.0',
        'udify_request_seconds_count{path="/process"} 2.0',
    ):
        assert line in body.splitlines()
    assert "script" not in body


def test_many_clients_get_what_each_would_get_alone(url):
    texts = [f"Dog number {i} sleeps.\n\n" * (i % 3 + 1) for i in range(40)]

    def client(i):
        if i % 5 == 4:
            return refused(url, data="1\tx\n\n", tagger="", parser="")
        return post(url, data=texts[i], **ALL)["result"]

    alone = [client(i) for i in range(40)]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(client, range(40))) == alone
    assert alone[4][0] == 400 and alone[5].count("# text = Dog number 5 sleeps.") == 3


def test_large_input(url):
    data = urllib.parse.urlencode({"data": "a" * 200_000}).encode()
    status, _, body = fetch(url + "process", data)
    assert status == 413 and body == (
        "The request has more than 100000 bytes. Send less at a time.\n"
    )


def test_other_addresses_and_methods(url):
    assert fetch(url + "rest")[0] == 404
    request = urllib.request.Request(url + "process", method="DELETE")
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(request)


def test_time_is_limited_and_what_is_too_late_is_not_parsed(gate, gated):
    with serving([gated], timeout=1.0) as url:

        def first_is_too_late():
            status, body = refused(url, data="first", input="horizontal", tagger="")
            assert (status, "more than 1 seconds" in body) == (504, True)
            return gate.entered.is_set()

        wait_for(first_is_too_late)  # on a busy machine perhaps given up before it was begun
        assert refused(url, data="late", input="horizontal", tagger="")[0] == 504
        gate.open.set()
        given = {"data": "in time", "input": "horizontal", "tagger": ""}
        wait_for(lambda: "\\tX\\t" in answer_of(url, given)[2])  # on a busy machine not at once
        assert gate.rounds[0] == [["first"]]
        assert not any("late" in forms for found in gate.rounds for forms in found)


def test_too_much_waiting_and_a_client_that_leaves(gate, gated):
    with serving([gated]) as url:
        path = "/process?input=horizontal&tagger&data="
        clients = []
        for data in ("now", "left+left"):  # one is parsed, the other fills the queue
            host, port = url.removeprefix("http://").strip("/").split(":")
            clients.append(socket.create_connection((host, int(port))))
            clients[-1].sendall(f"GET {path}{data} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert gate.entered.wait(10)
        given = {"data": "third", "input": "horizontal", "tagger": ""}
        wait_for(lambda: gated.batcher.waiting == 2)
        status, headers, _ = answer_of(url, given)
        assert (status, headers["Retry-After"]) == (503, "5")
        clients[1].close()
        wait_for(lambda: gated.batcher.waiting == 0)
        gate.open.set()
        assert answer_of(url, given)[0] == 200
        assert clients[0].recv(12) == b"HTTP/1.1 200"
        clients[0].close()
        assert not any("left" in forms for found in gate.rounds for forms in found)


def answer_of(url, given):
    return fetch(f"{url}process?{urllib.parse.urlencode(given)}")
