"""Module names from earlier releases, for plugins that import them."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from types import ModuleType
from typing import Any, Optional

_PACKAGE = "udify_allennlp."
NEW_NAMES = {
    "apps.spacy_component": "udify_spacy.component",
    "spacy_component": "udify_spacy.component",
    "analysis": "apps.analysis",
    "apps.analysis.attention_page": "apps.analysis.attention.page",
    "apps.analysis.breakdown_figures": "apps.analysis.errors.figures",
    "apps.analysis.calibration": "apps.analysis.errors.calibration",
    "apps.analysis.comparisons": "apps.analysis.languages.comparisons",
    "apps.analysis.distances": "apps.analysis.languages.distances",
    "apps.analysis.encoder_vectors": "apps.analysis.languages.encoder_vectors",
    "apps.analysis.error_bins": "apps.analysis.errors.bins",
    "apps.analysis.error_counts": "apps.analysis.errors.counts",
    "apps.analysis.error_figures": "apps.analysis.errors.figures",
    "apps.analysis.error_page": "apps.analysis.errors.page",
    "apps.analysis.errors.breakdown_figures": "apps.analysis.errors.figures",
    "apps.analysis.figures": "apps.analysis.output.figures",
    "apps.analysis.gold_trees": "apps.analysis.probing.gold_trees",
    "apps.analysis.graph_mass": "apps.analysis.attention.graph_mass",
    "apps.analysis.kept_results": "apps.analysis.output.result_store",
    "apps.analysis.label_places": "apps.analysis.languages.label_places",
    "apps.analysis.language_figures": "apps.analysis.languages.figures",
    "apps.analysis.languages.position_figures": "apps.analysis.languages.figures",
    "apps.analysis.model_encoder": "apps.analysis.encoders",
    "apps.analysis.neighbours": "apps.analysis.languages.neighbours",
    "apps.analysis.parsed_paths": "apps.analysis.output.parsed_paths",
    "apps.analysis.position_figures": "apps.analysis.languages.figures",
    "apps.analysis.position_results": "apps.analysis.languages.position_results",
    "apps.analysis.probe": "apps.analysis.probing.probe",
    "apps.analysis.probe_figures": "apps.analysis.probing.figures",
    "apps.analysis.probe_scores": "apps.analysis.probing.scores",
    "apps.analysis.probe_training": "apps.analysis.probing.training",
    "apps.analysis.results": "apps.analysis.output.files",
    "apps.analysis.score_files": "apps.analysis.output.score_files",
    "apps.analysis.sentence_vectors": "apps.analysis.languages.sentence_vectors",
    "apps.analysis.tree_list": "apps.analysis.errors.tree_list",
    "apps.analysis.treebank_vectors": "apps.analysis.languages.treebank_vectors",
    "apps.analysis.word_vectors": "apps.analysis.probing.word_vectors",
    "apps.commands.breakdown": "apps.analysis.errors.direction_scores",
    "apps.commands.errors": "apps.analysis.errors.arc_scores",
    "apps.commands.evaluating": "apps.commands.error_report",
    "apps.commands.teaching": "apps.commands.train_evaluate",
    "apps.experiments": "apps.studies",
    "apps.experiments.more_figures": "apps.studies.extra_metrics",
    "commands": "apps.commands",
    "compat.archive_checks": "archives.checks",
    "compat.archives": "archives.loading",
    "compat.configs": "config.named",
    "compat.later": "compat.lazy_imports",
    "compat.old_names": "config.old_names",
    "compat.pretrained": "archives.shipped",
    "compat.registered": "archives.registered",
    "compat.screen": "compat.console_log",
    "compat.settings": "config.settings",
    "compat.unpacking": "archives.unpacking",
    "compat_adamw": "compat.adamw",
    "compat_runtime": "compat.running",
    "conllu": "text.conllu",
    "corpus": "apps.corpus.folder",
    "corpus_files": "apps.corpus.records",
    "corpus_parser": "apps.corpus.shard_parser",
    "corpus_shards": "apps.corpus.shards",
    "data.character_features": "segmentation.character_features",
    "data.fewer_pieces": "models.vocabulary_pruning",
    "data.left_out": "data.unannotated_columns",
    "data.origins": "data.sentence_source",
    "data.segment_labels": "segmentation.labels",
    "data.segment_loader": "segmenter.loader",
    "data.segment_reader": "segmenter.reader",
    "data.segment_windows": "segmenter.windows",
    "data.treebank_sampling": "data.group_sampling",
    "experiments": "apps.studies",
    "graph2graph.role_decoder": "srl.decoder",
    "graph2graph.role_senses": "srl.senses",
    "graph2graph.role_tasks": "srl.tasks",
    "kernels.side_by_side": "kernels.parallel_batches",
    "lemma_rules": "text.lemma_rules",
    "memory": "kernels.memory",
    "models.card": "archives.card",
    "models.chances": "models.confidence",
    "models.consistency": "models.load_checks",
    "models.decoder": "decoders.decoder",
    "models.dependency_decoder": "decoders.dependency",
    "models.fewer_pieces": "models.vocabulary_pruning",
    "models.old_weights": "archives.old_weights",
    "models.own_encoder": "models.extract_encoder",
    "models.packed_weights": "kernels.packed_weights",
    "models.part_of_batch": "models.batch_subset",
    "models.rewriting": "archives.rewriting",
    "models.run_folder": "archives.run_folder",
    "models.segmenter": "segmenter.model",
    "models.segmenter_archive": "segmenter.archive",
    "models.segmenting": "segmentation.tokenizer",
    "models.sigmorphon_scores": "scoring.sigmorphon_scores",
    "models.tag_decoder": "decoders.tag",
    "models.treebank_tag_decoder": "decoders.treebank_tag",
    "models.word_scores": "scoring.word_scores",
    "modules.attention": "kernels.attention",
    "modules.character_network": "segmenter.network",
    "modules.dropout": "kernels.dropout",
    "modules.encoder": "encoders.hugging_face",
    "modules.no_init": "kernels.no_init",
    "modules.of_nodes": "modules.node_tuple_classifier",
    "modules.position_ids": "modules.positions",
    "modules.precision": "kernels.precision",
    "modules.role_search": "srl.search",
    "modules.span_roles": "srl.spans",
    "modules.windows": "modules.layout",
    "official": "scoring.official",
    "parsed": "text.parsed",
    "raw_text": "text.raw_text",
    "ray_cluster": "apps.corpus.ray_cluster",
    "ray_corpus": "apps.corpus.ray_corpus",
    "predictors.unseen_languages": "text.unseen_languages",
    "scoring.honest": "scoring.undefined_scores",
    "scoring.role_counts": "srl.counts",
    "scoring.role_scores": "srl.scores",
    "scoring.seed_significance": "apps.studies.differences",
    "scoring.seeds": "apps.studies.differences",
    "scoring.without_punct": "scoring.ignore_punct",
    "segmenter.floor": "segmentation.floor",
    "segmenter.labels": "segmentation.labels",
    "segmenter.language_input": "segmentation.language_input",
    "segmenter.multiword_rules": "segmentation.multiword_rules",
    "segmenter.row": "segmentation.row",
    "segmenter.tokenizer": "segmentation.tokenizer",
    "sentence": "text.sentence",
    "service": "apps.service",
    "sigmorphon": "scoring.sigmorphon",
    "srl.lemma_guess": "srl.senses",
    "text.extra_rows": "text.non_word_rows",
    "text.lemma_guess": "srl.senses",
    "text.lines": "text.line_reader",
    "text.misc": "text.misc_column",
    "text.role_columns": "text.roles.columns",
    "text.role_files": "text.roles.files",
    "text.role_rows": "text.roles.files",
    "text.role_styles": "text.roles.styles",
    "text.roles.rows": "text.roles.files",
    "text.same_words": "text.paired_files",
    "text.tables": "text.line_reader",
    "text.universal": "text.universal_labels",
    "text_tokenizers": "text.tokenizers",
    "training.card_callback": "archives.card_callback",
    "training.evaluator": "scoring.evaluator",
    "training.lazy_rows": "kernels.lazy_rows",
    "training.segmenter_callback": "segmenter.callback",
    "training.sigmorphon_evaluator": "scoring.evaluator",
    "tree_cells": "text.drawing.cells",
    "tree_checks": "text.tree_check",
    "tree_extras": "text.non_word_rows",
    "tree_layout": "text.drawing.layout",
    "tree_svg": "text.drawing.svg",
    "typology.kept": "apps.commands.pack",
    "workers": "apps.corpus.workers",
}
"""New names by old names; a folder that moved takes its modules with it."""


def new_name(old: str) -> Optional[str]:
    """
    Returns the current name of the module `old` of an earlier release; `None` unless it has moved.
    """
    name = old.removeprefix(_PACKAGE)
    folder, _, rest = name.partition(".")
    if name in NEW_NAMES:
        return _absolute(NEW_NAMES[name])
    if rest and folder in NEW_NAMES:
        return _absolute(f"{NEW_NAMES[folder]}.{rest}")
    return None


def _absolute(name: str) -> str:
    return name if name.startswith("udify_spacy.") else _PACKAGE + name


class OldNames(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder for modules that have moved, which prints their new names."""

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
        warnings.warn(f"{old} is now {new}: import that.", DeprecationWarning, stacklevel=2)
        # The import system takes the module from here when this returns.
        sys.modules[old] = importlib.import_module(new)


def install() -> None:
    """Makes the old names importable. Safe to call twice."""
    if not any(isinstance(finder, OldNames) for finder in sys.meta_path):
        # First: a folder under its old name would lead to its modules a second time.
        sys.meta_path.insert(0, OldNames())
