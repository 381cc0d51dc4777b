"""The examples of Python on the pages run, and what they say they print is right."""

import inspect
import re
import shutil

import pytest
from allennlp.models.archival import archive_model

from docs.reference.pages import filled
from tests.conftest import ROOT
from tests.saved_model import save_run
from udify_allennlp import Parser

PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/python.md", "docs/tutorial.md", "README.md")
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a user stands who has trained a model."""
    place = tmp_path_factory.mktemp("place")
    run = save_run(tmp_path_factory.mktemp("run"))
    (place / "out" / "ewt").mkdir(parents=True)
    shutil.copy(
        archive_model(str(run), "best.th", include_in_archive=["encoder"]),
        place / "out" / "ewt" / "model.tar.gz",
    )
    (place / "text.txt").write_text("The dog sleeps.\n")
    return place


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_run(page, folder, monkeypatch, capsys):
    pytest.importorskip("pandas", reason="needs the extra pandas")
    monkeypatch.chdir(folder)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)
    code = "\n".join(blocks)
    assert "Parser.load" in code
    exec(compile(code, page, "exec"), {})
    printed = capsys.readouterr().out
    promised = re.findall(r"^print\(.*\) {2,}# ([\w\[].*)$", code, re.MULTILINE)
    for line in promised:
        if line[0] in "[0123456789" or line.istitle() or line == "dog":
            assert f"{line}\n" in printed
    if page == "docs/python.md":
        assert len(promised) >= 4 and (folder / "tree.svg").exists()


def test_the_whole_api_is_on_the_page_and_its_text_on_the_site():
    page = PAGES["docs/python.md"]
    summary, text = (
        part.split("<!-- begin api -->")[1] for part in (page, filled(page, site=True))
    )
    for name in ("stream", "to_pandas", "subtree", "read_sentences", "Card"):
        assert f"`{name}" in summary
        assert name in text
    assert "Raises: `ConfigurationError` if `batch_size` is below 1" in text


def test_the_options_on_the_page_are_those_of_load():
    listed = re.findall(r"^\| `(\w+)=", PAGES["docs/python.md"], re.MULTILINE)
    options = set(inspect.signature(Parser.load).parameters)
    assert options - set(listed) == {"path", "cuda_device"}  # `device` is easier
    assert set(listed) <= options
