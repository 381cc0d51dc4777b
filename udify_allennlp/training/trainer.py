"""AllenNLP's trainer, with mixed precision that says what it does and recovery that is exact."""

import logging
from typing import Any, Dict, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data.data_loaders import TensorDict
from allennlp.training import GradientDescentTrainer, Trainer

from udify_allennlp.training.callbacks import RunState, random_state, set_random_state

logger = logging.getLogger(__name__)

_DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}


@Trainer.register("udify", constructor="from_partial_objects")
class UdifyTrainer(GradientDescentTrainer):
    """
    Takes all parameters of AllenNLP's `gradient_descent` trainer.

    On a GPU `use_amp` is mixed precision: float16 with a gradient scaler (thesis, section 3.5), or
    bfloat16, which needs no scaler. On a CPU the same config trains in float32 and says so;
    `cpu_bfloat16` turns on bfloat16 there, for processors that multiply it in hardware
    (AVX512-BF16, AMX), where it is about twice as fast.

    A recovered run goes on exactly where the interrupted one stopped: same batches, masks,
    dropout, rates. Epochs that are done are skipped without reading their batches. In a
    distributed run every process takes up the first one's random generators, so masks and dropout
    of the others differ from those of a run left alone.

    # Parameters

    use_amp : `bool`
        Mixed precision on a GPU.
    amp_dtype : `str`
        `float16` or `bfloat16`.
    cpu_bfloat16 : `bool`
        Mixed precision on a CPU.

    # Raises

    `ConfigurationError` for any other `amp_dtype`.
    """

    def __init__(
        self,
        *args: Any,
        use_amp: bool = False,
        amp_dtype: str = "float16",
        cpu_bfloat16: bool = False,
        grad_scaling: bool = True,
        **kwargs: Any,
    ) -> None:
        if amp_dtype not in _DTYPES:
            raise ConfigurationError(
                f"trainer.amp_dtype is {amp_dtype!r}; it can be {' or '.join(_DTYPES)}."
            )
        cuda_device = kwargs.get("cuda_device")
        on_gpu = (
            torch.device(cuda_device if cuda_device not in (None, -1) else "cpu").type == "cuda"
        )
        self._amp_dtype: Optional[torch.dtype] = None
        if on_gpu and use_amp:
            self._amp_dtype = _DTYPES[amp_dtype]
        elif not on_gpu and cpu_bfloat16:
            self._amp_dtype = torch.bfloat16
        elif use_amp:
            logger.warning(
                "use_amp is set, but this run has no GPU: it trains in float32. Scores are the "
                "same; only the speed-up of mixed precision is missing."
            )
        # The parent's own autocast is float16; with bfloat16 ours is the only one.
        half = self._amp_dtype == torch.float16
        super().__init__(*args, use_amp=half, grad_scaling=grad_scaling, **kwargs)
        self._run_state = RunState(self._serialization_dir)
        self._run_state.trainer = self
        self._callbacks.append(self._run_state)
        self._resuming: Dict[str, Any] = {}

    def batch_outputs(self, batch: TensorDict, for_training: bool) -> Dict[str, torch.Tensor]:
        if for_training and "now" in self._resuming:
            # The first batch after those that were done before the interruption.
            set_random_state(self._resuming.pop("now"))
        with torch.autocast(
            self.cuda_device.type, dtype=self._amp_dtype, enabled=self._amp_dtype is not None
        ):
            return super().batch_outputs(batch, for_training)

    def _maybe_restore_checkpoint(self) -> None:
        super()._maybe_restore_checkpoint()
        self._resuming = dict(self._run_state.restored)
        if self._resuming.get("scaler") is not None and self._scaler is not None:
            self._scaler.load_state_dict(self._resuming["scaler"])

    def _train_epoch(self, epoch: int) -> Dict[str, float]:
        if self._resuming:
            if self._epochs_completed < self._start_after_epochs_completed:
                return {}
            self._enter_interrupted_epoch()
        self._run_state.epoch_start = random_state()
        return super()._train_epoch(epoch)

    def _enter_interrupted_epoch(self) -> None:
        done = self._start_after_batches_in_epoch_completed
        # The parent counts the batches of this epoch again as it passes over them.
        self._total_batches_completed = self._resuming["total_batches"] - done
        if done:
            set_random_state(self._resuming["epoch_start"])
            self._resuming = {"now": self._resuming["now"]}
        else:
            set_random_state(self._resuming["now"])
            self._resuming = {}
