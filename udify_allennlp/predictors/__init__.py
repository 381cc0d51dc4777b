"""Registered predictors."""

from udify_allennlp.predictors.conllu_predictor import ConlluPredictor

__all__ = ["ConlluPredictor"]
