"""Errors in a user's input. Each message is one line with a remedy."""

import errno
import os
from typing import Optional, Union

_FULL = "Free some space, or write elsewhere."
_REMEDIES = {
    errno.EACCES: "Get permission to write there, or name another.",
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EISDIR: "Name a file.",
    errno.ELOOP: "Correct the link.",
    errno.ENAMETOOLONG: "Use a shorter name.",
    errno.ENOSPC: _FULL,
    errno.ENOTDIR: "Name a file inside a folder.",
    errno.EPERM: "Get permission for it, or name another.",
    errno.EROFS: "Write elsewhere.",
}
"""Remedies for file errors, by their kind."""


class InputError(ValueError):
    """A text, file, language or tokenizer that cannot be used."""


class ConlluError(InputError):
    """An error in a file. The message has the form `path:line: problem. Remedy.`"""


def no_folder(path: Union[str, "os.PathLike[str]"], folder: Union[str, "os.PathLike[str]"]) -> str:
    """Returns the message for a file whose folder does not exist."""
    path, folder = os.fsdecode(path), os.fsdecode(folder)
    return f"{path}: the folder {folder} does not exist. Create it first: mkdir -p {folder}"


def file_error(error: OSError) -> Optional[str]:
    """Returns the message for an error of a file; `None` for any other."""
    if isinstance(error, FileNotFoundError):
        if error.filename is None:
            return " ".join(str(error).split())
        name = os.fsdecode(error.filename2 or error.filename)
        folder = os.path.dirname(name)
        if folder and not os.path.isdir(folder):
            return no_folder(name, folder)
        return f"{os.fsdecode(error.filename)}: no such file or folder"
    if error.errno not in _REMEDIES:
        return None
    name = error.filename2 or error.filename  # of two, the one that the other was to become
    where = "" if name is None else f"{os.fsdecode(name)}: "
    return f"{where}{os.strerror(error.errno).lower()}. {_REMEDIES[error.errno]}"
