"""The model's confidence in its predictions, word by word, in MISC: `UposProb=0.9812`."""

from collections.abc import Mapping, Sequence

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.text.misc_column import with_entries
from udify_allennlp.text.sentence import Columns, Sentence


def check(decoders: Mapping[str, Decoder], wanted: bool, temperatures: Mapping[str, float]) -> None:
    """
    Raises `ConfigurationError` if a decoder has no probabilities, or a temperature belongs to no
    entry or is not above 0.
    """
    for task, decoder in decoders.items():
        if wanted and not decoder.entries:
            raise ConfigurationError(
                f"model.probabilities: decoders.{task}, a {type(decoder).__name__}, has no "
                "probabilities for its predictions. Omit probabilities."
            )
    entries = [entry for decoder in decoders.values() for entry in decoder.entries]
    for entry, temperature in temperatures.items():
        if entry not in entries or not temperature > 0:
            raise ConfigurationError(
                f"model.temperatures has {entry}: {temperature}. Use some of {', '.join(entries)}, "
                "each with a number above 0."
            )


def add(
    columns: Sequence[Columns],
    sentences: Sequence[Sentence],
    probabilities: Mapping[str, torch.Tensor],
) -> None:
    """Adds the results of `Decoder.probabilities` to the MISC of each sentence's `columns`."""
    word_chances = zip(*(numbers.tolist() for numbers in probabilities.values()))
    for sentence_columns, sentence in zip(columns, sentences):
        sentence_columns["misc"] = [
            with_entries(
                cell,
                {name: f"{chance:.4f}" for name, chance in zip(probabilities, next(word_chances))},
            )
            for cell in sentence_columns.get("misc", sentence.misc)
        ]
