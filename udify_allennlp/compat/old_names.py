"""Modules under the names that they had in release 0.1.0, for plugins that import those."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from types import ModuleType
from typing import Any, Optional

_PACKAGE = "udify_allennlp."
NEW_NAMES = {
    "analysis": "apps.analysis",
    "archives": "compat.archives",
    "commands": "apps.commands",
    "compat_adamw": "compat.adamw",
    "compat_runtime": "compat.running",
    "conllu": "text.conllu",
    "corpus": "apps.corpus.folder",
    "corpus_files": "apps.corpus.records",
    "corpus_parser": "apps.corpus.shard_parser",
    "corpus_shards": "apps.corpus.shards",
    "experiments": "apps.experiments",
    "lemma_rules": "text.lemma_rules",
    "memory": "kernels.memory",
    "models.decoder": "decoders.decoder",
    "models.dependency_decoder": "decoders.dependency",
    "models.sigmorphon_scores": "scoring.sigmorphon_scores",
    "models.tag_decoder": "decoders.tag",
    "models.treebank_tag_decoder": "decoders.treebank_tag",
    "models.word_scores": "scoring.word_scores",
    "modules.attention": "kernels.attention",
    "modules.dropout": "kernels.dropout",
    "modules.encoder": "encoders.hugging_face",
    "modules.no_init": "kernels.no_init",
    "modules.precision": "kernels.precision",
    "official": "scoring.official",
    "parsed": "text.parsed",
    "raw_text": "text.raw_text",
    "ray_cluster": "apps.corpus.ray_cluster",
    "ray_corpus": "apps.corpus.ray_corpus",
    "sentence": "text.sentence",
    "service": "apps.service",
    "sigmorphon": "scoring.sigmorphon",
    "spacy_component": "apps.spacy_component",
    "text_tokenizers": "text.tokenizers",
    "training.evaluator": "scoring.evaluator",
    "training.lazy_rows": "kernels.lazy_rows",
    "training.sigmorphon_evaluator": "scoring.evaluator",
    "tree_cells": "text.drawing.cells",
    "tree_checks": "text.tree_check",
    "tree_extras": "text.extra_rows",
    "tree_layout": "text.drawing.layout",
    "tree_svg": "text.drawing.svg",
    "workers": "apps.corpus.workers",
}
"""By the old name, the new one; a folder that moved takes its modules with it."""


def new_name(old: str) -> Optional[str]:
    """Where the module `old` of release 0.1.0 is now; `None` if it never was, or has not moved."""
    name = old.removeprefix(_PACKAGE)
    folder, _, rest = name.partition(".")
    if name in NEW_NAMES:
        return _PACKAGE + NEW_NAMES[name]
    if rest and folder in NEW_NAMES:
        return f"{_PACKAGE}{NEW_NAMES[folder]}.{rest}"
    return None


class OldNames(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module that has moved, and says where it is now."""

    def find_spec(self, name: str, *_: Any) -> Optional[importlib.machinery.ModuleSpec]:
        if not name.startswith(_PACKAGE) or new_name(name) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__
        new = new_name(old)
        assert new is not None
        warnings.warn(f"{old} is {new} now: import that.", DeprecationWarning, stacklevel=2)
        # The import system takes the module from here when this returns.
        sys.modules[old] = importlib.import_module(new)


def install() -> None:
    """Makes the old names importable. Safe to call twice."""
    if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
        # First: a folder under its old name would lead to its modules a second time.
        sys.meta_path.insert(0, OldNames())
