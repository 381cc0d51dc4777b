"""Questions about paragraphs, answered by a span of the paragraph: JSON of SQuAD 1.1."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from udify_allennlp.apps.analysis.downstream.files import content_of
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import fault


class Answer(NamedTuple):
    """A span of characters of the paragraph."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Question(NamedTuple):
    """A question, and the answers that annotators marked; none if they are not known."""

    name: str
    """`id` of the file."""
    paragraph: str
    text: str
    answers: tuple[Answer, ...]

    @property
    def source(self) -> str:
        """The text that examples share when they must not be separated."""
        return self.paragraph


def read_questions(path: str) -> list[Question]:
    """
    Returns the questions of a file. Answers without text are skipped, as in SQuAD 2.0 and in test
    files with secret answers.

    # Raises

    `ConlluError` with file and line if it is not JSON. `InputError` with file and question if a
    field is missing or of another kind, or an answer is not in its paragraph.
    """
    try:
        document = json.loads(content_of(path))
    except json.JSONDecodeError as error:
        raise fault(
            path, error.lineno, f"not JSON ({error.msg})", "Download the file again."
        ) from None
    questions = []
    place = "the beginning"
    try:
        for article in document["data"]:
            for paragraph in article["paragraphs"]:
                text = _text(paragraph, "context")
                place = f"the paragraph {text[:30]!r}"
                for entry in paragraph["qas"]:
                    place = f"question {entry['id']!r:.40}"
                    answers = tuple(_answers(entry, text))
                    question = Question(str(entry["id"]), text, _text(entry, "question"), answers)
                    questions.append(question)
    except (LookupError, TypeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"{path}: {place}: {what}. Correct the file: it is read as JSON of SQuAD 1.1."
        ) from None
    if not questions:
        raise InputError(f"{path} has no questions. Name another file.")
    return questions


def _answers(entry: Mapping[str, Any], paragraph: str) -> Iterator[Answer]:
    for marked in entry.get("answers", ()):
        text, start = _text(marked, "text"), marked["answer_start"]
        if not text.strip():
            continue
        if type(start) is not int or start < 0 or not paragraph.startswith(text, start):
            raise ValueError(f"the answer {text[:30]!r} is not at character {start!r:.20}")
        # White space around an answer is nothing to learn: pieces do not begin or end there.
        yield Answer(start + len(text) - len(text.lstrip()), text.strip())


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r:.30}, not a text")
    return value
