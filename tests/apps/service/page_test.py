"""The page: its contents, and its use in a browser."""

import base64
import html
import re
import urllib.parse
import xml.etree.ElementTree as xml

import pytest

from tests.apps.service import browser as browsers
from tests.helpers import wait_for
from tests.helpers.http import fetch
from udify_allennlp.apps.service.page import EXAMPLES, page
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.languages import language_code

SCRIPT = "</textarea><img src=x onerror=alert(1)>&lt;"


def test_it_needs_no_script_and_escapes_what_it_is_given(url):
    given = urllib.parse.urlencode({"data": f"A dog sleeps.\n\n{SCRIPT}", "lang": "en"})
    status, headers, body = fetch(f"{url}?{given}")
    assert status == 200 and headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert body.count("<figure") == 2 and body.count('class="wrapped"') == 4
    assert "<img" not in body and body.count("</textarea>") == 1
    assert '<option value="en" selected>' in body and '<option value="french-gsd-ud">' in body
    assert '<summary>CoNLL-U</summary><pre dir="ltr"># newdoc' in body


def test_it_says_what_it_is_and_where_to_begin(url):
    body = fetch(url)[2]
    assert "<title>Parse – en_ewt</title>" in body and "<h1>Parse a text</h1>" in body
    links = re.findall(r'<a href="\?([^"]*)">', body)
    assert len(links) > 5 and 'class="save"' not in body
    for link in links:
        given = urllib.parse.parse_qs(html.unescape(link), strict_parsing=True)
        assert given["data"] == [EXAMPLES[given["lang"][0]]] and given["model"] == ["en_ewt"]
    assert language_code("fr") in re.findall('<option value="(..)">French</option>', body)


def test_what_is_saved_is_what_is_shown(url):
    given = urllib.parse.urlencode({"data": "A dog sleeps. كلب", "lang": "en"})
    body = fetch(f"{url}?{given}")[2]
    saved = {
        name: base64.b64decode(content).decode()
        for name, content in re.findall('download="([^"]*)" href="data:[^,]*,([^"]*)"', body)
    }
    shown = [html.unescape(text) for text in re.findall("<pre.*?>(.*?)</pre>", body, re.DOTALL)]
    assert saved.pop("parsed.conllu") == "".join(shown)
    assert list(saved) == [f"tree{number}.svg" for number in range(1, len(shown) + 1)]
    for text, drawing in zip(shown, saved.values()):
        xml.fromstring(drawing)
        assert all(row.split("\t")[1] in drawing for row in text.splitlines() if "\t" in row)


def test_a_file_can_be_parsed(url):
    def upload(content, *others):
        fields = [("data", ""), *others]
        parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields]
        parts.append(b'name="file"; filename="<b>.txt"\r\n\r\n' + content)
        disposition = b"--X\r\nContent-Disposition: form-data; "
        body = b"".join(disposition + part + b"\r\n" for part in parts) + b"--X--\r\n"
        return fetch(url, body, {"Content-Type": "multipart/form-data; boundary=X"})

    status, _, body = upload("\ufeffA dog.\n\nÀ <b>!".encode(), ("lang", "fr"))
    assert status == 200 and body.count("<figure") == 2 and "<b>" not in body
    assert '<option value="fr" selected>' in body and "A dog.\n\nÀ &lt;b&gt;!</textarea>" in body
    status, _, body = upload(b"\xe9")
    assert status == 400 and "is not UTF-8 (byte 0xe9 at 0)" in body
    body = upload(b"A dog.\n\n" * 501)[2]
    assert "The first 100 of 501 sentences" in body and body.count("<figure") == 100
    assert body.count("</textarea>") == 1 and "\n</textarea>" in body  # too long for an address
    body = upload(b"# sent_id = a\n1\tNew York\t_\t_\t_\t_\t_\t_\t_\t_\n\n")[2]
    assert body.count("<figure") == 1 and '<td class="form">New York</td>' in body
    assert "sent_id = a" in body and "<textarea" in body and "New York</textarea>" not in body
    assert "<figure" not in fetch(url + "?file=A+dog.")[2]  # its name, by a form that sends none


def test_words_are_also_a_table(url):
    body = fetch(f"{url}?data=A+dog.&lang=en")[2]
    (table,) = re.findall('<table class="words">(.*?)</table>', body, re.DOTALL)
    head, *rows = re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
    assert re.findall('scope="col">(.*?)<', head)[:3] == ["id", "form", "lemma"]
    assert "XPOS" not in head  # the model has none
    assert re.findall('class="form">(.*?)<', table) == ["A", "dog", "."]
    (root,) = [row for row in rows if 'class="head">0 ROOT<' in row]
    assert root


def test_languages_of_the_model_come_first(models):
    model = models[0]
    languages, model.languages = model.languages, ["ta", "fi"]
    try:
        body = page(Service(models, TextReader()), {"lang": "xyz"})
    finally:
        model.languages = languages
    trained, others = re.findall('<optgroup label=".*?">(.*?)</optgroup>', body)
    assert re.findall('value="(.*?)"', trained) == ["fi", "ta"]
    assert 'value="ta"' not in others and '<option value="xyz" selected>xyz' in others
    assert re.findall("amp;lang=(..)", body) == ["fi"]  # there is no example in Tamil


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
    browser.press("Tab")
    assert browser.ask("document.activeElement.textContent") == "Parse a file"
    browser.ask("document.getElementById('parse').focus()")
    with browser.new_page():
        browser.press("Enter")
    assert browser.ask("document.querySelector('figcaption').textContent") == "Why?"
    wait_for(lambda: focused(browser) == "data")
    browser.ask("document.getElementById('data').setSelectionRange(0, 0)")
    browser.type("Say ")
    with browser.new_page():
        browser.press("Enter", control=True)
    assert browser.ask("document.querySelector('figcaption').textContent") == "Say Why?"


@pytest.mark.parametrize(
    "view, shown", [("trees", "full"), ("compact", "compact"), ("table", "table")]
)
def test_a_view_is_chosen_without_a_script(browser, url, view, shown):
    browser.visit(f"{url}?data={'very+' * 40}long.")
    browser.click(f"#view-{view}")
    is_shown = "[...document.querySelectorAll('.scroll')].filter(each => each.offsetHeight)"
    assert browser.ask(f"{is_shown}.map(each => each.className)") == [f"scroll {shown}"]
    if view != "table":
        shown = f"document.querySelector('.scroll.{shown}')"
        is_wide = f"{shown}.scrollWidth > {shown}.clientWidth"
        height = f"{shown}.offsetHeight"
        assert not browser.ask(is_wide)
        wrapped = browser.ask(height)
        browser.click("#line")
        assert browser.ask(is_wide) and browser.ask(height) < wrapped


def test_a_file_is_sent_by_its_own_button(browser, url, tmp_path):
    (tmp_path / "a.txt").write_text("From a file.")
    browser.visit(url)
    browser.ask("document.querySelector('details').open = true")
    node = browser.call("Runtime.evaluate", expression="document.getElementById('file')")
    place = node["result"]["objectId"]
    browser.call("DOM.setFileInputFiles", files=[str(tmp_path / "a.txt")], objectId=place)
    with browser.new_page():
        browser.click("#parse-file")
    assert browser.ask("document.querySelector('figcaption').textContent") == "From a file."
    with browser.new_page():
        browser.click("#parse")
    assert "data=From+a+file." in browser.ask("location.search")
    assert "file=" not in browser.ask("location.search")


def test_nothing_is_fetched_from_elsewhere_and_nothing_goes_wrong(browser, url):
    browser.visit(f"{url}?data=A+dog.")
    requests = [e["params"] for e in browser.events if e["method"] == "Network.requestWillBeSent"]
    asked = [params["request"]["url"] for params in requests]
    assert asked and all(found.startswith(url) for found in asked)
    logged = [e["params"]["entry"] for e in browser.events if e["method"] == "Log.entryAdded"]
    assert not [entry for entry in logged if entry["level"] in ("error", "warning")]


def focused(browser):
    return browser.ask("document.activeElement.id")
