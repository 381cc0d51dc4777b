"""Access to the service from browsers: hosts and origins."""

import pytest

from tests.apps.service.conftest import serving
from tests.helpers.http import fetch
from udify_allennlp.apps.service import access
from udify_allennlp.apps.service.access import host_name


@pytest.fixture(scope="module")
def open_url(models):
    with serving(models, hosts=["parse.my.site"], origins=["https://my.site"]) as url:
        yield url


@pytest.mark.parametrize("path", ["", "models", "process?data=", "api/models", "nowhere"])
def test_another_name_with_our_address_is_refused(url, path):
    status, headers, body = fetch(url + path, headers={"Host": "evil.example:8001"})
    assert (status, body) == (
        403,
        "Host is 'evil.example:8001', which is not served. Allow it with --allow-host.\n",
    )


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8001", "[::1]", "[0:0::1]:8001"]
)
def test_our_own_names_are_served(url, host):
    assert fetch(url + "models", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "a@localhost", "[", "10.0.0.1"]
)
def test_other_names_are_not(url, host):
    assert fetch(url + "models", headers={"Host": host})[0] == 403


def test_names_that_are_allowed_are_served(open_url):
    assert fetch(open_url + "models", headers={"Host": "Parse.My.Site:443"})[0] == 200
    assert fetch(open_url + "models", headers={"Host": "my.site"})[0] == 403


def test_pages_of_others_read_answers_only_where_allowed(url, open_url):
    def allowed(address, origin):
        return fetch(address, headers={"Origin": origin})[1]["Access-Control-Allow-Origin"]

    assert allowed(url + "models", "https://my.site") is None
    assert allowed(open_url + "models", "https://my.site") == "https://my.site"
    assert allowed(open_url + "process", "https://my.site") == "https://my.site"  # an error, too
    assert allowed(open_url + "models", "https://evil.example") is None


def test_the_log_tells_once_of_a_page_that_is_not_shown_the_answer(url, open_url, monkeypatch):
    told = []  # AllenNLP puts its own handlers in the place of pytest's
    monkeypatch.setattr(access.logger, "warning", lambda text, *words: told.append(text % words))
    for address, origin in (
        (url, "https://a.example"),
        (url, "https://a.example"),
        (url, url.rstrip("/")),
        (open_url, "https://my.site"),
        (open_url, "https://b.example\x1b"),
    ):
        assert fetch(address + "models", headers={"Origin": origin})[0] == 200
    assert [text.split("'")[1] for text in told] == ["https://a.example", r"https://b.example\x1b"]
    assert all(text.endswith("Allow it with --allow-origin.") for text in told)


def test_spellings_of_one_host():
    assert host_name("[::1]:80") == host_name("0:0:0::1") == "::1"
    assert host_name("A.b.:80") == "a.b"
