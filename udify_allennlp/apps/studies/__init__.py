"""Comparison of models over treebanks and seeds: runs, scores, tables, significance."""

from udify_allennlp.apps.studies.score_table import Score, ScoreTable
from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks

__all__ = ["Score", "ScoreTable", "Treebank", "find_treebanks"]
