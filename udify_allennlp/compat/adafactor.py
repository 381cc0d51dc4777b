"""Adafactor of transformers for AllenNLP's `huggingface_adafactor`, imported when it is made."""

from typing import Any

import torch


class Adafactor(torch.optim.Optimizer):
    """A placeholder that the class of transformers replaces before the first update."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        from allennlp.training import optimizers
        from transformers import Adafactor as OfTransformers

        derived = optimizers.HuggingfaceAdafactor
        derived.__bases__ = tuple(
            OfTransformers if base is Adafactor else base for base in derived.__bases__
        )
        OfTransformers.__init__(self, *args, **kwargs)
