"""A Hugging Face encoder that attends to a graph over the words (Mohammadshahi 2023, chapter 3)."""

import inspect
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.tasks import Deps, Upos
from udify_allennlp.encoders.graph_attention import GraphAttention
from udify_allennlp.encoders.hugging_face import HuggingFaceEncoder
from udify_allennlp.encoders.pretrained import without_pooler
from udify_allennlp.encoders.word_encoder import WordEncoder, num_labels
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.pooling import FIRST
from udify_allennlp.modules.relation_ids import (
    NO_ARC,
    POLICIES,
    Graph,
    PieceNodes,
    piece_relation_ids,
    relation_rows,
)

logger = logging.getLogger(__name__)

GRAPH = "graph"
"""Name among the batch's `inputs`: a `Graph`, or `None`."""
_NO_UPOS = "_"
_STANDARD_DEVIATION = 0.02
_MISSING = "embedder: udify_graph_encoder needs {}, but the data has none."


@WordEncoder.register("udify_graph_encoder")
class GraphEncoder(HuggingFaceEncoder):
    """
    `udify_encoder` with a graph in its attention (Equations 3.4 and 3.5) and UPOS at its input
    (Equation 3.3), `x_i = F_i + EMB(w_i) + EMB(p_i)`. The graph is in the batch's `inputs`, with
    labels numbered like deprels; `num_labels` stands for an unknown label. Without a graph, or
    without `relations` (the encoder of SynTr), it is the stock encoder.

    In a sentence of several windows, each window uses the arcs between its own words.

    # Parameters

    vocab : `Vocabulary`
    model_name : `str`
        A folder or a hub name.
    relations : `bool`
        True if the encoder attends to a graph.
    upos : `bool`
        True if UPOS are added at the input: the reader must provide them.
    labelled : `bool`
        True if relations distinguish labels (chapter 3), False for directions only (chapter 2:
        three ids with the policy `one_label`).
    label_embeddings : `bool`
        True if a vector for its label is added at the input of each dependent in the graph, and a
        shared one to the pieces inside words (chapter 2, Algorithms 1 and 2; the latter follows the
        released code).
    policy : `str`
        The relations of words with several pieces; see `piece_relation_ids`.
    random_layers : `bool`
        True if the layers start at random, above the checkpoint's vectors of pieces ("without
        BERT", section 2.4.1).
    root : `str`
        See `udify_encoder`; by default a piece of the input, so that arcs from ROOT can be seen.
    mask_probability : `float`
        See `udify_encoder`; by default none, as in the thesis.
    use_query, use_key, use_value, layer_norm, none_row_zero : `bool`
        See `PairTables`; by default those of chapter 3.
    scale_graph_term : `bool`
        True if the terms of the tables are divided by `sqrt(d)` too, as in the equations of the
        thesis; False is its released code. See `pair_attention`.
    **kwargs :
        As for `udify_encoder`.

    # Raises

    `ConfigurationError` if this encoder cannot attend to graphs, the policy is unknown, labels
    without relations are requested, or the data has no deprels or UPOS.
    """

    reads = ("wordpieces", "word_of")

    def __init__(
        self,
        vocab: Vocabulary,
        model_name: str,
        relations: bool = True,
        upos: bool = False,
        labelled: bool = True,
        label_embeddings: bool = False,
        policy: str = "special_label",
        random_layers: bool = False,
        root: str = "piece",
        mask_probability: float = 0.0,
        use_query: bool = True,
        use_key: bool = False,
        use_value: bool = True,
        layer_norm: bool = True,
        none_row_zero: bool = False,
        scale_graph_term: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(model_name, root=root, mask_probability=mask_probability, **kwargs)
        if self.pooling != FIRST:
            raise ConfigurationError(
                f"embedder.pooling is {self.pooling!r}, but a udify_graph_encoder reads only first "
                "pieces, as in the thesis. Remove it."
            )
        if policy not in POLICIES:
            raise ConfigurationError(
                f"embedder.policy is {policy!r}. Use one of {', '.join(POLICIES)}."
            )
        if label_embeddings and not relations:
            raise ConfigurationError(
                "embedder.label_embeddings need arcs, which an encoder without relations does not "
                "use. Remove it, or set relations to true."
            )
        self._policy = policy
        if random_layers and kwargs.get("load_weights", True):
            _start_anew(self.transformer)
        self.graph: Optional[GraphAttention] = None
        if relations:
            self.num_labels = num_labels(vocab, Deps(), _MISSING.format("deps"), "tasks")
            self._kinds = self.num_labels + 1 if labelled else 1
            self.graph = GraphAttention(
                self.transformer,
                relation_rows(self._kinds, policy),
                scale_graph_term,
                use_query=use_query,
                use_key=use_key,
                use_value=use_value,
                layer_norm=layer_norm,
                none_row_zero=none_row_zero,
            )
        self.labels: Optional[torch.nn.Embedding] = None
        if label_embeddings:
            # The last two: a label that training lacks, and the inside of words.
            self.labels = torch.nn.Embedding(self.num_labels + 2, self._dim)
            torch.nn.init.normal_(self.labels.weight, std=_STANDARD_DEVIATION)
        self.upos: Optional[torch.nn.Embedding] = None
        if upos:
            num_upos = num_labels(vocab, Upos(), _MISSING.format("upos"), "inputs")
            if set(vocab.get_token_to_index_vocabulary(Upos().namespace)) == {_NO_UPOS}:
                logger.warning(
                    "embedder.upos: no word of the training data has a UPOS. Tag the files first "
                    "(allennlp predict multilingual FILE --output-file TAGGED), or set it to false."
                )
            # 0 is a UPOS that training has not seen.
            self.upos = torch.nn.Embedding(1 + num_upos, self._dim)
            torch.nn.init.normal_(self.upos.weight, std=_STANDARD_DEVIATION)
            self.inputs = ("upos",)

    def additions(self) -> list[str]:
        parts = {
            "the relations of graphs": self.graph,
            "the labels of graphs": self.labels,
            "UPOS": self.upos,
        }
        return [*super().additions(), *(name for name, part in parts.items() if part is not None)]

    def text(
        self, ids: torch.Tensor, batch: Mapping[str, Any], layout: Layout
    ) -> dict[str, torch.Tensor]:
        inputs = batch.get("inputs", {})
        graph: Optional[Graph] = inputs.get(GRAPH)
        if self.upos is None and (self.labels is None or graph is None):
            return super().text(ids, batch, layout)
        vectors = self.transformer.get_input_embeddings()(ids)
        assert layout.word_of is not None
        word_of = layout.word_of.flatten()
        if self.upos is not None:
            vectors = vectors + _of_pieces(self.upos(inputs["upos"] + 1), word_of, vectors)
        if self.labels is not None and graph is not None:
            of_words = self.label_vectors(layout.to_words(graph.labels))
            inside = self.labels.weight[-1].expand_as(of_words)
            first = layout.word_of.diff(dim=1, prepend=torch.zeros_like(ids[:, :1])) != 0
            of_first, of_others = (_of_pieces(x, word_of, vectors) for x in (of_words, inside))
            vectors = vectors + torch.where(first.unsqueeze(2), of_first, of_others)
        return {"inputs_embeds": vectors}

    def relations(self, batch: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
        graph: Optional[Graph] = batch.get("inputs", {}).get(GRAPH)
        if self.graph is None or graph is None:
            return {}
        assert layout.word_of is not None
        # Each window has a word at least, and all of its words are of one sentence.
        sentence = layout.sentence_of.index_select(0, layout.word_of.amax(1) - 1)
        columns = layout.nodes.shape[1]
        pieces = PieceNodes.of(self._node_of(layout.word_of, layout.places % columns), columns)
        window_graphs = Graph(*(x.index_select(0, sentence) for x in graph))
        return self._relations(window_graphs, pieces)

    def _relations(self, graph: Graph, pieces: PieceNodes) -> dict[str, Any]:
        assert self.graph is not None
        labels = graph.labels if self._kinds > 1 else graph.labels.clamp(max=0)
        ids = piece_relation_ids(graph.heads, labels, pieces, self._kinds, self._policy)
        return self.graph(ids)

    def label_vectors(self, labels: torch.Tensor) -> torch.Tensor:
        """
        Returns the vectors that are added for labels `(...)` of a graph, `(..., dim)`: 0 where
        there is no arc.
        """
        assert self.labels is not None
        return self.labels(labels.clamp(min=0)) * (labels != NO_ARC).unsqueeze(-1)

    def node_vectors(
        self, batch: Mapping[str, Any], layout: Layout
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns vectors of nodes before the layers, `T_w = EMB(w) + EMB(p)` of the first piece `w`
        of each word (Equation 2.6), ROOT first, `(batch, n, dim)`; and those of the special pieces
        before and after a text, `(2, dim)`. For encoders with `root` `piece`.
        """
        assert self.root_piece is not None
        ids, mask, first = (batch["wordpieces"][name] for name in ("ids", "mask", "first"))
        words = self.mask_input(ids, mask).flatten().index_select(0, first)
        piece_ids = torch.cat([words, torch.tensor(self.end_ids, device=ids.device)])
        vectors = self.transformer.get_input_embeddings()(piece_ids)
        vectors, ends = vectors[:-2], vectors[-2:]
        if self.upos is not None:
            vectors = vectors + self.upos(batch["inputs"]["upos"] + 1)
        return layout.to_nodes(torch.cat([self.root_piece.unsqueeze(0), vectors])), ends

    def of_nodes(
        self,
        vectors: torch.Tensor,
        mask: torch.Tensor,
        pieces: PieceNodes,
        graph: Graph,
        positions: Optional[torch.Tensor] = None,
    ) -> Sequence[torch.Tensor]:
        """
        Returns all layers, lowest first, `(batch, width, dim)` each, of sequences of nodes and
        special pieces, in which `pieces` gives the positions of the nodes, with a graph over them,
        which is ignored without relations. `positions` `(batch, width)` are counted from the left
        by default.
        """
        output = self.transformer(
            inputs_embeds=vectors,
            **({} if positions is None else {"position_ids": positions}),
            **({} if self.graph is None else self._relations(graph, pieces)),
            attention_mask=self._attention_mask(mask),
            output_hidden_states=True,
            return_dict=True,
        )
        layers: Sequence[torch.Tensor] = output.hidden_states[1:]
        return layers

    def check_positions(self) -> None:
        """Raises `ConfigurationError` if the encoder does not accept positions from 0."""
        embeddings = getattr(self.transformer, "embeddings", None)
        positions = getattr(embeddings, "position_embeddings", None)
        takes = "position_ids" in inspect.signature(self.transformer.forward).parameters
        if positions is None or positions.padding_idx is not None or not takes:
            raise ConfigurationError(
                "model.separate_positions is for encoders that count positions from 0, such as "
                f"BERT, but {self.model_name!r} does not. Set it to false."
            )

    def _node_of(self, word_of: torch.Tensor, node: torch.Tensor) -> torch.Tensor:
        """
        Returns the node of each piece, including the one for ROOT; `node` `(words,)` is that of
        each word.
        """
        nodes = torch.cat([node.new_full((1,), NO_ARC), node])
        piece_nodes = nodes.index_select(0, word_of.flatten()).view_as(word_of)
        root = torch.zeros_like(piece_nodes[:, :1])
        if self.root_piece is not None:
            return torch.cat([piece_nodes[:, :1], root, piece_nodes[:, 1:]], 1)
        return torch.cat([root, piece_nodes[:, 1:]], 1) if self.encodes_root else piece_nodes


def _start_anew(transformer: Any) -> None:
    """Gives an encoder random weights, except for the vectors of its pieces."""
    from transformers import AutoModel

    pieces = transformer.get_input_embeddings().weight.detach().clone()
    fresh = without_pooler(partial(AutoModel.from_config, transformer.config))
    transformer.load_state_dict(fresh.state_dict())
    with torch.no_grad():
        transformer.get_input_embeddings().weight.copy_(pieces)


def _of_pieces(
    of_words: torch.Tensor, word_of: torch.Tensor, vectors: torch.Tensor
) -> torch.Tensor:
    """
    Returns for each piece the vector of its word: 0 for special pieces and padding, whose word is
    0.
    """
    rows = torch.cat([torch.zeros_like(of_words[:1]), of_words])
    return rows.index_select(0, word_of).view_as(vectors)
