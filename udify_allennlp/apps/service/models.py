"""The models of a service, and their names."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Optional

from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.batcher import LONG, MAX_WAITING, ROUND_WORDS, Batcher
from udify_allennlp.parser import Parser
from udify_allennlp.text.conllu import treebank_language
from udify_allennlp.text.languages import CODES, LANGUAGES, UD_CODES, language_code
from udify_allennlp.text.sentence import Sentence

STEPS = ("tokenizer", "tagger", "parser")
"""The steps of UDPipe, in its order."""


class ServedModel:
    """
    # Parameters

    name : `str`
        The model's name in requests. A model that distinguishes treebanks follows the conventions
        of the treebank with this name.
    batcher : `Batcher`
        The model's batcher; several names may share one.
    steps : `Mapping[str, Sequence[str]]`
        The `STEPS` that it has, each with the columns that it fills.
    lang : `Optional[str]`
        Language of requests that do not name one.
    languages : `Sequence[str]`
        Codes of its training languages, if known.
    code_of : `Callable[[str], str]`
        Returns the code of a language in a request; raises `ConfigurationError` if it is unknown.
    reads_languages : `bool`
        True if it parses better with the language as input, even a guessed one.
    """

    def __init__(
        self,
        name: str,
        batcher: Batcher,
        steps: Mapping[str, Sequence[str]],
        lang: Optional[str] = None,
        languages: Sequence[str] = (),
        code_of: Callable[[str], str] = language_code,
        reads_languages: bool = False,
    ) -> None:
        self.name = name
        self.batcher = batcher
        self.steps = dict(steps)
        self.lang = lang
        self.languages = list(languages)
        self.code_of = code_of
        self.reads_languages = reads_languages


def load_models(
    named: Sequence[str],
    lang: Optional[str] = None,
    precision: Optional[str] = None,
    cuda_device: int = -1,
    round_words: int = ROUND_WORDS,
    max_waiting: int = MAX_WAITING,
) -> list[ServedModel]:
    """
    Loads each model once, with a progress bar.

    # Parameters

    named : `Sequence[str]`
        `MODEL` or `NAME=MODEL`, an archive or a run folder. A name such as `fr`, `fr_gsd` or
        `french-gsd` starts with the language of its texts, if `lang` is not given. The default name
        is that of the archive or of its folder.
    precision, cuda_device
        See `Parser.load`.
    round_words, max_waiting
        See `Batcher`.

    # Raises

    `ConfigurationError` if two models have the same name, and the errors of `Parser.load`.
    """
    pairs = [name_and_path(text) for text in named]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"Two models have the name {name}. Use different names: NAME=MODEL."
            )
    loaded: dict[str, tuple[Batcher, Parser]] = {}
    for _, path in Tqdm.tqdm(pairs, desc="loading models"):
        if path not in loaded:
            parser = Parser.load(path, precision=precision, cuda_device=cuda_device)
            loaded[path] = (_batcher(parser, round_words, max_waiting), parser)
    models = []
    for (name, path), text in zip(pairs, named):
        batcher, parser = loaded[path]
        model_lang = lang or (_lang(name) if text != path else None)
        models.append(
            ServedModel(
                name,
                batcher,
                _steps(parser),
                model_lang,
                parser.languages,
                parser.code_of,
                parser.predictor.reads_languages,
            )
        )
    return models


def pick(models: Sequence[ServedModel], name: str) -> Optional[ServedModel]:
    """
    Returns, like UDPipe, the model of that name, or else the first whose name continues it with a
    hyphen; for an empty name the first model.
    """
    exact = (model for model in models if model.name == name or not name)
    longer = (model for model in models if model.name.startswith(f"{name}-"))
    return next(exact, None) or next(longer, None)


def name_and_path(text: str) -> tuple[str, str]:
    """Returns the name and the path in an argument."""
    name, equals, path = text.partition("=")
    if equals and re.fullmatch(r"[\w.+-]+", name) and path and not os.path.exists(text):
        return name, path
    file = Path(os.path.abspath(text))
    stem = re.sub(r"\.tar\.gz$", "", file.name)
    return (file.parent.name if stem == "model" else stem), text


def _lang(name: str) -> Optional[str]:
    """Returns the language of a code, `fr_gsd`, or of an English name, `french-gsd-ud`."""
    code = re.split("[_-]", name)[0]
    named = name.split("-")[0].replace("_", " ").lower()
    return code if code in LANGUAGES else CODES.get(named)


def _steps(parser: Parser) -> dict[str, list[str]]:
    """Returns the UDPipe steps that a model performs, each with the columns that it fills."""
    steps: dict[str, list[str]] = {}
    for task in parser.tasks:
        step = "parser" if "heads" in task.columns else "tagger"
        steps.setdefault(step, []).extend(task.columns)
    return {step: steps.get(step, []) for step in STEPS if step == "tokenizer" or step in steps}


def _batcher(parser: Parser, round_words: int, max_waiting: int) -> Batcher:
    predictor = parser.predictor

    def parse(sentences: list[Sentence], names: list[str], langs: list[str]) -> list[Sentence]:
        codes = map(treebank_language, langs)
        told = [UD_CODES.get(code, code) for code in codes]
        return list(parser.parse(sentences, treebank=names, lang=told))

    # A GPU is quick with long sentences, and some encoders cannot run in two threads.
    long = LONG if predictor.can_run_side_by_side else None
    return Batcher(parse, round_words, max_waiting, predictor.reader.count_pieces, long)
