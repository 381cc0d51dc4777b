"""The best tree by the rules of the papers' code and by ours, among all trees."""

from itertools import product

import numpy as np
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.trees import best_trees

LABELS = ["nsubj", "root", "det"]
SEEDS = st.integers(0, 2**32 - 1)


def trees_of(n, single_root):
    """Heads `(n + 1,)` of every tree over so many words."""
    for heads in product(range(n + 1), repeat=n):
        tree = (0, *heads)
        ends = set()
        for word in range(1, n + 1):
            for _ in range(n):
                word = tree[word]
            ends.add(word)
        if ends == {0} and (not single_root or heads.count(0) == 1):
            yield tree


def total(scores, tree):
    return sum(float(scores[word, head]) for word, head in enumerate(tree) if word)


def best_of_all(scores, single_root):
    return max(trees_of(len(scores) - 1, single_root), key=lambda tree: total(scores, tree))


def decoder_of(seed, **settings):
    vocab = Vocabulary()
    for label in LABELS:
        vocab.add_token_to_namespace(label, "deprel_labels")
    decoder = DependencyDecoder(vocab, 6, arc_dim=5, deprel_dim=4, **settings).eval()
    torch.manual_seed(seed)
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return decoder


def log_probabilities(decoder, scores, sentence, start, n):
    """Scores of one sentence: arcs `(n + 1, n + 1)`, labels `(n + 1, n + 1, labels)`."""
    arcs = scores.arcs[sentence, : n + 1, : n + 1].log_softmax(1)
    dependents, nodes = scores.vectors
    labels = torch.zeros(n + 1, n + 1, len(LABELS))
    for word in range(1, n + 1):
        for head in range(n + 1):
            row = scores.layout.nodes[sentence, head]
            one = (dependents[start + word - 1 : start + word], nodes)
            labels[word, head] = decoder.deprels(one, row[None])[0].log_softmax(0)
    return arcs, labels


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("own_roots", [True, False])
@given(seed=SEEDS, lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_arcs_and_labels_together(single_root, own_roots, seed, lengths):
    """
    Equal to the released search of UDify but for two rules of ours: logs are added where it adds
    probabilities, and `root` is the label of ROOT's arcs and of no other.
    """
    settings = {"best_tree": "arcs+labels", "single_root": single_root}
    decoder = decoder_of(seed, **settings)
    torch.manual_seed(seed)
    words, layout = 3 * torch.randn(sum(lengths), 6), Layout.from_lengths(lengths)
    encoded = Encoded(words, layout)
    if own_roots:
        decoder.use_encoded_root()
        encoded = Encoded(words, layout, torch.randn(len(lengths), 6))
    with torch.no_grad():
        scores = decoder.scores(encoded)
        found = decoder.graph(scores)
    names = decoder._labels
    root = names.index("root")
    for sentence, n in enumerate(lengths):
        start = sum(lengths[:sentence])
        with torch.no_grad():
            arcs, labels = log_probabilities(decoder, scores, sentence, start, n)
        labels[:, 0, [i for i in range(len(names)) if i != root]] = -torch.inf
        labels[:, 1:, root] = -torch.inf
        both = (arcs + labels.amax(2)).numpy()
        tree = found.heads[sentence, : n + 1].tolist()
        expected = total(both, best_of_all(both, single_root))
        np.testing.assert_allclose(total(both, tree), expected, rtol=1e-5, atol=1e-5)
        own = labels[range(1, n + 1), tree[1:]].argmax(1)
        assert found.labels[sentence, 1 : n + 1].tolist() == own.tolist()


@given(seed=SEEDS, n=st.integers(1, 4), single_root=st.booleans())
def test_the_same_search_finds_the_trees_of_other_rules(seed, n, single_root):
    """
    UDify: probabilities of arcs times those of their best labels, any number of roots. G2G
    (`chuliu_edmonds_one_root`): probabilities of arcs, one root.
    """
    torch.manual_seed(seed)
    loops = torch.eye(n + 1, dtype=torch.bool)
    arcs = (2 * torch.randn(n + 1, n + 1)).masked_fill(loops, -torch.inf).softmax(1)
    labels = torch.randn(n + 1, n + 1, 3).softmax(2).amax(2)
    scores = arcs if single_root else arcs * labels
    found = best_trees(scores[None], torch.ones(1, n + 1, dtype=torch.bool), single_root)
    expected = total(scores, best_of_all(scores.numpy(), single_root))
    np.testing.assert_allclose(total(scores, found[0].tolist()), expected, rtol=1e-6)


def test_sums_of_logs_and_of_probabilities_are_two_rules():
    # Words 1 and 2 are each other's best heads after ROOT. The rest is the words' own, as with
    # `own_arc`. 0.5 + 0.001 against 0.01 + 0.45; 0.0005 against 0.0045.
    chances = torch.tensor([[1, 0, 0], [0.5, 0.49, 0.01], [0.45, 0.001, 0.549]])
    mask = torch.ones(1, 3, dtype=torch.bool)
    assert best_trees(chances[None], mask).tolist() == [[0, 0, 1]]
    assert best_trees(chances.log()[None], mask).tolist() == [[0, 2, 0]]
    assert best_trees(chances[None], mask, single_root=False).tolist() == [[0, 0, 0]]


def test_no_other_rule_is_taken():
    with pytest.raises(ConfigurationError, match="best_tree is 'labels'. Use one of arcs, arcs+"):
        decoder_of(0, best_tree="labels")
    with pytest.raises(ConfigurationError, match="label_margin is -1. Use 0 or more nats"):
        decoder_of(0, label_margin=-1)
