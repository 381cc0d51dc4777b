"""Input from strangers, texts above all, takes bounded time and memory."""

import os
import sys
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from tokenizer_bench import RUNS, make_run

from tests.apps.service.conftest import serving
from tests.helpers.http import timed
from udify_allennlp.apps.service.models import load_models
from udify_allennlp.text.conllu import Sentence

IS_SOAK = bool(os.environ.get("UDIFY_SOAK"))
# Seconds. A short sentence beside the texts below took 1 on a busy machine, 8 on a slow one, and 30
# before.
AT_ONCE = 2.0 if IS_SOAK else 15.0
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
# The 40 kinds of `make_run`, and those above, as large as the service takes them.
TEXTS = {
    **EXPENSIVE,
    **{name: make_run(name, 60_000) for name in RUNS},
    "one word of a million letters": "a" * 1_000_000,
    "100,000 sentences": "He ran. " * 100_000,
    "bidi controls": "a\u202e\u2066\u200f\u202db" * 20_000,
    "all punctuation": "".join(map(chr, range(33, 48))) * 10_000,
}
CLIENTS = 10


@pytest.fixture(scope="module")
def shipped():
    return load_models(["multilingual"])


def asked(text):
    return urllib.parse.urlencode(
        {"data": text, "tokenizer": "", "tagger": "", "parser": ""}
    ).encode()


def waits_beside(url, pool, bodies):
    """How long a short sentence waits, again and again, while these bodies are answered."""
    answers = [pool.submit(timed, f"{url}process", body) for body in bodies]
    waits = [timed(f"{url}process", asked(SHORT))]
    while not all(answer.done() for answer in answers):
        waits.append(timed(f"{url}process", asked(SHORT)))
    assert {status for status, _ in waits} == {200}
    return [seconds for _, seconds in waits], [answer.result() for answer in answers]


@pytest.mark.parametrize("name", TEXTS if IS_SOAK else list(TEXTS)[:2])
def test_one_request_holds_nobody_up(shipped, name):
    with serving(shipped, max_input=2**20) as url, ThreadPoolExecutor(1) as pool:
        assert timed(f"{url}process", asked(SHORT))[0] == 200
        waits, [(status, seconds)] = waits_beside(url, pool, [asked(TEXTS[name])])
    if IS_SOAK:
        sys.stderr.write(f"{name}: {status} in {seconds:.1f} s, beside it {max(waits):.2f} s\n")
    assert max(waits) < AT_ONCE
    assert status in (200, 400, 413, 504) and seconds < 75


def test_ten_clients_leave_a_fair_share(shipped):
    """Each of eleven clients has its turn in each round."""
    names = list(TEXTS)[:CLIENTS]
    kinds = [names] if not IS_SOAK else [list(TEXTS)[n::5][:CLIENTS] for n in range(5)]
    for names in kinds:
        length = 30_000 if IS_SOAK else 600
        bodies = [asked(TEXTS[name][:length]) for name in names]
        with serving(shipped, max_input=2**20) as url, ThreadPoolExecutor(CLIENTS) as pool:
            waits, answers = waits_beside(url, pool, bodies)
        if IS_SOAK:
            sys.stderr.write(f"{', '.join(names)}: beside them {max(waits):.2f} s\n")
        assert max(waits) < CLIENTS * AT_ONCE
        assert {status for status, _ in answers} <= {200, 400, 413, 503, 504}


@pytest.mark.parametrize("name", EXPENSIVE if IS_SOAK else list(EXPENSIVE)[:1])
def test_who_gives_up_frees_the_service(shipped, name):
    with serving(shipped, max_input=2**20, timeout=1.0) as url:
        assert timed(f"{url}process", asked(EXPENSIVE[name]))[0] in (200, 400, 413, 504)
    with serving(shipped) as url:
        status, seconds = timed(f"{url}process", asked(SHORT))
        assert status == 200 and seconds < AT_ONCE


def test_an_odd_word_changes_no_other_sentence(multilingual):
    plain = Sentence.from_words(SHORT[:-1].split())
    odd = Sentence.from_words(["a" + "\u0301" * 9999, "sleeps"])
    first, middle, last = multilingual.parse([plain, odd, plain])
    assert first.text == last.text == next(iter(multilingual.parse([plain]))).text
    assert middle.forms == odd.forms
