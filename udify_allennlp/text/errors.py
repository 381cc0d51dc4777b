"""Errors in a user's input. Each message is one line and says how to fix it."""


class InputError(ValueError):
    """A text, file, language or tokenizer that cannot be used."""


class ConlluError(InputError):
    """A fault of a file. The message is always `path:line: what is wrong. How to fix it.`"""
