"""Dependency trees: deep biaffine arcs and bilinear deprels."""

from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.conllu import Sentence
from udify_allennlp.data.fields import UNSEEN
from udify_allennlp.models.decoder import Columns, Decoder
from udify_allennlp.modules.biaffine import Biaffine, LabelBilinear
from udify_allennlp.modules.trees import best_trees

_ROOT_DEPREL = "root"


@Decoder.register("udify_dependency_decoder")
class DependencyDecoder(Decoder):
    """
    Biaffine arc scores, bilinear deprel scores and the best tree with a single root (thesis,
    section 3.3.1; Dozat and Manning 2017).

    ROOT is a learned vector put before the words, as in the released code. Departures: the best
    tree has exactly one child of ROOT, as UD demands; the deprel `root` goes to that child and to
    no other word.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    arc_dim, tag_dim : `int`
        Widths of the feed-forward layers (thesis, Table 3.3: 768 and 256; its prose says 800 and
        300).
    dropout : `float`
        On the outputs of those layers. The thesis names none; 0.33 is Dozat and Manning's.

    # Raises

    `ConfigurationError` if the data has no deprel.
    """

    targets = ("heads", "deprels")

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        arc_dim: int = 768,
        tag_dim: int = 256,
        dropout: float = 0.33,
    ) -> None:
        super().__init__()
        table = vocab.get_index_to_token_vocabulary("deprel_labels")
        if not table:
            raise ConfigurationError(
                "decoders.deps has no labels: the training data gave no deprel. "
                "Add 'deps' to dataset_reader.tasks, or take the decoder out."
            )
        self._labels = [table[index] for index in range(len(table))]
        self._root_label: Optional[int] = (
            self._labels.index(_ROOT_DEPREL) if _ROOT_DEPREL in self._labels else None
        )
        self.root = torch.nn.Parameter(torch.randn(input_dim) / input_dim**0.5)
        self.arc_dependent = torch.nn.Linear(input_dim, arc_dim)
        self.arc_head = torch.nn.Linear(input_dim, arc_dim)
        self.tag_dependent = torch.nn.Linear(input_dim, tag_dim)
        self.tag_head = torch.nn.Linear(input_dim, tag_dim)
        self.arcs = Biaffine(arc_dim)
        self.deprels = LabelBilinear(tag_dim, tag_dim, len(self._labels))
        self.dropout = torch.nn.Dropout(dropout)

    def loss(
        self, words: torch.Tensor, mask: torch.Tensor, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        """Cross-entropy of the gold heads plus that of the deprels at the gold heads."""
        nodes, node_mask = self.with_root(words, mask)
        heads = gold["heads"].clamp(min=0)
        arc_loss = F.cross_entropy(self.arc_scores(nodes, node_mask)[:, 1:][mask], heads[mask])
        labels = gold["deprels"][mask]
        scores = self.deprel_scores(nodes, F.pad(heads, (1, 0)))[:, 1:][mask]
        # A sum over the known ones, so that a batch without any gives 0 and not NaN.
        tag_loss = F.cross_entropy(scores.float(), labels, ignore_index=UNSEEN, reduction="sum")
        return arc_loss + tag_loss / (labels != UNSEEN).sum().clamp(min=1)

    def predict(
        self, words: torch.Tensor, mask: torch.Tensor, sentences: List[Sentence]
    ) -> List[Columns]:
        nodes, node_mask = self.with_root(words, mask)
        tree = best_trees(self.arc_scores(nodes, node_mask), node_mask)
        scores = self.deprel_scores(nodes, tree)[:, 1:]
        heads = tree[:, 1:]
        if self._root_label is not None and len(self._labels) > 1:
            scores[..., self._root_label] = -torch.inf
        labels = scores.argmax(-1)
        if self._root_label is not None:
            labels[heads == 0] = self._root_label
        rows = zip(sentences, heads.tolist(), labels.tolist())
        return [
            {
                "heads": [str(head) for head in head_row[: len(sentence)]],
                "deprels": [self._labels[label] for label in label_row[: len(sentence)]],
            }
            for sentence, head_row, label_row in rows
        ]

    def with_root(
        self, words: torch.Tensor, mask: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """`words` `(batch, n, dim)` and `mask` with ROOT before them: `(batch, n + 1, ...)`."""
        root = self.root.to(words.dtype).expand(len(words), 1, -1)
        return torch.cat([root, words], dim=1), F.pad(mask, (1, 0), value=True)

    def arc_scores(self, nodes: torch.Tensor, node_mask: torch.Tensor) -> torch.Tensor:
        """
        Log-scores (nats, float32) `(batch, dependent, head)`; the lowest finite number where the
        head is padding or the dependent itself.
        """
        scores = self.arcs(
            self.dropout(F.elu(self.arc_dependent(nodes))),
            self.dropout(F.elu(self.arc_head(nodes))),
        ).float()
        possible = node_mask.unsqueeze(1) & ~torch.eye(
            nodes.shape[1], dtype=torch.bool, device=nodes.device
        )
        return scores.masked_fill(~possible, torch.finfo(scores.dtype).min)

    def deprel_scores(self, nodes: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """Scores of each node's deprel under its head in `heads` `(batch, n + 1)`."""
        dependent = self.dropout(F.elu(self.tag_dependent(nodes)))
        head = self.dropout(F.elu(self.tag_head(nodes)))
        index = heads.unsqueeze(-1).expand(-1, -1, head.shape[-1])
        return self.deprels(dependent, head.gather(1, index))
