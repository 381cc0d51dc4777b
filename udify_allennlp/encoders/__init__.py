"""From the wordpieces of a batch to vectors of its words. What tasks do with them is elsewhere."""

from udify_allennlp.encoders.hugging_face import Encoder

__all__ = ["Encoder"]
