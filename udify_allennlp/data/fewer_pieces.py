"""A tokenizer with some of its wordpieces, for a smaller table of their vectors."""

import copy
from typing import AbstractSet, Any, Callable, Counter, Dict, Iterable, List, Mapping, Tuple

from allennlp.common.checks import ConfigurationError

from udify_allennlp.data.wordpieces import WordpieceTokenizer

_MARKS = ("▁", "##")
"""What a piece begins with at the start of a word (SentencePiece), or within one (WordPiece)."""
_GROUP = 50_000  # words that are split at once


def used_pieces(
    tokenizer: WordpieceTokenizer, words: Iterable[str], least: int = 1
) -> AbstractSet[int]:
    """The pieces that stand at least so often in `words`, in which a word may come many times."""
    times = Counter(words)
    counts: Counter[int] = Counter()
    order = list(times)
    for start in range(0, len(order), _GROUP):
        group = order[start : start + _GROUP]
        for word, pieces in zip(group, tokenizer(group)):
            for piece in pieces:
                counts[piece] += times[word]
        tokenizer.forget()
    return {piece for piece, count in counts.items() if count >= least}


def without_others(
    settings: Mapping[str, Any], wanted: AbstractSet[int]
) -> Tuple[Dict[str, Any], List[int]]:
    """
    What a `tokenizer.json` says, with the pieces `wanted` alone, and for each the number that it
    had. Special pieces and those of a single character always stay, so that every word that could
    be split still can. A word whose pieces have all stayed is split as before.

    # Raises

    `ConfigurationError` if pieces are made by merging others (BPE), none of which can be missing.
    """
    model = settings["model"]
    if model["type"] not in ("Unigram", "WordPiece"):
        raise ConfigurationError(
            f"The tokenizer is of type {model['type']}. Pieces can be left out of Unigram and "
            "WordPiece, in which none is made of others."
        )
    if model["type"] == "Unigram":
        pieces = [piece for piece, _ in model["vocab"]]
    else:
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
    special = {token["content"] for token in settings["added_tokens"]}
    kept = [
        number
        for number, piece in enumerate(pieces)
        if number in wanted or piece in special or _is_character(piece)
    ]
    new = {old: number for number, old in enumerate(kept)}
    found = copy.deepcopy(dict(settings))
    _renumber(found, new.__getitem__)
    if model["type"] == "Unigram":
        found["model"]["vocab"] = [model["vocab"][old] for old in kept]
        if model.get("unk_id") is not None:
            found["model"]["unk_id"] = new[model["unk_id"]]
    else:
        found["model"]["vocab"] = {pieces[old]: number for old, number in new.items()}
    return found, kept


def _is_character(piece: str) -> bool:
    for mark in _MARKS:
        piece = piece.removeprefix(mark) or piece
    return len(piece) == 1


def _renumber(settings: Dict[str, Any], new: Callable[[int], int]) -> None:
    """The numbers of special pieces, in all the places where a `tokenizer.json` has them."""
    for token in settings["added_tokens"]:
        token["id"] = new(token["id"])
    after = settings.get("post_processor") or {}
    for part in after.get("processors", [after]):
        for token in (part.get("special_tokens") or {}).values():
            token["ids"] = [new(number) for number in token["ids"]]
        for name in ("sep", "cls"):
            if name in part:
                part[name] = [part[name][0], new(part[name][1])]
    if settings.get("padding"):
        settings["padding"]["pad_id"] = new(settings["padding"]["pad_id"])
