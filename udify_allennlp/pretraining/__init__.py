"""Masked language models that learn universal dependencies (Sun et al. 2021)."""

from udify_allennlp.pretraining.model import PretrainingModel
from udify_allennlp.pretraining.structure_decoder import StructureDecoder

__all__ = ["PretrainingModel", "StructureDecoder"]
