"""A callback that ends training as a power cut does, after a number of updates."""

import random

from allennlp.training.callbacks import TrainerCallback

POWER_CUT = {"after": 0}


class PowerCut(Exception):
    pass


@TrainerCallback.register("test_power_cut")
class CutsPower(TrainerCallback):
    def on_start(self, trainer, is_primary=True, **kwargs):
        self.left = POWER_CUT["after"]

    def on_batch(self, *args, is_training=True, **kwargs):
        random.random()  # of a callback that draws, too
        if is_training:
            self.left -= 1
            if self.left == 0:
                raise PowerCut
