import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from udify_allennlp.training.schedulers import InverseSqrt, Warmup, long_warm_up


def make(**settings):
    groups = [
        {"params": [torch.nn.Parameter(torch.zeros(1))], "lr": 5e-5},
        {"params": [torch.nn.Parameter(torch.zeros(1))]},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-3)
    return InverseSqrt(optimizer, **settings), optimizer


def run(scheduler, optimizer, epochs, steps, start=0):
    """The rate of the second group at every update."""
    rates = []
    for epoch in range(epochs):
        for step in range(steps):
            scheduler.step_batch(start + epoch * steps + step + 1)
            rates.append(optimizer.param_groups[1]["lr"])
        scheduler.step()
    return rates


def test_frozen_then_warm_up_then_inverse_square_root():
    scheduler, optimizer = make(warmup_steps=8)
    rates = run(scheduler, optimizer, epochs=5, steps=10)
    assert rates[:10] == [1e-3] * 10
    assert rates[10:18] == pytest.approx([1e-3 * step / 8 for step in range(1, 9)])
    assert rates[18:] == pytest.approx([1e-3 * (8 / step) ** 0.5 for step in range(9, 41)])
    assert optimizer.param_groups[0]["lr"] == pytest.approx(rates[-1] / 20)


def test_the_switch_follows_the_data():
    for steps in (3, 50):
        scheduler, optimizer = make(warmup_epochs=1, num_steps_per_epoch=steps)
        rates = run(scheduler, optimizer, epochs=3, steps=steps)
        assert rates[steps - 1] == 1e-3
        assert rates[steps] == pytest.approx(1e-3 / steps)
        assert rates[2 * steps - 1] == pytest.approx(1e-3)
        assert rates[2 * steps] < 1e-3


def test_resuming_anywhere_gives_the_same_rates():
    scheduler, optimizer = make(warmup_steps=7)
    whole = run(scheduler, optimizer, epochs=6, steps=5)
    for epochs in range(6):
        first, _ = make(warmup_steps=7)
        run(first, first.optimizer, epochs, steps=5)
        second, optimizer = make(warmup_steps=7)
        optimizer.load_state_dict(first.optimizer.state_dict())
        second.load_state_dict(first.state_dict())
        assert run(second, optimizer, 6 - epochs, steps=5) == whole[5 * epochs :]


def test_no_frozen_epochs_starts_with_the_warm_up():
    scheduler, optimizer = make(warmup_steps=4, frozen_epochs=0)
    assert run(scheduler, optimizer, 1, 4) == pytest.approx([2.5e-4, 5e-4, 7.5e-4, 1e-3])


def test_the_last_epochs_cool_down_to_nothing():
    length = {"num_epochs": 5, "num_steps_per_epoch": 10}
    plain = run(*make(warmup_steps=8), epochs=5, steps=10)
    rates = run(*make(warmup_steps=8, cooldown=0.4, **length), epochs=5, steps=10)
    assert rates[:30] == plain[:30]
    shares = [rate / before for rate, before in zip(rates[30:], plain[30:])]
    assert shares == pytest.approx([left / 20 for left in range(20, 0, -1)])


def test_a_training_that_is_made_longer_cools_down_later():
    settings = {"warmup_steps": 4, "frozen_epochs": 0, "cooldown": 0.5, "num_steps_per_epoch": 4}
    whole = run(*make(num_epochs=8, **settings), epochs=8, steps=4)
    first, _ = make(num_epochs=2, **settings)
    run(first, first.optimizer, epochs=2, steps=4)
    second, optimizer = make(num_epochs=8, **settings)
    second.load_state_dict(first.state_dict())
    assert run(second, optimizer, epochs=6, steps=4) == whole[8:]


@pytest.mark.parametrize("settings", [{"cooldown": 0.5}, {"cooldown": 1.5, "num_epochs": 3}])
def test_a_cooldown_is_a_share_of_a_known_length(settings):
    with pytest.raises(ConfigurationError, match="It is a share"):
        make(warmup_steps=4, **settings)


@given(peak=st.floats(1e-3, 10.0), steps=st.integers(1, 9))
def test_the_peak_is_reached_at_the_end_of_the_warm_up(peak, steps):
    scheduler, optimizer = make(warmup_steps=steps, peak=peak)
    rates = run(scheduler, optimizer, epochs=4, steps=steps)
    assert rates[:steps] == [1e-3] * steps  # frozen: the rate itself
    assert max(rates[steps:]) == rates[2 * steps - 1] == pytest.approx(1e-3 * peak)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(rates[-1] / 20)


def test_the_released_schedule_by_its_own_formula():
    """5 * min(step^-0.5, step * W^-1.5), with W = 8,000 + 21,695."""
    settings = {"warmup_steps": 29695, "peak": 5 / 29695**0.5, "frozen_epochs": 0}
    scheduler, _ = make(**settings)
    for step in (1, 100, 8000, 21695, 29694, 29695, 29696, 10**5, 79 * 21695):
        scheduler.steps_since_unfreezing = step
        assert scheduler.factor() == pytest.approx(5 * min(step**-0.5, step * 29695**-1.5))
    assert settings["peak"] == pytest.approx(0.0290, abs=5e-5)
    assert 1 / settings["peak"] == pytest.approx(34, abs=0.5)
    assert 4e-5 * settings["peak"] == pytest.approx(1.2e-6, abs=5e-8)


def test_bad_settings_are_refused():
    with pytest.raises(ConfigurationError, match="peak is 0.0, but must be above 0"):
        make(warmup_steps=1, peak=0.0)
    with pytest.raises(ConfigurationError, match="exactly one of warmup_steps"):
        make()
    with pytest.raises(ConfigurationError, match="cannot be negative"):
        make(warmup_steps=-1)
    with pytest.raises(ConfigurationError, match="with a known length"):
        make(warmup_epochs=1)


@given(
    warm_up=st.integers(1, 50),
    frozen=st.integers(0, 3),
    updates=st.integers(1, 9),
    epochs=st.integers(1, 9),
)
def test_a_warm_up_is_told_that_never_comes_to_its_end(warm_up, frozen, updates, epochs):
    scheduler, optimizer = make(warmup_steps=warm_up, frozen_epochs=frozen)
    said = long_warm_up(scheduler, updates, epochs)
    for _ in range(epochs):
        for _ in range(updates):
            scheduler.step_batch()
        scheduler.step()
    assert bool(said) == (epochs > frozen and scheduler.steps_since_unfreezing < warm_up)


def test_how_a_long_warm_up_is_told():
    """A schedule like `udify`'s on 200 sentences, with a frozen first epoch."""
    scheduler, optimizer = make(warmup_steps=8000, frozen_epochs=1)
    assert long_warm_up(scheduler, 7, 80) == (
        "trainer.learning_rate_scheduler warms up for 8,000 updates, but this training has only "
        "553: the learning rates never exceed 7% of their peak. Set warmup_steps to 55, for "
        "example, or train for more epochs."
    )
    assert long_warm_up(Warmup(optimizer, 3, num_steps_per_epoch=7), 7, 2)
    for scheduler in (None, Warmup(optimizer, 1, num_steps_per_epoch=7)):
        assert long_warm_up(scheduler, 7, 80) == ""
