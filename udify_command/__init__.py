"""
The commands `udify` and `allennlp`, up to where AllenNLP is needed: messages without the seconds
that PyTorch takes to import, and everything that must work before AllenNLP is installed. It stands
beside the package `udify_allennlp` because importing any part of that imports AllenNLP.
"""

from udify_command.front import main

__all__ = ["main"]
