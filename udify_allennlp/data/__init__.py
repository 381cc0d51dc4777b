"""Readers, tables, fields and samplers: from CoNLL-U sentences to batch tensors."""

from udify_allennlp.data.bucket_sampler import BucketSampler
from udify_allennlp.data.cache import TableCache
from udify_allennlp.data.collate import Collator
from udify_allennlp.data.fields import ColumnField, HeadsField, WordpieceField
from udify_allennlp.data.loader import TreebankLoader
from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.data.wordpieces import WordpieceTokenizer

__all__ = [
    "BucketSampler",
    "Collator",
    "ColumnField",
    "HeadsField",
    "TableCache",
    "TreebankLoader",
    "TreebankTable",
    "UniversalDependenciesReader",
    "WordpieceField",
    "WordpieceTokenizer",
]
