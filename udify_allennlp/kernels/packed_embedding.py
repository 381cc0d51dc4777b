"""The table of wordpieces as in the archive: rows are unpacked when a batch needs them."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.packed_weights import State, quantized_in
from udify_allennlp.kernels.quantized_tensor import QuantizedTensor
from udify_allennlp.text.context_values import holding

_ENDING = "word_embeddings.weight"
_asked: ContextVar[bool] = ContextVar("asked", default=False)
_possible: ContextVar[bool] = ContextVar("possible", default=False)


def packed_embeddings() -> AbstractContextManager[None]:
    """
    A context in which models that are loaded may keep tables packed: they can then parse, but not
    be trained. Saving unpacks the tables.
    """
    return holding(_asked, True)


def packed_embeddings_if_asked() -> AbstractContextManager[None]:
    """A context for loading a model that can keep tables packed; see `put_packed`."""
    return holding(_possible, _asked.get())


def tables_to_keep(state: State) -> dict[str, QuantizedTensor]:
    """Returns the weights that stay packed, by name, of a model that is being loaded."""
    tables: dict[str, QuantizedTensor] = {}
    for name in state if _possible.get() else ():
        table = quantized_in(state, name) if name.endswith(_ENDING) else None
        if table is not None and PackedEmbedding.can_keep(table):
            tables[name] = table
    return tables


class PackedEmbedding(torch.nn.Module):
    """
    `torch.nn.Embedding` of a quantized table, which stays packed. A table of multilingual
    wordpieces is most of a small model (174 of 267 MB in the shipped one), and a text needs few of
    its rows.

    # Parameters

    table : `QuantizedTensor`
        Rows or blocks; not a table of short rows.
    """

    numbers: torch.Tensor
    scale: torch.Tensor

    def __init__(self, table: QuantizedTensor) -> None:
        super().__init__()
        self.bits = table.bits
        self.register_buffer("numbers", table.numbers, persistent=False)
        self.register_buffer("scale", table.scale, persistent=False)
        self.num_embeddings = len(table.numbers)

    @staticmethod
    def can_keep(table: QuantizedTensor) -> bool:
        """Returns whether no two rows share a scale."""
        return (
            table.numbers.dim() == table.scale.dim() == 2
            and len(table.numbers) == len(table.scale)
            and table.numbers.layout == torch.strided
        )

    def fits(self, embedding: torch.nn.Embedding) -> bool:
        """Returns whether it can replace an embedding."""
        with torch.no_grad():
            dim = self(torch.zeros(1, dtype=torch.long)).shape[1]
        return (self.num_embeddings, dim) == embedding.weight.shape

    @property
    def weight(self) -> torch.Tensor:
        """The whole table in float32, `(rows, dim)`, unpacked at each access."""
        return QuantizedTensor(self.numbers, self.scale, self.bits).unpack()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Rows `(..., dim)` of `ids` `(...)`, the same numbers as those of the whole table."""
        numbers, scale = (x.index_select(0, ids.flatten()) for x in (self.numbers, self.scale))
        return QuantizedTensor(numbers, scale, self.bits).unpack().unflatten(0, ids.shape)

    def train(self, mode: bool = True) -> "PackedEmbedding":
        """
        # Raises

        `ConfigurationError` for training.
        """
        if mode:
            raise ConfigurationError(
                "A parser that was loaded to parse cannot be trained. Load its archive with "
                "allennlp.models.load_archive, or train with model.type udify_from_archive."
            )
        return super().train(mode)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        destination[f"{prefix}weight"] = self.weight


def put_packed(
    model: torch.nn.Module, tables: Mapping[str, QuantizedTensor]
) -> dict[str, torch.Tensor]:
    """
    Replaces embeddings by packed tables, by the names of their weights. Returns, unpacked, the
    tables that their modules read in other ways than by ids.
    """
    others: dict[str, torch.Tensor] = {}
    for name, table in tables.items():
        path, _, child = name.rpartition(".")[0].rpartition(".")
        parent = model.get_submodule(path)
        packed = PackedEmbedding(table)
        embedding = getattr(parent, child)
        if getattr(parent, "takes_packed", False) and packed.fits(embedding):
            setattr(parent, child, packed.to(embedding.weight.device).eval())
        else:
            others[name] = table.unpack()
    return others
