"""Imports point down (`FLOORS` in benchmarks/structure.py); the top of the package stays short."""

import ast
import re
from pathlib import Path

import pytest
from structure import FLOORS, ROOT, Arrow, arrows, circles, floor, modules, upward

from tests.helpers import DEV
from tests.helpers.processes import python

FOUND = set(arrows())


def test_every_import_points_down():
    assert upward(FOUND) == []


def test_contributors_are_told_the_same_floors():
    page = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paragraph = page[page.index("Imports point down") :].partition("at the top of the package.")[0]
    named = re.findall(r"`([a-z0-9_]+)`", paragraph)
    assert tuple(named) == FLOORS


def test_no_module_imports_itself_over_others():
    assert circles(FOUND) == []


def test_nothing_imports_apps():
    """Commands are found by name (`config/rooms.py`)."""
    assert not {a for a in FOUND if floor(a.target) == "apps" and floor(a.source) != "apps"}


def test_the_top_of_the_package_has_few_files():
    assert len(list(ROOT.glob("*.py"))) <= 6
    assert {floor(name) for name in modules()} <= set(FLOORS)


def test_archives_are_opened_in_one_place():
    """With limits, and errors that name the archive."""
    users = {name for name, path in modules().items() if "import tarfile" in path.read_text()}
    assert users == {"archives.unpacking"}


@pytest.mark.parametrize("folder", sorted(p.name for p in ROOT.iterdir() if p.is_dir()))
def test_each_folder_says_what_lives_in_it(folder):
    if folder == "pretrained":  # no modules
        assert (ROOT / folder / "README.md").read_text()
    elif folder not in ("__pycache__", "training_config"):
        assert ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text()))


def test_text_and_modules_know_nothing_of_the_others_trade():
    def imported(folder: str) -> set:
        trees = (ast.parse(path.read_text()) for path in (ROOT / folder).glob("*.py"))
        nodes = [node for tree in trees for node in ast.walk(tree)]
        names = [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
        names += [n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module]
        found = {name.partition(".")[0] for name in names}
        assert "udify_allennlp" in found, f"{folder} has moved"
        return found

    assert not imported("text") & {"torch", "transformers"}
    assert not imported("order_transfer") & {"torch", "transformers", "allennlp"}
    below = {floor(a.target) for a in FOUND if floor(a.source) == "order_transfer"}
    assert below <= {"text", "order_transfer"}
    assert not imported("modules") & {"conllu", "transformers", "tokenizers"}


def test_text_is_read_and_written_without_torch_and_allennlp():
    done = python(f"""
        import importlib, pkgutil, sys
        from udify_allennlp.text.conllu import read_sentences
        import udify_allennlp.text as text
        words = sum(map(len, read_sentences({DEV!r})))
        roles = [name for name in sys.modules if "udify_allennlp" in name and "roles" in name]
        walked = pkgutil.walk_packages(text.__path__, text.__name__ + ".")
        found = [module.name for module in walked]
        for name in found:
            importlib.import_module(name)
        heavy = {{"torch", "allennlp", "transformers", "tokenizers", "spacy"}} & set(sys.modules)
        print(words > 100, roles, len(found) > 25, sorted(heavy))
        """)
    assert done.stdout == "True [] True []\n", done.stderr


def test_an_arrow_up_and_a_circle_are_found(tmp_path):
    root = tmp_path / "package"
    for folder, text in (
        ("text", "from package.data import table\n"),
        ("data", "def late():\n    import package.text\n"),
        ("srl", "from package.typology import wals\n"),
    ):
        (root / folder).mkdir(parents=True)
        (root / folder / "__init__.py").write_text(text)
    for name in ("data/table.py", "typology/wals.py", "typology/__init__.py"):
        path: Path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    found = set(arrows(root))
    assert Arrow("text", "data.table") in found and Arrow("data", "text") in found
    assert upward(found) == [Arrow("srl", "typology.wals"), Arrow("text", "data.table")]
    between = {Arrow(*arrow.floors) for arrow in found}
    assert circles(between) == [{"text", "data"}]
