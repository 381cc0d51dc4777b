"""A teacher's results for each pair, on disk: each is computed once in all epochs and runs."""

import hashlib
import json
import sqlite3
from typing import NamedTuple, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.files import AnyPath
from udify_allennlp.text.output_checks import check_writable
from udify_allennlp.translation.pairs import Pair


class Best(NamedTuple):
    """The best pieces at each position of a target, best first."""

    pieces: torch.Tensor
    """`(tokens, top)`, int32."""
    log_probs: torch.Tensor
    """`(tokens, top)`, float16."""


class TeacherCache:
    """
    A file of SQLite with the best pieces of a teacher for each pair.

    # Parameters

    path : `AnyPath`
        The file, created if it does not exist.
    teacher : `str`
        The name of the teacher, which the file stores.
    top : `int`
        Number of pieces at each position.

    # Raises

    `ConfigurationError` if the file belongs to another teacher or number of pieces, or is not a
    cache.
    """

    def __init__(self, path: AnyPath, teacher: str, top: int) -> None:
        check_writable(path)
        self.top = top
        """Number of pieces at each position."""
        made_with = json.dumps({"teacher": teacher, "top": top})
        try:
            self._file = sqlite3.connect(path)
            with self._file:
                self._file.execute("CREATE TABLE IF NOT EXISTS made_with (settings TEXT)")
                self._file.execute(
                    "CREATE TABLE IF NOT EXISTS best "
                    "(pair BLOB PRIMARY KEY, pieces BLOB, logs BLOB)"
                )
                known = self._file.execute("SELECT settings FROM made_with").fetchone()
                if known is None:
                    self._file.execute("INSERT INTO made_with VALUES (?)", (made_with,))
        except sqlite3.Error as error:
            raise ConfigurationError(
                f"model.teacher_cache is {path}, which is not a teacher's cache ({error}). Name "
                "another file."
            ) from error
        if known is not None and known[0] != made_with:
            raise ConfigurationError(
                f"model.teacher_cache is {path}, made with {known[0]}. Name another file, or "
                "remove it."
            )

    def get(self, pair: Pair) -> Optional[Best]:
        """Returns the stored result for a pair; `None` if there is none."""
        row = self._file.execute("SELECT pieces, logs FROM best WHERE pair = ?", (_key(pair),))
        found = row.fetchone()
        if found is None:
            return None
        pieces = numpy.frombuffer(found[0], dtype=numpy.int32).reshape(-1, self.top)
        logs = numpy.frombuffer(found[1], dtype=numpy.float16).reshape(-1, self.top)
        return Best(torch.from_numpy(pieces.copy()), torch.from_numpy(logs.copy()))

    def put(self, found: list[tuple[Pair, Best]]) -> None:
        """Stores the teacher's results for some pairs."""
        rows = [
            (_key(pair), best.pieces.numpy().tobytes(), best.log_probs.numpy().tobytes())
            for pair, best in found
        ]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO best VALUES (?, ?, ?)", rows)


def best_pieces(scores: torch.Tensor, top: int) -> Best:
    """Returns the best of scores before the softmax, `(tokens, pieces)`."""
    found = scores.float().log_softmax(-1).topk(top, dim=-1)
    return Best(found.indices.int().cpu(), found.values.half().cpu())


def as_scores(best: Best, size: int, device: torch.device) -> torch.Tensor:
    """
    Returns scores, `(tokens, size)`, whose softmax is that of the best pieces, which then sum to 1.
    """
    scores = torch.full((len(best.pieces), size), -torch.inf, device=device)
    return scores.scatter(1, best.pieces.long().to(device), best.log_probs.float().to(device))


def _key(pair: Pair) -> bytes:
    text = json.dumps([pair.direction, pair.source, pair.target])
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
