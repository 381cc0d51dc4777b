from itertools import combinations

import numpy
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.srl.search import Candidate, best_arguments, best_roles


@st.composite
def candidates(draw):
    rows = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), max_size=8, unique=True))
    scores = draw(st.lists(st.integers(-9, 9), min_size=len(rows), max_size=len(rows)))
    pairs = enumerate(zip(rows, scores))
    return [Candidate(a, a + width, i, score / 3) for i, ((a, width), score) in pairs]


def overlap(found):
    return any(a.left < b.right and b.left < a.right for a, b in combinations(found, 2))


@given(given_=candidates())
def test_no_set_without_overlap_is_better(given_):
    found = best_arguments(given_)
    assert not overlap(found) and found == sorted(found)
    assert all(each.score > 0 for each in found)
    best = max(
        sum(each.score for each in some)
        for size in range(len(given_) + 1)
        for some in combinations(given_, size)
        if not overlap(some)
    )
    assert abs(sum(each.score for each in found) - best) < 1e-9


def test_by_hand():
    whole, first, second = (Candidate(*each) for each in ((0, 4, 0, 3), (0, 2, 1, 2), (2, 4, 2, 2)))
    assert best_arguments([whole, first, second]) == [first, second]
    assert best_arguments([whole, first]) == [whole] and best_arguments([]) == []


def test_the_predicates_own_word():
    """Word 2 of 4; label 0 is a role, 1 is V."""
    spans = [(0, 1), (0, 2), (1, 2), (1, 3), (3, 4), (1, 1), (2, 2), (4, 4)]
    left, right = (numpy.array(side) for side in zip(*spans))
    scores = numpy.array(
        [[1, 9], [9, 9], [9, 1], [9, 2], [0.5, 0], [3, 9], [-1, 1], [-1, 9]], dtype=float
    )
    found = best_roles(scores, left, right, 2, verb=1)
    assert [each[:3] for each in found.spans] == [(0, 1, 0), (1, 3, 1), (3, 4, 0)]
    assert [each[:3] for each in found.words] == [(1, 1, 0)] and found.is_predicate
    nothing = best_roles(-numpy.ones((8, 2)), left, right, 2, verb=1)
    assert not nothing.is_predicate and not nothing.spans and not nothing.words
    only = -numpy.ones((8, 2))
    only[6, 1] = 1
    assert best_roles(only, left, right, 2, verb=1) == ([], [], True)
    assert not best_roles(only, left, right, 3, verb=1).is_predicate
    empty = numpy.zeros(0, dtype=int)
    assert best_roles(numpy.zeros((0, 2)), empty, empty, 1, verb=1) == ([], [], False)
