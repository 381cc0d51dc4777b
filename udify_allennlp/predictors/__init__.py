"""Parsing of sentences with a loaded model, and loading of models."""

from udify_allennlp.predictors.conllu_predictor import BATCH_SIZE, ConlluPredictor
from udify_allennlp.predictors.loading import gpu_number, load_predictor

__all__ = ["BATCH_SIZE", "ConlluPredictor", "gpu_number", "load_predictor"]
