import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.decoders.dependency import DependencyDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.text.conllu import Sentence

LABELS = ["nsubj", "root", "det"]


@pytest.fixture
def decoder():
    vocab = Vocabulary()
    for label in LABELS:
        vocab.add_token_to_namespace(label, "deprel_labels")
    torch.manual_seed(0)
    decoder = DependencyDecoder(vocab, input_dim=6, arc_dim=5, deprel_dim=4).eval()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder


def encoded(words, *lengths):
    """The words of sentences with so many."""
    return Encoded(words, Layout.from_lengths(lengths))


def loss_of(decoder, words, lengths, gold):
    return decoder.loss(decoder.scores(encoded(words, *lengths)), gold)


def test_loss_of_two_words_by_hand(decoder):
    """`she -> sleeps -> ROOT`: every distribution written out."""
    words = torch.randn(2, 6)
    gold = {"heads": torch.tensor([2, 0]), "deprels": torch.tensor([0, 1])}
    scores = decoder.scores(encoded(words, 2))
    arcs = scores.arcs[0]
    # A word can take ROOT or the other word as its head, never itself.
    she = torch.stack([arcs[1, 0], arcs[1, 2]]).softmax(0)[1]
    sleeps = torch.stack([arcs[2, 0], arcs[2, 1]]).softmax(0)[0]
    deprels = decoder.deprels(scores.vectors, torch.tensor([2, 0])).softmax(-1)
    expected = -(she.log() + sleeps.log()) / 2
    expected = expected - (deprels[0, 0].log() + deprels[1, 1].log()) / 2
    torch.testing.assert_close(decoder.loss(scores, gold), expected)


def test_smoothing_is_of_the_deprels_alone(decoder):
    scores = decoder.scores(encoded(torch.randn(2, 6), 2))
    gold = {"heads": torch.tensor([2, 0]), "deprels": torch.tensor([0, 1])}
    plain = decoder.loss(scores, gold)
    decoder.label_smoothing = 0.3
    logs = decoder.deprels(scores.vectors, torch.tensor([2, 0])).log_softmax(-1)
    right = (logs[0, 0] + logs[1, 1]) / 2
    expected = plain + right - (0.7 * right + 0.3 * logs.mean())
    torch.testing.assert_close(decoder.loss(scores, gold), expected)
    with pytest.raises(ConfigurationError, match="label_smoothing is 1"):
        vocab = Vocabulary()
        vocab.add_token_to_namespace("root", "deprel_labels")
        DependencyDecoder(vocab, input_dim=6, label_smoothing=1)


def test_unseen_deprels_are_out_of_the_loss_and_never_nan(decoder):
    scores, heads = decoder.scores(encoded(torch.randn(2, 6), 2)), torch.tensor([2, 0])
    some = decoder.loss(scores, {"heads": heads, "deprels": torch.tensor([-1, 1])})
    none = decoder.loss(scores, {"heads": heads, "deprels": torch.tensor([-1, -1])})
    assert torch.isfinite(some) and torch.isfinite(none)
    none.backward()
    assert all(torch.isfinite(p.grad).all() for p in decoder.parameters() if p.grad is not None)


@pytest.mark.parametrize("length", [1, 2, 9])
def test_a_prediction_is_a_tree_with_one_root_and_one_root_label(decoder, length):
    for seed in range(20):
        torch.manual_seed(seed)
        sentences = [Sentence.from_words(["a"] * length), Sentence.from_words(["b"])]
        words = torch.randn(length + 1, 6)
        columns = decoder.decode(decoder.scores(encoded(words, length, 1)), sentences)
        for sentence, new in zip(sentences, columns):
            assert len(new["heads"]) == len(new["deprels"]) == len(sentence)
            assert new["heads"].count("0") == 1
            roots = [d for h, d in zip(new["heads"], new["deprels"]) if h == "0"]
            assert roots == ["root"] and new["deprels"].count("root") == 1
            for word in range(1, len(sentence) + 1):
                seen = set()
                while word:
                    assert word not in seen
                    seen.add(word)
                    word = int(new["heads"][word - 1])


def test_every_input_moves_the_loss(decoder):
    words = torch.randn(3, 6, requires_grad=True)
    gold = {"heads": torch.tensor([2, 0, 2]), "deprels": torch.tensor([0, 1, 2])}
    loss_of(decoder, words, [3], gold).backward()
    assert (words.grad.abs().sum(-1) > 0).all()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in decoder.parameters())


def test_sentences_of_a_batch_do_not_meet(decoder):
    """The loss of two sentences is that of each alone, weighted by words."""
    words = torch.randn(5, 6)
    heads, deprels = torch.tensor([2, 0, 0, 1, 2]), torch.tensor([0, 1, 1, 2, 0])
    together = loss_of(decoder, words, [2, 3], {"heads": heads, "deprels": deprels})
    alone = [
        loss_of(decoder, words[part], [n], {"heads": heads[part], "deprels": deprels[part]})
        for part, n in ((slice(0, 2), 2), (slice(2, 5), 3))
    ]
    torch.testing.assert_close(together, (2 * alone[0] + 3 * alone[1]) / 5)


def test_an_encoded_root_takes_the_place_of_the_learned_one(decoder):
    """With the learned vector in every sentence, nothing changes."""
    words, lengths = torch.randn(5, 6), (2, 3)
    before = decoder.scores(encoded(words, *lengths))
    root = decoder.root.detach()
    decoder.use_encoded_root()
    assert decoder.root is None and "root" not in dict(decoder.named_parameters())
    own = Encoded(words, Layout.from_lengths(lengths), root.expand(2, -1))
    after = decoder.scores(own)
    torch.testing.assert_close(after.arcs, before.arcs)
    gold = {"heads": torch.tensor([2, 0, 0, 1, 2]), "deprels": torch.tensor([0, 1, 1, 2, 0])}
    torch.testing.assert_close(decoder.loss(after, gold), decoder.loss(before, gold))
    sentences = [Sentence.from_words(["a"] * n) for n in lengths]
    assert decoder.decode(after, sentences) == decoder.decode(before, sentences)
    # Roots of their own: that of another sentence moves nothing.
    moved = own._replace(roots=torch.stack([root, root + 1]))
    assert torch.equal(decoder.scores(moved).arcs[0], after.arcs[0])
    assert not torch.equal(decoder.scores(moved).arcs[1, 1:, 0], after.arcs[1, 1:, 0])


def test_no_labels_is_refused():
    with pytest.raises(ConfigurationError, match="decoders.deps has no labels"):
        DependencyDecoder(Vocabulary(), input_dim=6)
