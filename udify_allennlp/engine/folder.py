"""The folder of an exported model: its files, and the settings that stand beside the graphs."""

import json
import re
from pathlib import Path
from typing import NamedTuple, Optional

from udify_allennlp.data.framing import Framing
from udify_allennlp.data.schema import Schema
from udify_allennlp.data.sentence_source import Origin
from udify_allennlp.text.errors import InputError
from udify_allennlp.text.languages import UD_CODES

SETTINGS, TOKENIZER, VOCABULARY = "settings.json", "tokenizer.json", "vocabulary"
SCORES, DEPRELS = "scores", "deprels"
"""The graphs that score a batch, and the deprels of arcs. Each tag task has one of its own name."""
FORMAT = 1
TAGS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}
"""
The tasks with one label per word that can be exported, and their columns, in the order in which
they are predicted: lemmas depend on UPOS.
"""
DEPS = "deps"
_NO_CELL = re.compile(r"[\t\r\ud800-\udfff]")


class Trees(NamedTuple):
    """The settings of the search for the best tree; see `DependencyDecoder`."""

    with_labels: bool
    single_root: bool
    label_margin: Optional[float]


class Settings(NamedTuple):
    """The settings of an exported model, besides its scores."""

    name: str
    """The model that was exported, for messages."""
    tasks: list[str]
    """The tasks that it predicts, some of `TAGS` and `DEPS`, in the order of its decoders."""
    framing: Framing
    unknown_id: int
    """The unknown wordpiece."""
    characters: bool
    """True if the model reads the characters of words."""
    origins: dict[str, str]
    """The sources of `treebank` and `lang` that it reads; see `Origin`."""
    own_labels: bool
    """True if labels depend on the language of a sentence."""
    trees: Optional[Trees]
    languages: list[str]
    """The codes of the languages that it was trained on."""

    def has_seen(self, lang: str) -> bool:
        """Returns whether it was trained on a language; true if its languages are unknown."""
        seen = not self.languages or lang in self.languages
        return seen or UD_CODES.get(lang) in self.languages

    @property
    def schema(self) -> Schema:
        """The columns of its batches."""
        origins = tuple(Origin(name, source) for name, source in self.origins.items())
        return Schema(origins=origins, framing=self.framing, characters=self.characters)

    def save(self, folder: Path) -> None:
        """Writes the settings into the folder of the model."""
        values = {**self._asdict(), "format": FORMAT, "framing": self.framing._asdict()}
        values["trees"] = None if self.trees is None else self.trees._asdict()
        text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
        (folder / SETTINGS).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Settings":
        """
        Reads the settings of an exported model.

        # Raises

        `InputError` if there are none, or they are not settings of this format.
        """
        path = folder / SETTINGS
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"{folder}: has no {SETTINGS}, so it is not an exported model. Make one with "
                "allennlp ud-export MODEL --onnx FOLDER."
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise damaged(path, error) from error
        if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
            raise InputError(
                f"{path}: is not of format {FORMAT}. Export the model again with this version."
            )
        try:
            values["framing"] = Framing(**values["framing"])
            values["trees"] = Trees(**values["trees"]) if values["trees"] else None
            settings = cls(**values)
            _check(settings)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise damaged(path, error) from error
        return settings


def _check(settings: Settings) -> None:
    """Raises `ValueError` or `TypeError` for values that the parser cannot use."""
    numbers = (*settings.framing, settings.unknown_id)
    if not all(isinstance(number, int) and 0 <= number < 2**31 for number in numbers):
        raise ValueError("framing")
    if not 4 <= settings.framing.max_pieces <= 2**16:
        raise ValueError("max_pieces")
    if not set(settings.tasks) <= {*TAGS, DEPS} or len(set(settings.tasks)) < len(settings.tasks):
        raise ValueError("tasks")
    if (DEPS in settings.tasks) != (settings.trees is not None):
        raise ValueError("trees")
    for name, source in settings.origins.items():
        if name not in ("treebank", "lang") or not re.fullmatch("file|comment|=.+", source):
            raise ValueError("origins")
    for names in (settings.languages, [settings.name]):
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("languages")


def check_labels(labels: list[str], path: Path) -> list[str]:
    """
    Returns the labels of a file, which go into cells.

    # Raises

    `InputError` if there are none, or CoNLL-U cannot hold one.
    """
    # All at once: there may be tens of thousands.
    text = "\n".join(labels)
    if not labels or "" in labels or _NO_CELL.search(text) or text.count("\n") >= len(labels):
        fault = next((x for x in labels if not x or "\n" in x or _NO_CELL.search(x)), "")
        raise damaged(path, ValueError(f"{fault!r:.40} is not a label"))
    return labels


def damaged(path: Path, error: BaseException) -> InputError:
    """Returns the error for a file that cannot be used."""
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return InputError(f"{path}: is damaged ({reason}). Export the model again.")
