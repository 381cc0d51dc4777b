"""A graph in the attention of a Hugging Face encoder (Mohammadshahi 2023, chapters 2 to 4)."""

from collections.abc import Callable
from typing import Any, Optional, cast

import torch
from allennlp.common.checks import ConfigurationError
from torch.utils.checkpoint import checkpoint

from udify_allennlp.encoders.bert import Bert
from udify_allennlp.kernels.attention import REFUSALS, calls_of
from udify_allennlp.kernels.attention import attention as stock_attention
from udify_allennlp.modules.pair_attention import PairTables, pair_attention

NAME = "udify_graph"
Tables = tuple[Optional[torch.Tensor], Optional[torch.Tensor], Optional[torch.Tensor]]
Watcher = Callable[[int, torch.Tensor, torch.Tensor, Optional[torch.Tensor]], None]
"""
A function that is called in each layer with its number, the attention `(batch, heads, n, n)`, the
ids, and the encoder's attention mask.
"""


def attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Optional[torch.Tensor],
    dropout: float = 0.0,
    scaling: Optional[float] = None,
    pair_ids: Optional[torch.Tensor] = None,
    pair_tables: Optional[list[Tables]] = None,
    pair_watcher: Optional[Watcher] = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """
    The attention function that transformers calls in each layer; keywords that begin with `pair_`
    come from `GraphAttention`. Without them it is the stock encoder's attention.
    """
    if pair_ids is None or pair_tables is None:
        return stock_attention(module, query, key, value, attention_mask, dropout, scaling)
    tables = pair_tables[module.pair_layer]  # type: ignore[index]
    usual = query.shape[-1] ** -0.5
    if scaling not in (None, usual):  # ESM, say, has scaled the queries already
        query = query * (scaling / usual)
    # The backward pass computes all that is of n x n again: kept, it would be most of the memory.
    mixed, shares = checkpoint(
        pair_attention,
        query,
        key,
        value,
        pair_ids,
        attention_mask,
        *tables,
        scale_graph_term=module.pair_scale,
        dropout=dropout,
        use_reentrant=False,
    )
    if pair_watcher is not None:
        pair_watcher(module.pair_layer, shares, pair_ids, attention_mask)  # type: ignore[arg-type]
    return mixed.transpose(1, 2).contiguous(), None


class GraphAttention(torch.nn.Module):
    """
    The tables of all layers of an encoder, each shared by its heads. The encoder is changed to
    attend with them; its weights keep their names, so every checkpoint still loads.

    Its output is passed to the encoder's `forward` together with the text: `transformer(**text,
    **graph(ids))`. Without ids it is the stock encoder.

    # Parameters

    transformer : `Any`
        An encoder of transformers 5 with scaled dot-product attention, such as BERT, RoBERTa or
        XLM-R.
    rows : `int`
        Number of ids (`relation_rows`).
    scale_graph_term : `bool`
        As for `pair_attention`.
    settings : `bool`
        Settings of `PairTables`.

    # Raises

    `ConfigurationError` if graphs cannot be given to this encoder.
    """

    def __init__(
        self, transformer: Any, rows: int, scale_graph_term: bool = True, **settings: bool
    ) -> None:
        super().__init__()
        self.watcher: Optional[Watcher] = None
        """A function that receives the attention of every pass with a graph."""
        layers = _layers(transformer)
        for number, (module, _) in enumerate(layers):
            module.pair_layer, module.pair_scale = number, scale_graph_term
        self.tables = torch.nn.ModuleList(PairTables(rows, dim, **settings) for _, dim in layers)

    def forward(self, ids: Optional[torch.Tensor]) -> dict[str, Any]:
        """
        Returns the attention's keywords for ids `(batch, pieces, pieces)`, special pieces and
        padding included.
        """
        if ids is None:
            return {}
        tables: list[Tables] = [tables() for tables in self.tables]
        if self.watcher is None:
            ids, tables = _those_met(ids, tables)
        return {"pair_ids": ids, "pair_tables": tables, "pair_watcher": self.watcher}


def _those_met(ids: torch.Tensor, tables: list[Tables]) -> tuple[torch.Tensor, list[Tables]]:
    """
    Returns the same with only those rows of tables that the ids name: a batch has few of the labels
    of many treebanks, and queries and keys are multiplied with every row.
    """
    rows = next(len(table) for table in tables[0] if table is not None)
    is_met = torch.zeros(rows, dtype=torch.bool, device=ids.device)
    met = is_met.index_fill_(0, ids.flatten(), True).nonzero().squeeze(1)
    places = torch.zeros(rows, dtype=torch.long, device=ids.device)
    places[met] = torch.arange(len(met), device=ids.device)
    chosen = [tuple(None if t is None else t[met] for t in layer_tables) for layer_tables in tables]
    return places[ids], cast(list[Tables], chosen)


def _layers(transformer: Any) -> list[tuple[Any, int]]:
    """
    Makes the attention modules call `attention`; returns them, lowest layer first, with the widths
    of their heads.
    """
    if isinstance(transformer, Bert):
        return transformer.attend_with(attention)
    why = "its attention cannot be replaced with this version of transformers"
    try:
        met = calls_of(transformer, NAME, attention)
        layers, modules = transformer.config.num_hidden_layers, {id(module) for module, _ in met}
        if len(modules) == layers:
            return met
        if met:
            why = f"its {layers} layers have {len(modules)} attention modules"
    except ImportError:
        pass
    except REFUSALS as error:
        why = str(error).splitlines()[0][:100]
    raise ConfigurationError(
        f"{type(transformer).__name__} cannot attend to a graph: {why}. Use BERT, RoBERTa or "
        "XLM-R, and transformers 5."
    )
