"""Adafactor of transformers for AllenNLP's `huggingface_adafactor`, imported when it is made."""

from typing import Any

import torch


class Adafactor(torch.optim.Optimizer):
    """A base class that gives its place to the one of transformers before anything is optimized."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        from allennlp.training import optimizers
        from transformers import Adafactor as OfTransformers

        derived = optimizers.HuggingfaceAdafactor
        derived.__bases__ = tuple(
            OfTransformers if base is Adafactor else base for base in derived.__bases__
        )
        OfTransformers.__init__(self, *args, **kwargs)
