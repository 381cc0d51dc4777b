"""Encoders, which map the wordpieces of a batch to vectors of its words."""

from udify_allennlp.encoders.frozen_vectors import FrozenVectorEncoder
from udify_allennlp.encoders.graph_encoder import GraphEncoder
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.static_vectors import StaticVectorEncoder
from udify_allennlp.encoders.word_encoder import WordEncoder

__all__ = [
    "FrozenVectorEncoder",
    "GraphEncoder",
    "HuggingFaceEncoder",
    "StaticVectorEncoder",
    "WordEncoder",
]
