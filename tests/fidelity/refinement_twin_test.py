"""Stops and intermediate graphs of a refinement beside section 3.3.3 written out."""

import pytest
import torch

from tests.helpers import tensors
from tests.helpers.refinement import VOCAB, build, instances, part_of
from udify_allennlp.encoders.graph_encoder import GRAPH
from udify_allennlp.modules.relation_ids import NO_ARC, Graph
from udify_allennlp.modules.trees import best_trees

LIMIT = 5


def scores_of(model, part, heads, labels):
    """
    Of one sentence, log-scores of arcs `(dependents, heads)`, and the best label of any arc, where
    the encoder sees the arcs `heads` with `labels`, of words 1..n, or none.
    """
    graph = None
    if heads is not None:
        graph = Graph(torch.tensor([[0, *heads]]), torch.tensor([[NO_ARC, *labels]]))
    inputs = {**part.batch["inputs"], GRAPH: graph}
    ((_, decoder, scores),) = model.scored({**part.batch, "inputs": inputs}, part.layout)
    names, n = decoder._labels, len(part.sentences[0])
    root = names.index("root")

    def label(word, head):
        dependents, nodes = scores.vectors
        row = scores.layout.nodes[0, head]
        found = decoder.deprels.bilinear(dependents[word - 1][None], nodes[row][None])[0]
        others = [i for i in range(len(names)) if i != root]
        return root if head == 0 else max(others, key=lambda i: float(found[i]))

    arcs = scores.arcs[0].clone()
    for word in range(1, n + 1):
        arcs[word, word] = -torch.inf
    return arcs, label


def refined(model, part, stop):
    """`(heads, labels)` after the last pass, and how many passes there were."""
    heads = labels = None
    for number in range(1, LIMIT + 1):
        arcs, label = scores_of(model, part, heads, labels)
        words = range(1, len(arcs))
        found = [int(arcs[word].argmax()) for word in words]
        found_labels = [label(word, head) for word, head in zip(words, found)]
        same = (found, found_labels) == (heads, labels)
        if number == LIMIT or (stop and same):
            mask = torch.ones(1, len(arcs), dtype=torch.bool)
            tree = best_trees(arcs[None], mask)[0, 1:].tolist()
            return tree, [label(word, head) for word, head in zip(words, tree)], number
        heads, labels = found, found_labels
    raise AssertionError


@pytest.mark.parametrize("stop", [True, False])
def test_a_sentence_is_done_when_a_pass_repeats_the_graph_it_was_given(stop):
    model = build("empty", iterations=LIMIT, stop=stop)
    some = instances(12)
    counts, of_model = [], [0] * len(some)
    with torch.no_grad():
        for found in model.passes(part_of(tensors(some, VOCAB))):
            for place in found.places:
                of_model[place] += 1
        columns = model(**tensors(some, VOCAB))["columns"]
        names = model.decoders["deps"]._labels
        for one, own in zip(some, columns):
            heads, labels, count = refined(model, part_of(tensors([one], VOCAB)), stop)
            counts.append(count)
            assert own["heads"] == [str(head) for head in heads]
            assert own["deprels"] == [names[label] for label in labels]
    assert of_model == counts
    assert (len(set(counts)) > 1) == stop  # some need more passes than others


def test_graphs_between_passes_need_not_be_trees():
    """The released code gives trees to the second pass; ours, as the thesis, best heads."""
    model = build("empty", iterations=2, stop=False)
    given = []
    original = model._pass

    def noted(own, part, graph, trees, misc=()):
        found = original(own, part, graph, trees, misc)
        given.append((part, graph))
        return found

    model._pass = noted
    some = instances(12)
    with torch.no_grad():
        model(**tensors(some, VOCAB))
    (part, first), (_, second) = given
    assert first is None
    with torch.no_grad():
        ((_, decoder, scores),) = model.scored(
            {**part.batch, "inputs": {**part.batch["inputs"], GRAPH: None}}, part.layout
        )
    assert torch.equal(second.heads, decoder.graph(scores, trees=False).heads)
    assert not torch.equal(second.heads, decoder.graph(scores).heads)
