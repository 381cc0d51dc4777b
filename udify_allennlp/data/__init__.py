"""The path from CoNLL-U to batch tensors: tasks, tables of columns, collator, loader, samplers."""

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.cache import TableCache
from udify_allennlp.data.collate import UNSEEN, Collator
from udify_allennlp.data.instance import TableInstance
from udify_allennlp.data.loader import TreebankLoader
from udify_allennlp.data.paired_loader import PairedLoader
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.tasks import ColumnSpec, LabelTask, Task
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
