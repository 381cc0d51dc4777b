"""Distances and depths in dependency trees, and spanning trees of distances."""

from collections.abc import Sequence

import numpy

from udify_allennlp.text.conllu import Sentence, check_tree

Edge = tuple[int, int]
"""Two words, numbered from 0, the smaller first."""


class GoldTree:
    """
    The gold values of one sentence for structural probes. Words are numbered from 0, without ROOT.

    # Parameters

    sentence : `Sentence`

    # Raises

    `ConlluError` if its heads do not form a tree.
    """

    def __init__(self, sentence: Sentence) -> None:
        check_tree(sentence)
        self.forms: list[str] = sentence.forms
        heads = [int(head) for head in sentence.heads]
        self.root = heads.index(0)
        self.edges: set[Edge] = {
            (min(word, head - 1), max(word, head - 1)) for word, head in enumerate(heads) if head
        }
        self.punctuation = numpy.array([tag == "PUNCT" for tag in sentence.upos])
        self.distances = tree_distances(heads)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def depths(self) -> numpy.ndarray:
        """The number of arcs between each word and the root of its sentence, `(words,)`."""
        return self.distances[self.root]

    @property
    def words(self) -> numpy.ndarray:
        """The words that are not punctuation."""
        return numpy.flatnonzero(~self.punctuation)


def tree_distances(heads: Sequence[int]) -> numpy.ndarray:
    """
    Returns the number of arcs between any two words, `(words, words)` int16, in a tree with the
    `heads` of words 1..n (0 is ROOT).
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import shortest_path

    arcs = [(word, head - 1) for word, head in enumerate(heads) if head]
    rows, columns = zip(*arcs) if arcs else ((), ())
    graph = coo_matrix((numpy.ones(len(arcs)), (rows, columns)), shape=(len(heads),) * 2)
    return shortest_path(graph.tocsr(), directed=False, unweighted=True).astype(numpy.int16)


def spanning_tree(distances: numpy.ndarray, words: numpy.ndarray) -> set[Edge]:
    """
    Returns the minimum spanning tree of symmetric `distances` `(n, n)` between the given `words`
    only, as edges between numbers in `words`.
    """
    from scipy.sparse.csgraph import minimum_spanning_tree

    between = distances[numpy.ix_(words, words)].astype(numpy.float64)
    # scipy takes a distance of 0 for no edge. The same added to every edge changes no tree.
    between += 1 - between.min(initial=0)
    tree = minimum_spanning_tree(numpy.triu(between, 1)).tocoo()
    return {(int(words[i]), int(words[j])) for i, j in zip(tree.row, tree.col)}
