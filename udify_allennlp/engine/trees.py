"""Dependency trees, from scores of arcs and the graph of deprels."""

from collections.abc import Sequence
from pathlib import Path

import numpy

from udify_allennlp.data.attachments import KnownArcs
from udify_allennlp.engine.folder import DEPRELS, VOCABULARY, Trees, check_labels
from udify_allennlp.engine.scores import Graph
from udify_allennlp.engine.vocabulary import VocabularyFolder
from udify_allennlp.modules.labelled_search import best_labelled_heads
from udify_allennlp.modules.tree_search import best_heads
from udify_allennlp.text.sentence import Columns, Sentence, tree_columns

_AT_ONCE = 32
"""Number of arcs whose deprels are scored together."""
_NAMESPACE = "deprel_labels"


class TreeSearch:
    """
    The best trees of a batch; see `DependencyDecoder`.

    # Parameters

    trees : `Trees`
    folder : `Path`
        The folder of the exported model.
    vocab : `VocabularyFolder`

    # Raises

    `InputError` if its graph or its labels cannot be loaded.
    """

    def __init__(self, trees: Trees, folder: Path, vocab: VocabularyFolder) -> None:
        self._trees = trees
        self._graph = Graph(folder / f"{DEPRELS}.onnx", ["log_prob", "label"])
        self._labels = vocab.labels(_NAMESPACE)
        self._known_arcs = KnownArcs(vocab, self._labels)
        check_labels(self._labels, folder / VOCABULARY / f"{_NAMESPACE}.txt")

    def columns(
        self,
        scores: dict[str, numpy.ndarray],
        layout: dict[str, numpy.ndarray],
        sentences: Sequence[Sentence],
        langs: Sequence[str],
        treebanks: Sequence[str],
    ) -> list[Columns]:
        """
        Returns the columns of each sentence.

        # Parameters

        scores : `Dict[str, numpy.ndarray]`
            The outputs of `SCORES`: `arcs` `(batch, dependent, head)`, `dependents` `(words, dim)`,
            `heads` `(1 + words, dim)`; `origins` `(words,)` if deprels depend on these.
        layout : `Dict[str, numpy.ndarray]`
            See `Layout`.
        sentences : `Sequence[Sentence]`
            With predicted UPOS.
        langs, treebanks : `Sequence[str]`
            The language and the treebank of each word; empty if it is unknown.
        """
        nodes, places = layout["nodes"], layout["places"]
        mask = numpy.zeros(nodes.shape, dtype=bool)
        mask.reshape(-1)[places] = mask[:, 0] = True
        rows = nodes.reshape(-1)
        known = None
        if self._graph.reads("known"):
            known = self._known_arcs.of_batch(sentences, langs, treebanks)
        arc_scores = scores["arcs"]
        if known is not None:
            arc_scores = arc_scores + known.arcs(nodes.shape[1])

        def best_labels(
            dependents: numpy.ndarray, heads: numpy.ndarray
        ) -> tuple[numpy.ndarray, numpy.ndarray]:
            words = rows[dependents] - 1
            arrays = {
                "dependents": scores["dependents"][words],
                "heads": scores["heads"][rows[heads]],
                "of_root": heads % nodes.shape[1] == 0,
            }
            if "origins" in scores:
                arrays["origins"] = scores["origins"][words]
            if known is not None:
                # The row of ROOT is the first, so its word is below 0.
                arrays["known"] = known.deprels(words, rows[heads] - 1)
            return self._best_labels(arrays)

        single_root = self._trees.single_root
        if self._trees.with_labels:
            heads, labels = best_labelled_heads(
                arc_scores, mask, best_labels, single_root, self._trees.label_margin
            )
            labels = labels.reshape(-1)[places]
        else:
            heads = best_heads(arc_scores, mask, single_root)
            start = places - places % nodes.shape[1]
            _, labels = best_labels(places, start + heads.reshape(-1)[places])
        deprels = (self._labels[label] for label in labels.tolist())
        return tree_columns(heads.reshape(-1)[places].tolist(), deprels, sentences)

    def _best_labels(self, arrays: dict[str, numpy.ndarray]) -> tuple[numpy.ndarray, numpy.ndarray]:
        count = len(arrays["of_root"])
        parts = []
        for start in range(0, count, _AT_ONCE):
            some = {name: array[start : start + _AT_ONCE] for name, array in arrays.items()}
            parts.append(self._graph(**some))
        log_prob, labels = (
            numpy.concatenate([part[name] for part in parts]) for name in ("log_prob", "label")
        )
        return log_prob, labels
