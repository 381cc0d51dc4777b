"""A trained model whose encoder gets pieces for letters that its tokenizer lacks."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.models.vocabulary_pruning import (
    piece_tables,
    read_tokenizer,
    write_tokenizer,
)

logger = logging.getLogger(__name__)


def add_letters(
    model: Model, words: Iterable[str], least: int, folder: Path, state: dict[str, torch.Tensor]
) -> None:
    """
    Adds a piece for each letter that occurs at least `least` times in `words` and that the
    tokenizer lacks, to the weights `state` and the encoder's files in `folder`, in place.

    The vector of a new piece is that of the unknown piece, which stood for words with such letters
    and means nothing about them: a model must be trained further before it parses them better.
    Words without these letters are split and encoded as before (our choice; multilingual models
    otherwise leave whole scripts unknown, such as Coptic in UDify: thesis, Table 4.6). If no letter
    is unknown, nothing changes, with a warning.

    # Raises

    `ConfigurationError` if the type of the tokenizer does not allow new pieces, or for the reasons
    of `piece_tables`.
    """
    tables = piece_tables(model, folder)
    tokenizer = WordpieceTokenizer(str(folder), str(folder))
    letters = unknown_letters(tokenizer, words, least)
    if not letters:
        logger.warning("The tokenizer knows all letters that are frequent enough: none is added.")
        return
    settings = read_tokenizer(folder)
    known = len(settings["model"]["vocab"])
    grown = with_letters(settings, letters)
    new = len(grown["model"]["vocab"]) - known
    for name in tables:
        unknown = state[name][tokenizer.unknown_id]
        state[name] = torch.cat([state[name][:known], unknown.repeat(new, 1)])
    write_tokenizer(folder, grown)


def unknown_letters(
    tokenizer: WordpieceTokenizer, words: Iterable[str], least: int = 1
) -> list[str]:
    """
    Returns the characters, as the tokenizer normalizes them, that occur at least this often in
    `words` and that it lacks.
    """
    counts = Counter(character for word in words for character in word)
    frequent = sorted(character for character, count in counts.items() if count >= least)
    normalizer = tokenizer.pretrained.backend_tokenizer.normalizer
    found: dict[str, None] = {}
    for character, pieces in zip(frequent, tokenizer(frequent)):
        if tokenizer.unknown_id in pieces:
            text = normalizer.normalize_str(character) if normalizer else character
            found.update(dict.fromkeys(text))
    return list(found)


def with_letters(settings: Mapping[str, Any], letters: Sequence[str]) -> dict[str, Any]:
    """
    Returns the settings of a `tokenizer.json` with a piece for each letter; for WordPiece with two,
    one of which begins a word.

    # Raises

    `ConfigurationError` if pieces are made by merging others (BPE), or are numbered beyond those of
    the model.
    """
    model = settings["model"]
    vocab = model["vocab"]
    if model["type"] not in ("Unigram", "WordPiece") or model.get("byte_fallback"):
        raise ConfigurationError(
            f"The tokenizer is of type {model['type']}. Letters can be added only to Unigram and "
            "WordPiece, and are unknown only there."
        )
    if any(token["id"] >= len(vocab) for token in settings["added_tokens"]):
        raise ConfigurationError(
            "The tokenizer numbers special pieces beyond those of its model, where new letters "
            "would be. Omit --letters."
        )
    if model["type"] == "Unigram":
        # Not below the others: the cost of the unknown piece depends on the lowest one.
        lowest = min(score for _, score in vocab)
        known = {piece for piece, _ in vocab}
        grown: Any = [*vocab, *([letter, lowest] for letter in letters if letter not in known)]
    else:
        prefix = model.get("continuing_subword_prefix", "##")
        grown = dict(vocab)
        for letter in letters:
            for piece in (letter, prefix + letter):
                grown.setdefault(piece, len(grown))
    return {**settings, "model": {**model, "vocab": grown}}
