import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from udify_allennlp.graph2graph.transitions import (
    LEFT,
    NOBODY,
    RIGHT,
    SHIFT,
    SWAP,
    States,
    oracle,
)
from udify_allennlp.text.conllu import read_sentences

TREEBANKS = sorted((FIXTURES / "ud").glob("*.conllu"))


@st.composite
def trees(draw, most=8):
    """Heads of words 1..n with one child of ROOT, in any order."""
    order = draw(st.permutations(range(1, draw(st.integers(1, most)) + 1)))
    heads = {order[0]: 0}
    for place, word in enumerate(order[1:], start=1):
        heads[word] = draw(st.sampled_from(order[:place]))
    return tuple(heads[word] for word in sorted(heads))


def is_projective(heads):
    def inside(word, top):
        while word not in (0, top):
            word = heads[word - 1]
        return word == top

    pairs = [sorted((word, head)) + [head] for word, head in enumerate(heads, start=1)]
    return all(inside(w, head) for low, high, head in pairs for w in range(low + 1, high))


def replay(many):
    """The trees that the oracle's steps build, sentence beside sentence, each step checked."""
    found = [oracle(heads) for heads in many]
    states = States([len(heads) for heads in many])
    for step in range(max(len(steps.actions) for steps in found)):
        actions = numpy.full(len(many), SHIFT)
        labels = numpy.full(len(many), 7)
        legal, tops = states.legal(), states.tops
        for row, steps in enumerate(found):
            assert states.done[row] == (step >= len(steps.actions))
            if step < len(steps.actions):
                actions[row] = steps.actions[step]
                assert legal[row, actions[row]] and tuple(tops[row]) == steps.tops[step]
        states.apply(actions, labels)
    assert states.done.all()
    for row, heads in enumerate(many):
        assert tuple(states.heads[row, 1 : len(heads) + 1]) == heads
        assert (states.labels[row, 1 : len(heads) + 1] == 7).all()
        assert (states.heads[row, len(heads) + 1 :] == NOBODY).all()
    return found


@given(st.lists(trees(), min_size=1, max_size=3))
def test_the_oracle_builds_every_tree(many):
    for heads, steps in zip(many, replay(many)):
        swaps = steps.actions.count(SWAP)
        assert len(steps.actions) == 2 * len(heads) + 2 * swaps
        assert (swaps == 0) == is_projective(heads)
        assert sorted(d for d in steps.dependents if d != NOBODY) == list(range(1, len(heads) + 1))


@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.stem)
def test_the_oracle_builds_the_trees_of_treebanks(path):
    sentences = read_sentences(str(path))
    replay([tuple(int(head) for head in sentence.heads) for sentence in sentences])


@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_any_legal_steps_end_in_a_tree(lengths, random):
    states = States(lengths)
    count = 0
    while not states.done.all():
        actions = numpy.zeros(len(lengths), dtype=int)
        for row, legal in enumerate(states.legal()):
            assert legal.any() != states.done[row]
            if legal.any():
                actions[row] = random.choice(numpy.flatnonzero(legal).tolist())
        states.apply(actions, numpy.zeros(len(lengths), dtype=int))
        count += 1
        # Every SWAP turns a pair of words round, for good.
        assert count <= max(2 * n + n * (n - 1) for n in lengths)
    for row, n in enumerate(lengths):
        heads = states.heads[row, 1 : n + 1].tolist()
        assert heads.count(0) == 1
        for word in range(1, n + 1):
            for _ in range(n):
                word = heads[word - 1] if word else 0
            assert word == 0


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_others_in_the_batch_change_nothing(n, seed):
    both, alone = States([n, 9]), States([n])
    random = numpy.random.RandomState(seed)
    for _ in range(4 * n):
        assert (both.legal()[0] == alone.legal()[0]).all() and both.done[0] == alone.done[0]
        if alone.done[0]:
            break
        action = random.choice(numpy.flatnonzero(alone.legal()[0]))
        other = random.choice(numpy.flatnonzero(both.legal()[1])) if not both.done[1] else SHIFT
        both.apply(numpy.array([action, other]), numpy.zeros(2, dtype=int))
        alone.apply(numpy.array([action]), numpy.zeros(1, dtype=int))
        assert (both.tops[0] == alone.tops[0]).all()
    assert (both.heads[0, : n + 1] == alone.heads[0]).all()


def test_a_tree_that_crosses_worked_by_hand():
    """Of 1 -> 3 and 4 -> 2 below 4 <- 1, 2 and 3 change places once."""
    heads = (0, 4, 1, 1)
    steps = oracle(heads)
    names = [["SHIFT", "SWAP", "LEFT", "RIGHT"][action] for action in steps.actions]
    assert names == [
        *("SHIFT", "SHIFT", "SHIFT", "SWAP", "RIGHT", "SHIFT", "SHIFT", "LEFT", "RIGHT", "RIGHT"),
    ]
    assert steps.dependents == [-1, -1, -1, -1, 3, -1, -1, 2, 4, 1]
    assert steps.tops[3] == (2, 3, 4) and steps.tops[4] == (1, 3, 2)


def test_what_is_legal_at_the_start_and_with_two_words():
    states = States([2])
    assert states.legal().tolist() == [[True, False, False, False]]
    for _ in range(2):
        states.apply(numpy.array([SHIFT]), numpy.array([0]))
    assert states.legal().tolist() == [[False, True, True, True]]
    states.apply(numpy.array([SWAP]), numpy.array([0]))
    assert states.tops.tolist() == [[0, 2, 1]]
    # RIGHT from ROOT would leave the other word without a place; LEFT would give ROOT a head.
    assert states.legal().tolist() == [[True, False, False, False]]
    assert States([2], single_root=False).legal().tolist() == [[True, False, False, False]]
    states.apply(numpy.array([SHIFT]), numpy.array([0]))
    assert states.legal()[0, [SWAP, LEFT, RIGHT]].tolist() == [False, True, True]
