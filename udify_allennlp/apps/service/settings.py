"""The settings of a service: the options of `ud-serve`, or environment variables."""

import importlib.util
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Optional

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.service.app import make_app
from udify_allennlp.apps.service.batcher import MAX_WAITING, ROUND_WORDS
from udify_allennlp.apps.service.metrics import make_metrics
from udify_allennlp.apps.service.models import ServedModel, load_models, name_and_path
from udify_allennlp.apps.service.process import Service
from udify_allennlp.apps.service.texts import TextReader
from udify_allennlp.archives.shipped import MULTILINGUAL
from udify_allennlp.compat.devices import check_for_gpu
from udify_allennlp.segmenter.archive import own_tokenizer
from udify_allennlp.text.language_guess import language_guesser
from udify_allennlp.text.languages import language_code
from udify_command.nearest import did_you_mean

MAX_INPUT = 2**20
TIMEOUT = 60
PREFIX = "UDIFY_SERVE_"
"""Prefix of the variables; `UDIFY_SERVE_MAX_INPUT` is `--max-input`."""
_NEEDED = {"python_multipart": "python-multipart", "starlette": "starlette", "uvicorn": "uvicorn"}


@dataclass
class Settings:
    """The options of `ud-serve`, by name."""

    models: list[str] = field(default_factory=lambda: [MULTILINGUAL])
    lang: Optional[str] = None
    tokenizer: Optional[str] = None
    precision: Optional[str] = None
    cuda_device: int = -1
    max_input: int = MAX_INPUT
    timeout: float = TIMEOUT
    max_waiting: int = MAX_WAITING
    round_words: int = ROUND_WORDS
    allow_host: list[str] = field(default_factory=list)
    allow_origin: list[str] = field(default_factory=list)
    access_log: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """
        Reads the settings from variables such as `UDIFY_SERVE_MODELS="en=en.tar.gz fr=fr.tar.gz"`.
        Lists are separated by spaces; `UDIFY_SERVE_ACCESS_LOG=1` is a flag.

        # Raises

        `ConfigurationError` for an unknown variable with this prefix, or an invalid value.
        """
        variables = {PREFIX + field.name.upper(): field for field in fields(cls)}
        values: dict[str, Any] = {}
        for name, text in environment.items():
            if name.startswith(PREFIX) and name not in variables:
                raise ConfigurationError(
                    f"Unknown variable {name}.{did_you_mean(name, list(variables))} All variables: "
                    f"{', '.join(variables)}."
                )
            if name in variables and text:
                field = variables[name]
                try:
                    values[field.name] = _READERS[field.type](text)
                except (ValueError, KeyError):
                    raise ConfigurationError(
                        f"{name} is {text!r:.60}. Use {_KINDS[field.type]}."
                    ) from None
        return cls(**values)

    def check(self, spell: Callable[[str], str]) -> None:
        """
        # Parameters

        spell : `Callable[[str], str]`
            Returns the user's name for a setting.

        # Raises

        `ConfigurationError` for missing packages and invalid values.
        """
        check_for_gpu(self.cuda_device)
        missing = [name for module, name in _NEEDED.items() if not importlib.util.find_spec(module)]
        if missing:
            raise ConfigurationError(
                f"ud-serve needs {', '.join(missing)}. Install the requirements: pip install "
                "'udify_allennlp[serve]'"
            )
        for name in ("max_input", "timeout", "max_waiting", "round_words"):
            value = getattr(self, name)
            if value <= 0:
                raise ConfigurationError(f"{spell(name)} is {value}; it must be above 0.")
        if self.lang:
            self.lang = language_code(self.lang)

    def text_reader(self) -> TextReader:
        """
        Returns the reader of raw text; by default it uses the first model's own segmenter. Raises
        `ConfigurationError` if the tokenizer does not exist.
        """
        return TextReader(own_tokenizer(name_and_path(self.models[0])[1], self.tokenizer))

    def load(self, texts: TextReader, host: str = "") -> tuple[Any, list[ServedModel]]:
        """
        Returns the ASGI application, and its models, which must be closed at the end.

        # Parameters

        texts : `TextReader`
        host : `str`
            Host name that requests may use, in addition to `allow_host`.
        """
        models = load_models(
            self.models,
            lang=self.lang,
            precision=self.precision,
            cuda_device=self.cuda_device,
            round_words=self.round_words,
            max_waiting=self.max_waiting,
        )
        texts.expect({model.lang for model in models})
        service = Service(models, texts, language_guesser(), make_metrics(models))
        hosts = [*([host] if host else []), *self.allow_host]
        app = make_app(
            service, self.max_input, self.timeout, hosts, self.allow_origin, self.access_log
        )
        return app, models


def _flag(text: str) -> bool:
    return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[
        text.strip().lower()
    ]


_READERS: dict[Any, Callable[[str], Any]] = {
    list[str]: shlex.split,
    Optional[str]: str,
    int: int,
    float: float,
    bool: _flag,
}
_KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "0 or 1",
    list[str]: "words",
}
