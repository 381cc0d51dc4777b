"""
Wordpieces of a unigram language model (Kudo 2018, "Subword Regularization", section 3.1), the same
as those of the package tokenizers, whose index of pieces takes five times the memory of a dict, and
longer to build than most texts take to split.
"""

import json
import math
from array import array
from collections.abc import Sequence
from typing import Any

import tokenizers

# What an unknown character costs beyond the least probable piece (nats), as in SentencePiece.
_PENALTY = 10.0


# Characters of the longest piece up to which trying all lengths is quick; others have at most 16.
_LONGEST = 64


class UnigramSplitter:
    """
    A function from texts to wordpiece ids, with the normalizer and the pre-tokenizer of the package
    tokenizers.

    # Parameters

    settings : `dict[str, Any]`
        Those of a `tokenizer.json`.

    # Raises

    `ValueError` if its model is another one, or does more than this class: with bytes for unknown
    characters, or pieces that are cut out before.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        model = settings["model"]
        if model.get("type") != "Unigram" or model.get("byte_fallback"):
            raise ValueError("another model")
        vocab: list[tuple[str, float]] = model["vocab"]
        self._ids = {piece: number for number, (piece, _) in enumerate(vocab)}
        self._scores = array("d", (score for _, score in vocab))
        self._longest = max(map(len, self._ids))
        self.added: list[dict[str, Any]] = settings["added_tokens"]
        if not (
            len(self._ids) == len(vocab)
            and self._longest <= _LONGEST
            and math.isfinite(sum(self._scores))
            and model["unk_id"] in range(len(vocab))
            and all(x["special"] and self._ids.get(x["content"]) == x["id"] for x in self.added)
        ):
            raise ValueError("a model with more to it")
        self._unknown: int = model["unk_id"]
        self._unknown_score = min(self._scores) - _PENALTY
        self._others = {**settings, "model": {**model, "vocab": []}}
        steps = {"normalizer": settings["normalizer"], "pre_tokenizer": settings["pre_tokenizer"]}
        nothing = {"type": "Unigram", "unk_id": 0, "vocab": [["", 0.0]]}
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps({**steps, "model": nothing}))
        self._normalizer, self.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._split(text) for text in texts]

    def id_of(self, piece: str) -> Any:
        """Returns the number of a piece, or `None`."""
        return self._ids.get(piece)

    @property
    def last_piece(self) -> int:
        """The highest number of a piece."""
        return len(self._scores) - 1

    def tokenizer(self) -> tokenizers.Tokenizer:
        """Returns the tokenizer of the package tokenizers."""
        model = {**self._others["model"], "vocab": list(zip(self._ids, self._scores))}
        return tokenizers.Tokenizer.from_str(json.dumps({**self._others, "model": model}))

    def _split(self, text: str) -> list[int]:
        if self._normalizer is not None:
            text = self._normalizer.normalize_str(text)
        parts = [text]
        if self.pre_tokenizer is not None:
            parts = [part for part, _ in self.pre_tokenizer.pre_tokenize_str(text)]
        return [number for part in parts for number in self._best(part)]

    def _best(self, text: str) -> list[int]:
        """
        Returns the most probable pieces of a text (Viterbi); unknown characters side by side are
        one piece.
        """
        ids, scores, size = self._ids, self._scores, len(text)
        best = [0.0] + [-math.inf] * size
        last = [(0, 0)] * (size + 1)  # where the last piece of the best path begins, and its number
        for start in range(size):
            before = best[start]
            for end in range(start + 1, min(start + self._longest, size) + 1):
                number = ids.get(text[start:end])
                if number is not None and before + scores[number] > best[end]:
                    best[end], last[end] = before + scores[number], (start, number)
            if text[start] not in ids and before + self._unknown_score > best[start + 1]:
                best[start + 1] = before + self._unknown_score
                last[start + 1] = (start, self._unknown)
        path: list[int] = []
        end = size
        while end:
            start, number = last[end]
            while number == self._unknown and start and last[start][1] == self._unknown:
                start = last[start][0]
            path.append(number)
            end = start
        return path[::-1]
