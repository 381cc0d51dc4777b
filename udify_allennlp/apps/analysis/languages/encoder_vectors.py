"""Static word vectors for several languages in one space, from a multilingual encoder."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy

from udify_allennlp.text.conllu import read_sentences, treebank_language, treebank_name


def frequent_words(paths: Sequence[str], count: int) -> dict[str, list[str]]:
    """
    Returns for each language, named as in the file names, its `count` most frequent words, most
    frequent first, ties by spelling: in lower case, with 0 for each digit, as `StaticVectors` looks
    them up. Raises the errors of `read_sentences`.
    """
    counts: dict[str, Counter] = {}
    for path in paths:
        lang_counts = counts.setdefault(treebank_language(treebank_name(path)), Counter())
        for sentence in read_sentences(path):
            lang_counts.update(re.sub(r"\d", "0", form.lower()) for form in sentence.forms)
    return {
        lang: sorted(lang_counts, key=lambda word: (-lang_counts[word], word))[:count]
        for lang, lang_counts in counts.items()
    }


def one_space(vectors: dict[str, numpy.ndarray], dim: int) -> dict[str, numpy.ndarray]:
    """
    Returns the vectors of languages, `(words, width)` each, minus the mean of their language,
    projected on the `dim` directions in which all of them vary most, and scaled to unit length:
    `(words, dim)`, float32. This removes the differences between languages.
    """
    centred = {lang: rows - rows.mean(0) for lang, rows in vectors.items()}
    variance = sum(rows.T.astype(numpy.float64) @ rows for rows in centred.values())
    _, directions = numpy.linalg.eigh(variance)  # the largest come last
    chosen = directions[:, ::-1][:, :dim]
    return {lang: unit_length(rows @ chosen) for lang, rows in centred.items()}


def unit_length(rows: numpy.ndarray) -> numpy.ndarray:
    """Returns rows scaled to length 1, float32; rows of zeros stay."""
    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / numpy.where(lengths > 0, lengths, 1)).astype(numpy.float32)
