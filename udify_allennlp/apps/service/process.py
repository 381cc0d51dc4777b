"""What is done for a request: read, tokenize, parse, write."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.formats import READERS, WRITERS
from udify_allennlp.apps.service.models import ServedModel, pick
from udify_allennlp.apps.service.parameters import Parameters, RequestError
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.sentence import RAW_TEXT, Sentence

MAX_WORDS = 1000
"""Of a sentence, as in UDPipe 2: memory grows with the square of its length."""
MAX_CHARACTERS = 10_000
"""Of the words of a sentence together: nobody else is served while it is parsed."""

TURN = 0.05
"""Seconds that a request may use the thread for texts before the next one may."""

T = TypeVar("T")


class Service:
    """
    # Parameters

    models : `Sequence[ServedModel]`
        The first is the default.
    texts : `TextReader`
    """

    def __init__(self, models: Sequence[ServedModel], texts: TextReader) -> None:
        self.models = list(models)
        self._texts = texts
        # One: what is done in it is Python, which runs in one thread at a time anyway, and
        # tokenizers remember words, so that two threads must not use the same.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="texts")

    def describe(self) -> dict:
        """The answer to `/models`."""
        return {
            "models": {model.name: list(model.steps) for model in self.models},
            "default_model": self.models[0].name,
        }

    async def process(self, given: Parameters) -> dict:
        """
        The answer to `/process`.

        # Parameters

        given : `Parameters`
            Those of UDPipe: `data`; `model`; `tokenizer`, `tagger` and `parser`, of which those
            run that are given; `input` and `output`. And `lang`, the language of `data`.

        # Raises

        `RequestError` for what is missing, unknown, too long or not what `input` says; `Busy`.
        """
        write = WRITERS.get(_format(given, "output"))
        if write is None:
            raise RequestError(_unknown(given, "output", WRITERS))
        model, sentences = await self.parse(given)
        return {
            "model": model.name,
            "acknowledgements": ["https://arxiv.org/abs/1904.02099"],
            "result": "".join(await self.in_turns(map(write, sentences))),
        }

    async def parse(self, given: Parameters) -> Tuple[ServedModel, List[Sentence]]:
        """The model that is meant and the sentences of `data`, with the columns asked for."""
        model = pick(self.models, given.get("model", ""))
        if model is None:
            raise RequestError(f"Requested model {given['model']!r:.60} does not exist.")
        steps = [step for step in ("tagger", "parser") if given.get(step, "none") != "none"]
        for step in steps:
            if step not in model.steps:
                raise RequestError(f"The model {model.name} has no {step}.")
        if "data" not in given:
            raise RequestError("The parameter data is missing.")
        lang = _language(given, model)
        sentences = await self.in_turns(self._read(given, lang))
        if steps:
            try:
                waiting = model.batcher.submit(sentences, model.name, lang or "")
                parsed = await asyncio.wrap_future(waiting)
            except (
                ConfigurationError,
                InputError,
            ) as error:  # of a language that the model cannot parse
                raise RequestError(str(error)) from error
            if len(steps) == 2:
                return model, parsed
            columns = model.steps[steps[0]]
            sentences = await self.in_turns(_with_columns(sentences, parsed, columns))
        return model, sentences

    async def in_turns(self, work: Iterator[T]) -> List[T]:
        """
        What `work` gives, which runs in a thread for all requests, some of it at a time: requests
        take turns, and work that nobody waits for any more stays undone.
        """
        found: List[T] = []
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(self._thread, _go_on, work, found):
            pass
        return found

    def _read(self, given: Parameters, lang: Optional[str]) -> Iterator[Sentence]:
        kind = _format(given, "input")
        options = given.get("tokenizer")
        if options is None and kind == "generic_tokenizer":
            options = given["input"].partition("=")[2]
        if options is None and kind not in READERS:
            raise RequestError(_unknown(given, "input", [*READERS, "generic_tokenizer"]))
        try:
            if options is None:
                sentences = READERS[kind](given["data"])
            else:
                sentences = self._texts.read(given["data"], lang, options)
            for number, sentence in enumerate(sentences, start=1):
                _check_length(number, sentence)
                yield sentence
        except (ValueError, ConfigurationError) as error:  # InputError is a ValueError
            message = str(error).replace(RAW_TEXT, "Raw text is sent with the parameter tokenizer.")
            raise RequestError(message) from error


def _go_on(work: Iterator[T], found: List[T]) -> bool:
    """Adds what `work` gives within a turn; whether there may be more."""
    end = time.monotonic() + TURN
    for item in work:
        found.append(item)
        if time.monotonic() > end:
            return True
    return False


def _language(given: Parameters, model: ServedModel) -> Optional[str]:
    """The code of the language of a request."""
    if not given.get("lang"):
        return model.lang
    try:
        return model.code_of(given["lang"])
    except (ConfigurationError, InputError) as error:
        raise RequestError(f"The parameter lang: {error}") from error


def _format(given: Parameters, name: str) -> str:
    """UDPipe takes options of a format behind `=`; the default is CoNLL-U."""
    return given.get(name, "conllu").partition("=")[0]


def _unknown(given: Parameters, name: str, known: Iterable[str]) -> str:
    return f"Unknown {name} format {given[name]!r:.60}. Use {', '.join(known)}."


def _check_length(number: int, sentence: Sentence) -> None:
    characters = sum(map(len, sentence.forms))
    if len(sentence) > MAX_WORDS or characters > MAX_CHARACTERS:
        raise RequestError(
            f"Sentence {number} has {len(sentence)} words of {characters} characters. A sentence "
            f"may have {MAX_WORDS} words of {MAX_CHARACTERS} characters together: divide it."
        )


def _with_columns(
    sentences: List[Sentence], parsed: List[Sentence], columns: Sequence[str]
) -> Iterator[Sentence]:
    """The sentences with these columns of what was parsed, and no others."""
    for sentence, other in zip(sentences, parsed):
        yield sentence.replace(**{name: getattr(other, name) for name in columns})
