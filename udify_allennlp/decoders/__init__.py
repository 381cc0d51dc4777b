"""
One decoder per task: from word vectors to scores, a loss, and columns of CoNLL-U. `models/`
combines them.
"""

from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.decoders.feats_by_attribute import FeatsByAttributeDecoder
from udify_allennlp.decoders.lemma import LemmaDecoder
from udify_allennlp.decoders.stack_pointer import StackPointerDecoder
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.decoders.treebank_tag import TreebankTagDecoder

__all__ = [
    "Decoder",
    "DependencyDecoder",
    "Encoded",
    "FeatsByAttributeDecoder",
    "LemmaDecoder",
    "StackPointerDecoder",
    "TagDecoder",
    "TreebankTagDecoder",
]
