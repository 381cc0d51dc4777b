"""Raw texts of a corpus as CoNLL-U files, whose sentences can be counted and distributed."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Optional

from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.conllu import write_sentences
from udify_allennlp.text.files import compression, fingerprint, write_whole
from udify_allennlp.text.input_kinds import is_text
from udify_allennlp.text.newdoc import bare_name
from udify_allennlp.text.sentence import Sentence

Reader = Callable[[str], Iterable[Sentence]]
"""A function from the path of a raw text to its sentences."""


def segmented(
    paths: Sequence[str], folder: Path, make: Callable[[], Reader], *conditions: str
) -> list[str]:
    """
    Returns the paths, with raw text (see `input_kinds.py`) replaced by its words and sentences:
    `a.txt.gz` becomes `.ud-parse/texts/a.conllu.gz`, once for all runs.

    # Parameters

    paths : `Sequence[str]`
    folder : `Path`
        The output folder of the corpus.
    make : `Callable[[], Reader]`
        Returns the reader of texts; called only if it is needed.
    conditions : `str`
        The settings that tokens depend on, apart from the text.

    # Raises

    `ConfigurationError` if two texts have the same name, or a text or a condition has changed since
    the start of the corpus. `ConlluError` for text that is not UTF-8.
    """
    texts: dict[Path, str] = {}
    for path in filter(is_text, paths):
        other = texts.setdefault(_target(path, folder), path)
        if other != path:
            raise ConfigurationError(
                f"{other} and {path} have the same name. Parse them into different folders."
            )
    read: Optional[Reader] = None
    bar = Tqdm.tqdm(texts.items(), desc="segmenting", unit=" files", disable=not texts)
    for target, path in bar:
        key = fingerprint([path], *(condition.encode() for condition in conditions)).encode()
        key_file = target.with_name(f"{target.name}.key")
        if not key_file.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            read = read or make()
            write_sentences(read(path), target)
            write_whole(key_file, [key])
        elif key_file.read_bytes() != key:
            raise ConfigurationError(
                f"{path}, --tokenizer or --lang has changed since its parse was started. Restore "
                "it, or name another folder."
            )
    targets = {path: str(target) for target, path in texts.items()}
    return [targets.get(path, path) for path in paths]


def _target(path: str, folder: Path) -> Path:
    return folder / ".ud-parse" / "texts" / f"{bare_name(path)}.conllu{compression(path)}"
