"""Processing of a request: reading, tokenizing, parsing, writing."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Optional, TypeVar

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.formats import JSON, READERS, WRITERS, as_dicts
from udify_allennlp.apps.service.language import Language, languages_of
from udify_allennlp.apps.service.metrics import Metrics
from udify_allennlp.apps.service.models import ServedModel
from udify_allennlp.apps.service.names import Choice, choose, same_language
from udify_allennlp.apps.service.openapi import GENERIC
from udify_allennlp.apps.service.parameters import Parameters, RequestError
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.block_check import RAW_TEXT
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.language_guess import Guess
from udify_allennlp.text.sentence import Sentence

MAX_WORDS = 1000
"""
Maximum number of words in a sentence, as in UDPipe 2: memory grows with the square of its length.
"""
MAX_CHARACTERS = 10_000
"""Maximum number of characters in all words of a sentence."""
MAX_PIECES = 4000
"""
Maximum number of wordpieces in a sentence. Parsing it takes some seconds of CPU time, and cannot be
interrupted.
"""

TURN = 0.05
"""Seconds for which a request may use the text thread before the next one takes its turn."""

T = TypeVar("T")


class Parsed(NamedTuple):
    """The result of a request."""

    model: ServedModel
    sentences: list[Sentence]
    language: Optional[Language]
    """The language; `None` if it is neither given nor can be guessed."""


class Service:
    """
    # Parameters

    models : `Sequence[ServedModel]`
        The first is the default.
    texts : `TextReader`
    guess : `Optional[Guess]`
        Guesses the language of texts for display: parsing does not depend on it.
    metrics : `Optional[Metrics]`
        Metrics to update.
    """

    def __init__(
        self,
        models: Sequence[ServedModel],
        texts: TextReader,
        guess: Optional[Guess] = None,
        metrics: Optional[Metrics] = None,
    ) -> None:
        self.models = list(models)
        self.metrics = metrics
        self._texts = texts
        self._guess = guess
        # One: what is done in it is Python, which runs in one thread at a time anyway, and
        # tokenizers remember words, so that two threads must not use the same.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="texts")

    def describe(self) -> dict:
        """Returns the answer to `/models`."""
        return {
            "models": {model.name: list(model.steps) for model in self.models},
            "default_model": self.models[0].name,
            "languages": {model.name: model.languages for model in self.models},
        }

    @property
    def is_healthy(self) -> bool:
        """True if all models still accept requests."""
        return all(model.batcher.is_open for model in self.models)

    async def process(self, fields: Parameters) -> dict:
        """
        Returns the answer to `/process`.

        # Parameters

        fields : `Parameters`
            UDPipe's parameters: `data`; `model`; `tokenizer`, `tagger` and `parser`, which run if
            they are present; `input` and `output`. Also `lang`, the language of `data`. With the
            output `json`, the result is a list of sentences.

        # Raises

        `RequestError` for parameters that are missing, unknown, too long or not in the format
        `input`; `Busy`.
        """
        kind = _format(fields, "output")
        if kind not in (*WRITERS, JSON):
            raise RequestError(_unknown(fields, "output", [*WRITERS, JSON]))
        model, sentences, language = await self.parse(fields)
        result: Any
        if kind == JSON:
            result = await self.in_turns(as_dicts(sentences, _is_raw(fields)))
        else:
            result = "".join(await self.in_turns(iter(WRITERS[kind](sentences))))
        warning = language.warning if language else ""
        return {
            "model": model.name,
            "acknowledgements": ["https://arxiv.org/abs/1904.02099"],
            "language": language and language.to_dict(),
            **({"warning": warning} if warning else {}),
            "result": result,
        }

    async def parse(self, fields: Parameters) -> Parsed:
        """Returns the requested model and the sentences of `data`, with the requested columns."""
        choice = choose(self.models, fields.get("model", ""))
        if choice is None:
            raise RequestError(f"Requested model {fields['model']!r:.60} does not exist.")
        model = choice.model
        steps = [step for step in ("tagger", "parser") if fields.get(step, "none") != "none"]
        for step in steps:
            if step not in model.steps:
                raise RequestError(f"The model {model.name} has no {step}.")
        if "data" not in fields:
            raise RequestError("The parameter data is missing.")
        lang = _language(fields, choice)
        sentences = await self.in_turns(self._read(fields, lang, model.batcher.pieces))
        (language,) = await self.in_turns(languages_of(sentences, lang, model, self._guess))
        if steps:
            treebank = choice.treebank
            if lang and choice.lang and not same_language(lang, choice.lang):
                treebank = model.name  # the language overrides what the name says
            try:
                guessed = language.code if language and model.reads_languages else ""
                waiting = model.batcher.submit(sentences, treebank, lang or guessed)
                parsed = await asyncio.wrap_future(waiting)
            except (ConfigurationError, InputError) as error:
                # The model cannot parse this language.
                raise RequestError(str(error)) from error
            if self.metrics:
                self.metrics.parsed(model.name, parsed)
            if len(steps) == 2:
                return Parsed(model, parsed, language)
            columns = model.steps[steps[0]]
            sentences = await self.in_turns(_with_columns(sentences, parsed, columns))
        return Parsed(model, sentences, language)

    async def in_turns(self, work: Iterator[T]) -> list[T]:
        """
        Runs `work` in a thread that all requests share and collects its results, a part at a time:
        requests take turns, and work whose client has gone is abandoned.
        """
        items: list[T] = []
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(self._thread, _go_on, work, items):
            pass
        return items

    def _read(
        self, fields: Parameters, lang: Optional[str], pieces: Callable[[Sentence], int]
    ) -> Iterator[Sentence]:
        kind = _format(fields, "input")
        options = fields.get("tokenizer")
        if options is None and kind == GENERIC:
            options = fields["input"].partition("=")[2]
        if options is None and kind not in READERS:
            raise RequestError(_unknown(fields, "input", [*READERS, GENERIC]))
        try:
            if options is None:
                sentences = READERS[kind](fields["data"])
            else:
                sentences = self._texts.read(fields["data"], lang, options)
            for number, sentence in enumerate(sentences, start=1):
                _check_length(number, sentence, pieces)
                yield sentence
        except (ValueError, ConfigurationError) as error:  # InputError is a ValueError
            message = str(error).replace(RAW_TEXT, "Raw text needs the parameter tokenizer.")
            raise RequestError(message) from error


def _go_on(work: Iterator[T], items: list[T]) -> bool:
    """Adds the results of `work` within a turn; returns whether there may be more."""
    end = time.monotonic() + TURN
    for item in work:
        items.append(item)
        if time.monotonic() > end:
            return True
    return False


def _is_raw(fields: Parameters) -> bool:
    return "tokenizer" in fields or _format(fields, "input") == GENERIC


def _language(fields: Parameters, choice: Choice) -> Optional[str]:
    """Returns the code of the language of a request, or the name of a treebank."""
    if not fields.get("lang"):
        return choice.lang
    try:
        return choice.model.code_of(fields["lang"])
    except (ConfigurationError, InputError) as error:
        raise RequestError(f"The parameter lang: {error}") from error


def _format(fields: Parameters, name: str) -> str:
    """
    Returns the format without its options, which UDPipe accepts after `=`; the default is CoNLL-U.
    """
    return fields.get(name, "conllu").partition("=")[0]


def _unknown(fields: Parameters, name: str, kinds: Iterable[str]) -> str:
    return f"Unknown {name} format {fields[name]!r:.60}. Use {', '.join(kinds)}."


def _check_length(number: int, sentence: Sentence, pieces: Callable[[Sentence], int]) -> None:
    characters = sum(map(len, sentence.forms))
    if len(sentence) > MAX_WORDS or characters > MAX_CHARACTERS:
        raise RequestError(
            f"Sentence {number} has {len(sentence)} words of {characters} characters. The limit is "
            f"{MAX_WORDS} words of {MAX_CHARACTERS} characters together: divide it."
        )
    count = pieces(sentence)
    if count > MAX_PIECES:
        raise RequestError(
            f"Sentence {number} has {count} wordpieces. The limit is {MAX_PIECES}: divide it."
        )


def _with_columns(
    sentences: list[Sentence], parsed: list[Sentence], columns: Sequence[str]
) -> Iterator[Sentence]:
    """Yields the parsed sentences with these columns, and no others."""
    for sentence, other in zip(sentences, parsed):
        yield sentence.replace(**{name: getattr(other, name) for name in columns})
