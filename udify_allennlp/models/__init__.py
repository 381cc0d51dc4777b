"""Registered models and the decoders of their tasks."""

from udify_allennlp.models.decoder import Decoder
from udify_allennlp.models.dependency_decoder import DependencyDecoder
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.tag_decoder import TagDecoder

__all__ = ["Decoder", "DependencyDecoder", "MultitaskModel", "TagDecoder"]
