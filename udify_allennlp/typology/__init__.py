"""Positions that are generated from the typology of a language (Ji et al. 2023)."""

from udify_allennlp.typology.encoder import TypologyEncoder

__all__ = ["TypologyEncoder"]
