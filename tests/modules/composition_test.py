import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.graph2graph.transitions import LEFT, RIGHT, SHIFT, SWAP, States
from udify_allennlp.modules.composition import NULL, Composition
from udify_allennlp.modules.node_tuple_classifier import OfNodes
from udify_allennlp.modules.step_history import StepHistory

DIM, LABELS = 3, 4


def comp(model, psi, omega, label):
    return model.layers(torch.cat([psi, omega, model.labels.weight[label]])) + psi


def by_equation(model, words, steps):
    """Equation 2.12 with its indices: of stack and buffer (C, omega, l), the nearest first."""
    null = (model.null, NULL)
    stack = [(words[0], *null)]
    buffer = [(word, *null) for word in words[1:]]
    for action, label in steps:
        if action == SHIFT:
            stack, buffer = [buffer[0], *stack], buffer[1:]
        elif action == SWAP:
            buffer = [stack[1], *buffer]
            stack = [stack[0], *stack[2:]]
        else:
            (top, *_), (second, *_) = stack[:2]
            head, dependent = (top, second) if action == LEFT else (second, top)
            stack = [(head, dependent, label), *stack[2:]]
        stack, buffer = (
            [(comp(model, *one), *one[1:]) for one in some] for some in (stack, buffer)
        )
    return [vector for vector, *_ in stack], [vector for vector, *_ in buffer]


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(1, 2), st.randoms(use_true_random=False))
def test_it_is_equation_2_12(n, layers, random):
    torch.manual_seed(1)
    model = Composition(DIM, LABELS, layers=layers).double()
    assert [type(part) for part in model.layers] == [torch.nn.Linear, torch.nn.Tanh] * layers
    words = torch.randn(1, n + 1, DIM, dtype=torch.float64)
    states, composed, steps = States([n]), model.start(words), []
    deleted = torch.zeros(1, n + 1, dtype=torch.bool)
    while not states.done.all():
        action = random.choice([a for a in range(4) if states.legal()[0, a]])
        label = random.randint(1, LABELS)
        second, top, _ = states.tops[0]
        head, dependent = {LEFT: (top, second), RIGHT: (second, top)}.get(action, (-1, -1))
        if dependent >= 0:
            deleted[0, dependent] = True
        given_ = (torch.tensor([int(x)]) for x in (head, dependent, label))
        composed = model(composed, words, *given_, ~deleted)
        states.apply(*(torch.tensor([x]).numpy() for x in (action, label)))
        steps.append((action, label))
        found = states.stacks(torch.tensor([0]).numpy())[0], states.buffers([0])[0]
        stack, buffer = ([int(node) for node in nodes if node >= 0] for nodes in found)
        expected = by_equation(model, words[0], steps)
        for nodes, vectors in zip((stack[::-1], buffer), expected):
            for node, vector in zip(nodes, vectors, strict=True):
                torch.testing.assert_close(composed.nodes[0, node], vector)


def test_without_weights_it_leaves_words_as_they_are():
    model = Composition(DIM, LABELS)
    for parameter in model.layers.parameters():
        torch.nn.init.zeros_(parameter)
    words = torch.randn(2, 4, DIM)
    arc = (torch.tensor([1, -1]), torch.tensor([2, -1]), torch.tensor([3, -1]))
    found = model(model.start(words), words, *arc, torch.ones(2, 4, dtype=torch.bool))
    assert torch.equal(found.nodes, words)


def test_without_a_skip_connection_words_are_not_added():
    torch.manual_seed(0)
    model = Composition(DIM, LABELS)
    words = torch.randn(2, 4, DIM)
    arc = (torch.tensor([1, -1]), torch.tensor([2, -1]), torch.tensor([3, -1]))
    given_ = (model.start(words), words, *arc, torch.ones(2, 4, dtype=torch.bool))
    added = model(*given_).nodes
    model.skip = False
    torch.testing.assert_close(model(*given_).nodes + words, added)


@pytest.mark.parametrize("recursive", [True, False])
def test_an_arc_worked_by_hand(recursive):
    """RIGHT from 1 to 2: the head, and all nodes that have no dependent, are composed."""
    model = Composition(DIM, LABELS, recursive)
    words = torch.randn(1, 4, DIM)
    none = torch.tensor([-1])
    there = torch.tensor([[True, True, True, True]])
    first = model(model.start(words), words, none, none, none, there)
    there = torch.tensor([[True, True, False, True]])
    arc = (torch.tensor([1]), torch.tensor([2]), torch.tensor([3]))
    second = model(first, words, *arc, there)
    old = first.nodes[0] if recursive else words[0]
    torch.testing.assert_close(second.nodes[0, 1], comp(model, old[1], old[2], 3))
    torch.testing.assert_close(second.nodes[0, 3], comp(model, old[3], model.null, NULL))
    assert torch.equal(second.nodes[0, 2], first.nodes[0, 2])
    # Not `equal`: products of more rows may be rounded differently.
    assert torch.allclose(second.nodes[0, 3], first.nodes[0, 3]) != recursive


def test_nodes_that_have_left_are_not_composed():
    """The twin composes all nodes, and keeps the old vectors of those that have left."""
    torch.manual_seed(2)
    model = Composition(DIM, LABELS)
    words, there = torch.randn(2, 5, DIM), torch.rand(2, 5) > 0.4
    arc = (torch.tensor([1, -1]), torch.tensor([2, -1]), torch.tensor([3, -1]))
    rows = []
    model.layers.register_forward_pre_hook(lambda _, inputs: rows.append(len(inputs[0])))
    before = model.start(words)
    every = model(before, words, *arc, torch.ones_like(there))
    some = model(before, words, *arc, there)
    assert rows == [10, int(there.sum())]
    expected = torch.where(there.unsqueeze(2), every.nodes, words)
    torch.testing.assert_close(some, every._replace(nodes=expected))


def test_a_classifier_of_nodes_is_a_perceptron_of_their_vectors_side_by_side():
    model = OfNodes(DIM, 2, 5, 4, "relu", 0.0)
    rows = torch.randn(6, DIM)
    places = torch.tensor([[0, 3], [5, 5], [2, 1]])
    weight = torch.cat(model.hidden.weight.chunk(2), 1)
    bias = sum(model.hidden.bias.chunk(2))
    expected = model.output((rows[places].flatten(1) @ weight.T + bias).relu())
    torch.testing.assert_close(model(model.gathered(model.parts(rows), places)), expected)
    torch.testing.assert_close(model(model.joined(rows[places])), expected)


def test_history_is_an_lstm_over_sums_of_step_and_label():
    model = StepHistory(DIM, 4, LABELS)
    actions, labels = torch.tensor([[0, 2, 3], [0, 0, 3]]), torch.tensor([[-1, 3, 0], [-1, -1, 2]])
    history = model.start(2)
    assert not history[0].any()
    for time in range(3):
        history = model(history, actions[:, time], labels[:, time])
    known = (labels >= 0).unsqueeze(2)
    steps = model.actions(actions) + model.labels.weight[1:][labels] * known
    found, _ = model.lstm(steps.transpose(0, 1))
    torch.testing.assert_close(history[0][-1], found[-1])
