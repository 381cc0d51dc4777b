"""
The trained segmenter of raw text: reader, windows, network, model, and the segmenter inside the
archive of a parser. Its tokenizer is in `segmentation/`.
"""

from udify_allennlp.segmenter.archive import segmenter_tokenizer
from udify_allennlp.segmenter.callback import KeepSegmenter
from udify_allennlp.segmenter.from_archive import (
    ExtendedSegmenterVocabulary,
    SegmenterFromArchive,
)
from udify_allennlp.segmenter.loader import SegmenterLoader
from udify_allennlp.segmenter.model import Segmenter
from udify_allennlp.segmenter.reader import SegmenterReader

__all__ = [
    "ExtendedSegmenterVocabulary",
    "KeepSegmenter",
    "Segmenter",
    "SegmenterFromArchive",
    "SegmenterLoader",
    "SegmenterReader",
    "segmenter_tokenizer",
]
