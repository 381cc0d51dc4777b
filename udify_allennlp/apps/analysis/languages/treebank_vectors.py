"""One vector for each treebank: the mean of its word vectors."""

import random
from collections.abc import Sequence
from typing import Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.tqdm import Tqdm

from udify_allennlp.apps.analysis.encoders import PlainEncoder
from udify_allennlp.text.conllu import read_sentences, treebank_name

Words = list[str]


def sample(paths: Sequence[str], count: int, seed: int) -> dict[str, list[Words]]:
    """
    Returns for each treebank, by name, the words of at most `count` sentences of its files, in
    their order. The choice depends on the treebank and on `seed`, not on the other treebanks.

    # Raises

    `ConfigurationError` for a treebank without sentences.
    """
    words_of: dict[str, list[Words]] = {}
    for path in Tqdm.tqdm(paths, desc="reading", unit=" files"):
        of_treebank = words_of.setdefault(treebank_name(path), [])
        of_treebank.extend(sentence.forms for sentence in read_sentences(path))
    for name, sentences in words_of.items():
        if not sentences:
            raise ConfigurationError(f"{name}: has no sentences. Omit its file.")
        if len(sentences) > count:
            rows = random.Random(f"{seed} {name}").sample(range(len(sentences)), count)
            words_of[name] = [sentences[row] for row in sorted(rows)]
    return dict(sorted(words_of.items()))


def layer_weights(
    encoder: PlainEncoder, layer: Optional[int] = None, task: str = "deps"
) -> torch.Tensor:
    """
    Returns the weight of each layer in a word's vector, `(layers + 1,)`, the embedding table (0)
    first: for a single `layer`, or the layer attention of a `task`. For an encoder without layer
    attention, it is the mean of the layers 1 to the last, which is the initial layer attention
    (thesis, equation 3.1, with equal `alpha` and a `beta` of 1).

    # Raises

    `ConfigurationError` if the layer or task does not exist.
    """
    weights = torch.zeros(encoder.num_layers + 1)
    if layer is not None:
        encoder.check_layers([layer], option="--layer")
        weights[layer] = 1
    elif not encoder.layer_weights:
        weights[1:] = 1 / encoder.num_layers
    elif task in encoder.layer_weights:
        weights[1:] = torch.tensor(encoder.layer_weights[task])
    else:
        tasks = ", ".join(encoder.layer_weights)
        raise ConfigurationError(
            f"--task is {task!r}, but the tasks of {encoder.name} are {tasks}. Name one of these."
        )
    return weights


def mean_vectors(
    encoder: PlainEncoder, treebanks: dict[str, list[Words]], weights: torch.Tensor
) -> numpy.ndarray:
    """
    Returns for each treebank the mean over its words, with equal weights, of the sum of the layers
    times their `weights`, `(layers + 1,)`: `(treebanks, dim)`.
    """
    sentences = [words for treebank_sentences in treebanks.values() for words in treebank_sentences]
    owners = [
        row for row, treebank_sentences in enumerate(treebanks.values()) for _ in treebank_sentences
    ]
    sums = numpy.zeros((len(treebanks), encoder.dim))
    layers = weights.nonzero().flatten().tolist()
    with Tqdm.tqdm(total=len(sentences), unit=" sentences", desc=encoder.name) as bar:
        for row, vectors in encoder.vectors(sentences, layers):
            sums[owners[row]] += torch.tensordot(weights[layers], vectors.sum(1), dims=1).numpy()
            bar.update(1)
    counts = [sum(map(len, treebank_sentences)) for treebank_sentences in treebanks.values()]
    return sums / numpy.array(counts)[:, None]
