"""An update after each pass, by hand."""

import copy
from unittest.mock import MagicMock

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from tests.helpers.refinement import batch, build, part_of
from udify_allennlp.graph2graph.refining_trainer import RefiningTrainer


def trainer_of(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    return RefiningTrainer(
        model=model, optimizer=optimizer, data_loader=MagicMock(), cuda_device=-1
    )


def test_each_pass_is_made_with_the_weights_of_the_last_update_and_its_own_gradient_alone():
    model = build(iterations=3, stop=False).train()
    twin = copy.deepcopy(model)
    trainer_of(model).train_step(batch(4))
    part, graph = part_of(batch(4)), None
    optimizer = torch.optim.SGD(twin.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        found, graph = twin._pass(twin, part, graph, trees=False)
        found.loss.backward()
        optimizer.step()
    expected = dict(twin.named_parameters())
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, expected[name], msg=name)


def test_without_a_pass_nothing_is_begun():
    with pytest.raises(ConfigurationError, match="iterations is 0, so no pass learns"):
        trainer_of(build("syntr", iterations=0))
