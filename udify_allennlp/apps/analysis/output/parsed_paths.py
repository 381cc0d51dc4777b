"""Gold files, and which parsed file belongs to which of them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from allennlp.common.checks import ConfigurationError

from udify_allennlp.apps.analysis.output.files import names_of
from udify_allennlp.text.conllu import expand_paths, read_sentences, treebank_name, treebank_names
from udify_allennlp.text.files import compression
from udify_allennlp.text.named_files import files_of
from udify_allennlp.text.sentence import Sentence


def gold_paths(words: Sequence[str]) -> dict[str, str]:
    """
    The files that `words` name (`files_of`), each by the name that `treebank_names` gives it: two
    files of one treebank are two.
    """
    paths = files_of(words)
    return dict(zip(treebank_names(paths), paths))


def gold_sentences(path: str) -> list[Sentence]:
    """
    All sentences of a gold file.

    # Raises

    `ConfigurationError` if there is none: nothing can be right or wrong.
    """
    sentences = list(read_sentences(path))
    check_some(sentences, path)
    return sentences


def check_some(sentences: Sequence[Sentence], path: str) -> None:
    """`ConfigurationError` if a file has no sentences."""
    if not sentences:
        raise ConfigurationError(f"{path} has no sentences. Name files that have some.")


def named_parses(words: Sequence[str]) -> dict[str, str]:
    """
    Parses, `PATH` or `NAME=PATH`, by name; those without one are called after their paths.

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
            raise ConfigurationError(f"{word}: give each parse another name, such as A={path}.")
        parses[name] = path
    return parses


def parsed_paths(golds: Mapping[str, str], parsed: str) -> list[str]:
    """
    The parse of each of `gold_paths`: of one, `parsed` itself if it is no folder; else in its
    folder or glob the file that is called as the gold file is, or the one of its treebank.

    # Raises

    `ConfigurationError` if there is none of one of them, or more than one.
    """
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
                f"{parsed} has no file of {treebank}. Give one for each gold file, of the same "
                f"name: {end}."
            )
        if len(matching) > 1:
            raise ConfigurationError(
                f"{parsed} has several files of {treebank}: {', '.join(matching)}. Give one for "
                "each gold file."
            )
    return [path for matching in matches for path in matching]


def _stem(path: str) -> str:
    """`en_ewt-ud-dev` for `en_ewt-ud-dev.0.conllu`, of a parse with several passes."""
    return os.path.basename(path).split(".")[0]


def _ends_with(path: str, end: str) -> bool:
    return f"/{Path(_uncompressed(path)).as_posix()}".endswith(f"/{end}")


def _uncompressed(path: str) -> str:
    return path.removesuffix(compression(path))
