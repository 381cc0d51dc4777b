"""Models: an encoder, layer mixtures and decoders wired together; starting from an archive."""

from udify_allennlp.models.from_archive import ExtendedVocabulary, FromArchive
from udify_allennlp.models.multitask import MultitaskModel

__all__ = ["ExtendedVocabulary", "FromArchive", "MultitaskModel"]
