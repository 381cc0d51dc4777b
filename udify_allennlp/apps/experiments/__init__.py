"""The thesis's comparison: one model for all treebanks, one for each, and both in turn."""

from udify_allennlp.apps.experiments.score_table import Score, ScoreTable
from udify_allennlp.apps.experiments.treebanks import Treebank, find_treebanks

__all__ = ["Score", "ScoreTable", "Treebank", "find_treebanks"]
