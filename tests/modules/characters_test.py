import pytest
import torch
from allennlp.common.checks import ConfigurationError

from udify_allennlp.modules.characters import CharacterFeatures


def make(**settings):
    torch.manual_seed(0)
    return CharacterFeatures(num_characters=9, output_dim=5, dim=4, filters=3, **settings)


def test_a_word_by_hand():
    """One convolution of width 3 over three characters, zeros around them."""
    module = make(tasks=["lemma"], widths=[3]).eval()
    ids = torch.tensor([[3, 4, 8]])
    vectors = torch.nn.functional.pad(module.embedding(ids)[0], (0, 0, 1, 1))
    weight, bias = module.convolutions[0].weight, module.convolutions[0].bias
    windows = [
        sum(weight[:, :, k] @ vectors[start + k] for k in range(3)) + bias for start in range(3)
    ]
    expected = module.outputs["lemma"](torch.stack(windows).amax(0).relu())
    torch.testing.assert_close(module(ids, torch.tensor([0]))["lemma"][0], expected)


def test_padding_changes_nothing():
    module = make(widths=[1, 3, 7]).eval()
    alone = module(torch.tensor([[3, 4]]), torch.tensor([0]))
    ids = torch.tensor([[2, 0, 0, 0, 0, 0, 0, 0, 0], [3, 4, 0, 0, 0, 0, 0, 0, 0], [2] * 9])
    together = module(ids, torch.tensor([2, 1, 0, 1]))
    for task in ("feats", "lemma"):
        assert together[task].shape == (4, 5)
        torch.testing.assert_close(together[task][1], alone[task][0])
        assert torch.equal(together[task][1], together[task][3])


def test_padding_can_be_skipped_or_not():
    """The same vectors and gradients, from products of windows as from convolutions."""
    module = make(widths=[1, 3, 7]).eval()
    ids = torch.randint(1, 9, (40, 11))
    ids[torch.arange(11) >= torch.randint(1, 12, (40, 1))] = 0
    words, found = torch.randint(40, (70,)), []
    for skips in (True, False):
        module.skips_padding = skips
        module.zero_grad()
        vectors = module(ids, words)
        sum((rows * torch.arange(5.0)).square().sum() for rows in vectors.values()).backward()
        grads = [each.grad.clone() for each in module.parameters()]
        found.append([*vectors.values(), *grads])
    for skipped, convolved in zip(*found, strict=True):
        torch.testing.assert_close(skipped, convolved, rtol=1e-4, atol=1e-4)


def test_every_character_and_its_place_matter():
    module = make().eval()
    words = [[2, 3, 4], [3, 2, 4], [2, 3, 5], [2, 3, 1], [2, 3, 0]]
    rows = module(torch.tensor(words), torch.arange(5))["feats"]
    assert len({tuple(row.tolist()) for row in rows}) == 5


def test_the_unknown_character_learns_and_padding_does_not():
    module = make(unknown_probability=0.5).train()
    ids = torch.randint(2, 9, (50, 6))
    ids[:, 4:] = 0
    sum(added.sum() for added in module(ids, torch.arange(50)).values()).backward()
    gradient = module.embedding.weight.grad
    assert gradient[1].any() and not gradient[0].any()
    quiet = make(unknown_probability=0.5).eval()
    assert torch.equal(*(quiet(ids, torch.arange(50))["lemma"] for _ in range(2)))


def test_mistakes_are_clear():
    with pytest.raises(ConfigurationError, match="Set dataset_reader.characters to true"):
        CharacterFeatures(2, 5)
    with pytest.raises(ConfigurationError, match="Name at least one of each"):
        make(tasks=[])
    with pytest.raises(ConfigurationError, match="Name at least one of each"):
        make(widths=[3, 4])
