"""The page: what it holds, and what a user does with it in a browser."""

import urllib.parse

import pytest

from tests.apps.service import browser as browsers
from tests.apps.service.http_test import fetch
from tests.helpers import wait_for

SCRIPT = "</textarea><img src=x onerror=alert(1)>&lt;"


def test_it_needs_no_script_and_escapes_what_it_is_given(url):
    given = urllib.parse.urlencode({"data": f"A dog sleeps.\n\n{SCRIPT}", "lang": "en"})
    status, headers, body = fetch(f"{url}?{given}")
    assert status == 200 and headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert body.count('<svg class="tree"') == 2
    assert "<img" not in body and body.count("</textarea>") == 1
    assert '<option value="en" selected>' in body and '<option value="french-gsd-ud">' in body
    assert "<summary>CoNLL-U</summary><pre># newdoc" in body


@pytest.mark.parametrize("name, value", [("model", "<b>"), ("lang", "<b>")])
def test_mistakes_stand_in_the_page(url, name, value):
    status, _, body = fetch(f"{url}?data=a&{name}={value}")
    assert status == 400 and '<p role="alert">' in body and "<b>" not in body


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not browsers.FOUND:
        pytest.skip("not here: no Chromium")
    browser = browsers.Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


def test_typing_and_clicking_in_a_browser(browser, url):
    browser.visit(url)
    wait_for(lambda: focused(browser) == "data")
    assert browser.ask("document.querySelector('#lang [value=fr]').text") == "French"
    browser.type(f"The dog sleeps. {SCRIPT}")
    with browser.new_page():
        browser.click("#parse")
    assert browser.ask("document.querySelectorAll('svg.tree').length") >= 1
    assert browser.ask("document.querySelector('svg .form').textContent") == "The"
    assert browser.ask("document.querySelector('textarea').value").endswith(SCRIPT)
    assert browser.ask("document.images.length") == 0


def test_the_keyboard_is_enough(browser, url):
    browser.visit(url)
    wait_for(lambda: focused(browser) == "data")
    browser.type("Why?")
    order = []
    while focused(browser) != "parse":
        browser.press("Tab")
        order.append(focused(browser))
    assert order == ["model", "lang", "parse"]
    with browser.new_page():
        browser.press("Enter")
    assert browser.ask("document.querySelector('figcaption').textContent") == "Why?"
    wait_for(lambda: focused(browser) == "data")
    browser.ask("document.getElementById('data').setSelectionRange(0, 0)")
    browser.type("Say ")
    with browser.new_page():
        browser.press("Enter", control=True)
    assert browser.ask("document.querySelector('figcaption').textContent") == "Say Why?"


def test_nothing_is_fetched_from_elsewhere_and_nothing_goes_wrong(browser, url):
    browser.visit(f"{url}?data=A+dog.")
    requests = [e["params"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
    asked = [params["request"]["url"] for params in requests]
    assert asked and all(found.startswith(url) for found in asked)
    logged = [e["params"]["entry"] for e in browser.events if e["method"] == "Log.entryAdded"]
    assert not [entry for entry in logged if entry["level"] in ("error", "warning")]


def focused(browser):
    return browser.ask("document.activeElement.id")
