"""
Self-attention over the nodes of sentences, with positions that may or may not encode word order.
"""

from collections.abc import Callable
from typing import NamedTuple, Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError

from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.node_encoder import NodeEncoder
from udify_allennlp.modules.pair_attention import pair_attention
from udify_allennlp.modules.positions import directed_ids, sinusoids, undirected_ids

UNDIRECTED, DIRECTED, ABSOLUTE, NONE = "undirected", "directed", "absolute", "none"
POSITIONS = (UNDIRECTED, DIRECTED, ABSOLUTE, NONE)
_IDS: dict[str, Callable[[int, int], torch.Tensor]] = {
    UNDIRECTED: undirected_ids,
    DIRECTED: directed_ids,
}


class PositionTables(NamedTuple):
    """Vectors of the distances `-clip` to `clip` from another source, for every layer."""

    keys: torch.Tensor
    """`(batch, heads, 2 clip + 1, head_dim)`; 1 instead of `batch` if all are equal."""
    values: torch.Tensor
    """`(batch, heads, 2 clip + 1, value_dim)`, in the same way."""


@NodeEncoder.register("udify_position_attention")
class PositionAttention(NodeEncoder):
    """
    Layers of self-attention (Vaswani et al. 2017) for parsers of languages with different word
    order (Ahmad et al. 2019, section 3.1 and appendix C). The widths of the heads and of their
    values are free: a linear layer maps `num_heads * value_dim` back to `input_dim`. Table 3
    compares:

    | `positions` | input of attention |
    |---|---|
    | `undirected` | `clip + 1` vectors each of keys and values, by `min(clip, abs(j - i))` |
    | `directed` | `2 clip + 1` of them, by `j - i` between `-clip` and `clip` (Shaw et al. 2018) |
    | `absolute` | sinusoids of `position_dim` numbers beside the input; zeros for the first node |
    | `none` | nothing: sentences are sets |

    The paper specifies layers, widths, `clip` and one dropout (Table 7, appendix C); heads, their
    widths, the norms before each part (and one after the last), tables shared by the heads of a
    layer, three dropouts and the form of `absolute` follow the released code, except
    `position_dim`, which is our choice. Departures from that code: padding is masked; queries, keys
    and values have no biases, as in appendix C (`projection_bias`); norms are PyTorch's, which
    divides by the root of variance plus 1e-5, not by the sample's standard deviation plus 1e-6.

    # Parameters

    input_dim : `int`
    num_layers, num_heads, head_dim, value_dim : `int`
        At least 1 each.
    hidden_dim : `int`
        Width of the feed-forward layers.
    positions : `str`
        One of the above.
    clip : `int`
        Distance from which all distances are treated alike; at least 1.
    position_dim : `int`
        Width for `absolute`: even, at least 2.
    dropout : `float`
        Dropout rate on the output of each part.
    attention_dropout : `float`
        Dropout rate on the attention, before it is multiplied with the values.
    hidden_dropout : `float`
        Dropout rate within the feed-forward layers.
    projection_bias : `bool`
        True if queries, keys and values have biases. Only that of queries has a separate effect:
        with it, words prefer some distances, and some words, independently of their own vectors.

    # Raises

    `ConfigurationError` if a parameter is invalid.
    """

    def __init__(
        self,
        input_dim: int,
        num_layers: int = 6,
        num_heads: int = 8,
        head_dim: int = 64,
        value_dim: int = 64,
        hidden_dim: int = 512,
        positions: str = UNDIRECTED,
        clip: int = 10,
        position_dim: int = 50,
        dropout: float = 0.2,
        attention_dropout: float = 0.2,
        hidden_dropout: float = 0.1,
        projection_bias: bool = False,
    ) -> None:
        super().__init__()
        if positions not in POSITIONS:
            raise ConfigurationError(
                f"PositionAttention: positions is {positions!r}. Use one of {', '.join(POSITIONS)}."
            )
        sizes = (input_dim, num_layers, num_heads, head_dim, value_dim, hidden_dim, clip)
        if min(sizes) < 1 or position_dim < 2 or position_dim % 2:
            raise ConfigurationError(
                "PositionAttention: input_dim, num_layers, num_heads, head_dim, value_dim, "
                f"hidden_dim, clip are {', '.join(map(str, sizes))}. Each must be at least 1, and "
                f"position_dim, {position_dim}, must be even."
            )
        rates = (dropout, attention_dropout, hidden_dropout)
        if not all(0 <= rate < 1 for rate in rates):
            raise ConfigurationError(
                "PositionAttention: dropout, attention_dropout, hidden_dropout are "
                f"{', '.join(map(str, rates))}, not all in [0, 1)."
            )
        self.positions = positions
        self.clip = clip
        self.num_heads, self.head_dim, self.value_dim = num_heads, head_dim, value_dim
        self.position_dim = position_dim if positions == ABSOLUTE else 0
        rows = {UNDIRECTED: clip + 1, DIRECTED: 2 * clip + 1}.get(positions, 0)
        self._dim = input_dim + self.position_dim
        self.layers = torch.nn.ModuleList(
            _Layer(
                *(self._dim, num_heads, head_dim, value_dim, hidden_dim, rows),
                *rates,
                projection_bias,
            )
            for _ in range(num_layers)
        )
        self.norm = torch.nn.LayerNorm(self._dim)

    def get_output_dim(self) -> int:
        return self._dim

    def forward(
        self, nodes: torch.Tensor, mask: torch.Tensor, tables: Optional[PositionTables] = None
    ) -> torch.Tensor:
        """Encodes nodes as in `NodeEncoder`; `tables` replace the layers' own."""
        batch, length, _ = nodes.shape
        if self.positions == ABSOLUTE:
            places = absolute_positions(length, self.position_dim).to(nodes)
            nodes = torch.cat([nodes, places.expand(batch, -1, -1)], 2)
        ids = None
        positions = self.positions if tables is None else DIRECTED
        if positions in _IDS:
            ids = _IDS[positions](length, self.clip).to(nodes.device)
        for layer in self.layers:
            nodes = layer(nodes, mask, ids, tables)
        normed: torch.Tensor = self.norm(nodes)
        return normed


class _Layer(torch.nn.Module):
    """`h = x + drop(attention(norm(x)))`, `y = h + drop(W2 drop(relu(W1 norm(h))))`."""

    def __init__(
        self,
        dim: int,
        num_heads: int,
        head_dim: int,
        value_dim: int,
        hidden_dim: int,
        rows: int,
        dropout: float,
        attention_dropout: float,
        hidden_dropout: float,
        bias: bool,
    ) -> None:
        super().__init__()
        self._num_heads = num_heads
        self._attention_dropout = attention_dropout
        self.attention_norm = torch.nn.LayerNorm(dim)
        self.query = torch.nn.Linear(dim, num_heads * head_dim, bias=bias)
        self.key = torch.nn.Linear(dim, num_heads * head_dim, bias=bias)
        self.value = torch.nn.Linear(dim, num_heads * value_dim, bias=bias)
        self.output = torch.nn.Linear(num_heads * value_dim, dim)
        self.key_rows = _table(rows, head_dim)
        self.value_rows = _table(rows, value_dim)
        self.hidden_norm = torch.nn.LayerNorm(dim)
        self.inner = torch.nn.Linear(dim, hidden_dim)
        self.outer = torch.nn.Linear(hidden_dim, dim)
        self.dropout = FastDropout(dropout)
        self.hidden_dropout = FastDropout(hidden_dropout)

    def forward(
        self,
        nodes: torch.Tensor,
        mask: torch.Tensor,
        ids: Optional[torch.Tensor],
        tables: Optional[PositionTables],
    ) -> torch.Tensor:
        nodes = nodes + self.dropout(self._attend(self.attention_norm(nodes), mask, ids, tables))
        hidden = self.hidden_dropout(F.relu(self.inner(self.hidden_norm(nodes))))
        return nodes + self.dropout(self.outer(hidden))

    def _attend(
        self,
        nodes: torch.Tensor,
        mask: torch.Tensor,
        ids: Optional[torch.Tensor],
        tables: Optional[PositionTables],
    ) -> torch.Tensor:
        query, key, value = (
            projection(nodes).unflatten(2, (self._num_heads, -1)).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        context, _ = pair_attention(
            query,
            key,
            value,
            ids,
            mask,
            # Stands beside the query: (x_i W^Q) a^K_ij.
            query_table=self.key_rows if tables is None else tables.keys,
            value_table=self.value_rows if tables is None else tables.values,
            dropout=self._attention_dropout if self.training else 0.0,
        )
        result: torch.Tensor = self.output(context.transpose(1, 2).flatten(2))
        return result


def _table(rows: int, dim: int) -> Optional[torch.nn.Parameter]:
    if not rows:
        return None
    table = torch.nn.Parameter(torch.empty(rows, dim))
    torch.nn.init.xavier_normal_(table)
    return table


def absolute_positions(length: int, dim: int) -> torch.Tensor:
    """
    Returns `sinusoids`, `(length, dim)`, all sines before all cosines; zeros for the first
    position.
    """
    waves = sinusoids(torch.arange(length), dim)
    waves = torch.cat([waves[:, ::2], waves[:, 1::2]], 1)
    waves[:1] = 0
    return waves
