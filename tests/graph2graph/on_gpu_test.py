"""Models that look at graphs, on a GPU: they predict and learn what they do on a CPU."""

import pytest
import torch
from allennlp.nn.util import move_to_device

from tests.graph2graph import (
    graph_transitions_test,
    refinement_test,
    role_decoder_test,
    state_transitions_test,
)
from tests.helpers import tensors


def refiner(initial):
    return refinement_test.build(initial, stop=False), refinement_test.batch(4)


def transitions(kind):
    return graph_transitions_test.build(kind), graph_transitions_test.batch(4)


def states(variant):
    return state_transitions_test.build(variant), state_transitions_test.batch(3)


def roles(style):
    model, instances = role_decoder_test.build(style, trees=True, initial="file")
    return model, tensors(instances[:4], model.vocab)


MODELS = {
    **{f"refinement, {initial}": (refiner, initial) for initial in ("empty", "syntr")},
    **{kind: (transitions, kind) for kind in graph_transitions_test.KINDS},
    **{variant: (states, variant) for variant in state_transitions_test.VARIANTS},
    "roles": (roles, "conll09"),
}


def made_and_learned(model, batch):
    """What it predicts, the loss, and the gradients."""
    with torch.no_grad():
        columns = model.eval()(**batch)["columns"]
    model.train().zero_grad()
    loss = model(**batch)["loss"]
    loss.backward()
    gradients = {
        name: parameter.grad.cpu()
        for name, parameter in model.named_parameters()
        if parameter.grad is not None
    }
    return columns, loss.item(), gradients


@pytest.mark.gpu
@pytest.mark.parametrize("name", MODELS)
def test_on_a_gpu_as_on_a_cpu(name, gpu):
    make, kind = MODELS[name]
    model, batch = make(kind)
    columns, loss, gradients = made_and_learned(model, batch)
    found = made_and_learned(model.to(gpu), move_to_device(batch, gpu))
    assert found[0] == columns
    assert found[1] == pytest.approx(loss, rel=1e-4)
    assert found[2].keys() == gradients.keys()
    for which, gradient in gradients.items():
        torch.testing.assert_close(found[2][which], gradient, rtol=1e-2, atol=1e-4, msg=which)
