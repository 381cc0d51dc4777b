import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers import DEV, ENCODER, tensors
from tests.helpers.refinement import (
    DEPS,
    UPOS,
    VOCAB,
    batch,
    build,
    instances,
    part_of,
)
from udify_allennlp.data.columns import UNSEEN
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.encoders.graph_encoder import GRAPH
from udify_allennlp.graph2graph.initial import _graph
from udify_allennlp.graph2graph.predicted_trees import PredictedTrees
from udify_allennlp.models.multitask import MultitaskModel
from udify_allennlp.modules.layout import Layout
from udify_allennlp.modules.relation_ids import NO_ARC, Graph
from udify_allennlp.text.tree_check import tree_fault


@pytest.mark.parametrize("initial", ["empty", "syntr"])
def test_the_last_pass_gives_trees_whatever_the_others_gave(initial):
    model = build(initial)
    sentences = [one["sentences"].metadata for one in instances()]
    for sentence, columns in zip(sentences, model(**batch())["columns"]):
        assert len(columns["heads"]) == len(sentence)
        assert tree_fault(columns["heads"], columns["deprels"]) is None


def test_a_pass_attends_to_the_graph_of_the_one_before():
    """The passes are those of the plain model with each graph put in by hand."""
    model = build(iterations=3, stop=False)
    part = part_of(batch())
    losses = [found.loss for found in model.passes(part)]
    graph, expected, graphs = None, [], []
    for _ in range(3):
        found, graph = model._pass(model, part, graph, trees=False)
        expected.append(found.loss)
        graphs.append(graph)
    assert torch.equal(torch.stack(losses), torch.stack(expected))
    assert len({float(loss) for loss in losses}) == 3  # a graph changes what is predicted
    assert not all(graphs[0].same(graphs[1]))


def test_gradients_of_a_pass_are_those_of_this_pass_alone():
    model = build(iterations=2, stop=False)
    part = part_of(batch())
    steps = list(model.passes(part))
    model.zero_grad()
    steps[1].loss.backward()
    together = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    _, graph = model._pass(model, part, None, trees=False)
    assert not any(x.dtype.is_floating_point for x in graph)
    saved = Graph(*(x.clone() for x in graph))
    model.zero_grad()
    model._pass(model, part, saved, trees=False)[0].loss.backward()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(parameter.grad, together[name], msg=name)


def test_an_all_none_graph_with_rows_of_zero_is_the_encoder_without_relations():
    """Weights of SynTr in RNGTr: the same scores."""
    model = build(relations={"none_row_zero": True, "policy": "all_pairs"}, iterations=1)
    part = part_of(batch())
    none = torch.full_like(part.layout.nodes, -1)
    with torch.no_grad():
        plain, _ = model._pass(model, part, None, trees=False)
        with_none, _ = model._pass(model, part, Graph(none.clamp(min=0), none), trees=False)
    torch.testing.assert_close(with_none.loss, plain.loss)
    assert with_none.columns == plain.columns


def test_passes_share_their_weights():
    sizes = {sum(p.numel() for p in build(iterations=t).parameters()) for t in (1, 4)}
    assert len(sizes) == 1


@pytest.mark.parametrize("initial", ["empty", "syntr"])
def test_stopping_changes_no_tree(initial):
    found = [build(initial, iterations=6, stop=stop)(**batch())["columns"] for stop in (1, 0)]
    assert found[0] == found[1]


def test_a_sentence_stops_when_its_graph_stays():
    model = build("syntr", iterations=6)
    # Relations that say nothing: the second pass repeats the first, and that is the end.
    with torch.no_grad():
        for tables in model.embedder.graph.tables:
            tables.scores.zero_()
            tables.values.zero_()
    passes = list(model.passes(part_of(batch())))
    assert [found.is_last for found in passes] == [False] * (len(passes) - 1) + [True]
    assert len(passes) in (2, 3)  # SynTr, its own trees again or corrected, and corrected again
    some = [len(found.places) for found in build(iterations=6).passes(part_of(batch(20)))]
    assert some == sorted(some, reverse=True) and some[-1] < some[0] == 20


@pytest.mark.parametrize("initial", ["empty", "syntr"])
def test_batch_composition_changes_no_sentence(initial):
    model = build(initial, iterations=4)
    together = model(**batch())["columns"]
    alone = [model(**tensors([one], VOCAB))["columns"][0] for one in instances()]
    assert together == alone


@pytest.mark.parametrize("initial", ["empty", "syntr"])
def test_no_graph_is_the_gold_tree(initial):
    model = build(initial)
    values = batch()
    before = model(**values)
    values["heads"] = torch.where(values["heads"] == 0, 1, 0)
    after = model(**values)
    assert after["loss"] != before["loss"] and after["columns"] == before["columns"]


def test_trees_of_a_file_are_not_the_gold_ones():
    """They are inputs of their own, though here they were read from the same columns."""
    model = build("file")
    reader = UniversalDependenciesReader(ENCODER, ["deps"], inputs=[PredictedTrees()], word_of=True)
    values = tensors(list(reader.read(DEV))[:8], VOCAB)
    gold, before = values["heads"], model(**values)
    values["heads"] = torch.where(gold == 0, 1, 0)
    after = model(**values)
    assert after["loss"] != before["loss"] and after["columns"] == before["columns"]
    values["inputs"]["predicted_heads"], values["heads"] = values["heads"], gold
    assert model(**values)["loss"] != before["loss"]


def test_no_pass_gives_the_trees_of_the_parser_before_it():
    model = build("syntr", iterations=0)
    with torch.no_grad():
        expected = model.initial.parser(**batch())["columns"]
    assert model(**batch())["columns"] == expected
    with pytest.raises(ConfigurationError, match="model.iterations is 0, so no pass learns"):
        model.train()(**batch())


def test_training_sums_the_passes_where_the_trainer_does_not_step():
    model = build(iterations=3, stop=False).train()
    losses = [step["loss"] for step in model.steps(**batch())]
    torch.testing.assert_close(model(**batch())["loss"], torch.stack(losses).sum())
    assert [step["is_last"] for step in model.steps(**batch())] == [False, False, True]


def test_other_tasks_are_refined_beside_the_tree():
    model = build(decoders={"deps": DEPS, "upos": UPOS})
    output = model(**batch(tasks=("deps", "upos")))
    assert all(set(new) == {"heads", "deprels", "upos"} for new in output["columns"])
    part = part_of(batch(tasks=("deps", "upos")))
    heads = torch.zeros_like(part.layout.nodes)
    found = []
    for label in (0, 1):
        graph = Graph(heads, torch.full_like(heads, label).masked_fill_(~part.layout.mask, -1))
        inputs = {**part.batch["inputs"], GRAPH: graph}
        scores = {t: s for t, _, s in model.scored({**part.batch, "inputs": inputs}, part.layout)}
        found.append(scores["upos"].words)
    assert not torch.allclose(*found)  # tags are of an encoder that looks at the graph


def test_every_parameter_learns():
    model = build("syntr", iterations=2, stop=False).train()
    model(**batch())["loss"].backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert [name for name in still if "embeddings" not in name] == []


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"iterations": 0}, "model.iterations is 0"),
        ({"relations": {"relations": False}}, "must be a udify_graph_encoder with relations"),
        ({"decoders": {"upos": UPOS}}, "has no deps"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        build(**settings)


def test_what_the_initial_graph_is_made_of_has_to_be_read():
    with pytest.raises(ConfigurationError, match='model.initial needs predicted_heads.*"folder"'):
        build("file")(**batch())
    assert isinstance(build("syntr").initial.parser, MultitaskModel)


def test_a_label_that_training_lacks_is_a_relation_and_not_the_lack_of_one():
    layout = Layout(**batch(2)["layout"])
    words = len(layout.places)
    heads, labels = torch.arange(words) % 3, torch.arange(words) % 4
    labels[1] = UNSEEN
    graph = _graph(layout, heads, labels, unknown=9)
    assert torch.equal(graph.heads.flatten()[layout.places], heads)
    found = graph.labels.flatten()[layout.places]
    assert found[1] == 9 and torch.equal(found[2:], labels[2:])
    elsewhere = torch.ones(layout.nodes.numel(), dtype=torch.bool)
    elsewhere[layout.places] = False
    assert (graph.labels.flatten()[elsewhere] == NO_ARC).all()
