import subprocess
import sys

import pytest

from tests.helpers.processes import python
from udify_allennlp.compat.lazy_imports import OPTIONAL, PACKAGES, Later, imported_later

ABSENT = [*OPTIONAL, "huggingface_hub"]
WAITING = [name for name in PACKAGES if name != "transformers"]
BLOCK = f"""
import sys
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent)
"""


def test_what_parsing_does_not_need_is_neither_imported_nor_missed():
    done = python(f"""
        import sys
        import udify_allennlp.plugin
        from allennlp.common.plugins import import_plugins
        import_plugins()
        waiting = {{*{WAITING}, "transformers.modeling_utils"}}
        print(sorted(waiting & set(sys.modules)))
        """)
    assert done.stdout == "[]\n", done.stderr


def test_files_that_are_here_are_not_fetched(tmp_path):
    file, folder = tmp_path / "file.txt", tmp_path / "folder"
    file.touch()
    folder.mkdir()
    done = python(f"""
        import sys
        import udify_allennlp.plugin
        from allennlp.common.file_utils import cached_path
        paths = {[str(file), str(folder)]}
        print([cached_path(path) for path in paths] == paths)
        print(cached_path(paths[1], extract_archive=True) == paths[1], "cached_path" in sys.modules)
        print(cached_path(paths[0], extract_archive=True) == paths[0], "cached_path" in sys.modules)
        """)
    assert done.stdout == "True\nTrue False\nTrue True\n", done.stderr


def test_allennlp_works_where_they_are_not_installed():
    done = python(
        BLOCK
        + """
import udify_allennlp.plugin
from allennlp.common.plugins import import_plugins
import_plugins()
from allennlp.common import util
assert util.sanitize({"a": [1, "b"]}) == {"a": [1, "b"]}
from allennlp.models import Model
from allennlp.common.checks import ConfigurationError
try:
    Model.by_name("udify_multitsk")
except ConfigurationError as error:  # AllenNLP asks nltk which name is near
    assert "did you mean 'udify_multitask'" in str(error)
from allennlp.training.metrics import Auc
import torch
try:
    Auc()(torch.tensor([0.1]), torch.tensor([1]))
    Auc.get_metric(Auc())
except ImportError as error:
    print(error)
"""
    )
    assert done.returncode == 0, done.stderr
    assert "pip install 'udify_allennlp[allennlp]'" in done.stdout or not done.stdout


def test_who_else_imports_them_gets_the_package_itself():
    done = python("""
        import udify_allennlp, sys, scipy.stats
        import allennlp.training.metrics.spearman_correlation as ours
        from udify_allennlp.compat.lazy_imports import Later
        assert isinstance(ours.stats, Later) and not isinstance(scipy.stats, Later)
        print(ours.stats.spearmanr([1, 2, 3], [1, 2, 3]).statistic)
        """)
    assert done.stdout == "1.0\n", done.stderr


def test_a_name_is_imported_when_it_is_used():
    counter = Later("collections").Counter
    assert counter("aab") == {"a": 2, "b": 1}
    assert isinstance(counter("a"), counter) and not isinstance({}, counter)
    assert not isinstance({}, Later("no.such.package").Thing)
    assert Later("os").path.join("a", "b") == "a/b"
    assert Later("xml").etree.ElementTree.Element("a").tag == "a"  # a module nobody imported
    assert Later("os").environ["PATH"]

    class Derived(counter):
        pass

    assert Derived.__mro__[1].__name__ == "Counter"
    assert not hasattr(counter, "from_params") and not hasattr(counter, "__origin__")
    with pytest.raises(ImportError, match=r"needs no_such_package for this.*udify_allennlp\[alle"):
        Later("no_such_package").thing()


def test_only_modules_of_allennlp_wait():
    with imported_later():
        here, theirs = {"__name__": __name__}, {"__name__": "allennlp.common"}
        exec("import subprocess, spacy.tokens as t", theirs)
        exec("import json", here)
    assert isinstance(theirs["t"], Later) and theirs["subprocess"] is subprocess
    assert here["json"] is sys.modules["json"]
