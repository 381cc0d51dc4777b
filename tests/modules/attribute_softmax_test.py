import torch

from udify_allennlp.modules.attribute_softmax import AttributeSoftmax


def test_loss_of_two_attributes_by_hand():
    torch.manual_seed(0)
    output = AttributeSoftmax(4, [2, 3])
    words = torch.randn(3, 4)
    first, second = (scores.log_softmax(1) for scores in output.scores(words))
    gold = torch.tensor([[1, 2], [-1, -1], [0, 1]])
    expected = -(first[0, 1] + second[0, 2] + first[2, 0] + second[2, 1]) / 2
    torch.testing.assert_close(output.loss(words, gold), expected)
    assert output.loss(words, torch.full((3, 2), -1)) == 0


def test_all_combinations_together_have_probability_1():
    torch.manual_seed(0)
    output, words = AttributeSoftmax(4, [2, 3, 4]), torch.randn(5, 4)
    first, second, third = (scores.softmax(1) for scores in output.scores(words))
    joint = torch.einsum("wi,wj,wk->wijk", first, second, third)
    torch.testing.assert_close(joint.flatten(1).sum(1), torch.ones(5))
    torch.testing.assert_close(joint.flatten(1).amax(1), output.chances(words))
    best, rows = output.predict(words), torch.arange(5)
    torch.testing.assert_close(
        joint[rows, best[:, 0], best[:, 1], best[:, 2]], joint.amax((1, 2, 3))
    )
