"""Models compared over treebanks and seeds: runs, scores, tables, what is more than chance."""

from udify_allennlp.apps.studies.score_table import Score, ScoreTable
from udify_allennlp.apps.studies.treebanks import Treebank, find_treebanks

__all__ = ["Score", "ScoreTable", "Treebank", "find_treebanks"]
