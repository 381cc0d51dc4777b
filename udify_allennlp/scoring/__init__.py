"""How good predictions are: the official scripts, scores during training, `allennlp evaluate`."""

from udify_allennlp.scoring.evaluator import TreebankEvaluator
from udify_allennlp.scoring.role_scores import RoleEvaluator, RoleScores
from udify_allennlp.scoring.sigmorphon_scores import SigmorphonScores
from udify_allennlp.scoring.without_punct import ScoresWithoutPunct
from udify_allennlp.scoring.word_scores import WordScores

__all__ = [
    "RoleEvaluator",
    "RoleScores",
    "ScoresWithoutPunct",
    "SigmorphonScores",
    "TreebankEvaluator",
    "WordScores",
]
