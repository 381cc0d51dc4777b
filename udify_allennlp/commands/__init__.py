"""Subcommands of `allennlp`."""

from udify_allennlp.commands.predict import PredictTreebank

__all__ = ["PredictTreebank"]
