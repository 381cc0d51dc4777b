"""Scores of all pairs of subwords, the loss, and what is gathered by them."""

import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.pretraining import laid_out
from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.modules.structure_integration import READINGS, Integration
from udify_allennlp.modules.universal_structure import PairLabels, PairVectors, UniversalStructure
from udify_allennlp.pretraining.structure_decoder import StructureDecoder
from udify_allennlp.pretraining.subword_trees import STRATEGIES, with_ends
from udify_allennlp.text.sentence import Sentence

DIM, LABELS = 6, 3


def stir(module, seed=1):
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return module


def some_nodes(seed=2, batch=2, n=5):
    torch.manual_seed(seed)
    mask = torch.ones(batch, n, dtype=torch.bool)
    mask[-1, n - 2 :] = False
    return torch.randn(batch, n, DIM), mask


@pytest.mark.parametrize("shared", [True, False])
def test_soft_structure_is_a_distribution_over_heads_and_labels(shared):
    structure = stir(UniversalStructure(DIM, LABELS, 4, 3, shared))
    nodes, mask = some_nodes()
    scores = structure(nodes, mask)
    arcs = scores.arcs.softmax(-1)
    torch.testing.assert_close(arcs.sum(-1), torch.ones(2, 5))
    assert not arcs[1, :, 3:].any() and (arcs[1, :, :3] > 0).all()
    soft = structure.soft(scores)
    assert soft.shape == (2, 5, LABELS, 5)
    torch.testing.assert_close(soft.sum((2, 3)), torch.ones(2, 5))
    torch.testing.assert_close(soft.sum(2), arcs)
    # Padding changes nothing.
    alone = structure.soft(structure(nodes[1:, :3], mask[1:, :3]))
    torch.testing.assert_close(soft[1:, :3, :, :3], alone)


def test_every_term_of_the_scores_by_hand():
    structure = stir(UniversalStructure(DIM, LABELS, 4, 3))
    nodes, mask = some_nodes()
    arcs, (dependents, heads) = structure(nodes, mask)
    mlp = structure.projections
    torch.testing.assert_close(dependents, mlp.dependent(nodes).clamp(min=0))
    torch.testing.assert_close(heads, mlp.head(nodes).clamp(min=0))
    part, labels = structure.arcs, structure.labels
    all_labels = labels.all_pairs(PairVectors(dependents, heads))
    for i in range(5):
        for j in range(5):
            x, y = dependents[0, i], heads[0, j]
            arc = y @ part.weight @ x + y @ part.bias + x @ part.dependent_bias + part.constant[0]
            torch.testing.assert_close(arcs[0, i, j], arc)
            torch.testing.assert_close(all_labels[0, i, :, j], labels(x[None], y[None])[0])
            for k in range(LABELS):
                by_hand = x @ labels.weight[:, k] @ y + labels.bias[k]
                by_hand = by_hand + x @ labels.dependent_weight[k] + y @ labels.head_weight[k]
                torch.testing.assert_close(all_labels[0, i, k, j], by_hand)


def test_one_pair_of_mlps_or_two():
    def count(shared):
        return sum(p.numel() for p in UniversalStructure(DIM, LABELS, 4, 3, shared).parameters())

    assert count(False) - count(True) == (DIM + 1) * (4 + 3)


@pytest.mark.parametrize("reading", READINGS)
@given(seed=st.integers(0, 2**32 - 1))
def test_integration_against_explicit_loops(reading, seed):
    layer = stir(Integration(DIM, LABELS, 2, 8, reading=reading).double().eval(), seed)
    nodes, mask = some_nodes(seed)
    nodes = nodes.double()
    structure = UniversalStructure(DIM, LABELS, 4, 3).double()
    soft = stir(structure, seed)
    soft = soft.soft(soft(nodes, mask)).double()
    expected = torch.empty_like(nodes)
    for b in range(2):
        for i in range(5):
            transformed = []
            for k in range(LABELS):
                gathered = torch.zeros(DIM, dtype=torch.double)
                for j in range(5):
                    own = nodes[b, i] if reading == "literal" else nodes[b, j]
                    gathered = gathered + soft[b, i, k, j] * own
                transformed.append(
                    torch.stack([gathered @ layer.weight[k, :, m] for m in range(DIM)])
                )
            flat = layer.linear.weight @ torch.cat(transformed) + layer.linear.bias
            gelu = flat * 0.5 * (1 + torch.erf(flat / math.sqrt(2)))
            expected[b, i] = gelu + nodes[b, i]
    expected = layer.layer(expected, src_key_padding_mask=~mask)
    torch.testing.assert_close(layer(nodes, soft, mask)[mask], expected[mask])


def test_one_head_and_label_alone_are_gathered():
    nodes, _ = some_nodes()
    soft = torch.zeros(2, 5, LABELS, 5)
    soft[:, :, 1, 3] = 1
    found = Integration(DIM, LABELS, 2, 8).gather(nodes, soft)
    assert found[:, :, 1].equal(nodes[:, 3:4].expand(-1, 5, -1))
    assert not found[:, :, [0, 2]].any()


def test_without_weights_the_layer_alone_is_left():
    layer = Integration(DIM, LABELS, 2, 8).eval()
    torch.nn.init.zeros_(layer.linear.weight)
    nodes, mask = some_nodes()
    found = layer(nodes, torch.rand(2, 5, LABELS, 5), mask)
    expected = layer.layer(nodes, src_key_padding_mask=~mask)
    torch.testing.assert_close(found, expected)


def test_parameters_of_the_two_maps():
    """The count of the paper's size, 47.2 million of 40 labels and 768, in small."""
    layer = Integration(DIM, LABELS, 2, 8)
    count = sum(p.numel() for p in (layer.weight, *layer.linear.parameters()))
    assert count == 2 * LABELS * DIM**2 + DIM
    with pytest.raises(ConfigurationError, match="reading is 'printed'"):
        Integration(DIM, LABELS, 2, 8, reading="printed")


def test_no_tensor_has_both_lengths_and_the_width():
    layer, n, dim = Integration(8, 4, 2, 8), 32, 8
    nodes = torch.randn(1, n, dim, requires_grad=True)
    soft = torch.rand(1, n, 4, n, requires_grad=True)
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: sizes.append(t.numel()) or t, lambda t: t
    ):
        layer(nodes, soft, torch.ones(1, n, dtype=torch.bool)).sum().backward()
    assert 0 < max(sizes) <= n * n * 4


def decoder(strategy="chain", **settings):
    vocab = Vocabulary(
        counter={"deprel_labels": {"root": 3, "nsubj": 2, "obj": 1}}, non_padded_namespaces=["*"]
    )
    torch.manual_seed(4)
    made = StructureDecoder(vocab, DIM, 4, 3, strategy=strategy, **settings)
    made.use_encoded_root()
    return stir(made).eval(), vocab


def encoded(lengths, seed=5):
    _, pieces, cells = laid_out(lengths)
    pieces, _ = with_ends(pieces, cells)
    torch.manual_seed(seed)
    count = len(pieces.places)
    return Encoded(torch.randn(count, DIM), pieces, torch.randn(len(lengths), DIM))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_loss_by_hand(strategy):
    """Two words of 1 and 2 pieces: nodes 1, 2-3, and [SEP] is 4."""
    made, vocab = decoder(strategy)
    scores = made.scores(encoded([[1, 2]]))
    root, nsubj = (vocab.get_token_index(x, "deprel_labels") for x in ("root", "nsubj"))
    gold = {"heads": torch.tensor([2, 0]), "deprels": torch.tensor([nsubj, root])}
    assert made.num_labels == (4 if strategy == "all" else 5)
    end, app = 3, 4
    third = {"all": (3, 0, root), "first": (3, 2, app), "chain": (3, 2, app)}[strategy]
    expected = 0.0
    arcs = scores.structure.arcs[0].log_softmax(-1)
    labels = made.structure.labels.all_pairs(scores.structure.pairs)[0].log_softmax(1)
    for dependent, head, label in ((1, 2, nsubj), (2, 0, root), third, (4, 0, end)):
        expected = expected - arcs[dependent, head] - labels[dependent, label, head]
    torch.testing.assert_close(made.loss(scores, gold), expected / 4)


def test_labels_are_learned_at_gold_heads_alone():
    made, _ = decoder()
    scores = made.scores(encoded([[1, 1, 1]]))
    gold = {"heads": torch.tensor([2, 0, 2]), "deprels": torch.tensor([1, 0, 2])}
    before = made.loss(scores, gold)
    dependents, heads = scores.structure.pairs
    others = heads.clone()
    others[0, [1, 3]] += 5  # heads of nothing
    pairs = PairVectors(dependents, others)
    changed = scores._replace(structure=scores.structure._replace(pairs=pairs))
    torch.testing.assert_close(made.loss(changed, gold), before)
    others[0, 2] += 5
    assert made.loss(changed, gold) != before


@given(
    lengths=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=3),
    seed=st.integers(0, 2**32 - 1),
)
def test_predictions_are_trees_of_words_with_deprels_alone(lengths, seed):
    made, vocab = decoder()
    inputs = encoded(lengths, seed)
    sentences = [Sentence.from_words(["w"] * len(own)) for own in lengths]
    scores = made.scores(inputs)
    known = set(vocab.get_token_to_index_vocabulary("deprel_labels"))
    for number, found in enumerate(made.decode(scores, sentences)):
        heads = [int(head) for head in found["heads"]]
        assert set(found["deprels"]) <= known
        assert heads.count(0) == 1
        assert [d == "root" for d in found["deprels"]] == [h == 0 for h in heads]
        for word in range(1, len(heads) + 1):
            for _ in heads:
                word = heads[word - 1] if word else 0
            assert word == 0
        # The rows and columns of [CLS] and of first pieces; where their argmax is a tree, it is it.
        starts = [1 + sum(lengths[number][:word]) for word in range(len(heads))]
        nodes = [0, *starts]
        arcs = scores.structure.arcs[number][starts][:, nodes]
        arcs[range(len(heads)), range(1, len(heads) + 1)] = -torch.inf
        best = arcs.argmax(1).tolist()
        if _is_tree(best):
            assert heads == best


def _is_tree(heads):
    def reaches_root(word):
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    return heads.count(0) == 1 and all(map(reaches_root, range(1, len(heads) + 1)))


def test_mistakes_are_clear():
    with pytest.raises(ConfigurationError, match="strategy is 'last'. Use one of all, first"):
        decoder("last")
    with pytest.raises(ConfigurationError, match="num_labels is 0"):
        PairLabels(3, 4, 0)
