"""`allennlp evaluate` with `--report` and `--official`."""

import json
import re
import shutil
import sys

import pytest
from markupsafe import escape

from tests.helpers import DEV
from tests.saved_model import save_run
from udify_allennlp import cli
from udify_allennlp.apps.commands.error_report import Report
from udify_allennlp.scoring import evaluator
from udify_allennlp.scoring.undefined_scores import COLUMNS
from udify_allennlp.text.conllu import read_sentences


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = save_run(tmp_path_factory.mktemp("run"))
    config = json.loads((folder / "config.json").read_text())
    config.update(evaluation={"type": "udify"}, data_loader={"type": "udify"})
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def evaluate(run, monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("ALLENNLP_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)

    def execute(*words):
        monkeypatch.setattr(sys, "argv", ["allennlp", "evaluate", str(run), *map(str, words)])
        return cli.run(), capsys.readouterr()

    return execute


def test_a_report_has_pages_and_parses(evaluate, tmp_path):
    shutil.copy(DEV, tmp_path / "xx_a-ud-dev.conllu")
    code, said = evaluate(f"{DEV},xx_a-ud-dev.conllu", "--report", "report", "--output-file", "a,b")
    assert code == 0 and evaluator._watcher.get() is None
    names = sorted(path.name for path in (tmp_path / "report").iterdir())
    assert names == ["en_ewt.conllu", "en_ewt.html", "index.html", "xx_a.conllu", "xx_a.html"]
    page = (tmp_path / "report" / "en_ewt.html").read_text()
    for title in ("Confusions of UPOS", "Confusions of universal", "Length of the", "The worst"):
        assert title in page
    assert 0 < page.count('class="wrapped"') <= 40
    assert not re.search(r'(src|href)="(?!#)', page)  # nothing is fetched
    index = (tmp_path / "report" / "index.html").read_text()
    assert 'href="en_ewt.html"' in index and "macro average" in index
    (las,) = {line.split()[7] for line in said.out.splitlines() if line.startswith("en_ewt")}
    assert f"<td>{las}</td>" in page and f"<td>{las}</td>" in index
    parsed = read_sentences(tmp_path / "report" / "en_ewt.conllu")
    assert [s.forms for s in parsed] == [s.forms for s in read_sentences(DEV)]
    code, said = evaluate(DEV, "--report", "report")
    assert code == 1 and "--report report exists and is not an empty folder" in said.err


def test_official_figures_have_no_gaps(evaluate, tmp_path):
    metrics = {}
    for option in ((), ("--official",)):
        code, said = evaluate(DEV, "--output-file", "scores.json", *option)
        assert code == 0
        metrics[option] = json.loads((tmp_path / "scores.json").read_text())
        assert ("-" in said.out.split()) != bool(option)
    honest, official = metrics.values()
    assert official.keys() - honest.keys() == {"XPOS", "AllTags"} and official["XPOS"] == 100
    assert all(official[metric] == value for metric, value in honest.items())


def test_the_first_page_of_one_treebank_shows_its_worst_errors(tmp_path):
    gold = list(read_sentences(DEV))
    for name, label in (("<i>", "X<b>"), ("b", "X")):
        pairs = [(each, each) for each in gold[:12]]
        changed = [label] + gold[3].upos[1:]
        pairs[3] = (gold[3], gold[3].replace(upos=changed))
        folder = tmp_path / label[0]
        folder.mkdir(exist_ok=True)
        report = Report(folder)
        report.scored(name, pairs, {"UPOS": 99.0}, ["upos"])
        report.finish()
        page = (folder / "index.html").read_text()
        assert page.count('class="wrapped"') == 1 and "Most frequent confusions of UPOS" in page
        assert ">All errors of " in page and "<b>" not in page and "<i>" not in page
        assert str(escape(label)) in page
    report = Report(tmp_path)
    for name in ("a", "b"):
        report.scored(name, pairs, {"UPOS": 99.0}, ["upos"])
    report.finish()
    assert 'wrapped"' not in (tmp_path / "index.html").read_text()


def test_names_of_files_stay_in_the_folder(tmp_path):
    gold = list(read_sentences(DEV))[:2]
    pairs = list(zip(gold, gold))
    report = Report(tmp_path)
    for name in ("../up", "index", "a/b", "a_b", "<i>", ".."):
        report.scored(name, pairs, {"LAS": 100.0}, COLUMNS)
    report.finish()
    pages = sorted(path.name for path in tmp_path.glob("*.html"))
    assert len(pages) == 7 and not list(tmp_path.parent.glob("up*"))
    assert "<i>" not in (tmp_path / "index.html").read_text()
    assert "The worst" in (tmp_path / "a_b.html").read_text()
