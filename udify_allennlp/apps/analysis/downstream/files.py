"""Files of examples: found by name, decompressed, decoded."""

from collections.abc import Sequence

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.files import DAMAGED, open_compressed
from udify_allennlp.text.line_reader import damaged, decoded
from udify_allennlp.text.named_files import files_of


def example_files(words: Sequence[str], option: str, ending: str) -> list[str]:
    """
    Returns the files that `words` name, as `files_of` does, those with the `ending` in folders.

    # Raises

    `InputError` if a file does not exist; it names the `option`.
    """
    try:
        return files_of(words, (ending,))
    except FileNotFoundError as error:
        why = str(error).partition(". ")[0]
        raise InputError(
            f"{option}: {why}. Name files with the ending {ending}, also compressed (.gz, .xz)."
        ) from None


def content_of(path: str) -> str:
    """Returns the text of a plain, .gz or .xz file. `ConlluError` if damaged or not UTF-8."""
    try:
        with open_compressed(path) as file:
            content = file.read()
    except DAMAGED as error:
        raise damaged(path, 1, error) from error
    return decoded(content, path, 1).removeprefix("\ufeff")
