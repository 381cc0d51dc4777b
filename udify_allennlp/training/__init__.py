"""Trainer, schedules, callbacks and checkpoints."""

from udify_allennlp.training.callbacks import RunState, Unfreeze
from udify_allennlp.training.checkpointer import AtomicCheckpointer
from udify_allennlp.training.evaluator import ConllEvaluator
from udify_allennlp.training.optimizers import FusedAdamW
from udify_allennlp.training.schedulers import InverseSqrt
from udify_allennlp.training.sigmorphon_evaluator import SigmorphonEvaluator
from udify_allennlp.training.trainer import UdifyTrainer

__all__ = [
    "AtomicCheckpointer",
    "ConllEvaluator",
    "FusedAdamW",
    "InverseSqrt",
    "RunState",
    "SigmorphonEvaluator",
    "Unfreeze",
    "UdifyTrainer",
]
