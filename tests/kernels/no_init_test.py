import torch

from udify_allennlp.kernels.no_init import NoRandomInit


class Module(torch.nn.Module):
    """Every way in which a module comes to its first values."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.table = torch.nn.Embedding(5, 3, padding_idx=1)
        self.norm = torch.nn.LayerNorm(3)
        self.kept = torch.nn.Parameter(torch.arange(4.0))
        self.register_buffer("noise", torch.empty(4).normal_(), persistent=False)
        self.register_buffer("places", torch.arange(3), persistent=False)


def test_only_random_parameters_stay_as_allocated(monkeypatch):
    # Memory of one known value, to see what was written into it.
    monkeypatch.setattr(torch, "empty", lambda *shape, **_: torch.full(shape_of(shape), 7.0))
    torch.manual_seed(1)
    with NoRandomInit():
        module = Module()
    for parameter in (module.linear.weight, module.linear.bias, module.table.weight[2:]):
        assert (parameter == 7).all()
    assert (module.table.weight[1] == 0).all()
    assert (module.norm.weight == 1).all() and (module.norm.bias == 0).all()
    assert module.kept.tolist() == [0, 1, 2, 3] and module.places.tolist() == [0, 1, 2]
    assert (module.noise != 7).all()


def shape_of(shape: tuple) -> tuple:
    """`torch.empty` takes `(2, 3)` as well as `2, 3`."""
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape


def test_outside_of_it_weights_are_random_again():
    with NoRandomInit():
        pass
    torch.manual_seed(1)
    first = Module()
    torch.manual_seed(1)
    second = Module()
    assert torch.equal(first.linear.weight, second.linear.weight)
    assert first.linear.weight.std() > 0 and first.table.weight.std() > 0


def test_what_is_loaded_afterwards_is_all_there():
    saved = Module()
    with NoRandomInit():
        loaded = Module()
        loaded.load_state_dict(saved.state_dict())
    for name, value in saved.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value), name
