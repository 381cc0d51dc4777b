"""Sentences to parsed sentences with a loaded model, and loading one."""

from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, ConlluPredictor
from udify_allennlp.predictors.loading import load_predictor

__all__ = ["BATCH_SIZE", "ConlluPredictor", "load_predictor"]
