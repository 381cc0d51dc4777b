"""The trainer of all models: precision, updates, and the choice of the best weights."""

import logging
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data.data_loaders import TensorDict
from allennlp.training import Trainer

from udify_allennlp.compat.console_log import quiet
from udify_allennlp.kernels import precision
from udify_allennlp.kernels.memory import keep_few_products
from udify_allennlp.training.callbacks import RUN_CALLBACKS
from udify_allennlp.training.checkpointer import AtomicCheckpointer, save_best
from udify_allennlp.training.epoch import Step
from udify_allennlp.training.epoch_line import EpochLine
from udify_allennlp.training.gradients import clip_norm
from udify_allennlp.training.optimizers import update_large_embeddings_lazily
from udify_allennlp.training.recovery import RecoveringTrainer
from udify_allennlp.training.rounded_weights import RoundedWeights
from udify_allennlp.training.run_plan import epochs_with, updates_of_epoch
from udify_allennlp.training.running_loss import RunningLoss
from udify_allennlp.training.schedulers import long_warm_up

logger = logging.getLogger(__name__)

_DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}


@Trainer.register("udify", constructor="from_partial_objects")
class UdifyTrainer(RecoveringTrainer):
    """
    A trainer with all parameters of AllenNLP's `gradient_descent` trainer.

    On a GPU `use_amp` is mixed precision: float16 with a gradient scaler (thesis, section 3.5), or
    bfloat16, which needs no scaler. On a CPU the same config trains in float32, with a note in the
    log; `cpu_bfloat16` enables bfloat16 on processors that multiply it (AVX512-BF16, AMX), where it
    is about twice as fast; on others the run trains in float32.

    Recovery is exact; see `RecoveringTrainer`.

    # Parameters

    use_amp : `bool`
        True for mixed precision on a GPU.
    amp_dtype : `str`
        `float16` or `bfloat16`.
    cpu_bfloat16 : `bool`
        True for mixed precision on a CPU that multiplies bfloat16.
    stored_precision : `Optional[str]`
        `int4` or `int8`: training takes the rounding of `ud-pack` into account; see
        `RoundedWeights`. Development scores use rounded weights, and these are saved for the best
        epoch.
    least_steps : `int`
        Minimum number of updates: if `num_epochs` have fewer, further epochs follow. Small
        treebanks need it. The learning rate schedule must not be made for `num_epochs`;
        `udify_inverse_sqrt` receives the real number.

    # Raises

    `ConfigurationError` for any other `amp_dtype`, for `num_epochs` below 1, and for `least_steps`
    with a schedule that is made for `num_epochs`.
    """

    def __init__(
        self,
        *args: Any,
        use_amp: bool = False,
        amp_dtype: str = "float16",
        cpu_bfloat16: bool = False,
        stored_precision: Optional[str] = None,
        least_steps: int = 0,
        grad_scaling: bool = True,
        **kwargs: Any,
    ) -> None:
        if amp_dtype not in _DTYPES:
            raise ConfigurationError(
                f"trainer.amp_dtype is {amp_dtype!r}. Use {' or '.join(_DTYPES)}."
            )
        cuda_device = kwargs.get("cuda_device")
        on_gpu = torch.device(cuda_device if cuda_device not in (None, -1) else "cpu").type != "cpu"
        self._amp_dtype: Optional[torch.dtype] = None
        if on_gpu and use_amp:
            self._amp_dtype = _DTYPES[amp_dtype]
        elif not on_gpu and cpu_bfloat16 and precision.multiplies_bfloat16():
            self._amp_dtype = torch.bfloat16
            keep_few_products()
        elif not on_gpu and cpu_bfloat16:
            logger.info("This processor does not multiply bfloat16: the run trains in float32.")
        elif use_amp:
            logger.info("use_amp is set, but this run has no GPU, so it trains in float32.")
        # The parent's own autocast is float16; with bfloat16 ours is the only one.
        half = self._amp_dtype == torch.float16
        super().__init__(*args, use_amp=half, grad_scaling=grad_scaling, **kwargs)
        lazy: list[torch.nn.Embedding] = []
        if self.cuda_device.type == "cpu" and not self._distributed and not self._moving_average:
            lazy = update_large_embeddings_lazily(self.model, self.optimizer)
        self._rounding: Optional[RoundedWeights] = None
        if stored_precision is not None:
            self._rounding = RoundedWeights(self.model, stored_precision, lazy)
        self._num_epochs = epochs_with(self, least_steps)
        if self._num_epochs < 1:
            raise ConfigurationError(
                f"trainer.num_epochs is {self._num_epochs}, so nothing would be trained. Set it "
                "to 1 or more."
            )
        updates = updates_of_epoch(self)
        if updates is not None:
            warning = long_warm_up(self._learning_rate_scheduler, updates, self._num_epochs)
            if warning:
                logger.warning(warning)
        self._callbacks += [callback(self._serialization_dir) for callback in RUN_CALLBACKS]
        if quiet() and self._serialization_dir:
            self._callbacks.append(EpochLine(self._serialization_dir))
        self.running_loss = RunningLoss(every_step=True)

    @property
    def autocast_dtype(self) -> Optional[torch.dtype]:
        """The dtype of mixed precision; `None` if everything is float32."""
        return self._amp_dtype

    def autocast(self) -> AbstractContextManager[Any]:
        """Returns the context of the model's forward pass."""
        return torch.autocast(
            self.cuda_device.type, dtype=self._amp_dtype, enabled=self._amp_dtype is not None
        )

    def batch_outputs(self, batch: TensorDict, for_training: bool) -> dict[str, torch.Tensor]:
        if for_training:
            self._leave_interruption()  # the first batch after those that were done before it
        # `accumulate` has rounded the weights already, for the backward pass too.
        with nullcontext() if for_training else self._as_stored(), self.autocast():
            return super().batch_outputs(batch, for_training)

    def _as_stored(self) -> AbstractContextManager[None]:
        """Returns the context in which losses and scores are computed; see `stored_precision`."""
        return nullcontext() if self._rounding is None else self._rounding()

    def train_step(self, *batches: TensorDict) -> Step:
        """
        Makes one update from the mean loss of `batches`, without waiting for a GPU.

        A trainer that makes several updates of its batches overrides this: it calls `accumulate`
        and `update` as often as it likes, and `done` once at the end.
        """
        outputs = self.accumulate(*batches)
        norm = self.update()
        self.done()
        return Step(outputs, norm)

    def accumulate(
        self, *batches: TensorDict, fresh: bool = True, count: Optional[int] = None
    ) -> list[dict[str, torch.Tensor]]:
        """
        Adds gradients of the mean loss of `batches` to old ones unless they are `fresh`; with
        `count`, `batches` are a part of this many.
        """
        if fresh:
            self.optimizer.zero_grad()
        outputs: list[dict[str, torch.Tensor]] = []
        with self._as_stored():
            for batch in batches:
                output = self.batch_outputs(batch, for_training=True)
                outputs.append(output)
                self._backward(output, output["loss"] / (count or len(batches)))
        return outputs

    def update(self) -> Optional[torch.Tensor]:
        """
        Takes a step of the schedulers and the optimizer; returns the norm of the gradients before
        it.
        """
        norm = self.rescale_gradients()
        self.clip_gradient()
        number = self._total_batches_completed + 1
        if self._learning_rate_scheduler:
            self._learning_rate_scheduler.step_batch(number)
        if self._momentum_scheduler:
            self._momentum_scheduler.step_batch(number)
        if self._scaler is not None:
            self._scaler.step(self.optimizer)
            self._scaler.update()
        else:
            self.optimizer.step()
        if self._moving_average is not None:
            self._moving_average.apply(number)
        return norm

    def done(self) -> None:
        """Counts a group of batches as done."""
        self._batches_in_epoch_completed += 1
        self._total_batches_completed += 1

    def _backward(self, output: dict[str, torch.Tensor], loss: torch.Tensor) -> None:
        done = False
        for callback in self._callbacks:
            done |= callback.on_backward(self, output, done)
        if not done:
            (loss if self._scaler is None else self._scaler.scale(loss)).backward()

    def rescale_gradients(self) -> Optional[torch.Tensor]:
        """Clips by `grad_norm`, and returns the norm from before, still on the GPU."""
        if not self._grad_norm or self._ddp_wrapped_model is not None:
            return super().rescale_gradients()
        if self._scaler is not None:
            self._scaler.unscale_(self.optimizer)
        return clip_norm(self.model, self._grad_norm)

    def get_checkpoint_state(self) -> Any:
        # Weights after a NaN are worth nothing: this raises before they are saved.
        self.running_loss.fetch()
        return super().get_checkpoint_state()

    def _try_train(self) -> tuple[dict[str, Any], int]:
        # The model was made for the training data; what it is validated on is another matter.
        check: Any = getattr(self.model, "check_validation_data", None)
        if check is not None:
            check(self._validation_data_loader)
        metrics, epoch = super()._try_train()
        # A run that was over already has no metrics of its own.
        return {**self._run_state.metrics, **metrics}, epoch

    def _save_model_state(self, path: str) -> None:
        # A file is as good as its path to the parent, and its faults are Python's own.
        write: Any = super()._save_model_state
        if self._rounding is not None:
            with self._rounding.whole():
                save_best(path, None, write)
            return
        saved = None
        if self._moving_average is None and isinstance(self._checkpointer, AtomicCheckpointer):
            now = self._epochs_completed, self._batches_in_epoch_completed
            start = (
                self._start_after_epochs_completed,
                self._start_after_batches_in_epoch_completed,
            )
            saved = self._checkpointer.weights_at(max(now, start))
        save_best(path, saved, write)

    def _finalize_model(self) -> None:
        super()._finalize_model()
        if self._rounding is not None:
            self._rounding.settle()
