"""What docs/mid/checkpoints/full-checkpoint.md claims, proven beyond the example shown."""

import argparse
import copy
import io
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

from warmup.testing import load_snippet


def through_a_file(state: dict) -> dict:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file)


rates = load_snippet("mid/checkpoints/full_checkpoint_rates.py")
compare_parts = load_snippet("mid/checkpoints/full_checkpoint_parts.py")


class TestFullCheckpoint:
    SCHEDULERS = {
        "lambda": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda t: 1 - t / 20),
        "one cycle": lambda optimizer: lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20),
        "linear": lambda optimizer: lr_scheduler.LinearLR(optimizer, 0.1, total_iters=20),
        "sequential": rates.new_scheduler,
    }
    UNWRITTEN = {
        "step": lambda optimizer: lr_scheduler.StepLR(optimizer, 3),
        "cosine": lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, 20),
    }

    def after_resume(self, make, *, lost=None, built_last=False, stop=5):
        """Rates of the run that never stopped and of the resumed one, from ``stop`` on."""
        optimizer = rates.new_optimizer()
        whole = rates.rates(optimizer, make(optimizer), 15)[stop:]
        optimizer = rates.new_optimizer()
        scheduler = make(optimizer)
        rates.rates(optimizer, scheduler, stop)
        saved = copy.deepcopy((optimizer.state_dict(), scheduler.state_dict()))
        optimizer = rates.new_optimizer()
        scheduler = None if built_last else make(optimizer)
        if lost != "optimizer":
            optimizer.load_state_dict(saved[0])
        scheduler = scheduler or make(optimizer)
        if lost != "scheduler":
            scheduler.load_state_dict(saved[1])
        return whole, rates.rates(optimizer, scheduler, 15 - stop)

    @pytest.mark.parametrize("name", SCHEDULERS)
    def test_complete_goes_on_and_a_lost_part_does_not(self, name):
        whole, complete = self.after_resume(self.SCHEDULERS[name])
        assert complete == pytest.approx(whole)
        for lost in ("optimizer", "scheduler"):
            whole, other = self.after_resume(self.SCHEDULERS[name], lost=lost)
            assert other != pytest.approx(whole)
        # The rate of the very next step comes from the optimizer:
        assert other[0] == pytest.approx(whole[0])

    @pytest.mark.parametrize("name", SCHEDULERS)
    def test_a_scheduler_built_last_is_wrong_once_if_closed_form_and_to_the_end_if_chained(self, name):
        # SequentialLR is set right by its milestone, here 10.
        stop = 12 if name == "sequential" else 5
        whole, other = self.after_resume(self.SCHEDULERS[name], built_last=True, stop=stop)
        wrong = [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)]
        assert wrong[0]
        assert all(wrong) if name in ("linear", "sequential") else not any(wrong[1:])

    @pytest.mark.parametrize("name", UNWRITTEN)
    def test_the_constructors_of_step_and_cosine_leave_the_rate_so_either_order_works(self, name):
        whole, other = self.after_resume(self.UNWRITTEN[name], built_last=True)
        assert other == pytest.approx(whole) and len(set(whole)) > 1

    @pytest.mark.parametrize("name", [*SCHEDULERS, *UNWRITTEN])
    def test_a_lost_optimizer_costs_a_closed_form_schedule_one_rate_and_a_chained_one_more(self, name):
        whole, other = self.after_resume((self.SCHEDULERS | self.UNWRITTEN)[name], lost="optimizer")
        wrong = [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)]
        closed = name in ("lambda", "one cycle")
        assert wrong[0] and (sum(wrong) == 1 if closed else sum(wrong) >= 5)

    @pytest.mark.parametrize(
        ("case", "shows"), [("nothing", set()), ("optimizer", {"adam"}), ("scheduler", {"count"}), ("order", {"rate"})]
    )
    @pytest.mark.parametrize("stop", [3, 6])
    def test_rate_and_both_counts_together_show_each_lost_part(self, case, shows, stop):
        def make(optimizer):
            if case == "optimizer":  # with a constant rate
                return lr_scheduler.LambdaLR(optimizer, lambda t: 1.0)
            return lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9)

        def seen(weight, optimizer, scheduler):
            adam = optimizer.state[weight].get("step", 0)
            return {"rate": optimizer.param_groups[0]["lr"], "count": scheduler.last_epoch, "adam": int(adam)}

        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.AdamW([weight], lr=1.0)
        scheduler = make(optimizer)
        for _ in range(stop):
            weight.grad = torch.ones(1)
            optimizer.step(), scheduler.step()
        logged = seen(weight, optimizer, scheduler)
        resumed = torch.optim.AdamW([weight], lr=1.0)
        again = make(resumed)
        if case != "optimizer":
            resumed.load_state_dict(optimizer.state_dict())
        if case == "order":
            again = make(resumed)
        if case != "scheduler":
            again.load_state_dict(scheduler.state_dict())
        now = seen(weight, resumed, again)
        assert {name for name in logged if now[name] != logged[name]} == shows

    @pytest.mark.parametrize("momentum", [0.0, 0.9])
    def test_sgd_counts_no_steps_and_its_state_is_its_momentum(self, momentum):
        weight = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([weight], lr=0.1, momentum=momentum)
        weight.grad = torch.ones(1)
        optimizer.step()
        momenta = [name for name, value in optimizer.state[weight].items() if value is not None]
        assert momenta == (["momentum_buffer"] if momentum else [])

    def test_a_milestone_sets_a_sequential_schedule_right(self):
        whole, other = self.after_resume(rates.new_scheduler, built_last=True, stop=5)
        assert [abs(a - b) > 1e-9 for a, b in zip(whole, other, strict=True)] == [True] * 5 + [False] * 5

    def test_an_exponential_schedule_does_not_need_its_own_state(self):
        def make(optimizer):
            return lr_scheduler.ExponentialLR(optimizer, 0.9)

        whole, other = self.after_resume(make, lost="scheduler")
        assert other == pytest.approx(whole)
        whole, other = self.after_resume(make, lost="optimizer")
        assert other != pytest.approx(whole)

    def test_a_lost_scheduler_drives_a_chained_warmup_above_its_end(self):
        for stop, factor in ((3, 2), (5, 3)):
            _, other = self.after_resume(
                lambda optimizer: lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9), lost="scheduler", stop=stop
            )
            assert max(other) > factor * 0.01
        assert max(rates.resumed("scheduler lost")) > 6 * 0.01

    def test_the_figure_shows_what_each_case_does(self):
        optimizer = rates.new_optimizer()
        whole = rates.rates(optimizer, rates.new_scheduler(optimizer), rates.END)
        assert max(whole) == pytest.approx(0.01)
        assert rates.resumed("nothing lost") == pytest.approx(whole[rates.STOP :])
        for case in ("optimizer lost", "scheduler built last"):
            ratio = [a / b for a, b in zip(rates.resumed(case), whole[rates.STOP :], strict=True)]
            assert min(ratio) > 0.1 and max(ratio) < 0.14

    def test_the_model_alone_makes_the_loss_after_the_load_and_all_parts_the_same_weights(self, monkeypatch):
        parts = ("model", "optimizer", "scheduler", "random")
        complete, model_only = compare_parts.compare(parts), compare_parts.compare(parts[:1])
        monkeypatch.setattr(compare_parts, "STEPS", 2)
        monkeypatch.setattr(compare_parts, "STOP", 1)
        without_model = compare_parts.compare(parts[1:])
        assert complete[0] == model_only[0] < without_model[0] / 2
        assert complete[3] == 0 and model_only[3] > 0.01
        assert complete[1] < model_only[1] and complete[2] < 0.001 < model_only[2]

    @pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
    def test_the_first_step_of_adam_has_the_size_of_the_learning_rate(self, size):
        for make in (torch.optim.Adam, lambda p, lr: torch.optim.AdamW(p, lr=lr, weight_decay=0)):
            weight = nn.Parameter(torch.zeros(50, dtype=torch.float64))
            optimizer = make([weight], lr=0.01)
            weight.grad = size * (1 + torch.rand(50, dtype=torch.float64))
            optimizer.step()
            torch.testing.assert_close(weight.detach(), torch.full_like(weight, -0.01), rtol=1e-4, atol=0)

    @pytest.mark.parametrize("size, moved", [(1e-8, 0.5), (1e-10, 0.01), (0.0, 0.0)])
    def test_a_gradient_as_small_as_eps_moves_a_weight_by_less(self, size, moved):
        weight = nn.Parameter(torch.zeros(1, dtype=torch.float64))
        weight.grad = torch.full_like(weight, size)
        torch.optim.Adam([weight], lr=0.01).step()
        assert -weight.item() / 0.01 == pytest.approx(moved, rel=0.02)

    @pytest.mark.parametrize("make, times", [("Adam", 2), ("AdamW", 2), ("SGD", 0), ("momentum", 1)])
    def test_optimizer_state_is_two_averages_for_adam_one_for_momentum_none_for_sgd_or_frozen(self, make, times):
        model = nn.Sequential(nn.Linear(40, 40), nn.Linear(40, 40))
        model[0].requires_grad_(False)
        optimizer = (
            torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            if make == "momentum"
            else getattr(torch.optim, make)(model.parameters(), lr=0.1)
        )
        model(torch.ones(2, 40)).sum().backward()
        optimizer.step()
        states = optimizer.state_dict()["state"].values()
        held = sum(t.numel() for s in states for t in s.values() if isinstance(t, torch.Tensor) and t.dim() > 0)
        assert held == times * sum(p.numel() for p in model[1].parameters())

    @pytest.mark.parametrize("value", [np.float64(0.5), Path("a"), argparse.Namespace(lr=1)])
    def test_a_number_of_numpy_a_path_and_a_namespace_make_the_file_unloadable(self, value):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            through_a_file({"value": value})
        plain = {"loss": float(np.float64(0.5)), "path": "a", "config": {"lr": 1, "sizes": [1, 2], "name": None}}
        assert through_a_file(plain) == plain

    def test_loading_overrides_what_the_constructors_got(self):
        weight = nn.Parameter(torch.ones(1))
        old = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.2, betas=(0.5, 0.6))
        saved = copy.deepcopy((old.state_dict(), lr_scheduler.StepLR(old, 3).state_dict()))
        new = torch.optim.AdamW([weight], lr=0.7, weight_decay=0.8)
        schedule = lr_scheduler.StepLR(new, 3)
        new.load_state_dict(saved[0])
        schedule.load_state_dict(saved[1])
        group = new.param_groups[0]
        assert (group["lr"], group["weight_decay"], group["betas"]) == (0.1, 0.2, (0.5, 0.6))
        assert schedule.base_lrs == [0.1]

    def test_another_rate_has_to_be_written_into_groups_and_scheduler(self):
        for everywhere, expected in ((False, [0.5, 0.05]), (True, [0.5, 0.25])):
            optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
            scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
            optimizer.param_groups[0]["lr"] = 0.5
            if everywhere:
                scheduler.base_lrs = [0.5]
            assert rates.rates(optimizer, scheduler, 2) == pytest.approx(expected)

    def test_another_number_of_parameters_raises_and_another_order_does_not(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
        a.grad, b.grad = torch.ones(2), torch.full((2,), 2.0)
        optimizer.step()
        with pytest.raises(ValueError, match="size of optimizer"):
            torch.optim.SGD([a, b, nn.Parameter(torch.ones(2))], lr=0.1).load_state_dict(optimizer.state_dict())
        swapped = torch.optim.SGD([b, a], lr=0.1, momentum=0.9)
        swapped.load_state_dict(optimizer.state_dict())
        assert swapped.state[b]["momentum_buffer"].tolist() == [1.0, 1.0]

    @pytest.mark.parametrize(("factor", "iterations"), [(0.1, 9), (0.2, 8)])
    def test_a_linear_warmup_built_last_multiplies_each_later_rate_by_its_first_factor(self, factor, iterations):
        def make(optimizer):
            return lr_scheduler.LinearLR(optimizer, factor, total_iters=iterations)

        whole, other = self.after_resume(make, built_last=True)
        assert other == pytest.approx([factor * rate for rate in whole])

    def test_a_lost_ema_and_another_configuration_show_in_the_first_evaluation(self):
        torch.manual_seed(0)
        x, trained = torch.randn(4, 3), nn.Linear(3, 1)
        ema = torch.optim.swa_utils.AveragedModel(nn.Linear(3, 1))
        ema.update_parameters(trained)
        new = nn.Linear(3, 1)
        lost = torch.optim.swa_utils.AveragedModel(new)
        new.load_state_dict(trained.state_dict())
        assert torch.equal(ema(x), trained(x))
        assert not torch.allclose(lost(x), trained(x))

    def test_a_loaded_cosine_has_its_old_length_and_rises_after_it(self):
        def schedule(length):
            optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
            return optimizer, lr_scheduler.CosineAnnealingLR(optimizer, T_max=length)

        optimizer, old = schedule(10)
        for _ in range(10):
            optimizer.step()
            old.step()
        resumed, new = schedule(20)
        resumed.load_state_dict(optimizer.state_dict())
        new.load_state_dict(old.state_dict())
        rates = []
        for _ in range(5):
            resumed.step()
            new.step()
            rates += new.get_last_lr()
        assert new.T_max == 10
        assert rates == sorted(rates) and rates[-1] > 0.3
