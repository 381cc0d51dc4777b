"""One task each: from word vectors to a loss, or to columns of CoNLL-U. Wiring is in `models/`."""

from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.decoders.tag import TagDecoder
from udify_allennlp.decoders.treebank_tag import TreebankTagDecoder

__all__ = ["Decoder", "DependencyDecoder", "TagDecoder", "TreebankTagDecoder"]
