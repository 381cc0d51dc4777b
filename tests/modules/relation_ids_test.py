import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.modules.relation_ids import (
    NO_ARC,
    POLICIES,
    Graph,
    PieceNodes,
    graph_of,
    piece_relation_ids,
    relation_ids,
    relation_rows,
)

LABELS = 3


@st.composite
def graphs(draw, trees=True):
    """Heads and labels `(1, n + 1)` over ROOT and n words; without `trees` each has any head."""
    n = draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, n + 1)))
    heads, labels = [NO_ARC] * (n + 1), [NO_ARC] * (n + 1)
    for place, word in enumerate(order):
        above = [0, *order[:place]] if trees else range(n + 1)
        heads[word] = draw(st.sampled_from(list(above)))
        labels[word] = draw(st.integers(0, LABELS - 1))
    return torch.tensor([heads]), torch.tensor([labels])


@given(graphs())
def test_a_tree_comes_back_from_its_ids(graph):
    heads, labels = graph
    ids = relation_ids(heads, labels, LABELS)
    assert ids.min() >= 0 and ids.max() < relation_rows(LABELS) == 7
    found_heads, found_labels = graph_of(ids, LABELS)
    assert torch.equal(found_heads, heads) and torch.equal(found_labels, labels)


@given(graphs(trees=False))
def test_ids_are_the_definition_cell_by_cell(graph):
    heads, labels = (row[0].tolist() for row in graph)
    n = len(heads)
    arcs = {
        (head, dependent): 1 + label
        for dependent, (head, label) in enumerate(zip(heads, labels))
        if label != NO_ARC
    }
    expected = [[0] * n for _ in range(n)]
    for (h, d), label in arcs.items():
        if (d, h) not in arcs:  # a two-cycle, or a loop: NONE in both cells
            expected[h][d] = label
            expected[d][h] = label + LABELS
    assert relation_ids(*graph, LABELS)[0].tolist() == expected


@given(graphs(trees=False))
def test_directions_are_each_others_mirror(graph):
    ids = relation_ids(*graph, LABELS)[0]
    mirrored = ids.T
    to_dependent = (ids >= 1) & (ids <= LABELS)
    assert torch.equal(mirrored[to_dependent], ids[to_dependent] + LABELS)
    assert int(to_dependent.sum()) * 2 == int((ids > 0).sum())


def test_sentences_of_a_batch_do_not_meet_and_padding_is_none():
    heads = torch.tensor([[NO_ARC, 2, 0], [NO_ARC, 0, 1]])
    labels = torch.tensor([[NO_ARC, 1, 0], [NO_ARC, 2, NO_ARC]])
    ids = relation_ids(heads, labels, LABELS)
    assert ids.tolist() == [
        [[0, 0, 1], [0, 0, 5], [4, 2, 0]],
        [[0, 3, 0], [6, 0, 0], [0, 0, 0]],
    ]


def test_without_labels_there_are_three_ids():
    heads = torch.tensor([[NO_ARC, 0, 1]])
    ids = relation_ids(heads, torch.tensor([[NO_ARC, 0, 0]]), 1)
    assert relation_rows(1) == 3 and ids[0].tolist() == [[0, 1, 0], [2, 0, 1], [0, 2, 0]]


# [CLS] ROOT dogs bark ##ed [SEP] [PAD]: dogs <- bark(ed) <- ROOT
PIECES = PieceNodes.of(torch.tensor([[-1, 0, 1, 2, 2, -1, -1]]), 3)
TREE = torch.tensor([[NO_ARC, 2, 0]]), torch.tensor([[NO_ARC, 1, 0]])
A, B, S = 1, 2, 4  # ids of the labels of bark and dogs, and of the inside of a word


@pytest.mark.parametrize(
    "policy, arcs",
    [
        ("special_label", {(1, 3): A, (3, 2): B, (3, 4): S}),
        ("one_label", {(1, 3): A, (3, 2): B, (3, 4): 1}),
        ("copy_label", {(1, 3): A, (1, 4): A, (3, 2): B}),
        ("all_pairs", {(1, 3): A, (1, 4): A, (3, 2): B, (4, 2): B}),
    ],
)
def test_words_of_several_pieces_worked_by_hand(policy, arcs):
    ids = piece_relation_ids(*TREE, PIECES, LABELS, policy)[0]
    size = (relation_rows(LABELS, policy) - 1) // 2
    expected = torch.zeros(7, 7, dtype=torch.long)
    for (head, dependent), label in arcs.items():
        expected[head, dependent] = label
        expected[dependent, head] = label + size
    assert torch.equal(ids, expected)
    assert size == (LABELS + 1 if policy == "special_label" else LABELS)


def test_mr_john_plays_soccer():
    """Mohammadshahi 2023, Figure 4.2; a word has two pieces: [CLS] ROOT Mr John plays soc ##cer."""
    # root, compound, nsubj, obj are 1 to 4 from the head's side, 5 to 8 from the dependent's.
    heads, labels = torch.tensor([[NO_ARC, 2, 3, 0, 3]]), torch.tensor([[NO_ARC, 1, 2, 0, 3]])
    pieces = PieceNodes.of(torch.tensor([[-1, 0, 1, 2, 3, 4, 4]]), 5)
    assert piece_relation_ids(heads, labels, pieces, 4, "all_pairs")[0].tolist() == [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 6, 0, 0, 0],
        [0, 0, 2, 0, 7, 0, 0],
        [0, 5, 0, 3, 0, 4, 4],
        [0, 0, 0, 0, 8, 0, 0],
        [0, 0, 0, 0, 8, 0, 0],
    ]


@given(graphs(), st.sampled_from(POLICIES))
def test_words_of_one_piece_are_words(graph, policy):
    """But for the number of labels, which is one higher with a special one."""
    heads, labels = graph
    nodes = torch.arange(heads.shape[1]).unsqueeze(0)
    found = piece_relation_ids(heads, labels, PieceNodes(nodes, nodes), LABELS, policy)
    assert torch.equal(found, relation_ids(heads, labels, LABELS + (policy == "special_label")))


def test_a_window_has_the_arcs_between_its_own_words():
    """Its first piece is the second one of bark; dogs and ROOT are elsewhere."""
    pieces = PieceNodes.of(torch.tensor([[-1, 2, 2, 3, -1]]), 4)
    assert pieces.first_of.tolist() == [[5, 5, 1, 3]]
    heads, labels = torch.tensor([[NO_ARC, 2, 0, 2]]), torch.tensor([[NO_ARC, 1, 0, 2]])
    ids = piece_relation_ids(heads, labels, pieces, LABELS, "special_label")[0]
    assert {tuple(cell.tolist()) for cell in ids.nonzero()} == {(1, 2), (2, 1), (1, 3), (3, 1)}
    assert ids[1, 2] == 4 and ids[1, 3] == 3


@given(graphs(trees=False), graphs(trees=False))
def test_the_same_graph_is_one_with_the_same_arcs(one, other):
    assert Graph(*one).same(Graph(*one)).tolist() == [True]
    if one[0].shape == other[0].shape:
        cells = [(graph[0] * (graph[1] != NO_ARC), graph[1]) for graph in (one, other)]
        equal = all(torch.equal(a, b) for a, b in zip(*cells))
        assert Graph(*one).same(Graph(*other)).tolist() == [equal]


def test_no_graph_has_relations_within_words_at_most():
    none = torch.full_like(TREE[0], NO_ARC)
    for policy in POLICIES:
        ids = piece_relation_ids(none, none, PIECES, LABELS, policy)
        assert int((ids > 0).sum()) == (2 if policy in ("special_label", "one_label") else 0)


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigurationError, match="policy is 'some'. Use one of special_label"):
        piece_relation_ids(*TREE, PIECES, LABELS, "some")
