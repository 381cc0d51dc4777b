"""
Windows over long paragraphs, each with the question before it (Devlin et al. 2019, section 4.2),
and spans of wordpieces in them as spans of characters of the paragraph.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.downstream.questions import Answer, Question
from udify_allennlp.data.wordpieces import WordpieceTokenizer

QUESTION_PIECES = 64
"""Maximum number of pieces of a question, as in BERT's code; longer ones are truncated."""
OVERLAP = 128
"""The number of pieces that neighbouring windows share, as in BERT's code."""


class Window(NamedTuple):
    """A question and a part of its paragraph as a sequence of wordpieces."""

    row: int
    """Index of the question."""
    inputs: dict[str, numpy.ndarray]
    """Arguments of the encoder: `input_ids` and others, `(pieces,)` int32."""
    start_piece: int
    """Position of [CLS], which represents the absence of the answer."""
    first: int
    """Position of the first piece of the paragraph; the others follow it."""
    offsets: numpy.ndarray
    """The start and end of each piece of the paragraph in characters: `(n, 2)` int32."""
    characters: tuple[int, int]
    """The part of the paragraph that the window covers."""

    def pieces_of(self, answer: Answer) -> Optional[tuple[int, int]]:
        """
        Returns the positions of the first and the last piece of an answer; `None` if it is not
        completely in the window, or has no piece.
        """
        begin, end = self.characters
        if answer.start < begin or answer.end > end:
            return None
        starts, stops = self.offsets.T
        places = numpy.flatnonzero((starts < answer.end) & (stops > answer.start))
        return (self.first + int(places[0]), self.first + int(places[-1])) if len(places) else None


class Windows:
    """
    Makes windows of questions.

    # Parameters

    tokenizer : `WordpieceTokenizer`
    max_pieces : `int`
        Maximum number of pieces of a window, including question and special pieces.
    overlap : `Optional[int]`
        The number of pieces that neighbouring windows share; by default 128, or half of the room
        for the paragraph if that is less.

    # Raises

    `ConfigurationError` if windows leave no room for a paragraph, or for an overlap that large.
    """

    def __init__(
        self, tokenizer: WordpieceTokenizer, max_pieces: int, overlap: Optional[int] = None
    ) -> None:
        self._tokenizer = tokenizer.pretrained
        self._start_id = tokenizer.start_id
        self._max_pieces = max_pieces
        self._question_pieces = min(QUESTION_PIECES, max_pieces // 2)
        special = self._tokenizer.num_special_tokens_to_add(pair=True)
        room = max_pieces - self._question_pieces - special
        if room < 2:
            raise ConfigurationError(
                f"--max-pieces is {max_pieces}: a window has no room for a paragraph. Use 64 or "
                "more."
            )
        self._overlap = min(OVERLAP, room // 2) if overlap is None else overlap
        if not 0 <= self._overlap < room:
            raise ConfigurationError(
                f"--overlap is {overlap}: a window has {room} pieces of the paragraph. Use 0 to "
                f"{room - 1}."
            )

    def __call__(self, questions: Sequence[Question], first_row: int = 0) -> Iterator[Window]:
        """Yields the windows of questions, numbered from `first_row`, in their order."""
        encoded = self._tokenizer(
            self._shortened([question.text.strip() for question in questions]),
            [question.paragraph for question in questions],
            truncation="only_second",
            max_length=self._max_pieces,
            stride=self._overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        rows = encoded.pop("overflow_to_sample_mapping")
        offsets = encoded.pop("offset_mapping")
        for number, row in enumerate(rows):
            inputs = {name: numpy.array(encoded[name][number], numpy.int32) for name in encoded}
            places = [p for p, part in enumerate(encoded.sequence_ids(number)) if part == 1]
            spans = numpy.array([offsets[number][p] for p in places], numpy.int32).reshape(-1, 2)
            # The ends of a paragraph may have characters without pieces.
            opens = number == 0 or rows[number - 1] != row
            closes = number + 1 == len(rows) or rows[number + 1] != row
            begin = 0 if opens else int(spans[0, 0])
            end = len(questions[row].paragraph) if closes else int(spans[-1, 1])
            start_piece = int((inputs["input_ids"] == self._start_id).argmax())
            first = places[0] if places else 0
            yield Window(first_row + row, inputs, start_piece, first, spans, (begin, end))

    def _shortened(self, texts: list[str]) -> list[str]:
        """Returns the questions, truncated to the room in a window."""
        encoded = self._tokenizer(
            texts,
            add_special_tokens=False,
            return_offsets_mapping=True,
            truncation=True,
            max_length=self._question_pieces,
        )
        ends = (max((end for _, end in row), default=0) for row in encoded["offset_mapping"])
        return [text[:end] for text, end in zip(texts, ends)]


def best_span(starts: torch.Tensor, ends: torch.Tensor, max_pieces: int) -> tuple[float, int, int]:
    """
    Returns the span of at most `max_pieces` pieces with the highest sum of scores: the sum, the
    first and the last piece. All spans are compared, where BERT's code compares those of the 20
    best starts and ends.

    # Parameters

    starts, ends : `torch.Tensor`
        `(n,)`, scores of the pieces of a paragraph, without special ones and the question.
    """
    scores = starts.unsqueeze(1) + ends
    allowed = torch.ones_like(scores, dtype=torch.bool).triu().tril(max_pieces - 1)
    scores = scores.masked_fill(~allowed, float("-inf"))
    start, end = divmod(int(scores.argmax()), len(ends))
    return float(scores[start, end]), start, end


def answer_of(paragraph: str, window: Window, start: int, end: int) -> Answer:
    """
    Returns the answer from piece `start` to piece `end` of the paragraph's pieces in a window, as
    it stands in the paragraph, without white space around it.
    """
    begin, stop = int(window.offsets[start, 0]), int(window.offsets[end, 1])
    text = paragraph[begin:stop]
    return Answer(begin + len(text) - len(text.lstrip()), text.strip())
