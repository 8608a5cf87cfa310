"""What docs/mid/debugging/loss-plateau.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

plateau = load_snippet("mid/debugging/loss_plateau.py")
plateau_later = load_snippet("mid/debugging/loss_plateau_later.py")


class TestLossPlateau:
    @pytest.mark.parametrize(
        ("fault", "verdict", "gradient", "update", "add_to_one", "active"),
        [
            ("none", "falls", "yes", (0.02, 0.08), "no", True),
            ("rate 1e-5", "flat", "yes", (1e-7, 1e-5), "no", True),
            ("rate 12", "rises", "yes", (1, 2), "no", False),
            ("bias -20", "flat", "0", (0, 0), "no", False),
            ("zero weights", "flat", "0", (0, 0), "no", False),
            ("softmax in the model", "stops", "yes", (0.005, 0.02), "yes", True),
            ("optimizer has a copy", "flat", "yes", (0, 0), "no", True),
            ("first layer frozen", "stops", "None", (0, 0), "no", True),
            ("labels shuffled", "stops", "yes", (0.01, 0.08), "no", True),
        ],
    )
    def test_the_first_step_separates_the_causes_of_a_flat_loss(
        self, fault, verdict, gradient, update, add_to_one, active
    ):
        losses, seen = plateau.train(fault, seed=1)
        last = sum(losses[-50:]) / 50
        ends = "falls" if last < 0.3 else "stops" if last < 1.35 else "flat" if last < 1.5 else "rises"
        assert ends == verdict
        assert seen["gradient"] == gradient and seen["rows add to 1"] == add_to_one
        assert update[0] <= float(seen["update"]) <= update[1]
        assert (float(seen["active at the end"]) > 0.2) is active

    def test_the_lowest_loss_with_a_second_softmax(self):
        for classes in (4, 10):
            output = F.one_hot(torch.arange(classes)).float()
            lowest = math.log(math.e + classes - 1) - 1
            assert F.cross_entropy(output, torch.arange(classes)).item() == pytest.approx(lowest)

    @staticmethod
    def losses(activation, bias=None, size=1.0, rate=0.3, warmup=1, steps=300):
        torch.manual_seed(1)
        x = torch.randn(1024, 20)
        y = (x[:, :2].sum(dim=1) > 0) + 2 * (x[:, 2] > 0)
        model = nn.Sequential(nn.Linear(20, 8), activation, nn.Linear(8, 4))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter *= size
        if bias is not None:
            nn.init.constant_(model[0].bias, bias)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        found = []
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = rate * min(1, step / warmup)
            rows = torch.randint(1024, (128,))
            loss = F.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    @pytest.mark.parametrize("activation_layer", [nn.ReLU(), nn.LeakyReLU(), nn.GELU()], ids=repr)
    @pytest.mark.parametrize(("bias", "flat"), [(-20, True), (0, False)])
    def test_another_activation_does_not_repair_a_bias_of_minus_20_in_300_steps(self, activation_layer, bias, flat):
        last = sum(self.losses(activation_layer, bias)[-50:]) / 50
        assert last > 1.35 if flat else last < 0.3

    def test_the_slope_of_gelu_at_minus_20_is_zero(self):
        x = torch.tensor([-20.0], requires_grad=True)
        F.gelu(x).sum().backward()
        assert x.grad.item() == 0

    @pytest.mark.parametrize("setting", [{"warmup": 1000, "steps": 600}, {"size": 0.01}])
    def test_a_loss_that_is_flat_at_first_can_still_fall(self, setting):
        found = self.losses(nn.ReLU(), **setting)
        assert min(found[:40]) > 1.3 and sum(found[-50:]) / 50 < 0.3

    @pytest.mark.parametrize("rate", [0.1, 1.0])
    def test_a_rate_between_the_two_learns(self, rate):
        assert sum(self.losses(nn.ReLU(), rate=rate)[-50:]) / 50 < 0.5

    @pytest.mark.parametrize(("bias", "moves"), [(-20, False), (0, True)])
    def test_reduce_on_plateau_lowers_the_rate_of_dead_weights(self, bias, moves):
        torch.manual_seed(0)
        x = torch.randn(256, 20)
        y = (x[:, :2].sum(dim=1) > 0) + 2 * (x[:, 2] > 0)
        model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 4))
        nn.init.constant_(model[0].bias, bias)
        before = model[0].weight.detach().clone()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=5)
        for _ in range(120):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step(loss.item())
        assert (optimizer.param_groups[0]["lr"] > 1e-8) is moves
        assert torch.equal(model[0].weight, before) is not moves

    def test_reduce_on_plateau_lowers_the_plateau_of_a_high_rate(self):
        torch.manual_seed(1)
        w = torch.zeros(10, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.12)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        means = []
        for _ in range(12):
            losses = []
            for _ in range(100):
                x = torch.randn(4, 10)
                loss = (x @ w - x.sum(dim=1) - torch.randn(4)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            means.append(sum(losses) / 100)
            scheduler.step(means[-1])
        assert means[1] > 1.3 and sum(means[-4:]) / 4 == pytest.approx(1, abs=0.15)

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.Adam])
    @pytest.mark.parametrize("fault", ["dead", "zero"])
    def test_dead_relus_and_zero_weights_let_only_the_last_bias_move(self, optimizer_class, fault):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        if fault == "dead":
            nn.init.constant_(model[0].bias, -50)
        else:
            for parameter in model.parameters():
                nn.init.zeros_(parameter)
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        optimizer = optimizer_class(model.parameters(), lr=0.01)
        x, y = torch.randn(64, 6), torch.randint(3, (64,))
        for _ in range(5):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        assert [n for n, p in model.named_parameters() if not torch.equal(p, before[n])] == ["2.bias"]

    def test_a_last_layer_of_zeros_learns_first_and_the_layers_before_it_from_step_two_on(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        nn.init.zeros_(model[2].weight)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(64, 6), torch.randint(3, (64,))
        reached = []
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            reached.append((model[0].weight.grad.any().item(), model[2].weight.grad.any().item()))
            optimizer.step()
        assert reached == [(False, True), (True, True)]

    def test_weight_decay_in_adamw_shrinks_dead_weights(self):
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        nn.init.constant_(model[0].bias, -50)
        before = model[0].weight.detach().clone()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
        model(torch.randn(8, 6)).sum().backward()
        optimizer.step()
        torch.testing.assert_close(model[0].weight.detach(), before * 0.99)
        assert model[0].bias.detach().eq(-49.5).all()

    @pytest.mark.parametrize("activation_function", [F.leaky_relu, F.gelu])
    def test_leaky_relu_and_gelu_have_a_slope_on_the_negative_side(self, activation_function):
        x = torch.tensor([-2.0, -1.0], requires_grad=True)
        activation_function(x).sum().backward()
        assert x.grad.ne(0).all()
        x.grad = None
        F.relu(x).sum().backward()
        assert not x.grad.any()

    @pytest.mark.parametrize(
        ("change", "falls"), [("rate / 10", False), ("Adam", True), ("standardized", True), ("nothing", False)]
    )
    def test_features_of_unequal_scale_keep_a_plateau_that_a_lower_rate_does_not_help(self, change, falls):
        torch.manual_seed(0)
        w, scale = torch.zeros(10, requires_grad=True), torch.ones(10)
        scale[5:] = 0.03
        optimizer, found = torch.optim.SGD([w], lr=0.05), []
        for phase in range(2):
            if phase and change == "rate / 10":
                optimizer.param_groups[0]["lr"] = 0.005
            elif phase and change == "Adam":
                optimizer = torch.optim.Adam([w], lr=0.05)
            elif phase and change == "standardized":
                scale = torch.ones(10)
            for _ in range(1200):
                x = torch.randn(32, 10)
                loss = ((x * scale) @ w - x.sum(1)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            found.append(loss.item())
        assert found[0] > 1.5
        assert found[1] < 0.3 if falls else found[1] > 1.5

    def test_a_lower_rate_lowers_the_plateau_of_a_high_rate_only(self):
        first, second = plateau_later.plateaus("rate too high", seed=1)
        assert second < 0.85 * first and second == pytest.approx(1, abs=0.15)
        first, second = plateau_later.plateaus("term missing", seed=1)
        assert second > 0.85 * first and first > 1.5

    def test_the_first_step_of_adam_does_not_shrink_with_the_loss(self):
        moved = []
        for scale in (1.0, 1e-3):
            w = torch.ones(3, requires_grad=True)
            optimizer = torch.optim.Adam([w], lr=0.1)
            (scale * (w * torch.tensor([1.0, -2.0, 3.0])).sum()).backward()
            optimizer.step()
            moved.append((w.detach() - 1).norm())
        torch.testing.assert_close(moved[0], moved[1], rtol=1e-4, atol=0)

    def test_a_warmup_from_rate_0_has_a_gradient_and_no_update(self):
        weight = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.AdamW([weight], lr=0.1)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 10)
        moved = []
        for _ in range(2):
            before = weight.detach().clone()
            optimizer.zero_grad()
            weight.square().sum().backward()
            optimizer.step()
            scheduler.step()
            assert weight.grad.any()
            moved.append(not torch.equal(before, weight))
        assert moved == [False, True]
