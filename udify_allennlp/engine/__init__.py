"""
Parsing with a model that `ud-export --onnx` has saved: scores by onnxruntime, the rest by the same
code as elsewhere. No PyTorch, no AllenNLP.
"""

from udify_allennlp.engine.parser import OnnxParser

__all__ = ["OnnxParser"]
