"""Dependency trees from scores of subwords (Sun et al. 2021, section 3.3)."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.decoders.decoder import Decoder, Encoded
from udify_allennlp.decoders.tree_decoder import TreeDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.trees import best_trees
from udify_allennlp.modules.universal_structure import (
    PairVectors,
    StructureScores,
    UniversalStructure,
)
from udify_allennlp.pretraining.subword_trees import ALL, CHAIN, STRATEGIES, extend, first_nodes
from udify_allennlp.text.sentence import Columns, Sentence


class SubwordScores(NamedTuple):
    """Scores of all pairs of subwords, and the layout of these."""

    structure: StructureScores
    pieces: Layout


@Decoder.register("udify_structure_decoder")
class StructureDecoder(TreeDecoder):
    """
    A decoder that learns trees of subwords (`subword_trees.py`) and predicts trees of words, from
    the rows and columns of their first subwords: the best head of each word if these form a tree,
    else the best tree by log-probabilities of arcs. Departures from the paper: the loss is a mean
    over subwords, while the paper prints a sum; a tree has one child of ROOT, as UD requires, and
    only it has the label `root`.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
    head_dim, dependent_dim, shared :
        See `UniversalStructure`.
    strategy : `str`
        The conversion of a tree of words to one of subwords: `all`, `first` or `chain`; see
        `extend`. The paper has all three, and does not specify which one its results use; Figure 2
        shows `chain`.

    # Raises

    `ConfigurationError` if the data has no deprel, a width is below 1, or the strategy is unknown.
    """

    unit = "wordpieces"

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        head_dim: int = 128,
        dependent_dim: int = 64,
        shared: bool = True,
        strategy: str = CHAIN,
    ) -> None:
        super().__init__(vocab, input_dim)
        if strategy not in STRATEGIES:
            raise ConfigurationError(
                f"decoders.deps.strategy is {strategy!r}. Use one of {', '.join(STRATEGIES)}."
            )
        self.strategy = strategy
        # Behind the deprels: "_", of [SEP], and APP, of arcs inside words.
        num_deprels = len(self._labels)
        self._end_label, self._app_label = num_deprels, num_deprels + 1
        self.num_labels = num_deprels + (1 if strategy == ALL else 2)
        self.structure = UniversalStructure(
            input_dim, self.num_labels, head_dim, dependent_dim, shared
        )

    def scores(self, encoded: Encoded) -> SubwordScores:
        rows, layout = self.rows(encoded)
        return SubwordScores(self.structure(layout.to_nodes(rows), layout.mask), layout)

    def loss(self, scores: SubwordScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Returns the cross-entropy of the gold heads of subwords, including [SEP] but not [CLS], plus
        that of the labels at the gold heads.
        """
        (arcs, pairs), pieces = scores
        heads, labels = (
            gold[name].to(arcs.device, non_blocking=True) for name in ("heads", "deprels")
        )
        heads, labels = extend(
            heads, labels, pieces, self.strategy, self._app_label, self._end_label
        )
        arc_loss = F.cross_entropy(pieces.to_words(arcs), heads)
        label_scores = self.structure.labels(*_of_arcs(pairs, pieces.places, heads)).float()
        # A sum over the known ones, so that a batch without any gives 0 and not NaN.
        label_loss = F.cross_entropy(label_scores, labels, ignore_index=UNSEEN, reduction="sum")
        return arc_loss + label_loss / (labels != UNSEEN).sum().clamp(min=1)

    def decode(self, scores: SubwordScores, sentences: Sequence[Sentence]) -> list[Columns]:
        (arcs, pairs), pieces = scores
        assert pieces.first_of is not None
        words = Layout.from_lengths([len(sentence) for sentence in sentences])
        words = Layout(*(part.to(arcs.device) for part in words[:2]))
        # The nodes of ROOT and of the first subword of each word; of padding, that of ROOT.
        first = first_nodes(pieces)
        nodes = torch.cat([first.new_zeros(1), first]).index_select(0, words.nodes.flatten())
        nodes = nodes.view_as(words.nodes)
        length = arcs.shape[1]
        of_words = arcs.gather(1, nodes.unsqueeze(2).expand(-1, -1, length))
        of_words = of_words.gather(2, nodes.unsqueeze(1).expand(-1, nodes.shape[1], -1))
        trees = best_trees(of_words.log_softmax(2), words.mask)
        heads = words.to_words(trees)
        head_nodes = words.to_words(nodes.gather(1, trees))
        places = pieces.places.index_select(0, pieces.first_of)
        label_scores = self.structure.labels(*_of_arcs(pairs, places, head_nodes)).float()
        labels = self.best_labels(label_scores[:, : len(self._labels)], heads)
        return self.columns(heads, labels, sentences)


def _of_arcs(pairs: PairVectors, places: torch.Tensor, heads: torch.Tensor) -> PairVectors:
    """
    Returns the vectors of dependents and of heads, `(arcs, ...)`, for arcs from the nodes `heads`
    of their sentences to the nodes at `places` of all nodes.
    """
    rows = places - places % pairs.heads.shape[1] + heads
    return PairVectors(
        pairs.dependents.flatten(0, 1).index_select(0, places),
        pairs.heads.flatten(0, 1).index_select(0, rows),
    )
