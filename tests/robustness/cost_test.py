"""Input from strangers, texts above all, takes bounded time and memory."""

import os
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.apps.service.conftest import serving
from tests.helpers.http import timed
from udify_allennlp.apps.service.models import load_models
from udify_allennlp.parser import Parser
from udify_allennlp.text.conllu import Sentence

IS_SOAK = bool(os.environ.get("UDIFY_SOAK"))
# Seconds. A short sentence beside the texts below took 1 on a busy machine, and 30 before.
AT_ONCE = 2.0 if IS_SOAK else 6.0
EXPENSIVE = {
    "combining marks": "a" + "\u0301" * 9999,
    "emoji": "\U0001f600" * 9000,
    "emoji between spaces": ("\U0001f600" * 9 + " ") * 990,
    "ordinary words": "The dog sleeps on the mat and " * 140,
    "many sentences": "The dog sleeps. " * 2000,
    "many words without end": ("a" + "\u0301" * 3000 + " ") * 300,
    "scripts without spaces": "犬は眠る猫も眠る" * 1200,
    "old letters": "\U00012000" * 9000,
}
SHORT = "The dog sleeps."


@pytest.fixture(scope="module")
def shipped():
    return load_models(["multilingual"])


def asked(text):
    return urllib.parse.urlencode(
        {"data": text, "tokenizer": "", "tagger": "", "parser": ""}
    ).encode()


@pytest.mark.parametrize("name", EXPENSIVE if IS_SOAK else list(EXPENSIVE)[:2])
def test_one_request_holds_nobody_up(shipped, name):
    body, short = asked(EXPENSIVE[name]), asked(SHORT)
    with serving(shipped, max_input=2**20) as url, ThreadPoolExecutor(1) as pool:
        assert timed(f"{url}process", short)[0] == 200
        answer = pool.submit(timed, f"{url}process", body)
        waits = [timed(f"{url}process", short)]
        while not answer.done():
            waits.append(timed(f"{url}process", short))
        assert {status for status, _ in waits} == {200}
        assert max(seconds for _, seconds in waits) < AT_ONCE
        status, seconds = answer.result()
        assert status in (200, 400) and seconds < 60


@pytest.mark.parametrize("name", EXPENSIVE if IS_SOAK else list(EXPENSIVE)[:1])
def test_who_gives_up_frees_the_service(shipped, name):
    with serving(shipped, max_input=2**20, timeout=1.0) as url:
        assert timed(f"{url}process", asked(EXPENSIVE[name]))[0] in (200, 400, 504)
    with serving(shipped) as url:
        status, seconds = timed(f"{url}process", asked(SHORT))
        assert status == 200 and seconds < AT_ONCE


def test_an_odd_word_changes_no_other_sentence(shipped):
    parser = Parser.load()
    plain = Sentence.from_words(SHORT[:-1].split())
    odd = Sentence.from_words(["a" + "\u0301" * 9999, "sleeps"])
    first, middle, last = parser.parse([plain, odd, plain])
    assert first.text == last.text == next(iter(parser.parse([plain]))).text
    assert middle.forms == odd.forms
