"""
Translation between many languages with one small model: SMaLL-100 (Mohammadshahi 2023, chapter 6).
"""

from udify_allennlp.translation.loader import TranslationLoader
from udify_allennlp.translation.model import TranslationModel
from udify_allennlp.translation.predictor import TranslationPredictor
from udify_allennlp.translation.reader import TranslationReader

__all__ = ["TranslationLoader", "TranslationModel", "TranslationPredictor", "TranslationReader"]
