"""Predictions of tag decoders for one sentence."""

from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.modules.layout import Layout


def encoded(words):
    """The words as one sentence: a tag decoder looks at single words."""
    return Encoded(words, Layout.from_lengths([len(words)]))


def decode(decoder, words, sentences):
    return decoder.decode(decoder.scores(encoded(words)), sentences)
