"""Gold files, and the parsed file of each of them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import names_of
from udify_allennlp.archives.shipped import archive_of
from udify_allennlp.text.conllu import expand_paths, read_sentences, treebank_name, treebank_names
from udify_allennlp.text.files import compression
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.sentence import Sentence


def gold_paths(words: Sequence[str]) -> dict[str, str]:
    """
    Returns the files that `words` name (`files_of`), by their names from `treebank_names`: two
    files of one treebank stay separate.
    """
    paths = files_of(words)
    return dict(zip(treebank_names(paths), paths))


def gold_sentences(path: str) -> list[Sentence]:
    """
    Returns all sentences of a gold file.

    # Raises

    `ConfigurationError` if there are none: nothing can be scored.
    """
    sentences = list(read_sentences(path))
    check_some(sentences, path)
    return sentences


def check_some(sentences: Sequence[Sentence], path: str) -> None:
    """Raises `ConfigurationError` if a file has no sentences."""
    if not sentences:
        raise ConfigurationError(f"{path} has no sentences. Name files with sentences.")


def named_parses(words: Sequence[str]) -> dict[str, str]:
    """
    Returns parses, `PATH` or `NAME=PATH`, by name; those without a name are named after their
    paths.

    # Raises

    `ConfigurationError` if two have the same name.
    """
    parts = [word.partition("=") for word in words]
    has_name = [
        bool(path) and "/" not in name and not os.path.exists(word)
        for word, (name, _, path) in zip(words, parts)
    ]
    unnamed = [word for word, named in zip(words, has_name) if not named]
    shown = iter(names_of(unnamed) if unnamed else [])
    parses: dict[str, str] = {}
    for word, (name, _, path), named in zip(words, parts, has_name):
        name, path = (name, path) if named else (next(shown), word)
        if not name or name in parses:
            raise ConfigurationError(
                f"{word}: use a different name for each parse, such as A={path}."
            )
        parses[name] = path
    return parses


def parsed_paths(golds: Mapping[str, str], parsed: str) -> list[str]:
    """
    Returns the parse of each of `gold_paths`: for a single one, `parsed` itself unless it is a
    folder; otherwise the file in that folder or glob with the name of the gold file, or of its
    treebank.

    # Raises

    `ConfigurationError` if one of them has no parse, or more than one, or if `parsed` is a model.
    """
    if _is_model(parsed):
        raise ConfigurationError(
            f"{parsed} is a model, not a parse. Parse first: allennlp predict {parsed} "
            f"{next(iter(golds.values()))} --output-file parsed.conllu"
        )
    if os.path.isdir(parsed):  # whatever it is called: no comma or bracket in its name is a pattern
        files = sorted(str(path) for path in Path(parsed).glob("*.conllu*") if path.is_file())
    elif len(golds) == 1:
        return [parsed]
    else:
        files = expand_paths(parsed.split(","))
    # As much of the end of each gold path as tells them apart; it may be compressed, its parse not.
    ends = names_of([_uncompressed(path) for path in golds.values()])
    matches = [[path for path in files if _ends_with(path, end)] for end in ends]
    for name_of in (_stem, treebank_name):
        names = [name_of(path) for path in golds.values()]
        if len(set(names)) == len(names):
            matches = [
                matching or [path for path in files if name_of(path) == name]
                for matching, name in zip(matches, names)
            ]
    for treebank, end, matching in zip(golds, ends, matches):
        if not matching:
            raise ConfigurationError(
                f"{parsed} has no file for {treebank}. Add one for each gold file, with the same "
                f"name: {end}."
            )
        if len(matching) > 1:
            raise ConfigurationError(
                f"{parsed} has several files for {treebank}: {', '.join(matching)}. Keep one for "
                "each gold file."
            )
    return [path for matching in matches for path in matching]


def _is_model(path: str) -> bool:
    return (
        path.endswith(".tar.gz")
        or os.path.exists(os.path.join(path, "config.json"))
        or archive_of(path) is not None
    )


def _stem(path: str) -> str:
    """Returns `en_ewt-ud-dev` for `en_ewt-ud-dev.0.conllu`, of a parse with several passes."""
    return os.path.basename(path).split(".")[0]


def _ends_with(path: str, end: str) -> bool:
    return f"/{Path(_uncompressed(path)).as_posix()}".endswith(f"/{end}")


def _uncompressed(path: str) -> str:
    return path.removesuffix(compression(path))
