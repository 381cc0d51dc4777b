"""Dependency trees: deep biaffine arcs and bilinear deprels."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch
import torch.nn.functional as F
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.data.attachments import BatchArcs, KnownArcs
from udify_allennlp.data.columns import TREEBANK, UNSEEN, origin_names
from udify_allennlp.data.tasks import Deps
from udify_allennlp.decoders import own_labels
from udify_allennlp.decoders.decoder import Decoder, Encoded, untaught
from udify_allennlp.decoders.tree_decoder import TreeDecoder
from udify_allennlp.modules.biaffine import DeepBiaffine
from udify_allennlp.modules.bilinear import DeepBilinear
from udify_allennlp.modules.labelled_trees import best_labelled_trees
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.relation_ids import NO_ARC, Graph
from udify_allennlp.modules.soft_labels import soft_cross_entropy
from udify_allennlp.modules.trees import best_trees
from udify_allennlp.text.sentence import Columns, Sentence

ARCS, LABELS = "arcs", "arcs+labels"
BEST_TREES = (ARCS, LABELS)
_ARCS_AT_ONCE = 1 << 13
"""Number of arcs whose deprels are scored at a time in the search with labels."""


class DependencyScores(NamedTuple):
    """
    The scores of all arcs, and the tensors from which those of deprels are computed, arc by arc.
    """

    arcs: torch.Tensor
    """Log-scores (nats, float32) `(batch, dependent, head)`, see `DeepBiaffine`."""
    vectors: tuple[torch.Tensor, torch.Tensor]
    """Words as dependents and rows as heads; see `DeepBilinear`."""
    layout: Layout
    """The layout of the rows."""
    langs: Optional[torch.Tensor] = None
    """The language of each word, `(words,)`, 0 is unknown, if deprels depend on it."""
    treebanks: Optional[torch.Tensor] = None
    """The treebank of each word, `(words,)`, 0 is unknown, if the model has it as input."""
    known: Optional[BatchArcs] = None
    """The corrections of deprels, if those of arcs are part of `arcs`."""


@Decoder.register("udify_dependency_decoder")
class DependencyDecoder(TreeDecoder):
    """
    Biaffine arc scores, bilinear deprel scores and the best tree with a single root (thesis,
    section 3.3.1; Dozat and Manning 2017).

    ROOT is represented as in `TreeDecoder`. Departures from the released code of UDify, with their
    settings, if any:

    - The best tree has exactly one child of ROOT, as UD requires (`single_root`); only that child
      has the deprel `root`.
    - By default the best tree has the highest sum of log-probabilities of arcs, and each arc gets
      its best deprel afterwards. The released code searches arcs and their best deprels together,
      by sums of probabilities. Our configs for UDify search them together by sums of logs
      (`best_tree`); models without this setting, such as those of earlier releases, keep their
      trees.
    - A word is not among its own heads in the loss (`own_arc`).
    - If the vocabulary has the deprels of each language (the reader's `own_labels`), a word of a
      known language gets one of these.
    - If the vocabulary has `KnownArcs`, these add to the scores of arcs and deprels in prediction.
    - Deprel scores have the linear terms of Dozat and Manning; in the released code they are only
      bilinear.

    # Parameters

    vocab : `Vocabulary`
    input_dim : `int`
        Width of the word vectors.
    arc_dim, deprel_dim : `int`
        Widths of the feed-forward layers (thesis, Table 3.3: 768 and 256; its prose says 800 and
        300).
    dropout : `float`
        Dropout rate on the outputs of those layers. The thesis names none; 0.33 is Dozat and
        Manning's. The released config has 0.5, on the inputs of these layers (the words and ROOT)
        as well as on their outputs, one mask for all words of a sentence.
    activation : `str`
        Activation of those layers; see `DeepBiaffine`.
    biases : `Sequence[str]`
        Biases of the arc scores; see `Biaffine`.
    best_tree : `str`
        `arcs`, or `arcs+labels`: the tree with the highest sum of the log-probabilities of arcs and
        of the best deprel of each; see `best_labelled_trees`.
    label_margin : `Optional[float]`
        For `arcs+labels`: deprels are scored only for arcs that are at most this many nats less
        probable than the best arc of their word. By default, for all arcs that could be in the best
        tree.
    single_root : `bool`
        True if a tree has exactly one child of ROOT.
    own_arc : `bool`
        True if the softmax of the loss includes the word itself, which is never predicted as head.
    tag_dim : `Optional[int]`
        The name of `deprel_dim` in release 0.1.0.
    label_smoothing : `float`
        Label smoothing of the deprels, in [0, 1); heads have none, since the possible heads differ
        between sentences.

    # Raises

    `ConfigurationError` if the data has no deprel, `label_smoothing` is out of range, `best_tree`
    is unknown, or `label_margin` is below 0.
    """

    OLD_NAMES = {
        "arc_dependent.": "arcs.dependent.",
        "arc_head.": "arcs.head.",
        "arcs.weight": "arcs.biaffine.weight",
        "arcs.bias": "arcs.biaffine.bias",
        "tag_dependent.": "deprels.dependent.",
        "tag_head.": "deprels.head.",
        "deprels.weight": "deprels.bilinear.weight",
        "deprels.dependent_weight": "deprels.bilinear.dependent_weight",
        "deprels.head_weight": "deprels.bilinear.head_weight",
        "deprels.bias": "deprels.bilinear.bias",
    }
    """Weights of release 0.1.0, and their current names; see `old_weights.py`."""
    entries = ("HeadProb", "DeprelProb")

    def __init__(
        self,
        vocab: Vocabulary,
        input_dim: int,
        arc_dim: int = 768,
        deprel_dim: int = 256,
        dropout: float = 0.33,
        activation: str = "elu",
        biases: Sequence[str] = ("head",),
        tag_dim: Optional[int] = None,
        label_smoothing: float = 0.0,
        best_tree: str = ARCS,
        single_root: bool = True,
        own_arc: bool = False,
        label_margin: Optional[float] = None,
    ) -> None:
        super().__init__(vocab, input_dim)
        if not 0 <= label_smoothing < 1:
            raise ConfigurationError(
                f"decoders.deps.label_smoothing is {label_smoothing}, outside [0, 1)."
            )
        if best_tree not in BEST_TREES:
            raise ConfigurationError(
                f"decoders.deps.best_tree is {best_tree!r}. Use one of {', '.join(BEST_TREES)}."
            )
        if label_margin is not None and not label_margin >= 0:
            raise ConfigurationError(
                f"decoders.deps.label_margin is {label_margin}. Use 0 or more nats, or omit it to "
                "search among all arcs."
            )
        self.label_smoothing = label_smoothing
        self.label_margin = label_margin
        self.best_tree, self.single_root = best_tree, single_root
        self.own = own_labels.of_languages(vocab, Deps.NAMESPACE, self._labels)
        if self.own is not None:
            self.inputs = (self.own.origin,)
        self.known_arcs = KnownArcs(vocab, self._labels)
        self._treebanks = origin_names(vocab, TREEBANK)
        self.arcs = DeepBiaffine(
            input_dim,
            arc_dim,
            activation=activation,
            dropout=dropout,
            biases=biases,
            own_arc=own_arc,
        )
        self.deprels = DeepBilinear(
            input_dim,
            tag_dim or deprel_dim,
            len(self._labels),
            activation=activation,
            dropout=dropout,
        )

    def scores(self, encoded: Encoded) -> DependencyScores:
        rows, layout = self.rows(encoded)
        arcs = self.arcs(rows, layout)
        langs = treebanks = None
        if self.own is not None:
            sentence_of = encoded.layout.sentence_of
            langs = self.own.of_words(encoded.inputs, sentence_of)
            if TREEBANK in encoded.inputs:
                treebanks = own_labels.origin_of_words(encoded.inputs, TREEBANK, sentence_of)
        vectors = self.deprels.vectors(rows, encoded.words.shape[0])
        return DependencyScores(arcs, vectors, layout, langs, treebanks)

    def loss(self, scores: DependencyScores, gold: dict[str, torch.Tensor]) -> torch.Tensor:
        """
        Returns the cross-entropy of the gold heads plus that of the deprels at the gold heads.
        """
        arcs, vectors, layout, *_ = scores
        heads = gold["heads"].to(arcs.device, non_blocking=True)
        labels = gold["deprels"].to(arcs.device, non_blocking=True)
        arc_loss = F.cross_entropy(layout.to_words(arcs), heads)
        label_scores = self.deprels(vectors, layout.rows_of(heads)).float()
        # A sum over the known ones, so that a batch without any gives 0 and not NaN.
        label_loss = F.cross_entropy(
            label_scores,
            labels,
            ignore_index=UNSEEN,
            reduction="sum",
            label_smoothing=self.label_smoothing,
        )
        return arc_loss + label_loss / (labels != UNSEEN).sum().clamp(min=1)

    def soft_loss(self, scores: DependencyScores, teacher: Decoder, taught: Any) -> torch.Tensor:
        """
        Returns the loss of the heads of each word, plus that of the labels of its arc from the head
        that the teacher scores highest.
        """
        if not isinstance(teacher, DependencyDecoder):
            raise untaught(self)
        if self._labels[: len(teacher._labels)] != teacher._labels:
            raise untaught(self)
        layout = scores.layout
        arcs = layout.to_words(taught.arcs)
        arc_loss = soft_cross_entropy(layout.to_words(scores.arcs), arcs)
        heads = arcs.argmax(-1)
        label_scores = self.deprels(scores.vectors, layout.rows_of(heads))
        labels = teacher.deprels.at_heads(taught.vectors, taught.layout.rows_of(heads))
        return arc_loss.mean() + soft_cross_entropy(label_scores, labels).mean()

    def decode(self, scores: DependencyScores, sentences: Sequence[Sentence]) -> list[Columns]:
        scores = self._corrected(scores, sentences)
        heads, labels = map(scores.layout.to_words, self.graph(scores))
        return self.columns(heads, labels, sentences)

    def probabilities(
        self,
        scores: DependencyScores,
        sentences: Sequence[Sentence],
        columns: Sequence[Columns],
        temperatures: Mapping[str, float],
    ) -> dict[str, torch.Tensor]:
        """
        Returns the probabilities of heads by the softmax over all possible heads, so a head that
        the tree search preferred to a more probable one has a low probability; and of deprels given
        the head, so the deprel of the child of ROOT is certain.
        """
        scores = self._corrected(scores, sentences)
        arcs, layout = scores.arcs, scores.layout
        of_heads, of_labels = (temperatures.get(entry, 1.0) for entry in self.entries)
        heads = torch.tensor([int(head) for c in columns for head in c["heads"]]).to(arcs.device)
        chances = (layout.to_words(arcs).float() / of_heads).softmax(-1)
        label_scores = self._of_words(scores, heads).float()
        labels = (self.without_root(label_scores) / of_labels).softmax(-1).amax(-1)
        both = chances.gather(1, heads.unsqueeze(1)).squeeze(1), labels.masked_fill(heads == 0, 1.0)
        return dict(zip(self.entries, both))

    def graph(self, scores: DependencyScores, trees: bool = True) -> Graph:
        """
        Returns the best tree of each sentence and the best label of each of its arcs; without
        `trees`, the best head of each word independently (Mohammadshahi 2023, section 3.3.3).
        """
        layout = scores.layout
        if trees and self.best_tree == LABELS:
            return self._labelled_trees(scores)
        nodes = (
            best_trees(scores.arcs, layout.mask, self.single_root)
            if trees
            else self._best_heads(scores)
        )
        heads = layout.to_words(nodes)
        label_scores = self._of_words(scores, heads)
        return Graph(nodes, self._of_nodes(self.best_labels(label_scores, heads), layout))

    def _corrected(
        self, scores: DependencyScores, sentences: Sequence[Sentence]
    ) -> DependencyScores:
        """Returns scores with those of `KnownArcs`, of words with predicted UPOS."""
        if not self.known_arcs or self.own is None or scores.langs is None:
            return scores
        count = len(scores.langs)
        langs = own_labels.names_of_words(self.own.names, scores.langs, count)
        treebanks = own_labels.names_of_words(self._treebanks, scores.treebanks, count)
        known = self.known_arcs.of_batch(sentences, langs, treebanks)
        arcs = torch.from_numpy(known.arcs(scores.arcs.shape[1])).to(scores.arcs.device)
        return scores._replace(arcs=scores.arcs + arcs, known=known)

    def _of_words(self, scores: DependencyScores, heads: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the deprels of all words, `(words, labels)`, with these heads."""
        rows = scores.layout.rows_of(heads)
        words = torch.arange(len(rows), device=rows.device)
        label_scores = self._at_heads(scores.vectors, rows, scores.langs)
        known = self._known(scores, words, rows)
        return label_scores if known is None else label_scores + known

    def _known(
        self, scores: DependencyScores, words: torch.Tensor, rows: torch.Tensor
    ) -> Optional[torch.Tensor]:
        """
        Returns what to add to the scores of the deprels of arcs from `rows` to `words`, `(arcs,)`
        each, if anything.
        """
        if scores.known is None:
            return None
        heads = (rows - self._roots(scores)).cpu().numpy()
        return torch.from_numpy(scores.known.deprels(words.cpu().numpy(), heads)).to(rows.device)

    def _roots(self, scores: DependencyScores) -> int:
        """Returns the number of rows before those of words."""
        return 1 if self.root is not None else len(scores.layout.mask)

    def _at_heads(
        self,
        vectors: tuple[torch.Tensor, torch.Tensor],
        heads: torch.Tensor,
        langs: Optional[torch.Tensor],
    ) -> torch.Tensor:
        """
        Returns scores `(words, labels)` of the deprels of each word with its head, a row; -inf for
        those that the word's language lacks. Deprels that no language of the batch has are not
        computed: a language has about a fifth of all.
        """
        if self.own is None or langs is None:
            return self.deprels.at_heads(vectors, heads)
        labels = self.own.possible(langs)
        some = self.deprels.at_heads(vectors, heads, labels)
        everything = some.new_full((len(some), len(self._labels)), -torch.inf)
        return self._own(everything.index_copy_(1, labels, some), langs)

    def _best_heads(self, scores: DependencyScores) -> torch.Tensor:
        loops = torch.eye(scores.arcs.shape[1], dtype=torch.bool, device=scores.arcs.device)
        return scores.arcs.masked_fill(loops, torch.finfo(scores.arcs.dtype).min).argmax(2)

    def _labelled_trees(self, scores: DependencyScores) -> Graph:
        layout = scores.layout
        mask, nodes = layout.mask, layout.nodes.flatten()
        # Words are the last rows, whatever roots stand before them.
        first = self._roots(scores)

        def best_labels(dependents: Any, heads: Any) -> tuple[torch.Tensor, torch.Tensor]:
            of_root = heads % mask.shape[1] == 0
            arcs = (nodes[dependents] - first, nodes[heads], of_root)
            parts = zip(*(column.split(_ARCS_AT_ONCE) for column in arcs))
            best_of_parts = [self._best_label(scores, *part) for part in parts]
            return tuple(map(torch.cat, zip(*best_of_parts)))  # type: ignore[return-value]

        heads, labels = best_labelled_trees(
            scores.arcs, mask, best_labels, self.single_root, self.label_margin
        )
        return Graph(heads, self._of_nodes(layout.to_words(labels), layout))

    def _best_label(
        self,
        scores: DependencyScores,
        words: torch.Tensor,
        rows: torch.Tensor,
        of_root: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The best deprel of each arc from `rows` to `words`: log-probabilities and numbers."""
        dependents, nodes = scores.vectors
        langs = None if scores.langs is None else scores.langs[words]
        label_scores = self._at_heads((dependents[words], nodes), rows, langs).float()
        known = self._known(scores, words, rows)
        # Those of other languages are -inf.
        return self.best_of_arcs(label_scores, of_root, None, known)

    def best_of_arcs(
        self,
        label_scores: torch.Tensor,
        of_root: torch.Tensor,
        langs: Optional[torch.Tensor],
        known: Optional[torch.Tensor] = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        Returns the log-probability and the number of the best deprel of each arc, `(arcs,)` each.

        # Parameters

        label_scores : `torch.Tensor`
            `(arcs, labels)`, float32, which is changed.
        of_root : `torch.Tensor`
            `(arcs,)`, True if the head is ROOT.
        langs : `Optional[torch.Tensor]`
            `(arcs,)`: the language, 0 is unknown, if deprels depend on it.
        known : `Optional[torch.Tensor]`
            `(arcs, labels)`: see `BatchArcs.deprels`.
        """
        label_scores = self._own(label_scores, langs)
        everything = label_scores.logsumexp(-1)
        if known is not None:
            label_scores = label_scores.add_(known)
        if self._root_label is None:
            best, labels = label_scores.max(-1)
            return best - everything, labels
        root = label_scores[:, self._root_label].clone()
        best, labels = self.without_root(label_scores).max(-1)
        best = torch.where(of_root, root, best) - everything
        return best, labels.masked_fill(of_root, self._root_label)

    def _own(self, scores: torch.Tensor, langs: Optional[torch.Tensor]) -> torch.Tensor:
        """
        Returns scores of deprels, `(words, labels)`, with -inf for those that a word's language
        lacks.
        """
        if self.own is None or langs is None:
            return scores
        return self.own.mask_others(scores, langs)

    @staticmethod
    def _of_nodes(labels: torch.Tensor, layout: Layout) -> torch.Tensor:
        """Returns labels of words, `(words,)`, as labels of nodes."""
        of_nodes = torch.full_like(layout.nodes, NO_ARC)
        of_nodes.view(-1)[layout.places] = labels
        return of_nodes
