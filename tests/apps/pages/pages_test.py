"""All our pages: escaped, in the wheel, readable by everybody, in light and in dark."""

import configparser
import fnmatch
import re

import jinja2
import numpy
import pytest

from tests.apps.service import browser as browsers
from tests.conftest import ROOT
from udify_allennlp.apps.analysis.attention.page import AttentionMap, attention_page
from udify_allennlp.apps.analysis.errors.counts import Errors
from udify_allennlp.apps.analysis.errors.page import (
    OnlyTreebank,
    confusions_of,
    scores_page,
    treebank_page,
)
from udify_allennlp.apps.analysis.errors.tree_list import entry, listing
from udify_allennlp.apps.pages.rendering import TEMPLATES, render
from udify_allennlp.apps.service.batcher import Batcher
from udify_allennlp.apps.service.language import Language
from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.page import Drawn, _figure, page
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.sentence import Sentence

HOSTILE = "<script>alert(1)</script>'\"&"
COLUMNS = ("upos", "feats", "lemmas", "heads", "deprels")


def hostile_pairs():
    """Gold and parsed, which differ in all columns."""
    gold = Sentence.from_words([HOSTILE, "b", "c"]).replace(
        upos=[HOSTILE, "X", "Y"],
        feats=[f"A={HOSTILE}", "_", "_"],
        lemmas=[HOSTILE, "b", "c"],
        heads=["2", "0", "2"],
        deprels=["dep:" + HOSTILE, "root", "obj"],
    )
    gold = Sentence(f"# sent_id = {HOSTILE}\n# text = {HOSTILE}\n{gold.text}")
    parsed = gold.replace(
        upos=["X", HOSTILE, "Y"],
        feats=["_"] * 3,
        lemmas=["x"] * 3,
        heads=["0", "1", "1"],
        deprels=["root", HOSTILE, "dep"],
    )
    return [(gold, parsed)]


@pytest.fixture(scope="module")
def pages():
    """Each of our pages, with hostile names everywhere."""
    pairs = hostile_pairs()
    errors = Errors(pairs, COLUMNS)
    entries = [entry(1, *pairs[0], COLUMNS)]
    trees = listing(entries, are_compared=True)
    scores = {"UPOS": 50.0, "LAS": 0.0}
    labels = [HOSTILE, "b"]
    attention = AttentionMap(HOSTILE, 1, 1, labels, numpy.array([[0.9, 0.1], [0.5, 0.5]]))
    batcher = Batcher(lambda sentences, names, langs: list(sentences))
    service = Service([ServedModel(HOSTILE, batcher, {})], TextReader())
    figures = [_figure(1, pairs[0][0])]
    drawn = Drawn(Language("ar", True, False), figures, pairs[0][0].text, 2)
    given = {"data": HOSTILE, "lang": HOSTILE, "model": HOSTILE}
    view = {"scores": [(HOSTILE, "1.00")], "differences": [[HOSTILE, "1", "1%"]], "words": 3}
    found = {
        "service": page(service, given, drawn),
        "error": page(service, given, error=HOSTILE),
        "view": render(
            "view.html", title=HOSTILE, entries=entries, is_compared=True, trees=trees, **view
        ),
        "treebank": treebank_page(HOSTILE, scores, errors, trees),
        "scores": scores_page(
            [(HOSTILE, scores, f"{HOSTILE}.html")],
            OnlyTreebank(HOSTILE, f"{HOSTILE}.html", confusions_of(errors), trees),
        ),
        "attention": attention_page(HOSTILE, [[attention]]),
    }
    yield found
    batcher.close()


def test_every_page_escapes_what_it_is_given(pages):
    for name, text in pages.items():
        assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text, name
        assert HOSTILE not in text, name
        assert text.count("<script>") == text.count("</script>") <= 1, name


def test_every_page_has_the_layout_and_fetches_nothing(pages):
    (layout,) = re.findall(":root.*?}", (TEMPLATES / "base.css").read_text(), re.DOTALL)[:1]
    for name, text in pages.items():
        assert layout in text and text.startswith("<!DOCTYPE html>\n<html lang="), name
        links = re.findall(r'(?:src|href)="([^"]*)"', text)
        outside = [
            each for each in links if "//" in each and "universaldependencies.org" not in each
        ]
        assert not [each for each in outside if not each.startswith("data:")], name


def test_a_value_that_a_template_needs_is_not_forgotten():
    with pytest.raises(jinja2.UndefinedError, match="title"):
        render("scores.html", scores=None, only=None)


def test_all_templates_are_in_the_wheel():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    patterns = setup["options.package_data"]["udify_allennlp"].split()
    for path in TEMPLATES.iterdir():
        name = path.relative_to(ROOT / "udify_allennlp").as_posix()
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not browsers.FOUND:
        pytest.skip("not here: no Chromium")
    browser = browsers.Browser(tmp_path_factory.mktemp("browser"))
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    yield browser
    browser.close()


CONTRAST = """
(() => {
  const channels = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, below) => {
    const alpha = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map(i => alpha * top[i] + (1 - alpha) * below[i]);
  };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(c => c / 255).map(
      c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const paper = element => element
    ? over(channels(getComputedStyle(element).backgroundColor), paper(element.parentElement))
    : [255, 255, 255];
  const faults = [];
  const check = (element, color, least, what) => {
    const below = paper(element), found = ratio(over(channels(color), below), below);
    if (found < least) faults.push(`${what} ${element.tagName}.${element.getAttribute('class')} `
      + `${found.toFixed(2)} ${color}`);
  };
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const element of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(element), isSvg = element instanceof SVGElement;
    if (['SCRIPT', 'STYLE', 'title', 'desc'].includes(element.tagName)) continue;
    const hasText = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (hasText) check(element, isSvg ? style.fill : style.color, 4.5, 'text');
    if (element.tagName === 'path') {
      const line = style.stroke === 'none' ? style.fill : style.stroke;
      check(element, line, 3, 'line');
    }
    if (/^(TEXTAREA|SELECT|BUTTON)$/.test(element.tagName) || element.type === 'search') {
      check(element.parentElement, style.borderTopColor, 3, 'border');
    }
    if (/^(TEXTAREA|SELECT|BUTTON|INPUT|A|SUMMARY)$/.test(element.tagName)) {
      element.focus({focusVisible: true});
      check(element.parentElement, getComputedStyle(element).outlineColor, 3, 'focus');
      if (getComputedStyle(element).outlineStyle === 'none' && element.offsetHeight)
        faults.push('no focus ' + element.tagName);
    }
  }
  return faults;
})()
"""
"""A script that lists the parts of a page below the contrast of WCAG 2.2 AA (1.4.3, 1.4.11)."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_contrasts_are_those_of_wcag_and_nothing_runs_off(browser, pages, tmp_path, scheme, width):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=media)
    size = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", width=width, **size)
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        browser.visit((tmp_path / f"{name}.html").as_uri())
        is_dark = "matchMedia('(prefers-color-scheme: dark)').matches"
        assert browser.ask(is_dark) == (scheme == "dark")
        assert browser.ask(CONTRAST) == [], name
        assert browser.ask("document.documentElement.scrollWidth") <= width, name


def test_controls_drawings_and_regions_have_names(browser, pages, tmp_path):
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        browser.visit((tmp_path / f"{name}.html").as_uri())
        browser.call("Accessibility.enable")
        nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"textbox", "searchbox", "combobox", "button", "checkbox", "radio", "link"}
        roles |= {"image", "region", "navigation"}
        named = [each for each in nodes if each.get("role", {}).get("value") in roles]
        assert named, name
        for each in named:
            assert each["ignored"] or each["name"]["value"].strip(), (name, each["role"])
