"""The output of `allennlp predict`: one file for all input, or one for each input file."""

import os
import sys
from collections import deque
from collections.abc import Container, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.commands.predict_files import Place
from udify_allennlp.text.conllu import read_sentences
from udify_allennlp.text.files import CutShort, part_of
from udify_allennlp.text.input_kinds import TEXT, InputFile
from udify_allennlp.text.newdoc import bare_name
from udify_allennlp.text.output_kinds import write_output
from udify_allennlp.text.sentence import Sentence


def output_paths(files: list[InputFile], folder: str, ending: str) -> list[str]:
    """
    Returns the output path of each file.

    # Raises

    `ConfigurationError` if two files have the same output, or an output is an input.
    """
    inputs = {os.path.realpath(file.path): file.path for file in files}
    source_of: dict[str, str] = {}
    for file in files:
        target = os.path.join(folder, bare_name(file.path) + ending)
        other = source_of.setdefault(target, file.path)
        if other != file.path:
            raise ConfigurationError(
                f"{other} and {file.path} have the same output, {target}. Parse them into "
                "different folders."
            )
        if os.path.realpath(target) in inputs:
            raise ConfigurationError(
                f"{target} is an input, and its output would replace it. Name another --output-dir."
            )
    return list(source_of)


def is_done(source: str, target: str) -> bool:
    """Returns whether an output exists and is no older than its input."""
    return (
        os.path.isfile(source)
        and os.path.isfile(target)
        and os.stat(source).st_mtime_ns <= os.stat(target).st_mtime_ns
    )


def begun(target: str) -> Optional[str]:
    """
    Returns the part of `target` that an interrupted run left, if it is CoNLL-U that can be
    continued.
    """
    part = part_of(target)
    ending = os.path.splitext(target)[1].lower()
    return part if ending in ("", ".conllu") and os.path.isfile(part) else None


class Results:
    """
    Parsed sentences, distributed to the files that they come from.

    # Parameters

    parsed : `Iterator[Sentence]`
    places : `Deque[Place]`
        The places that the sentences come from.
    bar : `Any`
        The progress bar, in bytes of the input.
    """

    def __init__(self, parsed: Iterator[Sentence], places: deque[Place], bar: Any) -> None:
        self._parsed = parsed
        self._places = places
        self._bar = bar
        self._count = 0
        self._held: Optional[tuple[Sentence, Place]] = None

    def of(self, number: int) -> Iterator[Sentence]:
        """
        Yields the sentences of a file, which must not be before the file that was requested last.
        """
        while (held := self._next()) and held[1].file == number:
            yield self._taken(*held)

    def all(self) -> Iterator[Sentence]:
        """Yields the sentences of all files."""
        while held := self._next():
            yield self._taken(*held)

    def _next(self) -> Optional[tuple[Sentence, Place]]:
        """Returns the next sentence and its place."""
        if self._held is None:
            sentence = next(self._parsed, None)
            self._held = None if sentence is None else (sentence, self._places.popleft())
        return self._held

    def _taken(self, sentence: Sentence, place: Place) -> Sentence:
        self._held = None
        self._count += 1
        self._bar.set_postfix_str(f"{self._count} sentences", refresh=False)
        self._bar.update(place.bytes - self._bar.n)
        return sentence


def write(
    sentences: Iterator[Sentence],
    target: str,
    part: Optional[str],
    tasks: Container[str],
    kind: str,
) -> None:
    """
    Writes one output after the sentences that `part` already has. If it stops early, the sentences
    so far are kept, and a line shows where.
    """
    if not part:
        _forget(target)  # what another run left would pass for the beginning of this one
    kept = read_sentences(part) if part else iter(())
    try:
        write_output(_cut_short(chain(kept, sentences)), target, tasks, kind == TEXT)
    except CutShort as error:
        if os.path.exists(part_of(target)):
            end = " To continue, add --resume to the same command." if begun(target) else ""
            sys.stderr.write(f"\n{part_of(target)} has the sentences parsed so far.{end}\n")
        assert error.__cause__ is not None
        raise error.__cause__ from None
    _forget(target)


def _forget(target: str) -> None:
    with suppress(OSError):  # writing says what is wrong with the place
        Path(part_of(target)).unlink()


def _cut_short(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yields the same; an error after the first sentence becomes `CutShort`."""
    some = False
    while True:
        try:
            sentence = next(sentences, None)
        except BaseException as error:
            if some:
                raise CutShort from error
            raise
        if sentence is None:
            return
        some = True
        yield sentence
