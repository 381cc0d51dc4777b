"""
Fixes of bugs in AllenNLP 2.10.1 that appear after its import, while it reads data, trains or loads.
Each states its reason and the first version that needs it, and does nothing otherwise.
"""

import inspect
import logging
from difflib import get_close_matches
from importlib.metadata import version
from typing import Any, Optional, Union

import numpy
import torch
from allennlp.common import cached_transformers, registrable
from allennlp.training.learning_rate_schedulers import pytorch_lr_schedulers
from allennlp.training.moving_average import MovingAverage
from packaging.version import Version

logger = logging.getLogger(__name__)


def apply() -> None:
    """Applies every fix. Safe to call twice."""
    mend_get_tokenizer()
    mend_reduce_on_plateau()
    mend_moving_average()
    registrable._get_suggestion = suggestion
    allow_numpy_scalars()


def mend_get_tokenizer() -> None:
    """
    transformers >= 4.44: a keyword of `from_pretrained` may not be named like a method, and
    AllenNLP passes `add_special_tokens`. Dropped: AllenNLP repeats it in each call that encodes.
    """
    original = cached_transformers.get_tokenizer
    if Version(version("transformers")) < Version("4.44") or hasattr(original, "is_fixed"):
        return

    def get_tokenizer(model_name: str, **kwargs: Any) -> Any:
        mend_tokenizer_methods()  # not before: that imports transformers
        kwargs.pop("add_special_tokens", None)
        return original(model_name, **kwargs)

    get_tokenizer.is_fixed = True  # type: ignore[attr-defined]
    cached_transformers.get_tokenizer = get_tokenizer


def mend_tokenizer_methods() -> None:
    """
    transformers >= 5.0: tokenizers have no `encode_plus` and no `build_inputs_with_special_tokens`;
    the `pretrained_transformer` tokenizer and indexers call them.
    """
    from transformers import PreTrainedTokenizerBase

    for method in (encode_plus, build_inputs_with_special_tokens):
        if not hasattr(PreTrainedTokenizerBase, method.__name__):
            setattr(PreTrainedTokenizerBase, method.__name__, method)


def encode_plus(self: Any, text: Any, text_pair: Any = None, **kwargs: Any) -> Any:
    """Encodes one text or one pair of texts, which is the same as calling a tokenizer."""
    return self(text=text, text_pair=text_pair, **kwargs)


def build_inputs_with_special_tokens(
    self: Any, token_ids_0: list[int], token_ids_1: Optional[list[int]] = None
) -> list[int]:
    """
    Returns the ids with the special tokens of this tokenizer around (and between) them. Their
    positions are read from an encoded letter, or a pair of letters.
    """
    segments = [token_ids_0] if token_ids_1 is None else [token_ids_0, token_ids_1]
    letters = ["a"] * len(segments)
    frame = self(*letters, add_special_tokens=True, return_special_tokens_mask=True)
    ids: list[int] = []
    remaining = list(segments)
    inside = False
    for token_id, special in zip(frame["input_ids"], frame["special_tokens_mask"], strict=True):
        if special:
            ids.append(token_id)
        elif not inside and remaining:
            ids.extend(remaining.pop(0))
        inside = not special
    if remaining:
        raise ValueError(f"{type(self).__name__} puts no special token between two segments.")
    return ids


def suggestion(name: str, available: list[str]) -> Optional[str]:
    """
    Returns the registered name most similar to `name`. AllenNLP's version imports nltk for this.
    """
    return next(iter(get_close_matches(name, available, n=1)), None)


def mend_reduce_on_plateau() -> None:
    """
    torch >= 2.7: `ReduceLROnPlateau` has no `verbose`, which AllenNLP always passes. We accept it
    in configs, as AllenNLP does, and warn the user.
    """
    scheduler = pytorch_lr_schedulers.ReduceOnPlateauLearningRateScheduler
    if "verbose" in inspect.signature(torch.optim.lr_scheduler.ReduceLROnPlateau).parameters:
        return

    def __init__(  # noqa: N807 (AllenNLP reads the parameters of a config off this signature)
        self: Any,
        optimizer: torch.optim.Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        threshold_mode: str = "rel",
        threshold: float = 1e-4,
        cooldown: int = 0,
        min_lr: Union[float, list[float]] = 0,
        eps: float = 1e-8,
    ) -> None:
        if verbose:
            logger.warning("reduce_on_plateau: this version of PyTorch ignores 'verbose'.")
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer=optimizer,
            mode=mode,  # type: ignore[arg-type]
            factor=factor,
            patience=patience,
            threshold_mode=threshold_mode,  # type: ignore[arg-type]
            threshold=threshold,
            cooldown=cooldown,
            min_lr=min_lr,
            eps=eps,
        )
        super(scheduler, self).__init__(plateau)

    scheduler.__init__ = __init__


def mend_moving_average() -> None:
    """
    A recovered run averaged the parameters of its checkpoint instead of the model's, so it saved
    the last weights as averages.
    """

    def load_state_dict(self: Any, state_dict: dict[str, Any]) -> None:
        for ours, saved in ((self._shadows, "shadows"), (self._backups, "backups")):
            for name, values in ours.items():
                values.copy_(state_dict[saved][name])

    MovingAverage.load_state_dict = load_state_dict


def allow_numpy_scalars() -> None:
    """
    torch >= 2.6: `torch.load` admits tensors and plain Python values only, but the metric tracker
    saves numpy numbers in the training state, so `--recover` failed. The types of numbers, which
    run no code, are allowed; the check itself stays on.
    """
    scalar: Any = numpy.float64(0).__reduce__()[0]
    numbers = ["Bool"] + [f"Float{bits}" for bits in (16, 32, 64)]
    numbers += [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
    torch.serialization.add_safe_globals(
        [
            # One function under the names that numpy 2 and numpy 1 write into files.
            (scalar, "numpy._core.multiarray.scalar"),
            (scalar, "numpy.core.multiarray.scalar"),
            numpy.dtype,
            *(getattr(numpy.dtypes, f"{number}DType") for number in numbers),
        ]
    )
