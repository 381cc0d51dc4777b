"""Treebanks with faults."""

import random

from udify_allennlp.text.conllu import read_sentences, write_sentences


def spoilt(path, share, target, seed=0):
    """The file with a share of its UPOS and deprels wrong, and one word in all other columns."""
    rng = random.Random(seed)
    sentences = [
        each.replace(
            upos=["X" if rng.random() < share else value for value in each.upos],
            deprels=["dep" if rng.random() < share else value for value in each.deprels],
        )
        for each in read_sentences(path)
    ]
    sentences[0] = blemished(sentences[0])
    write_sentences(sentences, target)
    return sentences


def blemished(sentence):
    """Another head, and so on, of one word: no column is gold's own."""
    count = len(sentence.heads)
    leaf = next(i for i in range(count) if str(i + 1) not in sentence.heads)
    head = next(
        str(i + 1) for i in range(count) if i != leaf and str(i + 1) != sentence.heads[leaf]
    )
    others = {"upos": "SYM", "xpos": "X", "lemmas": "x", "feats": "Case=Nom"}
    others.update(heads=head, deprels="orphan")
    changed = {}
    for name, value in others.items():
        cells = list(getattr(sentence, name))
        assert cells[leaf] != value
        changed[name] = [*cells[:leaf], value, *cells[leaf + 1 :]]
    return sentence.replace(**changed)
