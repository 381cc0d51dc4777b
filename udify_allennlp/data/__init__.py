"""The path from CoNLL-U to batch tensors: tasks, tables of columns, collator, loader, samplers."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from udify_allennlp.data.bucket_sampler import BucketSampler
    from udify_allennlp.data.cache import TableCache
    from udify_allennlp.data.collate import Collator
    from udify_allennlp.data.columns import UNSEEN, ColumnSpec
    from udify_allennlp.data.instance import TableInstance
    from udify_allennlp.data.loader import TreebankLoader
    from udify_allennlp.data.paired_loader import PairedLoader
    from udify_allennlp.data.schema import Schema
    from udify_allennlp.data.table import TreebankTable
    from udify_allennlp.data.tasks import LabelTask, Task
    from udify_allennlp.data.text_loader import TextLoader
    from udify_allennlp.data.text_source import TextSource
    from udify_allennlp.data.ud_reader import UniversalDependenciesReader
    from udify_allennlp.data.wordpieces import WordpieceTokenizer

__all__ = [
    "BucketSampler",
    "Collator",
    "ColumnSpec",
    "LabelTask",
    "PairedLoader",
    "Schema",
    "TableCache",
    "TableInstance",
    "Task",
    "TextLoader",
    "TextSource",
    "TreebankLoader",
    "TreebankTable",
    "UNSEEN",
    "UniversalDependenciesReader",
    "WordpieceTokenizer",
]

# Imported on demand: batches of arrays need neither PyTorch nor AllenNLP (`engine/`).
_HOMES = {
    "BucketSampler": "bucket_sampler",
    "Collator": "collate",
    "ColumnSpec": "columns",
    "LabelTask": "tasks",
    "PairedLoader": "paired_loader",
    "Schema": "schema",
    "TableCache": "cache",
    "TableInstance": "instance",
    "Task": "tasks",
    "TextLoader": "text_loader",
    "TextSource": "text_source",
    "TreebankLoader": "loader",
    "TreebankTable": "table",
    "UNSEEN": "columns",
    "UniversalDependenciesReader": "ud_reader",
    "WordpieceTokenizer": "wordpieces",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
