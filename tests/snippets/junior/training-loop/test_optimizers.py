"""What docs/junior/training-loop/optimizers.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

optimizers = load_snippet("junior/training-loop/optimizers_steps.py")
optimizers_paths = load_snippet("junior/training-loop/optimizers_paths.py")
optimizers_learning_rate = load_snippet("junior/training-loop/optimizers_learning_rate.py")
optimizers_state = load_snippet("junior/training-loop/optimizers_state.py")
optimizers_groups = load_snippet("junior/training-loop/optimizers_groups.py")


def small_model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 10))


class TestOptimizers:
    def test_the_step_by_hand_is_sgd_for_any_model_and_rate(self):
        for lr in (0.01, 0.7):
            library, by_hand = small_model(), small_model()
            by_hand.load_state_dict(library.state_dict())
            optimizer = torch.optim.SGD(library.parameters(), lr=lr)
            gradients = [torch.randn_like(parameter) for parameter in library.parameters()]
            for model in (library, by_hand):
                for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                    parameter.grad = gradient.clone()
            before = by_hand[0].weight.detach().clone()
            optimizer.step()
            optimizers.sgd_step(by_hand.parameters(), lr)
            for ours, theirs in zip(by_hand.parameters(), library.parameters(), strict=True):
                assert torch.equal(ours, theirs) and ours.requires_grad
            torch.testing.assert_close(by_hand[0].weight, before - lr * gradients[0])

    def test_the_step_by_hand_skips_a_parameter_without_gradient(self):
        used, unused = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        used.grad = torch.ones(2)
        optimizers.sgd_step([unused, used], lr=0.5)
        assert unused.tolist() == [1, 1] and used.tolist() == [0.5, 0.5]

    @pytest.mark.parametrize("lr", [0.001, 0.1])
    @pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
    def test_adamw_moves_by_the_learning_rate_whatever_the_gradient(self, lr, scale):
        gradient = scale * torch.tensor([3.0, -0.5])
        for step in optimizers.moves(optimizers.OPTIMIZERS["AdamW"], lr, gradient, 10):
            torch.testing.assert_close(step, torch.tensor([-lr, lr]), rtol=0.02, atol=0)

    def test_adamw_falls_short_of_the_rate_by_weight_decay(self):
        gradient = torch.tensor([2.0, 0.02])
        with_decay = optimizers.moves(torch.optim.AdamW, 0.1, gradient, 10)
        without = optimizers.moves(lambda w, lr: torch.optim.AdamW(w, lr=lr, weight_decay=0.0), 0.1, gradient, 10)
        torch.testing.assert_close(without, torch.full((10, 2), -0.1), rtol=1e-4, atol=0)
        pull = 0.1 * 0.01 * with_decay[:9].sum(dim=0)
        torch.testing.assert_close(with_decay[9], -0.1 - pull, rtol=1e-4, atol=0)

    @pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
    def test_momentum_adds_up_to_one_over_one_minus_mu(self, momentum):
        steps = optimizers.moves(
            lambda w, lr: torch.optim.SGD(w, lr=lr, momentum=momentum), 0.1, torch.tensor([2.0, 0.02]), 200
        )
        torch.testing.assert_close(steps[0], torch.tensor([-0.2, -0.002]))
        torch.testing.assert_close(steps[-1], torch.tensor([-0.2, -0.002]) / (1 - momentum), rtol=1e-3, atol=0)

    def test_the_three_optimizers_are_what_they_are_called(self):
        gradient = torch.tensor([2.0, 0.02])
        for module in (optimizers, optimizers_learning_rate):
            tenth = {
                name: optimizers.moves(build, 0.1, gradient, 10)[9, 0].item()
                for name, build in module.OPTIMIZERS.items()
            }
            grown = -0.2 * (1 - 0.9**10) / (1 - 0.9)
            expected = {"SGD": -0.2, "SGD, momentum 0.9": grown, "AdamW": -0.0991}
            assert tenth == pytest.approx(expected, rel=1e-3)

    def test_the_first_at_one_rate_is_the_last_at_another(self):
        def order(rate):
            return sorted(
                optimizers_learning_rate.OPTIMIZERS,
                key=lambda name: optimizers_learning_rate.final_loss(name, rate, steps=60),
            )

        assert order(0.03)[0] == "AdamW" and order(1.0)[-1] == "AdamW"

    def test_a_sum_is_a_larger_rate_for_sgd_and_nothing_for_adamw(self):
        loss = optimizers_learning_rate.final_loss
        for name in ("SGD", "SGD, momentum 0.9"):
            summed, scaled = loss(name, 0.0005, "sum", steps=20), loss(name, 0.0005 * 64, steps=20)
            assert summed == pytest.approx(scaled, rel=1e-3)
        assert loss("AdamW", 0.01, "sum", steps=20) == pytest.approx(loss("AdamW", 0.01, steps=20), rel=1e-3)

    def test_an_optimizer_needs_a_new_rate_for_the_sum(self):
        assert not optimizers_learning_rate.final_loss("SGD", 0.3, "sum", steps=60) < 2
        assert optimizers_learning_rate.final_loss("SGD", 0.3, steps=60) < 0.5

    def test_add_param_group_keeps_the_momentum_and_trains_the_head(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        model(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        memory = optimizer.state[model[0].weight]["exp_avg"].clone()
        model[1] = nn.Linear(4, 3)
        optimizer.add_param_group({"params": model[1].parameters(), "lr": 0.01})
        assert torch.equal(optimizer.state[model[0].weight]["exp_avg"], memory)
        held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
        assert {id(parameter) for parameter in model.parameters()} < held
        before = model[1].bias.detach().clone()
        optimizer.zero_grad()
        model(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        torch.testing.assert_close(model[1].bias, before - 0.01, rtol=0, atol=2e-4)

    def test_state_per_parameter(self):
        build = torch.optim
        assert optimizers_state.state_per_parameter(build.SGD, lr=0.1) == 0
        assert optimizers_state.state_per_parameter(build.SGD, lr=0.1, momentum=0.5) == 1
        assert optimizers_state.state_per_parameter(build.AdamW) == pytest.approx(2, abs=1e-4)

    def test_the_state_is_allocated_in_the_first_step(self):
        w = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.AdamW([w])
        w.sum().backward()
        assert not optimizer.state
        optimizer.step()
        assert optimizer.state[w]["exp_avg_sq"].shape == (3,)

    def test_the_paths_of_the_picture_are_near_the_best_rate_of_each(self):
        def steps_until_solved(name, lr):
            a, b = optimizers_paths.path(optimizers_paths.PATHS[name][0], lr, 130).T
            bad = ((a**2 + 30 * b**2) / 2 > 0.01).nonzero()
            return bad.max().item() + 1

        for name, rates in (("SGD, lr 0.06", (0.02, 0.04, 0.065)), ("AdamW, lr 0.3", (0.05, 0.1, 0.2, 0.5))):
            chosen = steps_until_solved(name, optimizers_paths.PATHS[name][1])
            assert chosen < 80
            assert all(chosen <= steps_until_solved(name, rate) + 2 for rate in rates)

    def test_sgd_jumps_across_the_valley_and_adamw_moves_both_weights_alike(self):
        sgd, adamw = (optimizers_paths.path(*optimizers_paths.PATHS[name][:2], 5) for name in optimizers_paths.PATHS)
        assert sgd[:, 1].sign().tolist() == [1, -1, 1, -1, 1, -1]
        torch.testing.assert_close(adamw[1] - adamw[0], torch.tensor([0.3, -0.3]), rtol=0.05, atol=0)

    def test_the_first_step_needs_a_gradient_far_above_epsilon(self):
        gradient = torch.tensor([1e-4, 1e-8, 1e-10])
        first = optimizers.moves(torch.optim.AdamW, 0.1, gradient, 1)[0] / -0.1
        torch.testing.assert_close(first, torch.tensor([1.0, 0.5, 0.01]), rtol=0.02, atol=0)

    @pytest.mark.parametrize("before_the_drop", [10, 20, 50, 1000])
    def test_the_step_shrinks_after_the_gradient_with_a_delay(self, before_the_drop):
        w = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        steps = []
        for step in range(before_the_drop + 30):
            w.grad = torch.tensor([2.0 if step < before_the_drop else 0.02])
            w.data.zero_()
            optimizer.step()
            steps.append(-w.item() / 0.1)
        assert steps[before_the_drop - 1] == pytest.approx(1, rel=1e-3)
        assert 0.35 <= steps[before_the_drop + 9] < 0.41
        assert steps[-1] == pytest.approx({10: 1 / 13, 20: 1 / 13, 50: 1 / 15, 1000: 1 / 19}[before_the_drop], rel=0.05)

    def test_a_lambda_scheduler_built_before_the_new_group_raises(self):
        body, head = nn.Linear(2, 2), nn.Linear(2, 2)

        def rates(scheduler_first):
            optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
            if scheduler_first:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
            optimizer.add_param_group({"params": head.parameters()})
            if not scheduler_first:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
            optimizer.step()
            scheduler.step()
            return [group["lr"] for group in optimizer.param_groups]

        assert rates(scheduler_first=False) == [0.05, 0.05]
        with pytest.raises(ValueError):
            rates(scheduler_first=True)

    @pytest.mark.parametrize(("norm", "dimensions"), [(nn.LayerNorm(8), 1), (nn.LayerNorm((8, 4, 4)), 3)])
    def test_the_weight_of_a_norm_has_one_dimension_or_more(self, norm, dimensions):
        assert norm.weight.ndim == norm.bias.ndim == dimensions

    @pytest.mark.parametrize("noise", [1e-4, 1.0, 100.0])
    def test_with_noise_alone_the_step_stays_at_a_quarter_of_the_rate(self, noise):
        w = nn.Parameter(torch.zeros(1000))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        for _ in range(300):
            w.grad = noise * torch.randn(1000)
            before = w.detach().clone()
            optimizer.step()
        assert (w.detach() - before).square().mean().sqrt() / 0.1 == pytest.approx(0.23, abs=0.02)

    @pytest.mark.parametrize("noise", [1e-9, 1e-10])
    def test_noise_below_epsilon_takes_smaller_steps(self, noise):
        w = nn.Parameter(torch.zeros(1000))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        for _ in range(300):
            w.grad = noise * torch.randn(1000)
            before = w.detach().clone()
            optimizer.step()
        assert (w.detach() - before).square().mean().sqrt() / 0.1 < 0.03

    def test_without_bias_correction_the_first_step_is_three_times_the_rate(self):
        w = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.AdamW([w], lr=0.1)
        w.grad = torch.tensor([5.0])
        optimizer.step()
        m, s = (optimizer.state[w][key].item() for key in ("exp_avg", "exp_avg_sq"))
        assert m / s**0.5 == pytest.approx(3.16, abs=0.01)
        assert w.item() == pytest.approx(-0.1, rel=1e-4)

    def test_decay_is_scaled_by_the_gradient_in_adam_and_not_in_adamw(self):
        for size in (100.0, 0.01):
            kept = {}
            for build in (torch.optim.Adam, torch.optim.AdamW):
                w = nn.Parameter(torch.ones(1))
                optimizer = build([w], lr=0.001, weight_decay=0.1)
                for step in range(400):
                    w.grad = torch.tensor([(-1) ** step * size])
                    optimizer.step()
                kept[build] = w.item()
            assert kept[torch.optim.AdamW] == pytest.approx(0.9999**400, abs=5e-3)
            assert (kept[torch.optim.Adam] > 0.99) == (size == 100.0)

    def test_lbfgs_asks_for_the_loss(self):
        w = nn.Parameter(torch.ones(1))
        with pytest.raises(TypeError, match="closure"):
            torch.optim.LBFGS([w]).step()

    def test_with_tuned_rates_the_ranges_overlap(self):
        loss = optimizers_learning_rate.final_loss
        tuned = {"SGD": 1.0, "SGD, momentum 0.9": 0.2, "AdamW": 0.03}
        ranges = [[loss(name, rate, seed=seed) for seed in range(4)] for name, rate in tuned.items()]
        assert max(map(min, ranges)) < min(map(max, ranges))

    @pytest.mark.parametrize("name, rate, others", [("SGD", 1.0, (0.3, 3.0)), ("AdamW", 0.03, (0.003, 0.1))])
    def test_the_rates_of_the_five_seeds_are_tuned(self, name, rate, others):
        def mean(lr):
            return sum(optimizers_learning_rate.final_loss(name, lr, seed=seed) for seed in range(4))

        assert all(mean(rate) < mean(other) for other in others)

    def test_the_default_rate_is_too_small_for_a_hundred_steps(self):
        loss = optimizers_learning_rate.final_loss
        for seed in (0, 1):
            assert loss("AdamW", 0.001, seed=seed) > 3 * loss("AdamW", 0.03, seed=seed)

    def test_adamw_starts_at_a_thousandth(self):
        assert torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["lr"] == 1e-3

    def test_a_step_without_a_gradient_shrinks_what_is_to_decay_at_the_rate_of_its_group_and_nothing_else(self):
        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(20, 8)
                self.encoder = nn.TransformerEncoderLayer(8, 2, 16)
                layers = [nn.Conv2d(1, 2, 3), nn.LayerNorm((2, 4, 4)), nn.RMSNorm((4, 4)), nn.BatchNorm2d(2)]
                self.image = nn.Sequential(*layers)
                self.recurrent = nn.LSTM(8, 8)
                self.frozen = nn.Linear(8, 8).requires_grad_(False)
                self.head = nn.Linear(8, 20)
                self.head.weight = self.words.weight

        model = Tagger()
        for parameter in model.parameters():
            nn.init.ones_(parameter)
            parameter.grad = torch.zeros_like(parameter)
        groups = optimizers_groups.parameter_groups(model, 0.1, 0.5, {"encoder.": 0.01, "recurrent": 0.2})
        torch.optim.AdamW(groups).step()
        decays = {
            "words.weight": 0.1,
            "encoder.self_attn.in_proj_weight": 0.01,
            "encoder.self_attn.out_proj.weight": 0.01,
            "encoder.linear1.weight": 0.01,
            "encoder.linear2.weight": 0.01,
            "image.0.weight": 0.1,
            "recurrent.weight_ih_l0": 0.2,
            "recurrent.weight_hh_l0": 0.2,
        }
        for name, parameter in model.named_parameters():
            expected = torch.full_like(parameter, 1 - 0.5 * decays.get(name, 0.0))
            torch.testing.assert_close(parameter, expected, msg=name)
        assert not any(parameter is model.frozen.weight for group in groups for parameter in group["params"])

    def test_a_lazy_layer_is_refused_until_it_has_a_shape(self):
        model = nn.Sequential(nn.LazyLinear(3))
        with pytest.raises(ValueError, match="^0.weight has no shape yet"):
            optimizers_groups.parameter_groups(model, 0.1, 0.5)
        model(torch.ones(1, 2))
        groups = optimizers_groups.parameter_groups(model, 0.1, 0.5)
        assert [(group["weight_decay"], group["params"][0].shape) for group in groups] == [(0.5, (3, 2)), (0.0, (3,))]

    def test_a_rate_for_a_name_that_is_not_there_is_an_error_and_the_first_that_fits_counts(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        for name in ("body.", "body"):
            with pytest.raises(ValueError, match=r"^no parameter is called 'body' or is inside it$"):
                optimizers_groups.parameter_groups(model, 0.1, 0.0, {name: 1.0})
        groups = optimizers_groups.parameter_groups(model, 0.1, 0.0, {"0.weight": 1.0, "0.": 2.0})
        rates = {id(parameter): group["lr"] for group in groups for parameter in group["params"]}
        assert [rates[id(parameter)] for parameter in model.parameters()] == [1.0, 2.0, 0.1, 0.1]

    @pytest.mark.parametrize(("steps", "start", "done"), [(5, 0.1, 0), (8, 0.5, 0), (4, 0.25, 1), (8, 0.5, 6)])
    def test_a_warmup_that_was_built_before_the_new_group_ends_above_its_rate(self, steps, start, done):
        old, new = nn.Linear(2, 2), nn.Linear(2, 2)
        optimizer = torch.optim.AdamW(old.parameters(), lr=0.01)
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start, total_iters=steps)
        for step in range(steps):
            if step == done:
                optimizer.add_param_group({"params": new.parameters(), "lr": 0.01})
            optimizer.step()
            scheduler.step()
        reached = start + (1 - start) * done / steps
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([0.01, 0.01 / reached])

    @pytest.mark.parametrize("key", ["layers.1", "layers.1."])
    def test_a_rate_for_one_layer_is_not_for_another_whose_name_begins_alike(self, key):
        model = nn.ModuleDict({"layers": nn.ModuleList(nn.Linear(2, 2) for _ in range(12))})
        groups = optimizers_groups.parameter_groups(model, 0.1, 0.5, {key: 0.01})
        slow = {id(parameter) for group in groups if group["lr"] == 0.01 for parameter in group["params"]}
        assert slow == {id(parameter) for parameter in model["layers"][1].parameters()}
        with pytest.raises(ValueError, match="^no parameter is called 'layers.1.w' or is inside it$"):
            optimizers_groups.parameter_groups(model, 0.1, 0.5, {"layers.1.w": 0.01})
