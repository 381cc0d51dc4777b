"""`allennlp ud-inspect attention` as a user types it."""

import json
import re
from html.parser import HTMLParser

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.analysis.helpers import run_command, save_run
from tests.helpers import DEV, ENCODER
from udify_allennlp.apps.analysis.attention.page import WEAKEST
from udify_allennlp.apps.analysis.encoders import between_words
from udify_allennlp.apps.analysis.output import figures
from udify_allennlp.text.conllu import Sentence, read_sentences, write_sentences

NASTY = ["<script>alert(1)</script>", "&amp;", '"q"', "$x_1$", "ß", "]]>"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("models"))


@pytest.fixture
def attention(monkeypatch, capsys):
    return lambda *words: run_command(monkeypatch, capsys, "ud-inspect", "attention", *words)


def read_maps(folder):
    return json.loads((folder / "attention.json").read_text(encoding="utf-8"))


def test_before_and_after_fine_tuning(run, attention, tmp_path):
    words = [ENCODER, run, DEV, "--sentence", 2, "--layers", "1,3", "--heads", "2", "--pieces"]
    code, output, errors = attention(*words, "--out", tmp_path / "out")
    assert (code, output) == (0, "") and "2/2" in errors
    kept = read_maps(tmp_path / "out")
    assert kept["words"] == list(read_sentences(DEV))[1].forms
    keys = [(item["model"], item["layer"], item["head"]) for item in kept["maps"]]
    assert keys == [(name, layer, 2) for name in ("encoder", run.name) for layer in (1, 3)]
    for item in kept["maps"]:
        n = len(item["wordpieces"])
        assert len(item["attention"]) == n
        assert all(
            len(row) == n and sum(row) == pytest.approx(1, abs=0.01) for row in item["attention"]
        )
    assert kept["maps"][0]["attention"] != kept["maps"][2]["attention"]


def test_words_by_default_and_no_special_pieces(run, attention, tmp_path):
    for place, more in (("words", []), ("pieces", ["--pieces"])):
        words = [run, DEV, "--sentence", 2, "--layers", 2, "--heads", 1, *more]
        assert attention(*words, "--out", tmp_path / place)[0] == 0
    kept = read_maps(tmp_path / "words")
    (item,), (other,) = kept["maps"], read_maps(tmp_path / "pieces")["maps"]
    n = len(kept["words"])
    assert len(other["wordpieces"]) > n and "wordpieces" not in item
    assert [len(row) for row in item["attention"]] == [n] * n
    assert all(sum(row) < 1 for row in item["attention"])
    page = Page((tmp_path / "words" / "attention.html").read_text(encoding="utf-8"))
    assert page.pieces == kept["words"] * 2


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_between_words_is_a_mean_of_sums(counts, seed):
    torch.manual_seed(seed)
    owners = [0, *(word for word, count in enumerate(counts, start=1) for _ in range(count)), 0]
    shares = torch.rand(2, 3, len(owners), len(owners), dtype=torch.float64)
    found = between_words(shares, torch.tensor(owners), len(counts))
    for giver in range(len(counts)):
        for taker in range(len(counts)):
            gives = [i for i, word in enumerate(owners) if word == giver + 1]
            takes = [i for i, word in enumerate(owners) if word == taker + 1]
            mean = sum(shares[..., i, j] for i in gives for j in takes) / len(gives)
            torch.testing.assert_close(found[..., giver, taker], mean)


def test_by_default_all_heads_of_the_last_layer(run, attention, tmp_path):
    assert attention(run, DEV, "--out", tmp_path / "out")[0] == 0
    keys = [(item["layer"], item["head"]) for item in read_maps(tmp_path / "out")["maps"]]
    assert keys == [(3, 1), (3, 2)]


class Page(HTMLParser):
    """Tags in order, the text in `text` elements, and whether every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.pieces, self.attributes = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "text":
            self.pieces.append(data)


def test_the_page_is_whole_and_escapes_all_text(run, attention, tmp_path):
    path = tmp_path / "<b>.conllu"
    write_sentences([Sentence.from_words(NASTY)], path)
    words = [run, path, "--layers", 1, "--heads", 1, "--pieces"]
    assert attention(*words, "--out", tmp_path / "out")[0] == 0
    text = (tmp_path / "out" / "attention.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == [] and "script" not in page.tags
    # Nothing from outside: no address, no source, no style that fetches.
    assert not re.search(r"https?://|url\(|@import", text)
    assert not {"src", "href"} & {name for name, _ in page.attributes}
    (item,) = read_maps(tmp_path / "out")["maps"]
    assert page.pieces == item["wordpieces"] * 2
    drawn = sum(share >= WEAKEST for row in item["attention"] for share in row)
    assert abs(page.tags.count("line") - drawn) <= 1  # one may be rounded across the bound


def test_the_figure_draws_text_as_it_is(run, attention, tmp_path):
    pytest.importorskip("matplotlib")
    write_sentences([Sentence.from_words(NASTY)], tmp_path / "n.conllu")
    words = [ENCODER, run, tmp_path / "n.conllu", "--out", tmp_path / "out"]
    assert attention(*words)[0] == 0
    assert (tmp_path / "out" / "attention.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_is_the_page(run, attention, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(figures.importlib.util, "find_spec", lambda name: None)
    assert attention(run, DEV, "--out", tmp_path / "out")[0] == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"attention.json", "attention.html"}
    assert "pip install 'udify_allennlp[viz]'" in caplog.text


def test_mistakes_are_one_line(run, attention, tmp_path):
    long = tmp_path / "long.conllu"
    write_sentences([Sentence.from_words(["dog"] * 80)], long)
    count = len(list(read_sentences(DEV)))
    for words, message in (
        ([run, DEV, "--layers", "4"], "--layers has 4, but"),
        ([run, DEV, "--layers", "0"], "has layers 1 to 3"),
        ([run, DEV, "--heads", "1-3"], "--heads has 3, but"),
        ([run, DEV, "--heads", "x"], "--heads is 'x'. Use numbers and ranges"),
        ([run, DEV, "--sentence", "999"], f"has no sentence 999, only 1 to {count}"),
        ([run, DEV, "--sentence", "0"], "has no sentence 0"),
        ([run, long], "windows of"),
        ([run, "missing.conllu"], "missing.conllu: no such file"),
        (["missing", DEV], "No encoder could be loaded from 'missing'"),
    ):
        code, output, errors = attention(*words, "--out", tmp_path / "out")
        assert (code, output) == (1, "") and message in errors.splitlines()[-1]
        assert "Traceback" not in errors


def test_the_help_shows_a_command(attention):
    code, output, _ = attention("--help")
    assert code == 0 and "--sentence 3 --layers 7,10,11 --heads 3,4" in output
