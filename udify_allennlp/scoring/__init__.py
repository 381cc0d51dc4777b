"""How good predictions are: the official scripts, scores during training, `allennlp evaluate`."""

from udify_allennlp.scoring.evaluator import ConllEvaluator
from udify_allennlp.scoring.sigmorphon_evaluator import SigmorphonEvaluator
from udify_allennlp.scoring.sigmorphon_scores import SigmorphonScores
from udify_allennlp.scoring.word_scores import WordScores

__all__ = ["ConllEvaluator", "SigmorphonEvaluator", "SigmorphonScores", "WordScores"]
