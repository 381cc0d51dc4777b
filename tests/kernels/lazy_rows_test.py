import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from udify_allennlp.training.optimizers import FusedAdamW

ROWS, DIM = 12, 5


def table(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Embedding(ROWS, DIM)


def optimizer_of(embedding, **settings):
    return FusedAdamW(
        [("weight", embedding.weight)], **{"lr": 0.01, "weight_decay": 0.1, **settings}
    )


def train(embedding, optimizer, batches, rates=None):
    """Each batch pulls its rows to a number of their own, some more strongly than others."""
    embedding.train()
    for number, ids in enumerate(batches):
        if rates:
            optimizer.param_groups[0]["lr"] = rates[number % len(rates)]
        optimizer.zero_grad()
        goal = ids.float().unsqueeze(-1) + number % 3
        ((embedding(ids) - goal) ** 2).mean().backward()
        optimizer.step()


def random_batches(seed, steps):
    generator = torch.Generator().manual_seed(seed)
    # Low rows are read often, high ones hardly ever, the last one never.
    draws = torch.rand(steps, 4, generator=generator) ** 3 * (ROWS - 1)
    return list(draws.long())


def both(steps, seed=0, rates=None, **settings):
    """The same training with dense and with lazy updates."""
    dense, lazy = table(), table()
    optimizers = optimizer_of(dense, **settings), optimizer_of(lazy, **settings)
    optimizers[1].make_lazy(lazy)
    for embedding, optimizer in zip((dense, lazy), optimizers):
        train(embedding, optimizer, random_batches(seed, steps), rates)
    return (dense, lazy), optimizers


def assert_same(embeddings, optimizers):
    lazy_state, dense_state = (o.state_dict()["state"][0] for o in optimizers[::-1])
    torch.testing.assert_close(embeddings[1].weight, embeddings[0].weight, rtol=1e-5, atol=1e-6)
    for name in ("step", "exp_avg", "exp_avg_sq"):
        torch.testing.assert_close(lazy_state[name], dense_state[name], rtol=1e-4, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    steps=st.integers(1, 60),
    seed=st.integers(0, 1000),
    rates=st.lists(st.floats(1e-5, 0.05), min_size=1, max_size=5),
    decay=st.sampled_from([0.0, 0.1]),
)
def test_lazy_is_dense(steps, seed, rates, decay):
    assert_same(*both(steps, seed, rates, weight_decay=decay))


@pytest.mark.parametrize("betas", [(0.9, 0.99), (0.9, 0.999), (0.0, 0.9), (0.95, 0.8)])
def test_lazy_is_dense_whatever_the_betas(betas):
    assert_same(*both(80, betas=betas, rates=[0.01, 0.003]))


@pytest.mark.slow
def test_momentum_that_has_died_away_is_left_out():
    """One row gets a gradient once, and 1,000 steps later it is read again."""
    dense, lazy = table(), table()
    optimizers = optimizer_of(dense), optimizer_of(lazy)
    optimizers[1].make_lazy(lazy)
    batches = [torch.tensor([3, 4])] + [torch.tensor([1])] * 1000 + [torch.tensor([3])]
    for embedding, optimizer in zip((dense, lazy), optimizers):
        train(embedding, optimizer, batches)
    optimizers[1].state_dict()
    # The thousand roundings of the dense one add up to this.
    torch.testing.assert_close(lazy.weight, dense.weight, rtol=0, atol=2e-5)


def test_one_row_worked_by_hand():
    embedding = torch.nn.Embedding(2, 1)
    torch.nn.init.ones_(embedding.weight)
    optimizer = optimizer_of(embedding, lr=0.1, betas=(0.5, 0.75), eps=0.0, weight_decay=0.0)
    optimizer.make_lazy(embedding)
    for ids in ([0], [1]):
        optimizer.zero_grad()
        embedding(torch.tensor(ids)).sum().backward()
        optimizer.step()
    # Step 1: m = 0.5, v = 0.25, corrected 1 and 1. Step 2: m = 0.25, v = 0.1875; 1/3 and 3/7.
    expected = 1 - 0.1 - 0.1 * (0.25 / 0.75) / (0.1875 / 0.4375) ** 0.5
    embedding.eval()(torch.tensor([0]))
    assert embedding.weight[0].item() == pytest.approx(expected)


def test_rows_that_are_not_read_are_not_touched():
    embedding = table()
    before = embedding.weight.detach().clone()
    optimizer = optimizer_of(embedding)
    optimizer.make_lazy(embedding)
    train(embedding, optimizer, [torch.tensor([0, 1])] * 3)
    assert torch.equal(embedding.weight[2:], before[2:])
    assert embedding.weight.grad is None


@pytest.mark.parametrize("read", ["forward", "state_dict"])
def test_whoever_reads_the_table_finds_it_up_to_date(read):
    (dense, lazy), _ = both(20)
    if read == "forward":
        lazy.eval()(torch.tensor([0]))
    else:
        torch.nn.Sequential(lazy).state_dict()
    torch.testing.assert_close(lazy.weight, dense.weight, rtol=1e-5, atol=1e-6)


def test_a_saved_state_goes_on_lazily_and_densely():
    (dense, lazy), (dense_optimizer, lazy_optimizer) = both(30)
    weights, state = lazy.state_dict(), lazy_optimizer.state_dict()
    train(dense, dense_optimizer, random_batches(9, 30))
    for is_lazy in (True, False):
        embedding = table(seed=5)
        embedding.load_state_dict(weights)
        optimizer = optimizer_of(embedding)
        if is_lazy:
            optimizer.make_lazy(embedding)
        optimizer.load_state_dict(
            {**state, "state": {0: {n: t.clone() for n, t in state["state"][0].items()}}}
        )
        train(embedding, optimizer, random_batches(9, 30))
        assert_same((dense, embedding), (dense_optimizer, optimizer))


def test_weights_used_elsewhere_too_are_updated_densely():
    """A tied output layer gives a dense gradient."""
    dense, lazy = table(), table()
    optimizers = optimizer_of(dense), optimizer_of(lazy)
    optimizers[1].make_lazy(lazy)
    for embedding, optimizer in zip((dense, lazy), optimizers):
        for _ in range(10):
            optimizer.zero_grad()
            vectors = embedding(torch.tensor([1, 2]))
            (vectors @ embedding.weight.T).logsumexp(-1).sum().backward()
            optimizer.step()
        train(embedding, optimizer, random_batches(2, 10))
    assert_same((dense, lazy), optimizers)
