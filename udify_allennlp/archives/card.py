"""The card in a model's archive: its training data, date, versions and scores."""

import importlib.metadata
import json
import os
import platform
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Optional, Union

from allennlp.common.checks import ConfigurationError

from udify_allennlp.archives.config_facts import (
    best_scores,
    encoder_of,
    printable,
    read_json,
    tasks_of,
    treebanks_of,
)
from udify_allennlp.archives.run_folder import model_folder
from udify_allennlp.text.files import AnyPath, write_whole
from udify_allennlp.text.languages import UD_CODES, as_relative, language_name
from udify_command.build import build_version

FILE = "card.json"
"""Name of the file in a run folder and in its archive."""
_PACKAGES = ("allennlp", "torch", "transformers")
_SILVER = "_silver"

_FEW = 12  # languages that a line can name

Number = Union[int, float]


@dataclass(frozen=True)
class Card:
    """The card of a model. Unknown values are empty: earlier releases wrote no card."""

    languages: list[str] = field(default_factory=list)
    """
    The codes of the languages of gold training treebanks, according to the names of files, and
    those on the card of the model that it was started from.
    """
    treebanks: dict[str, dict[str, int]] = field(default_factory=dict)
    """
    Training treebanks, including silver ones (`is_silver`): the number of `sentences` and `words`,
    by name.
    """
    started_from: list[str] = field(default_factory=list)
    """
    The treebanks of the model whose weights it was started from (UDify+Lang), and of that model's
    predecessors.
    """
    encoder: str = ""
    """The encoder's name in the config."""
    tasks: list[str] = field(default_factory=list)
    """The tasks that the model, or a parser in its archive, predicts."""
    scores: dict[str, Number] = field(default_factory=dict)
    """Scores of the best epoch, on the development data."""
    date: str = ""
    """
    The day (UTC) on which training ended, such as `2026-11-22`; set by `SOURCE_DATE_EPOCH` if that
    exists.
    """
    versions: dict[str, str] = field(default_factory=dict)
    """Versions of Python and of packages."""
    corpora: dict[str, str] = field(default_factory=dict)
    """
    Raw training texts, including those of the model that it was started from: the licence of each,
    by name.
    """
    unfinished: str = ""
    """
    The progress of training when the card was written, such as `epoch 2 of 80`; empty once it is
    finished.
    """

    def to_dict(self) -> dict[str, Any]:
        """Returns the card in the form of `card.json`."""
        return asdict(self)

    def has_seen(self, lang: str) -> bool:
        """
        Returns whether the model was trained on a language; true if its languages are unknown.
        """
        names = [*self.treebanks, *self.started_from]
        has_languages = bool(names) and all(map(language_prefix, names))
        return not has_languages or lang in self.languages or UD_CODES.get(lang) in self.languages

    def warning(self, lang: str, relative: Optional[str] = None) -> str:
        """
        Returns the warning for users who parse a language that the model was not trained on, or
        parse it as its `relative`, one of the training languages.
        """
        names = [f"{language_name(code)} ({code})" for code in self.languages]
        seen = ", ".join(names)
        if len(names) > _FEW:
            seen = f"{len(names)} others; `allennlp ud-card MODEL` lists them"
        return (
            f"The model was not trained on {language_name(lang)} ({lang}): expect errors. "
            + (f"{as_relative(relative)} " if relative else "")
            + f"It was trained on {seen}."
        )


def language_prefix(treebank: str) -> Optional[str]:
    """Returns `en` for `en_ewt`; `None` for names of another form."""
    match = re.match(r"([a-z]{2,3})_", treebank)
    return match[1] if match else None


def is_silver(treebank: str) -> bool:
    """
    Returns whether a treebank is raw text parsed by another model, judged by its name: `fo_silver`.
    Languages of silver treebanks alone do not count as training languages.
    """
    return treebank.endswith(_SILVER)


def read_card(folder: AnyPath) -> Card:
    """
    Returns the card in the folder of a model. Without one, it is made from the config and the
    metrics.

    # Raises

    `ConfigurationError` if the file is not a card.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return _of_config(read_json(Path(folder) / "config.json"), folder)
    entries = read_json(path)
    values = {field.name: entries[field.name] for field in fields(Card) if field.name in entries}
    if not all(_is_alike(value, getattr(_EXAMPLE, name)) for name, value in values.items()):
        raise ConfigurationError(
            f"its {FILE} is not a card. Copy the model again, or remove the file."
        )
    return Card(**values)


def card_of(model: str) -> Card:
    """
    Returns the card of an archive or of a run folder. Raises the errors of `model_folder` and
    `read_card`.
    """
    with model_folder(model) as folder:
        return read_card(folder)


def write_card(
    folder: AnyPath,
    treebanks: Mapping[str, Mapping[str, int]],
    scores: Mapping[str, Any],
    older: Card = Card(),
    encoder: str = "",
    tasks: Iterable[str] = (),
    corpora: Mapping[str, str] = MappingProxyType({}),
    unfinished: str = "",
) -> None:
    """
    Writes the card of the run in `folder`.

    # Parameters

    folder : `AnyPath`
    treebanks : `Mapping[str, Mapping[str, int]]`
        As in `Card`.
    scores : `Mapping[str, Any]`
        The metrics of the trainer, from which those of the best epoch are taken.
    older : `Card`
        The card of the model that it was started from, whose content is kept.
    encoder : `str`
        The pretrained encoder that its encoder was started from.
    tasks : `Iterable[str]`
        The tasks that it predicts.
    corpora : `Mapping[str, str]`
        As in `Card`.
    unfinished : `str`
        As in `Card`.
    """
    started_from = [*older.started_from, *older.treebanks]
    card = Card(
        languages=sorted({*older.languages, *_languages(treebanks)}),
        treebanks={name: dict(counts) for name, counts in treebanks.items()},
        started_from=list(dict.fromkeys(started_from)),
        encoder=printable(encoder),
        tasks=sorted(map(printable, tasks)),
        scores=best_scores(scores),
        date=time.strftime("%Y-%m-%d", time.gmtime(_now())),
        versions=_versions(),
        corpora={
            **older.corpora,
            **{printable(name): printable(licence) for name, licence in corpora.items()},
        },
        unfinished=unfinished,
    )
    _save(card, folder)


def finish_card(folder: AnyPath) -> None:
    """Records in the card, if there is one, that training in `folder` is finished."""
    if (Path(folder) / FILE).is_file():
        _save(replace(read_card(folder), unfinished=""), folder)


def _save(card: Card, folder: AnyPath) -> None:
    text = json.dumps(card.to_dict(), indent=1, ensure_ascii=False)
    write_whole(Path(folder) / FILE, [text.encode() + b"\n"])


def _of_config(config: dict[str, Any], folder: AnyPath) -> Card:
    """
    Returns the card of a model of an earlier release: treebanks by the paths in its config that are
    not globs.
    """
    names = treebanks_of(config)
    metrics = Path(folder) / "metrics.json"
    return Card(
        languages=_languages(names),
        treebanks={name: {} for name in names},
        encoder=encoder_of(config),
        tasks=tasks_of(config),
        scores=best_scores(read_json(metrics)) if metrics.is_file() else {},
    )


def _languages(treebanks: Iterable[str]) -> list[str]:
    """Returns the languages of gold treebanks."""
    gold = (name for name in treebanks if not is_silver(name))
    return sorted({lang for lang in map(language_prefix, gold) if lang is not None})


def _now() -> float:
    epoch_seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(epoch_seconds) if epoch_seconds.isdecimal() else time.time()


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "udify_allennlp": build_version()}
    for name in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


_EXAMPLE = Card(
    ["en"],
    {"en_ewt": {"words": 1}},
    ["de_gsd"],
    "name",
    ["upos"],
    {"UPOS": 1.0},
    "day",
    {"a": "1"},
    {"en_wiki": "CC BY-SA 4.0"},
    "epoch 1 of 2",
)


def _is_alike(value: Any, example: Any) -> bool:
    """
    Returns whether a value has the structure of the example: lists and dictionaries with values of
    the same kind.
    """
    if isinstance(example, dict):
        (inner,) = example.values()
        return isinstance(value, dict) and all(
            _is_alike(name, "") and _is_alike(entry, inner) for name, entry in value.items()
        )
    if isinstance(example, list):
        return isinstance(value, list) and all(_is_alike(item, example[0]) for item in value)
    if isinstance(example, (int, float)):
        return isinstance(value, (int, float))
    return isinstance(value, str) and value == printable(value)
