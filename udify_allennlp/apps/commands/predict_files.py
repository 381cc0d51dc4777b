"""The files that `allennlp predict` reads, with checks and the progress of reading."""

import itertools
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path

from udify_allennlp.predictors.conllu_predictor import ConlluPredictor
from udify_allennlp.text.conllu import expand_paths, read_sentences
from udify_allennlp.text.encodings import text_lines
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import compression, open_compressed, uncompressed
from udify_allennlp.text.input_kinds import CONLLU, JSON, TEXT, InputFile, is_bracketed, look_at
from udify_allennlp.text.json_lines import read_json_lines
from udify_allennlp.text.newdoc import document
from udify_allennlp.text.raw_text import Tokenizer, read_text, rebuild
from udify_allennlp.text.roles.files import holds_roles
from udify_allennlp.text.sentence import Sentence

_JSON_WORDS = "in which spaces separate words"


def input_files(
    text: str,
    is_raw_text: bool = False,
    as_dataset: bool = False,
    lang: Optional[str] = None,
    may_differ: bool = False,
) -> list[InputFile]:
    """
    Finds the input files, all of one kind unless they `may_differ`.

    # Parameters

    text : `str`
        `-`, a URL, or names and globs with commas between them.
    is_raw_text : `bool`
        True if all files are raw text, regardless of their names.
    as_dataset : `bool`
        True if all files are CoNLL-U, regardless of their names.
    lang : `Optional[str]`
        The language of raw text, if the user named one.
    may_differ : `bool`
        True if each file has a separate output.
    """
    if as_dataset:
        paths = ["/dev/stdin" if path == "-" else path for path in _paths(text)]
        return [InputFile(path, CONLLU, None) for path in paths]
    files = [look_at(path, sys.stdin.buffer) for path in _paths(text)]
    if is_raw_text:
        return [file._replace(kind=TEXT) for file in files]
    other = next((file for file in files if file.kind != files[0].kind), None)
    if other and not may_differ:
        raise ConfigurationError(
            f"{files[0].path} contains {files[0].kind} and {other.path} {other.kind}. Parse them "
            "separately or with --output-dir, or add --tokenizer if both are raw text."
        )
    json = next((file for file in files if file.kind == JSON), None)
    if lang and json:
        raise ConfigurationError(
            f"--lang is for raw text, and {json.path} contains lines of JSON, {_JSON_WORDS}. Omit "
            "it."
        )
    return files


def _paths(text: str) -> list[str]:
    if text == "-":
        return [text]
    if "://" in text:
        return [str(cached_path(text))]
    return expand_paths([text] if os.path.exists(text) else text.split(","))


class Place(NamedTuple):
    """The position in the input at which a sentence was read."""

    file: int
    bytes: int
    """
    The number of bytes of all input up to the end of the sentence, as far as it can be determined.
    """


class Source:
    """
    The sentences of files, one file after the other.

    # Parameters

    files : `List[InputFile]`
    predictor : `ConlluPredictor`
        The predictor whose reader reads CoNLL-U.
    tokenizer : `Optional[Tokenizer]`
        Needed if a file holds raw text.
    encoding : `Optional[str]`
        Encoding of raw text; see `text_lines`.
    names : `Optional[List[str]]`
        The id in `# newdoc` of each file, if all have one output; the sentences are then numbered
        consecutively. Otherwise the numbering starts at 1 in each file.
    lang : `Optional[str]`
        Language of raw texts; see `ConlluPredictor.of_text`.
    """

    def __init__(
        self,
        files: list[InputFile],
        predictor: ConlluPredictor,
        tokenizer: Optional[Tokenizer] = None,
        encoding: Optional[str] = None,
        names: Optional[list[str]] = None,
        lang: Optional[str] = None,
    ) -> None:
        self.files = files
        self._sizes = [_size(file) for file in files]
        self._starts = [0, *itertools.accumulate(size or 0 for size in self._sizes)]
        self._predictor = predictor
        self._tokenizer = tokenizer
        self._encoding = encoding
        self._names = names
        self._lang = lang
        self._ids = itertools.count(1)
        self.places: deque[Place] = deque()
        """
        Places of the sentences that `sentences` has yielded, in the same order; the caller removes
        them.
        """

    @property
    def size(self) -> Optional[int]:
        """Bytes of all files on disk; `None` if one of them is a pipe."""
        return None if None in self._sizes else self._starts[-1]

    def check(self, number: int) -> None:
        """
        Reads a file to its end, without tokenizing it.

        # Raises

        `InputError` or `OSError` if that fails.
        """
        file = self.files[number]
        if file.lines is not None:
            return
        with open_compressed(file.path) as lines:
            checked: Iterator[object] = (
                text_lines(lines, file.path, self._encoding)
                if file.kind == TEXT
                else self._read(file, lines, None)
            )
            deque(checked, maxlen=0)

    def sentences(self, parts: Sequence[Optional[str]] = ()) -> Iterator[Sentence]:
        """
        Yields the sentences that have not been parsed yet.

        # Parameters

        parts : `Sequence[Optional[str]]`
            For each file, or for all files together if they share one output, the CoNLL-U file with
            the sentences parsed so far, if it exists.

        # Raises

        `InputError` if such a file does not match the input.
        """
        numbers = range(len(self.files))
        groups = [[number] for number in numbers] if len(parts) > 1 else [[*numbers]]
        for part, group in zip(parts or [None], groups):
            placed = itertools.chain.from_iterable(map(self._of, group))
            for sentence, place in _behind(part, placed):
                self.places.append(place)
                yield sentence

    def _of(self, number: int) -> Iterator[tuple[Sentence, Place]]:
        """Yields the sentences of a file, each with the place where it was read."""
        file, name = self.files[number], self._names[number] if self._names else None
        before = self._starts[number]
        if file.lines is not None:
            counted = _Counted(file.lines)
            for sentence in self._read(file, counted, name):
                yield sentence, Place(number, before + counted.bytes)
            return
        with open(file.path, "rb") as raw:
            # A paragraph of raw text is read as a whole, and may be all of the file.
            is_plain = file.kind == TEXT and not (self._encoding or compression(file.path))
            given_out = 0
            for sentence in self._read(file, uncompressed(raw, file.path), name):
                at = raw.tell() if raw.seekable() else 0
                if is_plain:
                    given_out += len(rebuild([sentence]).encode())
                    at = min(at, given_out)
                yield sentence, Place(number, before + at)

    def _read(
        self, file: InputFile, lines: Iterable[bytes], name: Optional[str]
    ) -> Iterator[Sentence]:
        if file.kind == TEXT:
            assert self._tokenizer is not None
            ids = self._ids if self._names else itertools.count(1)
            decoded = text_lines(lines, file.path, self._encoding)
            sentences = read_text(decoded, self._tokenizer, ids, file.path, name)
            yield from self._predictor.of_text(sentences, self._lang)
            return
        to_parse: Iterator[Sentence]
        if file.kind == JSON:
            values = read_json_lines(lines, file.path)
            to_parse = (self._predictor.sentence_of(value) for value in values)
        elif file.lines is None and (holds_roles(file.path) or is_bracketed(file.path)):
            to_parse = self._predictor.reader.sentences([file.path])
        else:
            to_parse = self._predictor.reader.sentences_in(lines, file.path)
        yield from document(to_parse, name)


def _behind(
    part: Optional[str], placed: Iterator[tuple[Sentence, Place]]
) -> Iterator[tuple[Sentence, Place]]:
    """Yields the sentences after those that `part` has already."""
    for index, parsed in enumerate(read_sentences(part) if part else ()):
        pair = next(placed, None)
        if pair is None or pair[0].forms != parsed.forms:
            raise InputError(
                f"{part}: sentence {index + 1} differs from the input. Remove the file, or omit "
                "--resume."
            )
    return placed


class _Counted:
    """Lines, and the number of bytes read so far."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.bytes = 0
        self._lines = lines

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.bytes += len(line)
            yield line


def _size(file: InputFile) -> Optional[int]:
    is_file = file.lines is None and os.path.isfile(file.path)
    return Path(file.path).stat().st_size if is_file else None
