"""The OpenAPI document describes exactly the service's addresses and parameters."""

import asyncio
import json
import re

import pytest

from tests.conftest import ROOT
from tests.helpers.http import fetch
from udify_allennlp.apps.service.app import make_app
from udify_allennlp.apps.service.formats import READERS, WRITERS
from udify_allennlp.apps.service.openapi import GENERIC, PARAMETERS
from udify_allennlp.apps.service.parameters import RequestError
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader


@pytest.fixture(scope="module")
def service(models):
    return Service(models, TextReader())


@pytest.fixture(scope="module")
def document(url):
    return json.loads(fetch(url + "openapi.json")[2])


def test_every_address_and_method_is_there(service, document):
    app = make_app(service, 1000, 1.0)
    routes = {
        (route.path, method.lower()) for route in app.routes for method in route.methods - {"HEAD"}
    }
    assert routes == {
        (path, method) for path, methods in document["paths"].items() for method in methods
    }


class Recorded(dict):
    """Parameters that note by which names they were asked."""

    asked: set = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)


def test_every_parameter_is_there(service, document):
    for given in (
        {"data": "a", "tokenizer": "", "parser": "", "tagger": ""},
        {"data": "a", "input": "vertical", "output": "json", "lang": "en"},
        {"data": "a", "input": GENERIC, "model": "en_ewt"},
    ):
        asyncio.run(service.process(Recorded(given)))
    assert Recorded.asked == set(PARAMETERS)
    for base in ("", "/api"):
        both = document["paths"][f"{base}/process"]
        assert {each["name"] for each in both["get"]["parameters"]} == set(PARAMETERS)
        for kind, body in both["post"]["requestBody"]["content"].items():
            assert set(body["schema"]["properties"]) == set(PARAMETERS), kind


@pytest.mark.parametrize("name", ["input", "output"])
def test_every_format_is_there_and_taken(service, name):
    data = {"input": "", "output": "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"}[name]
    for value in PARAMETERS[name].values:
        asyncio.run(service.process({"data": data, name: value}))
    assert set(PARAMETERS[name].values) >= set({"input": READERS, "output": WRITERS}[name])
    with pytest.raises(RequestError, match=f"Unknown {name} format 'pdf'"):
        asyncio.run(service.process({"data": data, name: "pdf"}))


def test_answers_have_the_keys_of_the_document(url, document):
    for path, query in (
        ("models", ""),
        ("health", ""),
        ("process", "?data=A+dog.&tokenizer&parser&tagger&output=json"),
    ):
        answer = json.loads(fetch(f"{url}{path}{query}")[2])
        found = document["paths"][f"/{path}"]["get"]["responses"]["200"]["content"]
        schema = found["application/json"]["schema"]["properties"]
        assert answer.keys() <= schema.keys()
        if path == "process":
            (sentence,) = answer["result"]
            known = schema["result"]["oneOf"][1]["items"]["properties"]
            assert sentence.keys() == known.keys()
            assert sentence["words"][0].keys() == known["words"]["items"]["properties"].keys()


def test_the_page_of_the_docs_has_every_parameter():
    text = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    table = text.split("## Parameters of `/process`")[1].split("\n\n")[2]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == list(PARAMETERS)
