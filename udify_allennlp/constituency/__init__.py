"""
Constituency parsing: the task, span labels and their scores, the decoder, and EVALB scores. Trees
and bracketed files are in `text/constituents/`, the search is in `modules/cky.py`.
"""

from udify_allennlp.constituency.decoder import ConstituencyDecoder
from udify_allennlp.constituency.scores import ConstituencyEvaluator, ConstituencyScores
from udify_allennlp.constituency.task import ConstituentsTask

__all__ = [
    "ConstituencyDecoder",
    "ConstituencyEvaluator",
    "ConstituencyScores",
    "ConstituentsTask",
]
