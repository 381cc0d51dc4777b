"""Plugins that import modules of release 0.1.0 still do."""

import importlib
import sys

import pytest
from structure import modules

from udify_allennlp.config.old_names import NEW_NAMES, new_name


@pytest.mark.parametrize("old", sorted(NEW_NAMES))
def test_an_old_name_gives_the_module_that_is_there_now(old):
    name, new = f"udify_allennlp.{old}", new_name(f"udify_allennlp.{old}")
    if new == "udify_spacy.component":  # it stands beside the package
        pytest.importorskip("spacy")
    else:
        assert new.removeprefix("udify_allennlp.") in modules()
    sys.modules.pop(name, None)
    with pytest.warns(DeprecationWarning, match=f"{name} is now .*{new}:"):
        module = importlib.import_module(name)
    assert module is sys.modules[new]
    assert module.__name__ == module.__spec__.name == new


def test_modules_of_a_folder_that_moved_and_names_that_never_were():
    sys.modules.pop("udify_allennlp.commands.predict", None)
    with pytest.warns(DeprecationWarning, match="is now udify_allennlp.apps.commands.predict:"):
        predict = importlib.import_module("udify_allennlp.commands.predict")
    assert predict.__name__ == "udify_allennlp.apps.commands.predict"
    assert new_name("udify_allennlp.data.table") is None
    with pytest.raises(ModuleNotFoundError, match="udify_allennlp.nonsense"):
        importlib.import_module("udify_allennlp.nonsense")
