"""Evaluation: the official scripts, scores during training, `allennlp evaluate`."""

from udify_allennlp.scoring.evaluator import TreebankEvaluator
from udify_allennlp.scoring.ignore_punct import ScoresWithoutPunct
from udify_allennlp.scoring.sigmorphon_scores import SigmorphonScores
from udify_allennlp.scoring.word_scores import WordScores

__all__ = [
    "ScoresWithoutPunct",
    "SigmorphonScores",
    "TreebankEvaluator",
    "WordScores",
]
