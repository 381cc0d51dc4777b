from itertools import combinations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.analysis.helpers import random_heads, tree
from udify_allennlp.apps.analysis.probing.gold_trees import GoldTree, spanning_tree, tree_distances
from udify_allennlp.text.errors import ConlluError


def walk(edges, start):
    """How many steps it takes to each word that can be reached."""
    steps, ring = {start: 0}, [start]
    while ring:
        word = ring.pop(0)
        for edge in edges:
            other = sum(edge) - word
            if word in edge and other not in steps:
                steps[other] = steps[word] + 1
                ring.append(other)
    return steps


@given(n=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_distances_and_depths_are_those_of_walking(n, seed):
    heads = random_heads(n, seed)
    edges = [(word, head - 1) for word, head in enumerate(heads) if head]
    distances = tree_distances(heads)
    for start in range(n):
        assert dict(enumerate(distances[start])) == walk(edges, start)
    gold = GoldTree(tree(" ".join(map(str, heads))))
    for word in range(n):
        climbed, at = 0, word
        while heads[at]:
            climbed, at = climbed + 1, heads[at] - 1
        assert gold.depths[word] == climbed


@given(
    n=st.integers(0, 5),
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([2, 3, 1000]),
)
def test_the_spanning_tree_is_the_lightest_of_all(n, seed, levels):
    """Few levels make ties and distances of 0; rounding makes squares a little negative."""
    distances = numpy.random.default_rng(seed).integers(0, levels, (n, n)) - 1e-3
    distances = numpy.triu(distances, 1) + numpy.triu(distances, 1).T
    found = spanning_tree(distances, numpy.arange(n))
    if n < 2:
        assert found == set()
        return
    pairs = list(combinations(range(n), 2))
    trees = [edges for edges in combinations(pairs, n - 1) if len(walk(edges, 0)) == n]

    def weigh(edges):
        return sum(distances[edge] for edge in edges)

    assert tuple(sorted(found)) in trees
    assert weigh(found) == pytest.approx(min(map(weigh, trees)))


@given(n=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_the_spanning_tree_of_gold_distances_is_the_gold_tree(n, seed):
    gold = GoldTree(tree(" ".join(map(str, random_heads(n, seed)))))
    assert spanning_tree(gold.distances, gold.words) == gold.edges


def test_a_sentence_by_hand():
    gold = GoldTree(tree("2 3 0 3", "The dog sleeps .", "DET NOUN VERB PUNCT"))
    assert gold.distances.tolist() == [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    assert gold.depths.tolist() == [2, 1, 0, 1]
    assert gold.root == 2 and gold.words.tolist() == [0, 1, 2]
    assert gold.edges == {(0, 1), (1, 2), (2, 3)}
    # Without the word in the middle, numbers still mean the words of the sentence.
    assert spanning_tree(gold.distances, numpy.array([0, 2, 3])) == {(0, 2), (2, 3)}


def test_a_sentence_without_a_tree_is_refused():
    with pytest.raises(ConlluError, match="cycle"):
        GoldTree(tree("2 1 0"))
