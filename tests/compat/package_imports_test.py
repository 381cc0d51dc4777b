"""Imports by `--include-package` and plugins."""

import importlib
import sys

import pytest
from allennlp.common import plugins

from tests.helpers.processes import python
from udify_allennlp.compat.package_imports import import_modules

FILES = {
    "pack_of_a_user/__init__.py": "",
    "pack_of_a_user/models.py": "",
    "pack_of_a_user/inner/__init__.py": "",
    "pack_of_a_user/inner/decoder.py": "",
    "pack_of_a_user/left/out.py": "1 / 0\n",
    "pack_of_a_user/left/__init__.py": "1 / 0\n",
    "pack_of_a_user/_private.py": "1 / 0\n",
    "pack_of_a_user/test_models.py": "1 / 0\n",
    # Has the name of a package in the other one: AllenNLP imports it, too.
    "inner/__init__.py": "1 / 0\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    yield "pack_of_a_user"
    for name in [name for name in sys.modules if name.startswith("pack_of_a_user")]:
        del sys.modules[name]


def test_all_public_modules_of_a_package_here_are_imported(package):
    import_modules(package, {f"{package}.left"})
    names = {name for name in sys.modules if name.startswith(package)}
    assert names == {package, *(f"{package}.{x}" for x in ("models", "inner", "inner.decoder"))}


def test_files_are_looked_for_again_once_for_each_package(monkeypatch):
    times = []
    monkeypatch.setattr(importlib, "invalidate_caches", lambda: times.append(1))
    plugins.import_plugins()
    assert len(times) == 1 + len(plugins.DEFAULT_PLUGINS)


def test_this_package_is_there_without_its_modules():
    done = python("""
        import sys
        from udify_allennlp import cli
        from allennlp import commands
        from allennlp.models import Model
        before = {*sys.modules}
        commands.import_module_and_submodules("udify_allennlp")
        print({*sys.modules} - before)
        print(Model.by_name("udify_translation").__name__)
        """)
    assert done.stdout == "set()\nTranslationModel\n", done.stderr
