"""Attention with a key and a value vector for every pair of positions, looked up by an id."""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import fast_dropout


def pair_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    ids: Optional[torch.Tensor] = None,
    mask: Optional[torch.Tensor] = None,
    query_table: Optional[torch.Tensor] = None,
    key_table: Optional[torch.Tensor] = None,
    value_table: Optional[torch.Tensor] = None,
    scale_graph_term: bool = True,
    dropout: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Computes attention in which `r_ij` is row `ids[i, j]` of a table (Mohammadshahi 2023, Equations
    2.3, 2.4, 3.4, 3.5, 4.2):

        e_ij = (q_i k_j + q_i r^Q_ij + r^K_ij k_j) / sqrt(d)
        a_ij = softmax_j(e_ij),  z_i = sum_j a_ij (v_j + r^V_ij)

    Without a table its term is omitted; without `ids` this is plain attention. Relations
    (`relation_ids.py`) and clipped distances (`positions.py`) are ids of different tables. No
    tensor is `(batch, n, n, dim)`: products with the rows of the tables are gathered, and attention
    is summed by id before it is multiplied with the rows.

    # Parameters

    query, key, value : `torch.Tensor`
        `(batch, heads, n, dim)`.
    ids : `Optional[torch.Tensor]`
        `(batch, n, n)` or `(1, n, n)`, int64, rows of the tables; query first.
    mask : `Optional[torch.Tensor]`
        `(batch, n)`, or `(batch, 1, 1 or n, n)`, True on positions that may be attended to. A
        position without any, such as padding far from all words in an encoder with local attention,
        attends to all equally.
    query_table, key_table, value_table : `Optional[torch.Tensor]`
        `(rows, dim)`, shared by heads, `(batch, rows, dim)`, or `(batch, heads, rows, dim)`, of
        which the first two may be 1. The query table is multiplied with queries (`q_i r_ij`), the
        key table with keys.
    scale_graph_term : `bool`
        True if the terms of the tables are divided by `sqrt(d)` too, as in the equations. The
        released code adds them undivided.
    dropout : `float`
        Dropout rate of the attention, before both sums of values.

    # Returns

    `z`, `(batch, heads, n, dim)`, and the attention before dropout, `(batch, heads, n, n)`.
    """
    scale = query.shape[-1] ** -0.5
    scores = (query * scale) @ key.transpose(-1, -2)
    if ids is not None:
        shape = (len(query), query.shape[1], *ids.shape[1:])
        graph_scale = scale if scale_graph_term else 1.0
        index = ids.unsqueeze(1).expand(shape)
        if query_table is not None:
            of_rows = (query * graph_scale) @ _rows(query_table).transpose(-1, -2)
            scores += of_rows.gather(-1, index)
        if key_table is not None:
            of_rows = _rows(key_table) @ (key * graph_scale).transpose(-1, -2)
            scores += of_rows.gather(-2, index)
    if mask is not None:
        mask = mask[:, None, None, :] if mask.dim() == 2 else mask
        # Not -inf: the NaN of a row of these would reach words in the next layer, as 0 x NaN.
        scores = scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    attention = scores.softmax(-1)
    kept = fast_dropout(attention, dropout)
    result = kept @ value
    if ids is not None and value_table is not None:
        by_row = kept.new_zeros(*kept.shape[:-1], value_table.shape[-2])
        result = result + by_row.scatter_add(-1, index, kept) @ _rows(value_table)
    return result, attention


def _rows(table: torch.Tensor) -> torch.Tensor:
    """Returns a table in the form for products with `(batch, heads, n, dim)`."""
    return table.unsqueeze(1) if table.dim() == 3 else table


class PairTables(torch.nn.Module):
    """
    The tables of one layer, shared by its heads: the arguments of `pair_attention`.

    | | `use_query` | `use_key` | `use_value` | `layer_norm` |
    |---|---|---|---|---|
    | chapter 2 (Equations 2.3, 2.4) | yes | no | yes | no |
    | chapter 3 (Equations 3.4, 3.5) | yes | no | yes | yes |
    | chapter 4 (Equations 4.2, 4.3) | yes | yes | no | no |

    `use_query` and `use_key` share one table (chapter 4: one `W^R` in both terms). The values have
    their own.

    # Parameters

    rows : `int`
        Number of ids; 0 is NONE.
    dim : `int`
        Width of a head.
    use_query, use_key, use_value : `bool`
        True to include the term.
    layer_norm : `bool`
        Layer norm on the rows for queries and keys, not on those for values (Equation 3.5). The
        released code computes the normalized rows but does not use them, so its results may be
        without it.
    none_row_zero : `bool`
        True if NONE adds nothing; otherwise its row is learned. The thesis does not specify this.
        The released code learns it in SentTr and RNGTr. In StateTr it is declared as padding, which
        should be 0, and then overwritten by random numbers (standard deviation 0.02) that are never
        trained.
    initializer_range : `float`
        Initial standard deviation of the rows; our choice is BERT's.

    # Raises

    `ConfigurationError` if there is no term, or a size is below 1.
    """

    keep: torch.Tensor

    def __init__(
        self,
        rows: int,
        dim: int,
        use_query: bool = True,
        use_key: bool = False,
        use_value: bool = True,
        layer_norm: bool = False,
        none_row_zero: bool = False,
        initializer_range: float = 0.02,
    ) -> None:
        super().__init__()
        if min(rows, dim) < 1:
            raise ConfigurationError(
                f"PairTables: rows is {rows} and dim is {dim}. Each must be at least 1."
            )
        if not (use_query or use_key or use_value):
            raise ConfigurationError("PairTables: use_query, use_key or use_value must be true.")
        self.use_query = use_query
        self.use_key = use_key
        self.scores = self.values = None
        if use_query or use_key:
            self.scores = torch.nn.Parameter(torch.randn(rows, dim) * initializer_range)
        if use_value:
            self.values = torch.nn.Parameter(torch.randn(rows, dim) * initializer_range)
        self.norm = torch.nn.LayerNorm(dim) if layer_norm and self.scores is not None else None
        keep = torch.ones(rows, 1)
        keep[0] = 0.0 if none_row_zero else 1.0
        self.register_buffer("keep", keep, persistent=False)

    def forward(
        self,
    ) -> tuple[Optional[torch.Tensor], Optional[torch.Tensor], Optional[torch.Tensor]]:
        """Returns `query_table`, `key_table`, `value_table`."""
        scores: Optional[torch.Tensor] = self.scores
        if scores is not None:
            # The norm of a looked-up row is the looked-up row of the norm.
            scores = (scores if self.norm is None else self.norm(scores)) * self.keep
        values = None if self.values is None else self.values * self.keep
        return (scores if self.use_query else None, scores if self.use_key else None, values)
