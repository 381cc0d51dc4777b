from unittest.mock import MagicMock

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers import tensors
from tests.helpers.graph_transitions import KINDS, VOCAB, batch, build, instances
from udify_allennlp.graph2graph.batch_steps import gold_steps
from udify_allennlp.graph2graph.refining_trainer import RefiningTrainer
from udify_allennlp.graph2graph.transitions import LEFT, NOBODY, oracle
from udify_allennlp.models.batch_subset import BatchSubset
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.relation_ids import relation_ids
from udify_allennlp.text.tree_check import tree_fault
from udify_allennlp.training.optimizers import FusedAdamW


def part_of(values):
    gold = {name: values[name] for name in ("heads", "deprels")}
    fields = {"wordpieces": values["wordpieces"], "inputs": {}}
    return BatchSubset(fields, Layout(**values["layout"]), values["sentences"], gold)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_any_weights_give_trees(kind, directed):
    model = build(kind, directed_labels=directed)
    sentences = [one["sentences"].metadata for one in instances()]
    for sentence, columns in zip(sentences, model(**batch())["columns"]):
        assert len(columns["heads"]) == len(sentence)
        assert tree_fault(columns["heads"], columns["deprels"]) is None
        roots = [deprel == "root" for deprel in columns["deprels"]]
        assert roots == [head == "0" for head in columns["heads"]]


@pytest.mark.parametrize("kind", KINDS)
def test_batch_composition_changes_no_sentence(kind):
    model = build(kind)
    together = model(**batch())["columns"]
    assert together == [model(**tensors([one], VOCAB))["columns"][0] for one in instances()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_one_sentence_learns_it_by_heart(kind):
    shortest = min(instances(), key=lambda one: len(one["sentences"].metadata))
    one = tensors([shortest], VOCAB)
    model = build(kind)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = model.train()(**one)["loss"]
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
    columns = model.eval()(**one)["columns"][0]
    assert columns["heads"] == shortest["sentences"].metadata.heads


def test_the_loss_is_a_mean_over_steps_and_one_over_arcs():
    """A loop over the steps of SentTr; the sum of the passes of SentTr+G2GTr without relations."""
    model = build("udify_multitask").train()
    values = batch(3)
    found = model(**values)["loss"]
    layout = Layout(**values["layout"])
    ((_, decoder, scores),) = model.scored({**values, "inputs": {}}, layout)
    actions, labels = [], []
    gold = iter(zip(values["heads"].tolist(), values["deprels"].tolist()))
    for number, sentence in enumerate(values["sentences"]):
        own = [next(gold) for _ in range(len(sentence))]
        steps = oracle(tuple(head for head, _ in own))
        for tops, action, dependent in zip(*steps):
            rows = [
                (
                    len(scores.actions) - 1
                    if node == NOBODY
                    else int(scores.layout.nodes[number, node])
                )
                for node in tops
            ]
            hidden = sum(scores.actions[row, place] for place, row in enumerate(rows)).relu()
            actions.append(-decoder.actions.output(hidden).log_softmax(-1)[action])
            if dependent != NOBODY:
                hidden = sum(scores.labels[row, place] for place, row in enumerate(rows[:2])).relu()
                known = own[dependent - 1][1]
                labels.append(-decoder.labels.output(hidden).log_softmax(-1)[known])
    expected = torch.stack(actions).mean() + torch.stack(labels).mean()
    torch.testing.assert_close(found, expected)


def test_the_loss_of_the_passes_is_that_of_one_pass_where_graphs_say_nothing():
    model = build("udify_graph_transitions").train()
    with torch.no_grad():
        for tables in model.embedder.graph.tables:
            tables.scores.zero_(), tables.values.zero_()
        model.embedder.labels.weight.zero_()
    values = batch(3)
    passes = list(model.steps(**values))
    assert [found["update"] for found in passes] == [False] * (len(passes) - 1) + [True]
    assert len(passes) == max(map(len, values["sentences"]))  # each encodes anew: one for an arc
    plain = build("udify_multitask").train()
    plain.load_state_dict({n: v for n, v in model.state_dict().items() if n in plain.state_dict()})
    torch.testing.assert_close(
        torch.stack([found["loss"] for found in passes]).sum(), plain(**values)["loss"]
    )


def test_batches_that_end_one_after_the_other_make_one_update(monkeypatch):
    """Two accumulated batches: the gradient is that of their mean loss, which is told as well."""
    model = build("udify_graph_transitions").train()
    found = instances(8)
    groups = [tensors(found[:2], VOCAB), tensors(sorted(found, key=len)[-2:], VOCAB)]
    sums = [sum(step["loss"] for step in model.steps(**values)) for values in groups]
    model.zero_grad()
    (sum(sums) / 2).backward()
    expected = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    trainer = RefiningTrainer(
        model=model,
        optimizer=FusedAdamW(list(model.named_parameters()), lr=0.1),
        data_loader=MagicMock(),
        cuda_device=-1,
    )
    updates = []

    def update():
        updates.append({n: p.grad.clone() for n, p in model.named_parameters() if n in expected})

    monkeypatch.setattr(trainer, "update", update)
    step = trainer.train_step(*groups)
    assert len(updates) == 1
    for name, gradient in expected.items():
        torch.testing.assert_close(updates[0][name], gradient, rtol=1e-3, atol=1e-6)
    for output, total in zip(step.outputs, sums):
        torch.testing.assert_close(output["loss"], total.detach())


def test_a_sentence_is_encoded_anew_after_each_arc_as_if_before_each_step(monkeypatch):
    model = build("udify_graph_transitions")
    part = part_of(batch())
    states, graph = model.start(part)
    encoded = []
    while not states.done.all():
        encoded.append(model._scores(part, graph, torch.ones(len(part.sentences)).bool()))
        steps = model.decoder.best(encoded[-1], states, numpy.flatnonzero(~states.done))
        steps.take(states)
        graph = model.with_arcs(graph, steps)
    calls = []
    scores = type(model)._scores
    monkeypatch.setattr(type(model), "_scores", lambda *given: calls.append(1) or scores(*given))
    assert model(**batch())["columns"] == model.decoder.columns_of(states, part.sentences)
    # The last arc, from ROOT, is forced.
    assert len(calls) == max(map(len, part.sentences)) - 1 <= len(encoded) / 2


def test_an_arc_fills_two_cells_and_other_steps_none():
    model = build("udify_graph_transitions")
    part = part_of(batch(3))
    steps, _ = model.gold(part)
    states, graph = model.start(part)
    number = steps.numbers()
    for time in range(int(number.max()) + 1):
        now = steps.where(number == time)
        before = relation_ids(graph.heads, graph.labels.clamp(max=0), 1)
        graph = model.with_arcs(graph, now)
        changed = relation_ids(graph.heads, graph.labels.clamp(max=0), 1) - before
        for sentence, head, dependent in zip(now.sentences, *now.arcs):
            found = changed[sentence].nonzero().tolist()
            if head == NOBODY:
                assert found == []
            else:
                assert sorted(found) == sorted([[head, dependent], [dependent, head]])
                cells = changed[sentence]
                assert (cells[head, dependent], cells[dependent, head]) == (1, 2)
    words = part.layout.to_words(graph.heads)
    assert torch.equal(words, part.gold["heads"])


def test_arcs_that_lie_ahead_are_not_seen(monkeypatch):
    """Scores before an arc do not change when gold arcs made after it do."""
    model = build("udify_graph_transitions").train()
    seen = []
    losses = type(model.decoder).losses

    def spy(self, scores, steps):
        seen[-1].append(scores.actions.detach())
        return losses(self, scores, steps)

    monkeypatch.setattr(type(model.decoder), "losses", spy)
    values = batch(1)
    before = values["heads"].tolist()
    root = before.index(0)
    order = oracle(tuple(before))
    last = [d for d in order.dependents if d not in (NOBODY, root + 1)][-1]
    after = list(before)  # the last words change places in the tree
    after[last - 1], after[root] = 0, last
    for heads in (before, after):
        seen.append([])
        list(model.steps(**{**values, "heads": torch.tensor(heads)}))
    same = 0
    while order.actions[same] == oracle(tuple(after)).actions[same]:
        same += 1
    arcs = sum(action >= LEFT for action in order.actions[:same])
    assert arcs > 3
    for number in range(arcs + 1):
        assert torch.equal(seen[0][number], seen[1][number])
    assert not torch.equal(seen[0][-1], seen[1][-1])


def test_gold_steps_are_those_of_each_sentence():
    values = batch(4)
    steps = gold_steps(Layout(**values["layout"]), values)
    start = 0
    for number, sentence in enumerate(values["sentences"]):
        own = oracle(tuple(map(int, sentence.heads)))
        end = start + len(own.actions)
        assert set(steps.sentences[start:end].tolist()) == {number}
        assert steps.tops[start:end].tolist() == [list(tops) for tops in own.tops]
        start = end
    assert start == len(steps.actions) and (steps.labels >= 0).sum() == len(values["heads"])


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"history": True}, "are for a model of type udify_state_transitions"),
        ({"graph": {"relations": False}}, "must be a udify_graph_encoder with relations"),
        ({"decoders": {"upos": {"type": "udify_tag_decoder", "task": "upos"}}}, "deps alone"),
        ({"decoders": {"deps": {"type": "udify_dependency_decoder"}}}, "udify_transition_decoder"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        build("udify_graph_transitions", **settings)(**batch(1))
