"""
Runs `plugin.py` before anything that needs AllenNLP, and never for programs that need only `text/`.

Python asks the finders in `sys.meta_path` to locate a module. The finder here imports the plugin at
the first request for AllenNLP, or for a module of ours that uses it. By then the plugin has
imported that module too, so the finder returns the loaded module.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Optional, cast

_PACKAGE, _PLUGIN = __package__ or "", f"{__package__}.plugin"
_WITHOUT_ALLENNLP = ("text", "order_transfer", "segmentation", "engine")
"""Packages that import neither AllenNLP nor PyTorch."""
_ARRAYS = (
    *("data", "data.agreement", "data.agreement_odds", "data.array_batches"),
    *("data.attachments", "data.buckets"),
    *("data.columns", "data.corrections", "data.deprel_odds", "data.dictionaries"),
    "data.packed_entries",
    *("data.endings", "data.everyday_features", "data.everyday_words", "data.features_of_upos"),
    *("data.framing", "data.governed_cases", "data.imperatives", "data.inflections"),
    *("data.known_lemmas", "data.known_words", "data.label_limits", "data.label_scores"),
    "data.language_sections",
    *("data.lemma_lookup", "data.syncretism"),
    *("data.lexicon", "data.own_labels", "data.schema", "data.seen_forms"),
    *("data.sentence_source", "data.spellings", "data.standards"),
    *("data.table", "data.table_builder"),
    *("data.token_words", "data.tokenizer_growth", "data.training_lemmas"),
    *("data.vocabulary_entries", "data.word_features", "data.word_splitter", "modules"),
    *("modules.labelled_search", "modules.tree_search"),
)
"""Modules of other packages that import neither."""
_OF_PLUGIN = ("plugin", "compat", "compat.importing", "compat.lazy_imports", "compat.storage")
"""Modules that the plugin needs before AllenNLP can be imported."""


def install() -> None:
    """Makes the first import that needs AllenNLP import `plugin.py` before it."""
    if "allennlp" in sys.modules:
        importlib.import_module(_PLUGIN)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self) -> None:
        self._is_over = False

    def find_spec(self, name: str, *_: Any) -> Optional[importlib.machinery.ModuleSpec]:
        if self._is_over or not _needs_plugin(name):
            return None
        self._is_over = True  # what the plugin imports is found as usual
        try:
            importlib.import_module(_PLUGIN)
        except BaseException:
            self._is_over = False
            raise
        module = sys.modules.get(name)
        spec = getattr(module, "__spec__", None)
        if module is None or spec is None:
            return None
        spec.loader = _Loaded(module, spec.loader)
        return cast(importlib.machinery.ModuleSpec, spec)


def _needs_plugin(name: str) -> bool:
    package, _, path = name.partition(".")
    if package != _PACKAGE:
        return name == "allennlp"
    return path not in (*_OF_PLUGIN, *_ARRAYS) and path.partition(".")[0] not in _WITHOUT_ALLENNLP


class _Loaded(importlib.abc.Loader):
    """A loader for a module that is already loaded, used once; its own loader is then restored."""

    def __init__(self, module: ModuleType, loader: Any) -> None:
        self._module = module
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = self._loader
