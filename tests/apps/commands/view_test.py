import sys
from html.parser import HTMLParser

import pytest

from tests.apps.service import browser as browsers
from tests.conftest import FIXTURES
from tests.helpers import DEV, execute
from udify_allennlp import cli
from udify_allennlp.text.conllu import read_sentences, write_sentences


@pytest.fixture
def view(monkeypatch, capsys, tmp_path):
    """Runs `allennlp ud-view`: the exit code, the page, what was said."""
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)

    def execute(*words):
        page = tmp_path / "page.html"
        command = ["allennlp", "ud-view", *map(str, words), "--out", str(page)]
        monkeypatch.setattr(sys, "argv", command)
        code = cli.run()
        return (
            code,
            page.read_text(encoding="utf-8") if page.exists() else None,
            capsys.readouterr(),
        )

    return execute


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_page_shows_every_sentence_and_fetches_nothing(view):
    code, page, _ = view(DEV)
    tags = Tags(page).found
    count = len(list(read_sentences(DEV)))
    assert code == 0
    assert sum(attributes.get("class") == "wrapped" for _, attributes in tags) == count
    assert not any({"src", "href"} & set(attributes) for _, attributes in tags)
    assert "only with differences" not in page


def test_without_a_page_trees_are_drawn_in_the_terminal(capsys, tmp_path):
    file = tmp_path / "text.conllu"
    rows = ["1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_", "2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_"]
    bare = "1\tDogs\t_\t_\t_\t_\t_\t_\t_\t_"
    file.write_text("\n".join([*rows, "", bare, "", ""]), encoding="utf-8")
    assert execute("ud-view", str(file)) == 0
    assert capsys.readouterr().out == (
        "Dogs bark\nbark VERB root\n└── Dogs NOUN nsubj\n\nDogs\n(no tree)\n\n"
    )
    assert execute("ud-view", DEV, "--predicted", DEV) == 1
    assert "add --out errors.html" in capsys.readouterr().err


def test_differences_are_counted(view, tmp_path):
    sentences = list(read_sentences(DEV))
    changed = ["X" if upos != "X" else "Y" for upos in sentences[2].upos]
    sentences[2] = sentences[2].replace(upos=changed)
    write_sentences(sentences, tmp_path / "p.conllu")
    _, page, _ = view(DEV, "--predicted", tmp_path / "p.conllu")
    assert page.count('class="entry wrong"') == 1
    assert f"<tr><td>UPOS</td><td>{len(changed)}</td>" in page
    assert "<tr><td>head</td><td>0</td><td>0.00%</td></tr>" in page
    assert "<td>roles</td>" not in page
    assert f'<span class="badge">{len(changed)} UPOS</span>' in page


def test_scores_are_of_what_both_have(view, tmp_path):
    sentences = list(read_sentences(DEV))
    parsed = [each.replace(lemmas=["_"] * len(each)) for each in sentences]
    parsed[0] = parsed[0].replace(deprels=["dep"] * len(parsed[0]))
    write_sentences(parsed, tmp_path / "p.conllu")
    _, page, _ = view(DEV, "--predicted", tmp_path / "p.conllu")
    words = sum(map(len, sentences))
    wrong = sum(label != "dep" for label in sentences[0].deprels)
    assert f"UAS <b>100.00</b> &nbsp; LAS <b>{100 - 100 * wrong / words:.2f}</b></p>" in page
    assert "Lemmas" not in page
    own = 100 - 100 * wrong / len(sentences[0])
    assert f'<span class="las">LAS {own:.0f}</span>' in page


def test_the_worst_first_and_those_with_a_relation(view, tmp_path):
    """In a browser."""
    if not browsers.FOUND:
        pytest.skip("not here: no Chromium")
    sentences = list(read_sentences(DEV))
    parsed = list(sentences)
    for number, words in ((3, 1), (7, 2)):
        labels = ["vocative"] * words + sentences[number].deprels[words:]
        parsed[number] = parsed[number].replace(deprels=labels)
    write_sentences(parsed, tmp_path / "p.conllu")
    view(DEV, "--predicted", tmp_path / "p.conllu")
    browser = browsers.Browser(tmp_path / "browser")

    def shown():
        numbers = "[...document.querySelectorAll('.entry:not([hidden]) .number')]"
        return browser.ask(f"{numbers}.map(each => Number(each.textContent))")

    def choose(name, value):
        change = f"get('{name}').value = '{value}'; get('{name}').onchange()"
        browser.ask(change)

    try:
        browser.visit((tmp_path / "page.html").as_uri())
        assert shown() == list(range(1, 26))
        choose("order", "most errors first")
        assert shown()[:3] == [8, 4, 1]
        choose("order", "")
        browser.click("#only")
        assert shown() == [4, 8]
        browser.click("#only")
        choose("relation", "vocative")
        assert shown() == [4, 8]
        choose("relation", "nmod")
        subtypes = [
            number
            for number, each in enumerate(sentences, start=1)
            if any(label.split(":")[0] == "nmod" for label in each.deprels)
        ]
        assert shown() == subtypes[:25] and subtypes
        choose("relation", "")
        browser.ask("get('find').value = document.querySelector('#trees code').textContent")
        browser.ask("get('find').oninput()")
        assert len(shown()) < 25
    finally:
        browser.close()


def test_names_and_comments_are_escaped(view, tmp_path):
    path = tmp_path / "a<b>&.conllu"
    path.write_text("# text = <img src=x>\n# sent_id = <i>\n1\t<b>\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    page = view(path)[1]
    assert not {"img", "i", "b"} & {tag for tag, _ in Tags(page).found}


def test_an_id_that_is_the_number_is_not_told_twice(view, tmp_path):
    rows = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "a.conllu").write_text(f"# sent_id = 1\n{rows}# sent_id = x\n{rows}")
    page = view(tmp_path / "a.conllu")[1]
    assert page.count("<code>") == 1 and "<code>x</code>" in page


def test_drawings_and_what_scrolls_have_names(view):
    tags = Tags(view(DEV)[1]).found
    drawings = [each for _, each in tags if each.get("class") == "wrapped"]
    assert drawings and all(each["role"] == "img" and each["aria-label"] for each in drawings)
    regions = [each for _, each in tags if "scroll" in (each.get("class") or "").split()]
    assert len(regions) >= len(drawings)
    assert all(each["role"] == "region" and each["aria-label"] for each in regions)


def test_ranges_and_empty_nodes_are_on_the_page(view):
    german = FIXTURES / "ud" / "de_gsd-ud-dev.conllu"
    ranges = [
        line
        for line in german.read_text(encoding="utf-8").splitlines()
        if "-" in line.split("\t")[0]
    ]
    page = view(german)[1]
    brackets = [a for tag, a in Tags(page).found if tag == "path" and a.get("class") == "range"]
    assert len(brackets) == sum(line[0].isdigit() for line in ranges) > 0


def test_right_to_left_starts_at_the_right(view, tmp_path):
    (tmp_path / "he.conllu").write_text("1\tשלום\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert 'class="scroll" dir="rtl"' in view(tmp_path / "he.conllu")[1]


def test_a_full_disk_leaves_the_old_page_and_nothing_else(view, tmp_path, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    (tmp_path / "page.html").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    code, page, said = view(DEV)
    assert code == 1 and "page.html: no space left on device. Free some space" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "old"


def test_mistakes_are_one_line_and_leave_no_page(view, tmp_path):
    turned = list(reversed(list(read_sentences(DEV))))
    write_sentences(turned, tmp_path / "turned.conllu")
    code, page, said = view(DEV, "--predicted", tmp_path / "turned.conllu")
    assert (code, page) == (1, None)
    assert "the words differ from those of" in said.err.splitlines()[-1]
    write_sentences(list(read_sentences(DEV))[:-1], tmp_path / "short.conllu")
    code, page, said = view(DEV, "--predicted", tmp_path / "short.conllu")
    assert (code, page) == (1, None)
    assert "different numbers of sentences" in said.err.splitlines()[-1]
