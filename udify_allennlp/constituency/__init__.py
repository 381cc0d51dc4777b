"""
Constituency parsing: the task, the labels of spans, their scores, the decoder, scores as EVALB
gives them. Trees and bracketed files are in `text/constituents/`, the search is `modules/cky.py`.
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
