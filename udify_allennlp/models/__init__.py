"""Registered models and the decoders of their tasks."""

from udify_allennlp.models.decoder import Decoder
from udify_allennlp.models.dependency_decoder import DependencyDecoder
from udify_allennlp.models.from_archive import ExtendedVocabulary, FromArchive
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.sigmorphon_scores import SigmorphonScores
from udify_allennlp.models.tag_decoder import TagDecoder
from udify_allennlp.models.treebank_tag_decoder import TreebankTagDecoder

__all__ = [
    "Decoder",
    "DependencyDecoder",
    "ExtendedVocabulary",
    "FromArchive",
    "MultitaskModel",
    "SigmorphonScores",
    "TagDecoder",
    "TreebankTagDecoder",
]
