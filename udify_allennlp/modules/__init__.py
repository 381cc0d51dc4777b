"""The equations: tensors in, tensors out. No strings, no Vocabulary, no files."""

from udify_allennlp.modules.position_attention import PositionAttention
from udify_allennlp.modules.recurrent import StackedLstm

__all__ = ["PositionAttention", "StackedLstm"]
