"""
The commands `udify` and `allennlp`, up to the point where AllenNLP is needed: messages without the
seconds that the import of PyTorch takes, and everything that must work before AllenNLP is
installed. It is separate from the package `udify_allennlp`, because importing any part of that
imports AllenNLP.
"""

from udify_command.front import main

__all__ = ["main"]
