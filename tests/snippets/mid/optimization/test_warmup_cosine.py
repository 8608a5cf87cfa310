"""What docs/mid/optimization/warmup-cosine.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.optim import SGD, lr_scheduler

from warmup.testing import load_snippet

warmup_cosine = load_snippet("mid/optimization/warmup_cosine_scheduler.py").warmup_cosine

warmup_shape = load_snippet("mid/optimization/warmup_cosine_shape.py")
warmup_broken = load_snippet("mid/optimization/warmup_cosine_broken.py")
warmup_sequential = load_snippet("mid/optimization/warmup_cosine_sequential.py")


def with_scheduler(name, options, rate=1.0):
    optimizer = SGD([nn.Parameter(torch.zeros(1))], lr=rate, momentum=0.9)
    return optimizer, getattr(lr_scheduler, name)(optimizer, **options)


def run(optimizer, scheduler, steps, by_hand=None):
    """The rate of each step; ``by_hand`` is written before step 2."""
    used = []
    for step in range(steps):
        if step == 2 and by_hand is not None:
            optimizer.param_groups[0]["lr"] = by_hand
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


def warmed(warmup, total, min_lr, bases=(1.0,), make=SGD):
    """An optimizer with a group for each base rate, and its schedule."""
    optimizer = make([{"params": [nn.Parameter(torch.ones(1))], "lr": base} for base in bases])
    return optimizer, warmup_cosine(optimizer, warmup, total, min_lr)


def group_rates(optimizer, scheduler, steps):
    found = []
    for _ in range(steps):
        found.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return found


class TestWarmupCosine:
    @pytest.mark.parametrize("bases", [(1.0,), (3e-4, 1e-2)])
    @pytest.mark.parametrize("min_lr", [0.0, 1e-6, 3e-4])
    @pytest.mark.parametrize(("warmup", "total"), [(0, 2), (0, 50), (1, 3), (5, 7), (20, 100)])
    def test_first_peak_last_and_beyond(self, bases, min_lr, warmup, total):
        rows = group_rates(*warmed(warmup, total, min_lr, bases), total + 30)
        for base, rates in zip(bases, zip(*rows, strict=True), strict=True):
            assert rates[0] == pytest.approx(base / (warmup + 1)) and rates[0] > 0
            assert rates[warmup] == pytest.approx(base) and max(rates) == pytest.approx(base)
            assert rates[total - 1 :] == pytest.approx([min_lr] * 31, abs=1e-15)
            rises = [after - before for before, after in zip(rates, rates[1:], strict=False)]
            assert rises[:warmup] == pytest.approx([base / (warmup + 1)] * warmup)
            assert all(rise <= 1e-15 for rise in rises[warmup:])
            assert sum(rates[warmup:total]) == pytest.approx((total - warmup) * (base + min_lr) / 2)

    @pytest.mark.parametrize(
        ("warmup", "total", "min_lr"), [(-1, 9, 0.0), (8, 9, 0.0), (9, 9, 0.0), (0, 1, 0.0), (2, 9, 1.1), (2, 9, -0.1)]
    )
    def test_numbers_that_do_not_fit_raise(self, warmup, total, min_lr):
        with pytest.raises(ValueError, match="must be at least 0") as error:
            warmed(warmup, total, min_lr)
        assert (f"below {total - 1}" in str(error.value)) is not (0 <= warmup < total - 1)

    def test_without_a_minimum_it_ends_at_zero(self):
        optimizer = SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        assert group_rates(optimizer, warmup_cosine(optimizer, 2, 9), 12)[8:] == [[0.0]] * 4

    def test_a_group_with_rate_zero_raises(self):
        with pytest.raises(ValueError, match="> 0"):
            warmed(2, 9, 0.0, (1.0, 0.0))

    @pytest.mark.parametrize("stop", [1, 3, 8, 20])
    def test_built_anew_and_loaded_it_goes_on_as_if_not_stopped(self, stop):
        expected = group_rates(*warmed(4, 16, 0.01, (1.0, 0.1)), 25)
        optimizer, scheduler = warmed(4, 16, 0.01, (1.0, 0.1))
        group_rates(optimizer, scheduler, stop)
        states = optimizer.state_dict(), scheduler.state_dict()
        optimizer, scheduler = warmed(4, 16, 0.01, (1.0, 0.1))
        optimizer.load_state_dict(states[0])
        scheduler.load_state_dict(states[1])
        assert group_rates(optimizer, scheduler, 25 - stop) == expected[stop:]

    def test_built_after_the_optimizer_is_loaded_it_starts_with_the_rate_of_step_0(self):
        optimizer, scheduler = warmed(4, 16, 0.01)
        group_rates(optimizer, scheduler, 8)
        states = optimizer.state_dict(), scheduler.state_dict()
        optimizer = SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        optimizer.load_state_dict(states[0])
        scheduler = warmup_cosine(optimizer, 4, 16, 0.01)
        scheduler.load_state_dict(states[1])
        assert group_rates(optimizer, scheduler, 1) == [[0.2]]

    def test_a_longer_total_makes_the_rate_jump(self):
        optimizer, scheduler = warmed(50, 1000, 1e-3)
        for total, first, second in ((1000, 0.001, 0.001), (2000, 0.001, 0.5194)):
            group_rates(optimizer, scheduler, 1000 if total == 1000 else 0)
            other, again = warmed(50, total, 1e-3)
            other.load_state_dict(optimizer.state_dict())
            again.load_state_dict(scheduler.state_dict())
            assert group_rates(other, again, 2) == [[pytest.approx(first)], [pytest.approx(second, abs=1e-4)]]

    def test_the_broken_version_starts_at_zero_takes_the_minimum_as_a_factor_and_rises_again(self):
        broken, fixed = warmup_broken.factor, warmup_shape.fixed
        base, total, warmup = warmup_broken.BASE, warmup_broken.TOTAL, warmup_broken.WARMUP
        assert broken(0) == 0 and base * broken(total) == pytest.approx(3e-10)
        assert broken(total + 200) > 1000 * broken(total)
        assert broken(2 * total - warmup) == pytest.approx(1.0)
        optimizer, scheduler = warmed(warmup, total, warmup_broken.MIN_LR, (base,))
        for step, (rate,) in enumerate(group_rates(optimizer, scheduler, total + 200)):
            assert rate == pytest.approx(base * fixed(step))
            assert warmup_shape.broken(step) == broken(step)

    @pytest.mark.parametrize(("warmup", "total"), [(10, 100), (4, 30)])
    def test_the_librarys_parts_agree_until_the_last_step_and_then_rise(self, warmup, total):
        parts = warmup_sequential.rates(1 / (warmup + 1), total - 1 - warmup, warmup, total + 20)
        own = [rate for (rate,) in group_rates(*warmed(warmup, total, 0.1), total + 20)]
        assert parts[:total] == pytest.approx(own[:total])
        assert parts[-1] > 1.5 * own[-1]
        late = warmup_sequential.rates(1 / (warmup + 1), total, warmup, total)
        assert late[-1] > 1.2 * own[total - 1]
        assert warmup_sequential.rates(1 / 3, total - 1 - warmup, warmup)[0] == pytest.approx(1 / 3)

    def test_a_step_with_rate_zero_fills_adams_means_and_moves_nothing(self):
        w = nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([w], lr=0.0)
        (3 * w).sum().backward()
        optimizer.step()
        assert torch.equal(w, torch.ones(2)) and (optimizer.state[w]["exp_avg"] > 0).all()

    def test_one_cycle_cycles_the_momentum(self):
        optimizer, scheduler = with_scheduler("OneCycleLR", {"max_lr": 1.0, "total_steps": 20})
        seen = set()
        for _ in range(19):
            seen.add(round(optimizer.param_groups[0]["momentum"], 4))
            optimizer.step()
            scheduler.step()
        assert min(seen) == pytest.approx(0.85) and max(seen) == pytest.approx(0.95)
        with pytest.raises(ValueError, match="number of total steps"):
            for _ in range(2):
                optimizer.step()
                scheduler.step()

    def test_a_group_of_rate_zero_is_fine_for_lambda_lr(self):
        optimizer = SGD([{"params": [nn.Parameter(torch.ones(1))], "lr": 0.0}], lr=1.0)
        assert group_rates(optimizer, lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step), 3) == [[0.0]] * 3

    def test_the_warmup_of_one_cycle_is_half_a_cosine(self):
        optimizer, scheduler = with_scheduler("OneCycleLR", {"max_lr": 1.0, "total_steps": 101, "pct_start": 0.2})
        rates = run(optimizer, scheduler, 20)
        middle, start = rates[10] - rates[9], rates[1] - rates[0]
        assert middle > 5 * start
