"""The head of a masked language model, taken from a checkpoint if it has one."""

import logging
from typing import Any, Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError

from udify_allennlp.data import encoder_files
from udify_allennlp.encoders.pretrained import in_silence
from udify_allennlp.modules.biaffine import activation_of

logger = logging.getLogger(__name__)


class MaskedHead(torch.nn.Module):
    """
    `LayerNorm(act(W h + b)) E^T + c`, with `E` the encoder's table of pieces, or a separate one:
    the form of the heads of BERT, RoBERTa, XLM-R and DistilBERT.

    # Parameters

    dim : `int`
        Width of the encoder's vectors.
    table : `torch.Tensor`
        `(pieces, table_dim)`: the encoder's table.
    tied : `bool`
        True if the output uses the encoder's table; otherwise it has a separate one, which starts
        as a copy.
    activation : `str`
        See `activation_of`.
    eps : `float`
        Epsilon of the norm.
    """

    def __init__(
        self,
        dim: int,
        table: torch.Tensor,
        tied: bool = True,
        activation: str = "gelu",
        eps: float = 1e-12,
    ) -> None:
        super().__init__()
        size, table_dim = table.shape
        self.activation = activation_of(activation)
        self.dense = torch.nn.Linear(dim, table_dim)
        self.norm = torch.nn.LayerNorm(table_dim, eps=eps)
        self.bias = torch.nn.Parameter(torch.zeros(size))
        self.table = None if tied else torch.nn.Parameter(table.detach().clone())

    def forward(self, vectors: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """
        Returns log-scores (nats) `(..., pieces)` of vectors `(..., dim)`; `table` is the encoder's,
        which is ignored if the head has its own.
        """
        hidden = self.norm(self.activation(self.dense(vectors)))
        return F.linear(hidden, table if self.table is None else self.table, self.bias)

    def copy(self, model: Any) -> bool:
        """
        Copies the weights of the head of a masked language model of transformers. Returns False,
        and copies nothing, if that head is not of the same form.
        """
        encoder = {id(module) for module in model.base_model.modules()}
        head_modules = [module for module in model.modules() if id(module) not in encoder]
        norms = [module for module in head_modules if isinstance(module, torch.nn.LayerNorm)]
        layers = [module for module in head_modules if isinstance(module, torch.nn.Linear)]
        output = model.get_output_embeddings()
        dense = [layer for layer in layers if layer is not output]
        if (len(norms), len(dense)) != (1, 1) or output not in layers or output.bias is None:
            return False
        pairs = [
            (self.dense.weight, dense[0].weight),
            (self.dense.bias, dense[0].bias),
            (self.norm.weight, norms[0].weight),
            (self.norm.bias, norms[0].bias),
            (self.bias, output.bias),
        ]
        if self.table is not None:
            pairs.append((self.table, output.weight))
        if any(theirs is None or ours.shape != theirs.shape for ours, theirs in pairs):
            return False
        with torch.no_grad():
            for ours, theirs in pairs:
                ours.copy_(theirs)
        self.norm.eps = norms[0].eps
        return True


def load_head(head: MaskedHead, model_name: str) -> None:
    """
    Gives `head` the weights of the checkpoint `model_name`; if it has none, logs a warning and
    changes nothing.

    # Raises

    `ConfigurationError` if nothing can be loaded from `model_name`.
    """
    model = _masked_language_model(encoder_files.locate(model_name))
    if model is None or not head.copy(model):
        logger.warning(
            "%s has no matching masked language model head. A new head is used.", model_name
        )


def _masked_language_model(path: str) -> Optional[Any]:
    """
    Returns the masked language model, or `None` if the checkpoint, or its kind of encoder, has no
    head.
    """
    from transformers import AutoConfig, AutoModelForMaskedLM

    try:
        with in_silence():
            config = AutoConfig.from_pretrained(path, trust_remote_code=False)
            if type(config) not in AutoModelForMaskedLM._model_mapping:
                return None
            model, report = AutoModelForMaskedLM.from_pretrained(
                path, config=config, trust_remote_code=False, output_loading_info=True
            )
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"model.masked_head_from is {path!r}: {str(error).splitlines()[0]} Use the model_name "
            "of the encoder, or omit it for a new head."
        ) from None
    base = f"{model.base_model_prefix}."
    return None if any(not key.startswith(base) for key in report["missing_keys"]) else model
