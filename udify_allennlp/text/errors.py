"""Errors in a user's input. Each message is one line with a remedy."""


class InputError(ValueError):
    """A text, file, language or tokenizer that cannot be used."""


class ConlluError(InputError):
    """An error in a file. The message has the form `path:line: problem. Remedy.`"""
