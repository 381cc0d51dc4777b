"""
Models, which combine an encoder, layer mixtures and decoders; models that start from an archive.
"""

# Finds the encoders of models.
from udify_allennlp.models import extract_encoder  # noqa: F401
from udify_allennlp.models.from_archive import ExtendedVocabulary, FromArchive
from udify_allennlp.models.keeping import KeepingModel
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.models.student import StudentModel

__all__ = [
    "ExtendedVocabulary",
    "FromArchive",
    "KeepingModel",
    "MultitaskModel",
    "StudentModel",
]
