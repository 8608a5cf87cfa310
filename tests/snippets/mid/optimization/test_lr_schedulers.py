"""What docs/mid/optimization/lr-schedulers.md claims, proven beyond the example shown."""

import math
import warnings

import pytest
import torch
from torch import nn
from torch.optim import SGD, lr_scheduler

from warmup.testing import load_snippet

order = load_snippet("mid/optimization/lr_schedulers_order_broken.py")
schedule_resume = load_snippet("mid/optimization/lr_schedulers_resume_broken.py")
shapes = load_snippet("mid/optimization/lr_schedulers_shapes.py")

FROM_THE_PRESENT_RATE = {
    "StepLR": {"step_size": 1, "gamma": 0.5},
    "ExponentialLR": {"gamma": 0.5},
    "MultiStepLR": {"milestones": [3, 4], "gamma": 0.5},
    "LinearLR": {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 9},
    "CosineAnnealingLR": {"T_max": 9},
}


FROM_THE_COUNTER = {
    "LambdaLR": {"lr_lambda": lambda step: 0.5**step},
    "OneCycleLR": {"max_lr": 1.0, "total_steps": 9},
}


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


class TestLrSchedulers:
    @pytest.mark.parametrize("name", FROM_THE_PRESENT_RATE)
    def test_a_recursive_formula_goes_on_from_a_rate_set_by_hand(self, name):
        options = FROM_THE_PRESENT_RATE[name]
        plain = run(*with_scheduler(name, options), 6)
        edited = run(*with_scheduler(name, options), 6, by_hand=10.0)
        assert edited[3:] == pytest.approx([rate * 10.0 / plain[2] for rate in plain[3:]])

    @pytest.mark.parametrize("name", FROM_THE_COUNTER)
    def test_a_formula_of_the_counter_writes_over_it(self, name):
        options = FROM_THE_COUNTER[name]
        plain = run(*with_scheduler(name, options), 6)
        assert run(*with_scheduler(name, options), 6, by_hand=10.0)[3:] == plain[3:]

    def test_the_constructor_writes_the_first_rate(self):
        assert with_scheduler("OneCycleLR", {"max_lr": 2.0, "total_steps": 9})[0].param_groups[0][
            "lr"
        ] == pytest.approx(0.08)
        assert with_scheduler("LinearLR", {"start_factor": 0.25})[0].param_groups[0]["lr"] == 0.25
        assert with_scheduler("LambdaLR", {"lr_lambda": lambda step: 0.0})[0].param_groups[0]["lr"] == 0.0
        assert with_scheduler("StepLR", {"step_size": 9})[0].param_groups[0]["initial_lr"] == 1.0
        assert "initial_lr" not in with_scheduler("ReduceLROnPlateau", {})[0].param_groups[0]

    @pytest.mark.parametrize(("epochs", "batches"), [(3, 3), (4, 2), (2, 5)])
    def test_it_counts_calls_and_the_wrong_place_skips_the_first_rate_or_decays_per_batch(self, epochs, batches):
        per_epoch = [0.5**epoch for epoch in range(epochs + 1) for _ in range(batches)]
        assert order.used("after the epoch", epochs, batches) == per_epoch[: epochs * batches]
        assert order.used("after each batch", epochs, batches) == [0.5**i for i in range(epochs * batches)]
        with pytest.warns(UserWarning, match="before `optimizer.step") as caught:
            assert order.used("before the epoch", epochs, batches) == per_epoch[batches:]
        assert len(caught) == 1

    @pytest.mark.parametrize("name", ["StepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR"])
    def test_only_both_states_together_resume_the_rates(self, name):
        options = FROM_THE_PRESENT_RATE[name]
        expected = run(*with_scheduler(name, options), 8)[4:]
        for loaded in ("both", "scheduler", "optimizer"):
            optimizer, scheduler = with_scheduler(name, options)
            run(optimizer, scheduler, 4)
            states = optimizer.state_dict(), scheduler.state_dict()
            optimizer, scheduler = with_scheduler(name, options)
            if loaded != "scheduler":
                optimizer.load_state_dict(states[0])
            if loaded != "optimizer":
                scheduler.load_state_dict(states[1])
            found = run(optimizer, scheduler, 4)
            if loaded == "scheduler":
                assert found[0] == 1.0 and found == pytest.approx([rate / expected[0] for rate in expected])
            elif loaded == "both":
                assert found == expected
            else:
                assert found[0] == expected[0]

    @pytest.mark.parametrize(
        ("name", "overwrites"),
        [("LambdaLR", True), ("OneCycleLR", True), ("LinearLR", True), ("StepLR", False), ("CosineAnnealingLR", False)],
    )
    def test_built_after_the_optimizer_is_loaded_some_constructors_overwrite_its_rate(self, name, overwrites):
        options = {**FROM_THE_PRESENT_RATE, **FROM_THE_COUNTER, "LinearLR": {"start_factor": 0.5}}[name]
        optimizer, scheduler = with_scheduler(name, options)
        run(optimizer, scheduler, 3)
        expected = optimizer.param_groups[0]["lr"]
        for build_first in (True, False):
            fresh = SGD([nn.Parameter(torch.zeros(1))], lr=1.0, momentum=0.9)
            again = getattr(lr_scheduler, name)(fresh, **options) if build_first else None
            fresh.load_state_dict(optimizer.state_dict())
            again = again or getattr(lr_scheduler, name)(fresh, **options)
            again.load_state_dict(scheduler.state_dict())
            assert (fresh.param_groups[0]["lr"] == expected) is (build_first or not overwrites)

    def test_a_second_scheduler_keeps_the_first_initial_rate(self):
        optimizer, _ = with_scheduler("StepLR", {"step_size": 1})
        optimizer.param_groups[0]["lr"] = 0.25
        assert lr_scheduler.LambdaLR(optimizer, lambda step: 1.0).base_lrs == [1.0]
        assert optimizer.param_groups[0]["initial_lr"] == optimizer.param_groups[0]["lr"] == 1.0

    @pytest.mark.parametrize(("name", "length"), [("CosineAnnealingLR", "T_max"), ("LinearLR", "total_iters")])
    def test_a_length_in_batches_with_a_step_per_epoch_hardly_changes_the_rate(self, name, length):
        first, *_, last = run(*with_scheduler(name, {length: 1000}), 10)
        assert last == pytest.approx(first, rel=0.02)

    def test_one_cycle_overwrites_the_rates_of_the_groups_unless_it_gets_a_list(self):
        for max_lr, ratio in ((1.0, 1.0), ([1.0, 0.1], 0.1)):
            groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (1.0, 0.1)]
            optimizer = SGD(groups)
            lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps=9)
            high, low = (group["lr"] for group in optimizer.param_groups)
            assert low == pytest.approx(ratio * high)

    def test_the_program_shows_that_for_the_cosine(self):
        expected = schedule_resume.used(*schedule_resume.build(), 8)[4:]
        assert schedule_resume.resumed("both") == expected
        assert schedule_resume.resumed("scheduler") == pytest.approx([2 * rate for rate in expected])
        wrong = schedule_resume.resumed("optimizer")
        assert wrong[0] == expected[0] and all(a > b for a, b in zip(wrong[1:], expected[1:], strict=True))

    def test_the_four_shapes(self):
        used = {name: shapes.rates(make) for name, make in shapes.MAKE.items()}
        assert used["StepLR"] == pytest.approx([1.0] * 20 + [0.3] * 20 + [0.09] * 20)
        assert used["CosineAnnealingLR"] == pytest.approx([(1 + math.cos(math.pi * t / 60)) / 2 for t in range(60)])
        warmup = [0.1 + 0.09 * t for t in range(10)]
        cosine = [(1 + math.cos(math.pi * t / 50)) / 2 for t in range(50)]
        assert used["SequentialLR"] == pytest.approx(warmup + cosine)
        highest = used["OneCycleLR"].index(max(used["OneCycleLR"]))
        assert used["OneCycleLR"][0] == pytest.approx(0.04) and highest in (17, 18)
        assert used["OneCycleLR"][-1] < 1e-4

    def test_what_happens_after_the_end(self):
        cosine = run(*with_scheduler("CosineAnnealingLR", {"T_max": 4}), 9)
        assert cosine[4] == pytest.approx(0.0) and cosine[8] == pytest.approx(1.0)
        linear = run(*with_scheduler("LinearLR", {"start_factor": 0.5, "total_iters": 4}), 9)
        assert linear[4:] == [1.0] * 5
        step = run(*with_scheduler("StepLR", {"step_size": 2}), 9)
        assert step[8] < step[6] < step[4]
        optimizer, scheduler = with_scheduler("OneCycleLR", {"max_lr": 1.0, "total_steps": 4})
        run(optimizer, scheduler, 4)
        with pytest.raises(ValueError, match="Tried to step"):
            scheduler.step()

    def test_the_scheduler_goes_on_when_the_scaler_skips(self):
        optimizer, scheduler = with_scheduler("StepLR", {"step_size": 1, "gamma": 0.5})
        scaler, w = torch.amp.GradScaler("cpu"), optimizer.param_groups[0]["params"][0]
        for factor, rate, falls in ((1.0, 0.5, False), (torch.inf, 0.25, True), (1.0, 0.125, False)):
            optimizer.zero_grad()
            scaler.scale((w * factor).sum()).backward()
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
            assert scheduler.get_last_lr() == [rate] and (scaler.get_scale() < before) is falls

    def test_the_plateau_needs_the_mode_of_its_metric(self):
        for mode, rate in (("min", 0.1), ("max", 1.0)):
            optimizer, scheduler = with_scheduler("ReduceLROnPlateau", {"mode": mode, "patience": 2, "factor": 0.1})
            for accuracy in (0.5, 0.6, 0.7):
                scheduler.step(accuracy)
                assert optimizer.param_groups[0]["lr"] == 1.0
            scheduler.step(0.8)
            assert optimizer.param_groups[0]["lr"] == pytest.approx(rate)
        with pytest.raises(TypeError):
            scheduler.step()

    def test_one_cycle_moves_the_momentum_too(self):
        for make, key in ((SGD, "momentum"), (torch.optim.AdamW, "betas")):
            optimizer = make([nn.Parameter(torch.zeros(1))], lr=1.0)
            scheduler = lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=11)
            seen = []
            for _ in range(10):
                value = optimizer.param_groups[0][key]
                seen.append(value if key == "momentum" else value[0])
                optimizer.step()
                scheduler.step()
            assert min(seen) == pytest.approx(0.85, abs=0.02) and max(seen) == pytest.approx(0.95)
        quiet = SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
        lr_scheduler.OneCycleLR(quiet, 1.0, total_steps=11, cycle_momentum=False)
        assert quiet.param_groups[0]["momentum"] == 0

    def test_get_last_lr_is_what_the_scheduler_wrote_last(self):
        optimizer, scheduler = with_scheduler("StepLR", {"step_size": 1, "gamma": 0.5})
        run(optimizer, scheduler, 1)
        optimizer.param_groups[0]["lr"] = 7.0
        assert scheduler.get_last_lr() == [0.5]
        other, loaded = with_scheduler("CosineAnnealingLR", {"T_max": 9})
        run(other, loaded, 3)
        fresh, again = with_scheduler("CosineAnnealingLR", {"T_max": 9})
        again.load_state_dict(loaded.state_dict())
        assert again.get_last_lr() == loaded.get_last_lr() != [fresh.param_groups[0]["lr"]]

    def test_groups_keep_their_ratio_and_get_lr_warns(self):
        groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (1.0, 0.1)]
        optimizer = SGD(groups)
        scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
        for _ in range(5):
            optimizer.step()
            scheduler.step()
            high, low = scheduler.get_last_lr()
            assert [group["lr"] for group in optimizer.param_groups] == [high, low]
            assert low == pytest.approx(high / 10)
        with pytest.warns(UserWarning, match="get_last_lr"):
            scheduler.get_lr()
        scheduler = lr_scheduler.LambdaLR(SGD(groups), [lambda step: 1.0, lambda step: 0.5**step])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheduler.step()
        assert scheduler.get_last_lr()[0] > scheduler.get_last_lr()[1]
