import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import ENCODER, tensors
from tests.helpers.state_transitions import PLAIN, VARIANTS, VOCAB, batch, build, instances
from udify_allennlp.graph2graph.state_sequence import END, START, positions_in, sequences
from udify_allennlp.graph2graph.transitions import LEFT, NOBODY, States, oracle
from udify_allennlp.modules.relation_ids import PieceNodes, piece_relation_ids, relation_ids
from udify_allennlp.text.tree_check import tree_fault


@st.composite
def some_states(draw):
    """Sentences somewhere on their way to any trees."""
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    random = numpy.random.RandomState(draw(st.integers(0, 10_000)))
    states = States(lengths)
    for _ in range(draw(st.integers(0, 12))):
        legal = states.legal()
        actions = [random.choice(numpy.flatnonzero(row)) if row.any() else 0 for row in legal]
        states.apply(numpy.array(actions), numpy.zeros(len(lengths), dtype=int))
    return states


@given(some_states(), st.booleans())
def test_a_sequence_has_every_node_once_and_no_gaps(states, deleted):
    rows = numpy.arange(len(states.lengths))
    nodes, segments = sequences(states, rows, deleted, limit=99)
    for row, n in enumerate(states.lengths.tolist()):
        heads = states.heads[row, 1 : n + 1]
        gone = [d for d, head in enumerate(heads.tolist(), start=1) if head != NOBODY]
        own = [int(x) for x in nodes[row] if x != NOBODY]
        assert (nodes[row, len(own) :] == NOBODY).all()
        end = own.index(END)
        stack, behind = own[1:end], own[end + 1 :]
        buffer = behind[: len(behind) - len(gone)] if deleted else behind
        assert own[0] == START and stack[0] == 0
        second, top, front = states.tops[row].tolist()
        assert [NOBODY, *stack][-2:] == [second, top]
        assert (buffer or [NOBODY])[0] == front
        assert sorted(stack + buffer + gone) == list(range(n + 1))
        assert not deleted or behind[len(buffer) :] == gone
        kinds = [0] * (end + 1) + [1] * len(buffer) + [2] * len(gone) * deleted
        assert segments[row, : len(own)].tolist() == kinds


@given(some_states())
def test_a_sequence_that_would_be_too_long_keeps_what_is_near(states):
    rows = numpy.arange(len(states.lengths))
    whole, _ = sequences(states, rows, True, limit=99)
    short, segments = sequences(states, rows, True, limit=8)
    assert short.shape[1] <= 8
    for row, n in enumerate(states.lengths):
        own = [x for x in short[row].tolist() if x != NOBODY]
        if n + 3 <= 8:
            assert own == [x for x in whole[row].tolist() if x != NOBODY]
        assert {x for x in states.tops[row].tolist() if x != NOBODY} <= set(own)


@given(some_states(), st.booleans())
def test_each_segment_counts_its_own_positions(states, deleted):
    nodes, segments = sequences(states, numpy.arange(len(states.lengths)), deleted, limit=99)
    found = positions_in(torch.from_numpy(segments))
    for row, own in enumerate(segments):
        width = int((nodes[row] != NOBODY).sum())
        expected = [list(own[:place]).count(own[place]) for place in range(width)]
        assert found[row, :width].tolist() == expected


@given(some_states())
def test_nodes_that_wait_are_those_of_a_sequence(states):
    going = numpy.flatnonzero(~states.done)
    assert not states.waiting[states.done].any()
    if len(going):
        nodes, _ = sequences(states, going, False, limit=99)
        for row, own in zip(going, nodes):
            assert sorted(own[own >= 0]) == numpy.flatnonzero(states.waiting[row]).tolist()


@pytest.mark.parametrize("name", ["composition_skip", "separate_positions"])
def test_the_rows_of_tables_2_4_and_2_5_are_other_parsers(name):
    values = batch(2)
    usual, other = build(), build(**{name: name == "separate_positions"})
    other.load_state_dict(usual.state_dict())
    found = [scores_of_steps(model, values) for model in (usual, other)]
    assert not torch.allclose(found[0][2], found[1][2])
    # Before the first step nothing is composed; the buffer stands behind the stack at once.
    assert torch.allclose(found[0][0], found[1][0]) == (name == "composition_skip")


@given(some_states())
def test_relations_follow_the_order_of_the_sequence(states):
    nodes, _ = sequences(states, numpy.arange(len(states.lengths)), True, limit=99)
    heads, labels = torch.from_numpy(states.heads), torch.from_numpy(states.labels)
    of_nodes = relation_ids(heads.clamp(min=0), labels, 1)
    order = torch.from_numpy(nodes)
    pieces = PieceNodes.of(order.clamp(min=-1), heads.shape[1])
    found = piece_relation_ids(heads.clamp(min=0), labels, pieces, 1, "one_label")
    for row, own in enumerate(order):
        for i, one in enumerate(own):
            for j, other in enumerate(own):
                both = one >= 0 and other >= 0
                assert found[row, i, j] == (of_nodes[row, one, other] if both else 0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_weights_give_trees_whatever_else_is_in_the_batch(variant):
    model = build(variant)
    together = model(**batch())["columns"]
    for one, columns in zip(instances(), together):
        assert tree_fault(columns["heads"], columns["deprels"]) is None
        assert model(**tensors([one], VOCAB))["columns"] == [columns]


@pytest.mark.parametrize("variant", VARIANTS)
def test_for_steps_that_are_forced_nothing_is_read(variant, monkeypatch):
    model = build(variant)
    rows = []
    encode = type(model.encoder).of_nodes
    monkeypatch.setattr(
        type(model.encoder), "of_nodes", lambda self, *x: rows.append(len(x[0])) or encode(self, *x)
    )
    columns = model(**batch())["columns"]
    fewer = sum(rows)
    rows.clear()
    forced = type(model.decoder).forced
    monkeypatch.setattr(
        type(model.decoder), "forced", lambda *x: (y := forced(*x)).where(y.actions < 0)
    )
    assert model(**batch())["columns"] == columns
    assert fewer <= sum(rows) - 3 * len(columns)  # the first two always are, and the last


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_loss_of_a_batch_is_the_mean_over_steps_of_its_sentences(variant):
    model = build(variant).train()
    alone = [[], []]
    for one in instances(3):
        values = tensors([one], VOCAB)
        counts = 2 * [len(values["heads"])]
        counts[0] = len(oracle(tuple(values["heads"].tolist())).actions)
        with torch.no_grad():
            for kind, losses in enumerate(alone):
                sums, totals = sums_of(model, values)
                losses.append((sums[kind], totals[kind]))
                assert totals[kind] == counts[kind]
    expected = sum(sum(s for s, _ in kind) / sum(n for _, n in kind) for kind in alone)
    torch.testing.assert_close(model(**batch(3))["loss"], expected)


def sums_of(model, values):
    """Over actions and over labels of a batch, and how many there are."""
    found = []
    losses = type(model.decoder).losses
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(model.decoder), "losses", lambda *a: found.append(losses(*a)) or found[-1]
        )
        model(**values)
    return (torch.stack(kind).sum(0) for kind in zip(*found))


@pytest.mark.parametrize("variant", ["StateTr", "StateTr+G2GTr+C"])
def test_every_parameter_learns_from_all_steps(variant):
    model = build(variant).train()
    model(**batch(3))["loss"].backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert [name for name in still if "embeddings" not in name] == []


def test_what_is_computed_again_is_what_was_computed_before(monkeypatch):
    """Gradients, with dropout and a mixture of layers, are those of one graph that is kept."""
    found = []
    for again in (True, False):
        model = build("StateTr+G2GTr+C", {"dropout": 0.3}, layer_attention="task").train()
        if not again:
            monkeypatch.setattr(type(model), "_again", lambda self, function, *x: function(*x))
        torch.manual_seed(1)
        model(**batch(2))["loss"].backward()
        found.append({n: p.grad for n, p in model.named_parameters() if p.grad is not None})
    assert found[0].keys() == found[1].keys() and "mixes.deps.alpha" in found[0]
    for name, gradient in found[0].items():
        torch.testing.assert_close(gradient, found[1][name], msg=name)


@pytest.mark.parametrize("variant", ["StateCLSTr", "StateTr+G2GTr"])
def test_a_model_of_one_sentence_learns_it_by_heart(variant):
    shortest = min(instances(), key=lambda one: len(one["sentences"].metadata))
    one = tensors([shortest], VOCAB)
    model = build(variant)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = torch.tensor(1.0)
    for _ in range(25):
        if loss.item() > 0.05:
            optimizer.zero_grad()
            loss = model.train()(**one)["loss"]
            loss.backward()
            optimizer.step()
    assert model.eval()(**one)["columns"][0]["heads"] == shortest["sentences"].metadata.heads


def scores_of_steps(model, values):
    """Hidden layers of actions at each gold step."""
    found = []
    losses = type(model.decoder).losses

    def spy(self, scores, steps):
        found.append(scores.actions.detach())
        return losses(self, scores, steps)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model.decoder), "losses", spy)
        model.train()(**values)
    return found


@pytest.mark.parametrize("variant", ["StateTr", "StateTr+G2GTr"])
def test_steps_that_lie_ahead_are_not_seen(variant):
    model = build(variant)
    values = batch(1)
    before = values["heads"].tolist()
    root = before.index(0)
    last = [d for d in oracle(tuple(before)).dependents if d not in (NOBODY, root + 1)][-1]
    after = list(before)
    after[last - 1], after[root] = 0, last
    trees = [oracle(tuple(heads)).actions for heads in (before, after)]
    same = next(i for i, (one, other) in enumerate(zip(*trees)) if one != other)
    assert sum(action >= LEFT for action in trees[0][:same]) > 3
    found = [
        scores_of_steps(model, {**values, "heads": torch.tensor(heads)})
        for heads in (before, after)
    ]
    for one, other in zip(found[0][: same + 1], found[1]):
        assert torch.equal(one, other)
    assert not torch.equal(found[0][same + 1], found[1][same + 1])


def test_a_graph_that_says_nothing_is_the_parser_without_one():
    with_graph = build("StateTr+G2GTr+C", deleted=False)
    with torch.no_grad():
        for tables in with_graph.encoder.graph.tables:
            tables.scores.zero_(), tables.values.zero_()
        with_graph.encoder.labels.weight.zero_()
    plain = build("StateTr")
    known = plain.state_dict()
    plain.load_state_dict({n: v for n, v in with_graph.state_dict().items() if n in known})
    for one, other in zip(*(scores_of_steps(model, batch(2)) for model in (with_graph, plain))):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", ["history", "deleted", "composition", "recursive", "labels"])
def test_each_part_is_heard(name):
    model, values = build("StateTr+G2GTr+C"), batch(2)
    before = scores_of_steps(model, values)
    with torch.no_grad():
        if name == "history":
            model.decoder.history.lstm.weight_hh_l1.add_(0.5)
        elif name == "composition":
            model.composition.null.add_(0.5)
        elif name == "labels":
            model.encoder.labels.weight.mul_(5)
        elif name == "deleted":
            model.deleted = False
        else:
            model.composition.recursive = False
    after = scores_of_steps(model, values)
    assert torch.equal(before[0], after[0])  # there is nothing before the first step
    assert not torch.allclose(before[-1], after[-1])


def test_widths_of_the_classifiers():
    """Three nodes and two, or the first piece alone; with history one more."""
    dim = build().encoder.get_output_dim()
    for variant, counts in (("StateTr", (3, 2)), ("StateCLSTr", (1, 1))):
        decoder = build(variant).decoder
        for classifier, count, hidden in zip((decoder.actions, decoder.labels), counts, (16, 8)):
            assert classifier.hidden.weight.shape == ((count + 1) * hidden, dim)


def test_layers_at_random_keep_the_vectors_of_pieces():
    settings = {"type": "udify_graph_encoder", "model_name": ENCODER, **PLAIN}
    found = []
    for random in (False, True):
        model = build(embedder={**settings, "random_layers": random})
        found.append(dict(model.encoder.transformer.named_parameters()))
    trained, fresh = found
    words = [n for n in trained if "word_embeddings" in n]
    torch.testing.assert_close(trained[words[0]], fresh[words[0]])
    assert not any(
        torch.allclose(trained[n], fresh[n]) for n in trained if n.endswith("query.weight")
    )


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"embedder": {"root": "special"}}, "embedder.root must be 'piece'"),
        ({"decoders": {"deps": {"type": "udify_dependency_decoder"}}}, "udify_transition_decoder"),
        ({"characters": {"tasks": ["deps"]}}, "nodes on a stack have no spelling"),
        ({"composition_layers": 0, "composition": True}, "composition_layers is 0"),
        (
            {"decoders": {"deps": {"type": "udify_transition_decoder", "action_dim": 0}}},
            "action_dim is 0, label_dim",
        ),
        (
            {"decoders": {"deps": {"type": "udify_transition_decoder", "dropout": 2}}},
            "dropout 2",
        ),
        ({"embedder": {"relations": False, "label_embeddings": True}}, "need arcs"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        build(**settings)
