"""Losses and best trees are those of all trees; batches change nothing; gradients are right."""

from itertools import product
from unittest.mock import patch

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DEV, tensors
from tests.helpers.constituency import build, decoder_of
from udify_allennlp.constituency import decoder as decoder_module
from udify_allennlp.constituency.decoder import ConstituencyDecoder, FenceScores
from udify_allennlp.constituency.labels import LabelledSpan, phrases_of, spans_of
from udify_allennlp.constituency.span_labels import SpanLabels
from udify_allennlp.constituency.task import LEFTS, RIGHTS, SPANS
from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.decoders.decoder import Encoded
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.spans import Spans
from udify_allennlp.text.conllu import read_sentences, write_sentences
from udify_allennlp.text.constituents.parsing import parse_tree
from udify_allennlp.text.constituents.sentences import sentence_of, tree_of, with_phrases
from udify_allennlp.text.constituents.tree import Phrase
from udify_allennlp.text.sentence import Sentence


class Given(torch.nn.Module):
    """Scores of spans that are looked up in `table`, `(batch, n + 1, n + 1, labels)`."""

    def __init__(self, table):
        super().__init__()
        self.table = torch.nn.Parameter(table)

    def forward(self, fences, spans):
        return self.table[tuple(spans)]


def bracketings(left, right):
    """Every set of spans that a tree of any number of children can have, all words apart or not."""
    # Of one word, itself or nothing; of more, those of two parts, with the whole or without it.
    inner = {frozenset()}
    for middle in range(left + 1, right):
        pairs = product(bracketings(left, middle), bracketings(middle, right))
        inner |= {one | other for one, other in pairs}
    return inner | {spans | {(left, right)} for spans in inner}


def trees(length, labels):
    """Every labelled tree: sets of spans, each with a label."""
    for spans in bracketings(0, length):
        ordered = sorted(spans)
        for chosen in product(range(labels), repeat=len(ordered)):
            yield dict(zip(ordered, chosen))


def gold_columns(golds):
    cells = [(i, j, label) for gold in golds for (i, j), label in gold.items()]
    columns = zip(*cells) if cells else ([], [], [])
    lengths = torch.tensor([len(gold) for gold in golds])
    return {
        name: {"values": torch.tensor(list(values), dtype=torch.long), "lengths": lengths}
        for name, values in zip((LEFTS, RIGHTS, SPANS), columns)
    }


def total(table, tree):
    return sum((table[i, j, label] for (i, j), label in tree.items()), torch.tensor(0.0).double())


@st.composite
def cases(draw, most=4, labels=2):
    lengths = draw(st.lists(st.integers(1, most), min_size=1, max_size=2))
    torch.manual_seed(draw(st.integers(0, 2**32 - 1)))
    n = max(lengths)
    table = torch.randn(len(lengths), n + 1, n + 1, labels, dtype=torch.float64)
    scores = FenceScores(torch.zeros(len(lengths), n + 1, 5).double(), lengths)
    return table, scores


@settings(max_examples=25)
@given(cases())
def test_no_labelled_tree_has_a_higher_score(case):
    table, scores = case
    decoder = decoder_of(labels=2)
    decoder.scorer = Given(table)
    sentences = [Sentence.from_words(["w"] * length) for length in scores.lengths]
    for its, sentence, columns in zip(table, sentences, decoder.decode(scores, sentences)):
        tree = tree_of(sentence.replace(**columns))
        found = {(p.start - 1, p.end): int(p.label[1:]) for p in tree.phrases[1:]}
        best = max(total(its, tree) for tree in trees(len(sentence), 2))
        torch.testing.assert_close(total(its, found), best)


@settings(max_examples=25)
@given(cases(), st.randoms())
def test_the_loss_is_the_margin_over_all_trees(case, random):
    """Trees are counted in binary: what differs is a label of a span, "none" among them."""
    table, scores = case
    decoder = decoder_of(labels=2)
    decoder.scorer = Given(table)
    golds = [random.choice(list(trees(length, 2))) for length in scores.lengths]
    expected = 0.0
    for its, gold, length in zip(table, golds, scores.lengths):
        margins = []
        for spans in binary_trees(0, length):
            best = 0.0
            for span in spans:
                options = [0.0, *its[span].tolist()]
                right = gold.get(span, -1) + 1
                best += max(value + (n != right) for n, value in enumerate(options))
            margins.append(best - float(total(its, gold)))
        expected += max(0.0, max(margins))
    loss = decoder.loss(scores, gold_columns(golds))
    assert loss.item() == pytest.approx(expected / sum(scores.lengths), abs=1e-9)


def binary_trees(left, right):
    if right - left == 1:
        yield [(left, right)]
    for middle in range(left + 1, right):
        for one, other in product(binary_trees(left, middle), binary_trees(middle, right)):
            yield [(left, right), *one, *other]


def test_a_gold_tree_that_wins_by_the_margin_costs_nothing():
    gold = {(0, 3): 0, (1, 3): 1, (0, 1): 1}
    table = torch.full((1, 4, 4, 2), -9.0).double()
    for (i, j), label in gold.items():
        table[0, i, j, label] = 9.0
    decoder = decoder_of(labels=2)
    decoder.scorer = Given(table)
    scores = FenceScores(torch.zeros(1, 4, 5).double(), [3])
    assert decoder.loss(scores, gold_columns([gold])).item() == 0
    assert decoder.loss(scores, gold_columns([{**gold, (1, 3): 0}])).item() > 0
    # A label that training does not have is as good as none.
    unseen, without = ({**gold, (1, 3): UNSEEN}, {k: v for k, v in gold.items() if k != (1, 3)})
    losses = [decoder.loss(scores, gold_columns([each])) for each in (unseen, without)]
    assert losses[0] == losses[1] > 0


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(1)
    decoder = decoder_of(labels=3)
    layout = Layout.from_lengths([3, 4])
    gold = gold_columns([{(0, 3): 1, (1, 3): 0}, {(0, 4): 2, (0, 1): 1, (1, 3): 0}])
    words = torch.randn(7, 6, dtype=torch.float64, requires_grad=True)

    def loss(words):
        return decoder.loss(decoder.scores(Encoded(words, layout)), gold)

    assert torch.autograd.gradcheck(loss, (words,))
    loss(words).backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in decoder.parameters())


def test_span_scores_are_the_equation():
    torch.manual_seed(2)
    scorer = SpanLabels(dim=6, labels=3, hidden_dim=4)
    nodes = torch.randn(1, 5, 6)  # before, three words, behind
    spans = Spans.of([3], spans=True, words=False, device=nodes.device)
    found = scorer(scorer.fences(nodes), spans)
    f, b = nodes[0, :, :3], nodes[0, :, 3:]
    for row, (_, i, j) in enumerate(zip(*map(torch.Tensor.tolist, spans))):
        v = torch.cat([f[j] - f[i], b[j + 1] - b[i + 1]])
        expected = scorer.label(torch.relu(scorer.norm(scorer.span(v))))
        torch.testing.assert_close(found[row], expected)


def test_a_batch_gives_what_each_sentence_gives(monkeypatch):
    monkeypatch.setattr(decoder_module, "_AT_ONCE", 7)
    model, instances = build()
    model.eval()
    with torch.no_grad():
        together = model(**tensors(instances, model.vocab))
        alone = [model(**tensors([one], model.vocab)) for one in instances]
    assert together["columns"] == [one["columns"][0] for one in alone]
    words = [len(one["sentences"].metadata) for one in instances]
    decoder = model.decoders["constituents"]
    with patch.object(model, "decoders", torch.nn.ModuleDict({"constituents": decoder})):
        whole = model(**tensors(instances, model.vocab))["loss"]
        parts = [model(**tensors([one], model.vocab))["loss"] for one in instances]
    mean = sum(loss * n for loss, n in zip(parts, words)) / sum(words)
    torch.testing.assert_close(whole, mean)


def test_it_learns_its_trees():
    model, instances = build()
    batch = tensors(instances, model.vocab)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(80):
        optimizer.zero_grad()
        model(**batch)["loss"].backward()
        optimizer.step()
    model.eval()
    model.get_metrics(reset=True)
    columns = model(**batch)["columns"]
    assert model.get_metrics()["LF1"] > 95
    for sentence, its in zip(batch["sentences"], columns):
        assert tree_of(sentence.replace(**its)).phrases[0] == Phrase("TOP", 1, len(sentence))


def test_both_kinds_of_trees_from_one_model(tmp_path):
    sentences = list(read_sentences(DEV))[:5]
    path = tmp_path / "en_both-ud-dev.conllu"
    write_sentences(
        (s.replace(misc=with_phrases(s.misc, [Phrase("S", 1, len(s))])) for s in sentences), path
    )
    model, instances = build(path, deps={"type": "udify_dependency_decoder", "arc_dim": 8})
    output = model.eval()(**tensors(instances, model.vocab))
    assert {"heads", "deprels", "misc", "xpos"} == set(output["columns"][0])
    assert torch.isfinite(output["loss"])


def test_chains_are_one_label():
    tree = parse_tree("(TOP (S (VP-TMP (VB Sit) (PRT (NP=2 (RP down))))) )").with_top()
    spans = [LabelledSpan(0, 2, "S VP"), LabelledSpan(1, 2, "PRT NP")]
    assert spans_of(tree) == spans
    assert spans_of(tree, function_tags=True)[0].label == "S VP-TMP"
    labels = [phrase.label for phrase in phrases_of(spans, 2)]
    assert labels == ["TOP", "S", "VP", "PRT", "NP"]


def test_words_alone_and_several_trees_below_top():
    """None of the spans is needed, not even the whole."""
    for text, spans in (("(TOP (UH Yes))", []), ("(TOP (A (B b)) (C (D d)))", [(0, 1), (1, 2)])):
        found = spans_of(tree_of(sentence_of(parse_tree(text))))
        assert [span[:2] for span in found] == spans


@pytest.mark.parametrize(
    "settings, message",
    [({}, "The data has no phrases"), ({"hidden_dim": 0}, "hidden_dim 0, and there are 1 labels")],
)
def test_mistakes_are_named(settings, message):
    counts = {"constituent_labels": {"S": 1}} if settings else {}
    vocab = Vocabulary(counts, non_padded_namespaces=["*labels"])
    with pytest.raises(ConfigurationError, match=message):
        ConstituencyDecoder(vocab, 6, **settings)
