"""Trainer, schedules, callbacks and checkpoints, independent of sentences."""

from udify_allennlp.training.callbacks import Unfreeze
from udify_allennlp.training.checkpointer import AtomicCheckpointer
from udify_allennlp.training.decay_from_best import DecayFromBest
from udify_allennlp.training.optimizers import FusedAdamW
from udify_allennlp.training.phased_trainer import PhasedTrainer
from udify_allennlp.training.recovery import RunState
from udify_allennlp.training.schedulers import InverseSqrt, Warmup
from udify_allennlp.training.trainer import UdifyTrainer

__all__ = [
    "AtomicCheckpointer",
    "DecayFromBest",
    "FusedAdamW",
    "InverseSqrt",
    "PhasedTrainer",
    "RunState",
    "Unfreeze",
    "UdifyTrainer",
    "Warmup",
]
