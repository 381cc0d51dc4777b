"""Models that look at graphs, on a GPU: they predict and learn what they do on a CPU."""

import pytest
import torch
from allennlp.nn.util import move_to_device

from tests.helpers import graph_transitions, refinement, state_transitions, tensors
from tests.helpers import roles as role_models


def refiner(initial):
    return refinement.build(initial, stop=False), refinement.batch(4)


def transitions(kind):
    return graph_transitions.build(kind), graph_transitions.batch(4)


def states(variant):
    return state_transitions.build(variant), state_transitions.batch(3)


def roles(style):
    model, instances = role_models.build(style, trees=True, initial="file")
    return model, tensors(instances[:4], model.vocab)


MODELS = {
    **{f"refinement, {initial}": (refiner, initial) for initial in ("empty", "syntr")},
    **{kind: (transitions, kind) for kind in graph_transitions.KINDS},
    **{variant: (states, variant) for variant in state_transitions.VARIANTS},
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
        name: parameter.grad.cpu().clone()  # moving the model moves its gradients too
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
        torch.testing.assert_close(
            found[2][which], gradient, rtol=1e-2, atol=1e-4, msg=(f"{which}: " + "{}").format
        )
