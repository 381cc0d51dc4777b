"""Dependency trees: deep biaffine arcs and bilinear deprels."""

from itertools import islice
from typing import Dict, List, Optional, Sequence, Tuple

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.fields import UNSEEN
from udify_allennlp.decoders.decoder import Decoder
from udify_allennlp.kernels.dropout import FastDropout
from udify_allennlp.modules.biaffine import Biaffine, LabelBilinear
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.trees import best_trees
from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.sentence import Columns

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
        self.dropout = FastDropout(dropout)

    def loss(
        self, words: torch.Tensor, layout: Layout, gold: Dict[str, torch.Tensor]
    ) -> torch.Tensor:
        """Cross-entropy of the gold heads plus that of the deprels at the gold heads."""
        heads = gold["heads"].to(words.device, non_blocking=True)
        labels = gold["deprels"].to(words.device, non_blocking=True)
        rows = self.with_root(words)
        arc_loss = F.cross_entropy(layout.to_words(self.arc_scores(rows, layout)), heads)
        scores = self.deprel_scores(rows, layout.rows_of(heads))
        # A sum over the known ones, so that a batch without any gives 0 and not NaN.
        tag_loss = F.cross_entropy(scores.float(), labels, ignore_index=UNSEEN, reduction="sum")
        return arc_loss + tag_loss / (labels != UNSEEN).sum().clamp(min=1)

    def predict(
        self, words: torch.Tensor, layout: Layout, sentences: Sequence[Sentence]
    ) -> List[Columns]:
        rows = self.with_root(words)
        heads = layout.to_words(best_trees(self.arc_scores(rows, layout), layout.mask))
        scores = self.deprels.at_heads(*self.deprel_vectors(rows), layout.rows_of(heads))
        if self._root_label is not None and len(self._labels) > 1:
            scores[:, self._root_label] = -torch.inf
        labels = scores.argmax(-1)
        if self._root_label is not None:
            labels.masked_fill_(heads == 0, self._root_label)
        arcs = zip(heads.tolist(), labels.tolist())
        columns: List[Columns] = []
        for sentence in sentences:
            own = list(islice(arcs, len(sentence)))
            columns.append(
                {
                    "heads": [str(head) for head, _ in own],
                    "deprels": [self._labels[label] for _, label in own],
                }
            )
        return columns

    def with_root(self, words: torch.Tensor) -> torch.Tensor:
        """Words `(words, dim)` with ROOT before them all: `(1 + words, dim)`."""
        return torch.cat([self.root.to(words.dtype).unsqueeze(0), words])

    def arc_scores(self, rows: torch.Tensor, layout: Layout) -> torch.Tensor:
        """
        Log-scores (nats, float32) `(batch, dependent, head)` of the nodes in `rows`
        `(1 + words, dim)`; the lowest finite number where the head is padding or the dependent
        itself.
        """
        # Dropped after the gathering, so that each sentence has a ROOT of its own.
        scores = self.arcs(
            self.dropout(layout.to_nodes(F.elu(self.arc_dependent(rows)))),
            self.dropout(layout.to_nodes(F.elu(self.arc_head(rows)))),
        ).float()
        possible = layout.mask.unsqueeze(1) & ~torch.eye(
            layout.nodes.shape[1], dtype=torch.bool, device=rows.device
        )
        return scores.masked_fill(~possible, torch.finfo(scores.dtype).min)

    def deprel_scores(self, rows: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """
        Scores `(words, labels)` of each word's deprel under its head, whose row in `rows`
        `(1 + words, dim)` is in `heads` `(words,)`.
        """
        dependents, nodes = self.deprel_vectors(rows)
        return self.deprels(self.dropout(dependents), self.dropout(nodes.index_select(0, heads)))

    def deprel_vectors(self, rows: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """Words as dependents `(words, tag_dim)` and all rows as heads `(1 + words, tag_dim)`."""
        return F.elu(self.tag_dependent(rows[1:])), F.elu(self.tag_head(rows))
