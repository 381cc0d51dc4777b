"""Question answering by a span of a paragraph, scored by exact match and F1 (XQuAD)."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import torch
from allennlp.common import Tqdm

from udify_allennlp.apps.analysis.downstream.answer_scores import (
    language_of,
    mean_scores,
    mlqa_words,
    squad_words,
)
from udify_allennlp.apps.analysis.downstream.fine_tuning import Inputs, Padding, outputs
from udify_allennlp.apps.analysis.downstream.questions import Question, read_questions
from udify_allennlp.apps.analysis.downstream.task import Task
from udify_allennlp.apps.analysis.downstream.windows import Window, Windows, answer_of, best_span
from udify_allennlp.data.wordpieces import WordpieceTokenizer
from udify_allennlp.text.errors import InputError

_AT_ONCE = 100


class Answering(Task[Question]):
    """
    The best span over all windows of a paragraph, by the sum of its scores as start and end
    (Devlin et al. 2019, section 4.2). In training, [CLS] is the span of windows without the answer.

    # Parameters

    tokenizer : `WordpieceTokenizer`
    max_pieces : `int`
        Maximum number of pieces of a window, including question and special pieces.
    overlap : `Optional[int]`
        See `Windows`.
    answer_pieces : `int`
        The largest number of pieces of an answer.
    """

    auto_class = "AutoModelForQuestionAnswering"
    metric = "f1"
    metrics = ("em", "f1", "mlqa_em", "mlqa_f1")
    columns = ("questions", *metrics, "without_answer", "out_of_reach")
    ending = ".json"
    read = staticmethod(read_questions)

    def __init__(
        self,
        tokenizer: WordpieceTokenizer,
        max_pieces: int,
        overlap: Optional[int] = None,
        answer_pieces: int = 30,
    ) -> None:
        super().__init__(tokenizer, max_pieces)
        self._windows = Windows(tokenizer, max_pieces, overlap)
        self._answer_pieces = answer_pieces

    @staticmethod
    def check(examples: Sequence[Question], path: str, scored: bool) -> None:
        """
        Raises `InputError` if no question has an answer (such as TyDi QA's test files), or if two
        `scored` questions have the same name, since predictions are written by name.
        """
        if not any(question.answers for question in examples):
            raise InputError(
                f"{path}: none of its {len(examples):,} questions has an answer, so it can be "
                "used neither for training nor for scores. Name a file with answers."
            )
        names = Counter(question.name for question in examples)
        name, count = names.most_common(1)[0]
        if scored and count > 1:
            raise InputError(
                f"{path}: {count} questions have the id {name!r:.40}. Give each its own."
            )

    def training_inputs(self, examples: Sequence[Question]) -> tuple[list[Inputs], str]:
        """Returns windows. Questions without an answer, or without one in a window, are skipped."""
        answered = [question for question in examples if question.answers]
        inputs: list[Inputs] = []
        learned = 0
        for windows in self._window_groups(answered):
            spans = [window.pieces_of(answered[window.row].answers[0]) for window in windows]
            within = {window.row for window, span in zip(windows, spans) if span is not None}
            learned += len(within)
            for window, span in zip(windows, spans):
                if window.row in within:
                    start, end = span or (window.start_piece, window.start_piece)
                    positions = {"start_positions": start, "end_positions": end}
                    inputs.append({**window.inputs, **positions})
        counts = (
            f"{learned:,} questions in {len(inputs):,} windows; skipped: "
            f"{len(examples) - len(answered):,} without an answer, {len(answered) - learned:,} "
            "with no answer within a window"
        )
        return inputs, counts

    def predict(
        self,
        head: torch.nn.Module,
        examples: Sequence[Question],
        pad: Padding,
        batch_size: int,
        title: str = "predicting",
    ) -> tuple[list[str], dict[str, int]]:
        """
        Returns an answer for each question, empty for a paragraph without wordpieces, and the
        number of those whose correct answers are all outside windows, or longer than any
        prediction.
        """
        windows = [w for group in self._window_groups(examples) for w in group]
        answers, best = [""] * len(examples), [float("-inf")] * len(examples)
        inputs = [window.inputs for window in windows]
        for row, output, place in outputs(head, inputs, pad, batch_size, title):
            window = windows[row]
            if not len(window.offsets):
                continue
            pieces = slice(window.first, window.first + len(window.offsets))
            starts, ends = output.start_logits[place, pieces], output.end_logits[place, pieces]
            score, start, end = best_span(starts.float(), ends.float(), self._answer_pieces)
            if score > best[window.row]:
                paragraph = examples[window.row].paragraph
                answers[window.row] = answer_of(paragraph, window, start, end).text
                best[window.row] = score
        reached = {
            window.row
            for window in windows
            for answer in examples[window.row].answers
            if self._in_reach(window.pieces_of(answer))
        }
        answered = sum(bool(question.answers) for question in examples)
        return answers, {"out_of_reach": answered - len(reached)}

    @staticmethod
    def scores(predicted: Sequence[str], examples: Sequence[Question], path: str) -> dict[str, Any]:
        pairs = [(p, question) for p, question in zip(predicted, examples) if question.answers]
        answers = [answer for answer, _ in pairs]
        gold = [[answer.text for answer in question.answers] for _, question in pairs]
        em, f1 = mean_scores(answers, gold, squad_words)
        result: dict[str, Any] = {"questions": len(pairs), "em": em, "f1": f1}
        words = mlqa_words(language_of(path))
        if words is not None:
            result["mlqa_em"], result["mlqa_f1"] = mean_scores(answers, gold, words)
        return {**result, "without_answer": len(examples) - len(pairs)}

    @staticmethod
    def written(predicted: Sequence[str], examples: Sequence[Question]) -> str:
        """Returns JSON by `id`, in the format of the SQuAD and MLQA scripts."""
        by_name = {question.name: answer for question, answer in zip(examples, predicted)}
        return json.dumps(by_name, ensure_ascii=False, indent=1) + "\n"

    def _window_groups(self, questions: Sequence[Question]) -> Iterator[list[Window]]:
        """Yields the windows of some questions after the other, whole questions each time."""
        for start in Tqdm.tqdm(range(0, len(questions), _AT_ONCE), desc="wordpieces"):
            yield list(self._windows(questions[start : start + _AT_ONCE], start))

    def _in_reach(self, pieces: Optional[tuple[int, int]]) -> bool:
        return pieces is not None and pieces[1] - pieces[0] < self._answer_pieces
