import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.decoders.stack_pointer import StackPointerDecoder
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.stack_pointer import stack_steps
from udify_allennlp.text.conllu import Sentence

LABELS = ["nsubj", "root", "det"]


@pytest.fixture
def decoder():
    vocab = Vocabulary()
    for label in LABELS:
        vocab.add_token_to_namespace(label, "deprel_labels")
    torch.manual_seed(0)
    sizes = {"arc_dim": 5, "deprel_dim": 4, "lstm_dim": 6, "hidden_dim": 7}
    decoder = StackPointerDecoder(vocab, input_dim=6, **sizes).eval()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder


def encoded(words, *lengths):
    return Encoded(words, Layout.from_lengths(lengths))


def loss_of(decoder, words, lengths, heads, deprels):
    gold = {"heads": torch.tensor(heads), "deprels": torch.tensor(deprels)}
    return decoder.loss(decoder.scores(encoded(words, *lengths)), gold)


def test_loss_is_four_means_over_the_steps(decoder):
    """Two sentences, `she -> sleeps -> ROOT` and `sleep -> ROOT`, step by step."""
    words = torch.randn(3, 6)
    heads, deprels = [2, 0, 0], [0, 1, 1]
    pops, pushes = [], []  # pairs of arc and label losses
    for rows, own_heads, own_labels in (([0, 1], [2, 0], [0, 1]), ([2], [0], [1])):
        scores = decoder.scores(encoded(words[rows], len(rows)))
        tops, above, children = (torch.tensor([part]) for part in stack_steps(own_heads))
        states = decoder.steps.states(scores.nodes, tops, above)
        arcs = decoder.steps.pointer(scores.nodes, states)[0]
        labels = decoder.steps.labels(scores.nodes, states, children)[0]
        for step, (top, child) in enumerate(zip(tops[0].tolist(), children[0].tolist())):
            label = 3 if child == top else own_labels[child - 1]
            pair = -arcs[step, child], -labels[step, label]
            (pops if child == top else pushes).append(pair)
    assert (len(pops), len(pushes)) == (5, 3)
    expected = sum(torch.stack(part).mean() for kind in (pops, pushes) for part in zip(*kind))
    torch.testing.assert_close(loss_of(decoder, words, [2, 1], heads, deprels), expected)


def test_unseen_deprels_are_out_of_the_loss_and_never_nan(decoder):
    words = torch.randn(2, 6)
    one = loss_of(decoder, words, [2], [2, 0], [-1, 1])
    none = loss_of(decoder, words, [2], [2, 0], [-1, -1])
    assert torch.isfinite(one) and none < one
    none.backward()
    assert all(torch.isfinite(p.grad).all() for p in decoder.parameters() if p.grad is not None)


def test_every_input_and_weight_moves_the_loss(decoder):
    words = torch.randn(3, 6, requires_grad=True)
    loss_of(decoder, words, [3], [2, 0, 2], [0, 1, 2]).backward()
    assert (words.grad.abs().sum(-1) > 0).all()
    for name, parameter in decoder.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("length", [1, 2, 8])
def test_a_prediction_is_a_tree_with_one_root_and_one_root_label(decoder, length):
    for seed in range(15):
        torch.manual_seed(seed)
        sentences = [Sentence.from_words(["a"] * length), Sentence.from_words(["b"])]
        words = 3 * torch.randn(length + 1, 6)
        columns = decoder.decode(decoder.scores(encoded(words, length, 1)), sentences)
        for sentence, new in zip(sentences, columns):
            assert len(new["heads"]) == len(new["deprels"]) == len(sentence)
            roots = [d for h, d in zip(new["heads"], new["deprels"]) if h == "0"]
            assert roots == ["root"] and new["deprels"].count("root") == 1
            for word in range(1, len(sentence) + 1):
                seen = set()
                while word:
                    assert word not in seen
                    seen.add(word)
                    word = int(new["heads"][word - 1])


def test_where_the_order_leads_nowhere_another_search_finds_a_tree(decoder):
    """With a beam of one, some of many sentences need it; all of them get a tree."""
    torch.manual_seed(1)
    decoder.beam_size = 1
    lengths = [4] * 20
    scores = decoder.scores(encoded(5 * torch.randn(sum(lengths), 6), *lengths))
    first = decoder.search(scores.nodes)
    failed = first.scores.isinf()
    assert failed.any() and not failed.all()
    columns = decoder.decode(scores, [Sentence.from_words(["a"] * 4)] * 20)
    assert all(new["heads"].count("0") == 1 for new in columns)
    for row in (~failed).nonzero().flatten().tolist():  # the others keep theirs
        assert columns[row]["heads"] == [str(head) for head in first.heads[row, 1:].tolist()]


def test_the_score_of_a_search_is_the_probability_of_its_steps(decoder):
    """What is found is taught: its loss, step by step, sums up to the score."""
    lengths = [5, 3, 1]
    scores = decoder.scores(encoded(torch.randn(9, 6), *lengths))
    found = decoder.search(scores.nodes, ordered=True)
    heads = scores.layout.to_words(found.heads)
    labels = scores.layout.to_words(found.labels).masked_fill(heads == 0, 1)
    steps = decoder.step_losses(scores, {"heads": heads, "deprels": labels})
    sums = ((steps.pointed + steps.labelled) * steps.real).sum(1)
    torch.testing.assert_close(found.scores, -sums)


def test_sentences_of_a_batch_do_not_meet(decoder):
    words = torch.randn(7, 6)
    sentences = [Sentence.from_words(["a"] * n) for n in (4, 3)]
    together = decoder.decode(decoder.scores(encoded(words, 4, 3)), sentences)
    alone = [
        decoder.decode(decoder.scores(encoded(words[part], n)), [sentence])[0]
        for part, n, sentence in ((slice(0, 4), 4, sentences[0]), (slice(4, 7), 3, sentences[1]))
    ]
    assert together == alone


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"beam_size": 0}, "deps.beam_size is 0"),
        ({"activation": "sine"}, "Unknown activation 'sine'"),
    ],
)
def test_what_cannot_be_is_refused(decoder, settings, message):
    vocab = Vocabulary()
    vocab.add_token_to_namespace("root", "deprel_labels")
    with pytest.raises(ConfigurationError, match=message):
        StackPointerDecoder(vocab, input_dim=6, **settings)
    with pytest.raises(ConfigurationError, match="decoders.deps has no labels"):
        StackPointerDecoder(Vocabulary(), input_dim=6)
