"""Scores of arcs and of labels beside the formulas of the papers and of their released code."""

import pytest
import torch
import torch.nn.functional as F
from allennlp.data import Vocabulary

from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.modules.biaffine import Biaffine
from udify_allennlp.modules.bilinear import LabelBilinear
from udify_allennlp.modules.layout import Layout

DIM, N = 5, 4
DEAD = 1e-12


def released_biaffine(d, h, table, one_beside_d, one_beside_h):
    """`[d; 1]^T U [h; 1]`, each 1 where it is asked for, pair by pair."""
    one = d.new_ones(1)
    rows = []
    for x in d:
        row = []
        for y in h:
            left = torch.cat([x, one]) if one_beside_d else x
            right = torch.cat([y, one]) if one_beside_h else y
            row.append(left @ table @ right)
        rows.append(torch.stack(row))
    return torch.stack(rows)


def ours(table, biases):
    """The same numbers in a `Biaffine`, of which the table may have a last row and column more."""
    found = Biaffine(DIM, DIM, biases).double()
    with torch.no_grad():
        found.weight.copy_(table[:DIM, :DIM].T)
        if found.bias is not None:
            found.bias.copy_(table[DIM, :DIM])
        if found.dependent_bias is not None:
            found.dependent_bias.copy_(table[:DIM, DIM])
        if found.constant is not None:
            found.constant.copy_(table[DIM, DIM])
    return found


def pair(seed=0):
    torch.manual_seed(seed)
    return (torch.randn(N, DIM, dtype=torch.float64, requires_grad=True) for _ in range(2))


@pytest.mark.parametrize(
    "biases,bias_x,bias_y",
    [
        ((), False, False),
        # The 1 stands beside the dependent: what it is multiplied with is the head.
        (("head",), True, False),
        (("dependent",), False, True),
        (("head", "dependent", "constant"), True, True),  # AllenNLP's biaffine, of UDify
    ],
)
def test_arc_scores_and_gradients(biases, bias_x, bias_y):
    d, h = pair()
    shape = (DIM + bias_x, DIM + bias_y)
    table = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    whole = F.pad(table, (0, not bias_y, 0, not bias_x))
    expected = released_biaffine(d, h, table, bias_x, bias_y)
    module = ours(whole.detach(), biases)
    found = module(d.unsqueeze(0), h.unsqueeze(0))[0]
    torch.testing.assert_close(found, expected)
    targets = torch.tensor([1, 3, 0, 2])
    wanted = torch.autograd.grad(F.cross_entropy(expected, targets), [d, h, table])
    got = torch.autograd.grad(F.cross_entropy(found, targets), [d, h, *module.parameters()])
    torch.testing.assert_close(got[:2], wanted[:2])
    torch.testing.assert_close(got[2], wanted[2][:DIM, :DIM].T)
    if biases == ("head",):
        torch.testing.assert_close(got[3], wanted[2][DIM])


def test_only_the_bias_of_heads_outlives_the_softmax_over_heads():
    d, h = pair()
    table = torch.randn(DIM + 1, DIM + 1, dtype=torch.float64)
    of_heads = ours(table, ("head",))(d[None], h[None]).softmax(2)
    every = ours(table, ("head", "dependent", "constant"))(d[None], h[None]).softmax(2)
    torch.testing.assert_close(every, of_heads)
    without = ours(table, ())(d[None], h[None]).softmax(2)
    assert (of_heads - without).abs().max() > 0.01
    of_dependents = ours(table, ("dependent",))
    scores = of_dependents(d[None], h[None])
    torch.testing.assert_close(scores.softmax(2), without)
    loss = F.cross_entropy(scores[0], torch.tensor([1, 3, 0, 2]))
    assert torch.autograd.grad(loss, of_dependents.dependent_bias)[0].abs().max() < DEAD


def test_label_scores_of_the_released_udify_are_ours_without_linear_terms():
    torch.manual_seed(1)
    labels = 3
    released = torch.nn.Bilinear(DIM, DIM, labels).double()
    module = LabelBilinear(DIM, DIM, labels).double()
    with torch.no_grad():
        module.weight.copy_(released.weight.transpose(0, 1))
        module.bias.copy_(released.bias)
    d, h = pair()
    torch.testing.assert_close(module(d, h), released(d, h))
    # Dozat and Manning (2017), equation 3: a label may also fit a dependent or a head alone.
    torch.nn.init.normal_(module.dependent_weight)
    torch.nn.init.normal_(module.head_weight)
    expected = torch.stack(
        [
            torch.stack(
                [
                    x @ module.weight[:, label] @ y
                    + module.dependent_weight[label] @ x
                    + module.head_weight[label] @ y
                    + module.bias[label]
                    for label in range(labels)
                ]
            )
            for x, y in zip(d, h)
        ]
    )
    torch.testing.assert_close(module(d, h), expected)


@pytest.mark.parametrize("own_arc", [False, True])
def test_loss_over_the_heads_of_a_word(own_arc):
    """
    Released code of UDify: a softmax over ROOT and all words, the dependent among them. Ours is
    over what can be a head, unless `own_arc` is asked for.
    """
    vocab = Vocabulary()
    for label in ("root", "nsubj"):
        vocab.add_token_to_namespace(label, "deprel_labels")
    torch.manual_seed(2)
    decoder = DependencyDecoder(vocab, 6, arc_dim=5, deprel_dim=4, own_arc=own_arc).eval()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    words = torch.randn(3, 6)
    heads, labels = torch.tensor([2, 0, 2]), torch.tensor([1, 0, 1])
    scores = decoder.scores(Encoded(words, Layout.from_lengths([3])))
    arcs, nodes = decoder.arcs, torch.cat([decoder.root[None], words])
    x, y = (F.elu(layer(nodes)) for layer in (arcs.dependent, arcs.head))
    table = torch.cat([arcs.biaffine.weight.T, arcs.biaffine.bias[None]])
    of_heads = released_biaffine(x, y, table, True, False)
    if not own_arc:
        of_heads = of_heads.masked_fill(torch.eye(4, dtype=torch.bool), -torch.inf)
    of_labels = decoder.deprels(scores.vectors, heads)
    expected = F.cross_entropy(of_heads[1:], heads) + F.cross_entropy(of_labels, labels)
    torch.testing.assert_close(decoder.loss(scores, {"heads": heads, "deprels": labels}), expected)
    # Whatever the loss is over, no word becomes its own head.
    for trees in (True, False):
        found = decoder.graph(scores._replace(arcs=scores.arcs + 99 * torch.eye(4)), trees)
        assert (found.heads[0, 1:] != torch.arange(1, 4)).all()
