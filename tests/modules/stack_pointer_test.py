from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.modules.pointer_search import search
from udify_allennlp.modules.stack_pointer import StackPointer, stack_steps

LABELS = 3


def is_tree(heads):
    """Whether each word reaches ROOT over `heads`, those of words 1 to n."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def trees(n):
    """All trees of n words with one child of ROOT."""
    every = product(range(n + 1), repeat=n)
    return [heads for heads in every if heads.count(0) == 1 and is_tree(heads)]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_steps_of_every_tree_can_be_replayed(n):
    for heads in trees(n):
        steps = stack_steps(heads)
        assert len(steps.children) == 2 * n + 1
        stack, found = [0], {}
        for top, above, child in zip(*steps):
            assert top == stack[-1] and above == (stack[-2] if len(stack) > 1 else 0)
            if child == top:
                stack.pop()
            else:
                assert all(child > other for other, head in found.items() if head == top)
                found[child] = top
                stack.append(child)
        assert not stack and tuple(found[word] for word in range(1, n + 1)) == heads


def test_a_tree_that_is_not_projective_by_hand():
    # 2 -> 1, 0 -> 2, 1 -> 3: word 3 hangs on 1 over its head.
    steps = stack_steps([2, 0, 1])
    assert steps.tops == [0, 2, 1, 3, 1, 2, 0]
    assert steps.above == [0, 0, 2, 1, 2, 0, 0]
    assert steps.children == [2, 1, 3, 3, 1, 2, 0]


def found_by(arcs, lengths, beam_size, ordered=True, again=True):
    """Trees by scores `arcs` `(batch, n + 1, n + 1)`: of each top, of what it points to."""
    mask = torch.arange(arcs.shape[1]) <= torch.tensor(lengths).unsqueeze(1)

    def advance(state, tops, above):
        rows = tops.unsqueeze(2).expand(-1, -1, arcs.shape[2])
        return arcs.gather(1, rows), state

    def label(state, tops, children):
        return torch.zeros_like(tops, dtype=arcs.dtype), 10 * tops + children

    state = (torch.zeros(len(lengths), 1),)
    return search(advance, label, state, mask, beam_size, ordered)


@settings(max_examples=60)
@given(
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=3),
    beam_size=st.sampled_from([1, 2, 5]),
    seed=st.integers(0, 10_000),
)
def test_random_scores_give_trees_with_any_beam(lengths, beam_size, seed):
    torch.manual_seed(seed)
    arcs = 5 * torch.randn(len(lengths), max(lengths) + 1, max(lengths) + 1)
    for ordered in (True, False):
        found = found_by(arcs, lengths, beam_size, ordered)
        for row, n in enumerate(lengths):
            heads = found.heads[row].tolist()
            if ordered and found.scores[row] == -torch.inf:
                continue  # the decoder looks again without the order
            assert heads[0] == 0 and not any(heads[n + 1 :])
            words = heads[1 : n + 1]
            assert is_tree(words) and words.count(0) == 1
            labels = found.labels[row, 1 : n + 1].tolist()
            assert labels == [10 * head + word for word, head in enumerate(words, start=1)]


def of_tree(arcs, heads):
    """The score of a tree: the sum over its steps."""
    tops, _, children = stack_steps(heads)
    return float(sum(arcs[top, child] for top, child in zip(tops, children)))


@settings(max_examples=40)
@given(n=st.integers(1, 4), seed=st.integers(0, 10_000))
def test_a_beam_that_is_wide_enough_finds_the_best_of_all_trees(n, seed):
    torch.manual_seed(seed)
    arcs = torch.randn(1, n + 1, n + 1, dtype=torch.float64)
    best = max(trees(n), key=lambda heads: of_tree(arcs[0], heads))
    found = found_by(arcs, [n], beam_size=200)
    assert tuple(found.heads[0, 1:].tolist()) == best
    assert float(found.scores) == pytest.approx(of_tree(arcs[0], best))


@pytest.mark.parametrize("beam_size", [1, 3])
def test_an_oracle_leads_to_its_tree(beam_size):
    """A top prefers its next child, and then itself; `last` counts on the leftmost going first."""
    for heads in trees(4):
        arcs = torch.full((1, 5, 5), -9.0)
        for dependent, head in enumerate(heads, start=1):
            arcs[0, head, dependent] = 9.0 - dependent  # from left to right
        arcs[0].diagonal().fill_(0.0)
        found = found_by(arcs, [4], beam_size)
        assert tuple(found.heads[0, 1:].tolist()) == heads


def test_a_beam_that_keeps_the_order_can_die_and_says_so():
    # 3 comes first, and is given nothing but 2 that is; then 1 cannot come any more.
    arcs = torch.full((1, 4, 4), -99.0)
    arcs[0, 0, 3] = arcs[0, 3, 2] = arcs[0, 2, 2] = 0.0
    assert found_by(arcs, [3], beam_size=1).scores.item() == -torch.inf
    assert found_by(arcs, [3], beam_size=1, ordered=False).heads.tolist() == [[0, 3, 3, 0]]


@pytest.fixture(scope="module")
def pointer():
    torch.manual_seed(5)
    made = StackPointer(6, LABELS, arc_dim=5, deprel_dim=4, lstm_dim=7, hidden_dim=8).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return made


def nodes_of(pointer, lengths, seed=0):
    torch.manual_seed(seed)
    vectors = torch.randn(len(lengths), max(lengths) + 1, 6)
    mask = torch.arange(max(lengths) + 1) <= torch.tensor(lengths).unsqueeze(1)
    return vectors, pointer.nodes(vectors, mask)


def test_probabilities_are_over_real_nodes_and_sum_to_one(pointer):
    _, nodes = nodes_of(pointer, [3, 1])
    tops = torch.tensor([[0, 1], [0, 1]])
    arcs = pointer.pointer(nodes, pointer.states(nodes, tops, torch.zeros_like(tops)))
    torch.testing.assert_close(arcs.exp().sum(2), torch.ones(2, 2))
    assert (arcs[1, :, 2:] == -torch.inf).all()


def test_step_by_step_is_what_teaching_sees(pointer):
    """The states, the arcs and both ways to the labels along a tree, and by hand."""
    steps = [torch.tensor([list(part)]) for part in stack_steps([2, 0, 1])]
    vectors, nodes = nodes_of(pointer, [3])
    tops, above, children = steps
    with torch.no_grad():
        states = pointer.states(nodes, tops, above)
        arcs, labels = pointer.pointer(nodes, states), pointer.labels(nodes, states, children)
        products, state = pointer.label_products(nodes), nodes.state
        weights = (vectors[0] @ pointer.pool.weight[0]).softmax(0)
        cell = pointer.start(weights @ vectors[0]).view(1, 1, -1)
        hidden = torch.tanh(cell)
        for step in range(7):
            here = slice(step, step + 1)
            state = pointer.next_state(nodes, state, tops[:, here], above[:, here])
            torch.testing.assert_close(state[0], states[:, here])
            torch.testing.assert_close(pointer.pointer(nodes, state[0]), arcs[:, here])
            found = pointer.labels_by(products, nodes, state[0], children[:, here])
            torch.testing.assert_close(found, labels[:, here])
            u = vectors[0, tops[0, step]] + vectors[0, above[0, step]]
            read = torch.nn.functional.elu(pointer.source(u)).view(1, 1, -1)
            output, (hidden, cell) = pointer.lstm(read, (hidden, cell))
            torch.testing.assert_close(output, states[:, here])


def test_padding_and_other_sentences_change_nothing(pointer):
    vectors, nodes = nodes_of(pointer, [4, 2])
    alone = pointer.nodes(vectors[1:, :3], torch.ones(1, 3, dtype=torch.bool))
    tops, above, _ = (torch.tensor([part]) for part in stack_steps([2, 0]))
    both = torch.cat([tops, tops]), torch.cat([above, above])
    together = pointer.pointer(nodes, pointer.states(nodes, *both))[1:, :, :3]
    torch.testing.assert_close(together, pointer.pointer(alone, pointer.states(alone, tops, above)))
    torch.testing.assert_close(nodes.of(torch.tensor([1])).state[1], alone.state[1])
