"""Treebanks with faults."""

import random

from udify_allennlp.text.conllu import read_sentences, write_sentences


def spoilt(path, share, target, seed=0):
    """The file with a share of its UPOS and deprels wrong."""
    rng = random.Random(seed)
    sentences = [
        each.replace(
            upos=["X" if rng.random() < share else value for value in each.upos],
            deprels=["dep" if rng.random() < share else value for value in each.deprels],
        )
        for each in read_sentences(path)
    ]
    write_sentences(sentences, target)
    return sentences
