"""Subcommands of `allennlp`; a module is imported when one of its commands is typed."""

import importlib
from typing import Any

_HOMES = {
    "Bundle": "bundle",
    "Calibrate": "calibrate",
    "Configs": "configs",
    "Downstream": "downstream",
    "EvaluateTreebanks": "train_evaluate",
    "Experiment": "experiment",
    "ExportEncoder": "export",
    "Forgotten": "forgotten",
    "Inspect": "inspect_model",
    "Jackknife": "jackknife",
    "JoinRoles": "roles",
    "Languages": "languages",
    "ModelCard": "card",
    "PackModel": "pack",
    "ParseCorpus": "parse_corpus",
    "Positions": "positions",
    "PredictTreebank": "predict",
    "ScoreFiles": "score",
    "ScoreRoles": "roles",
    "SearchTrees": "search",
    "Serve": "serve",
    "StructuralProbe": "probe",
    "TrainParser": "train_evaluate",
    "Vectors": "vectors",
    "ViewTrees": "view",
    "WordOrder": "word_order",
}
__all__ = [*_HOMES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
