"""What docs/mid/debugging/gradient-flow.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

flow = load_snippet("mid/debugging/gradient_flow.py")
flow_find = load_snippet("mid/debugging/gradient_flow_find.py")


class Net(nn.Module):
    """Five layers, of which the broken version trains one."""

    def __init__(self, broken):
        super().__init__()
        self.broken = broken
        for name in ("embed", "gate", "body", "extra", "head"):
            setattr(self, name, nn.Linear(8, 8))
        if broken:
            self.embed.requires_grad_(False)
            nn.init.constant_(self.body.bias, -100)

    def forward(self, x):
        h = self.embed(x)
        if self.broken:
            gate = (self.gate(h) > 0).float()
            return self.head(gate * h + self.body(h).relu())
        gate = self.gate(h).sigmoid()
        return self.head(self.extra(gate * h + self.body(h).relu()))


class Chain(nn.Module):
    """Three layers; the second can be frozen or run under no_grad(), and what it returns can be cut off."""

    def __init__(self, mode="grad"):
        super().__init__()
        self.mode = mode
        for name in ("first", "second", "head"):
            setattr(self, name, nn.Linear(4, 4))
        self.second.requires_grad_(mode == "grad" or mode == "detach")

    def forward(self, x):
        h = self.first(x).relu()
        with torch.set_grad_enabled(self.mode != "no_grad"):
            h = self.second(h)
        return self.head(h.detach() if self.mode == "detach" else h)


def kinds(model):
    """Per parameter: "None", "zero" or "a norm"."""
    found = [p.grad for p in model.parameters()]
    return ["None" if g is None else "a norm" if g.any() else "zero" for g in found]


class TestGradientFlow:
    def test_the_loop_prints_none_zero_or_the_norm(self, capsys):
        flow.check(flow.net)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[:2] for line in lines] == [
            ["embed.weight", "None"], ["gate.weight", "None"], ["body.weight", "0.0"],
            ["extra.weight", "None"], ["head.weight", "4.0"],
        ]  # fmt: skip
        layer = nn.Linear(2, 1)
        (layer(torch.tensor([[3.0, 4.0]]))).sum().backward()
        layer.requires_grad_(False)
        flow.check(layer)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[:2] for line in lines] == [["weight", "5.0"], ["bias", "1.0"]]
        assert all(line.endswith("requires_grad False") for line in lines)

    def test_the_loop_tells_none_zero_nan_and_a_norm_apart(self, capsys):
        model = Net(broken=True)
        model(torch.randn(8, 8)).square().mean().backward()
        model.head.bias.grad[0] = torch.nan
        flow.check(model)
        found = {line.split()[0]: line.split()[1] for line in capsys.readouterr().out.splitlines()}
        assert float(found.pop("head.weight")) == pytest.approx(model.head.weight.grad.norm().item())
        assert found == {
            "embed.weight": "None", "embed.bias": "None", "gate.weight": "None", "gate.bias": "None",
            "body.weight": "0.0", "body.bias": "0.0", "extra.weight": "None", "extra.bias": "None", "head.bias": "nan",
        }  # fmt: skip

    @pytest.mark.parametrize(("optimizer", "lr"), [(torch.optim.SGD, 0.1), (torch.optim.Adam, 0.01)])
    def test_the_loss_falls_and_four_of_five_layers_never_change(self, optimizer, lr):
        torch.manual_seed(0)
        model, x = Net(broken=True), torch.randn(32, 8)
        before = {name: p.clone() for name, p in model.named_parameters()}
        steps, losses = optimizer([p for p in model.parameters() if p.requires_grad], lr=lr), []
        for _ in range(30):
            steps.zero_grad()
            losses.append(model(x).square().mean())
            losses[-1].backward()
            steps.step()
        assert losses[-1] < 0.9 * losses[0]
        moved = {name.split(".")[0] for name, p in model.named_parameters() if not torch.equal(p, before[name])}
        assert moved == {"head"}

    @pytest.mark.parametrize("activation", [nn.Identity(), nn.Tanh()])
    def test_a_frozen_layer_passes_the_gradient_on_and_no_grad_cuts_it(self, activation):
        for frozen, no_grad in ((False, False), (True, False), (True, True)):
            torch.manual_seed(0)
            adapter, backbone, head = nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), activation), nn.Linear(3, 1)
            backbone.requires_grad_(not frozen)
            h = adapter(torch.ones(2, 3))
            with torch.set_grad_enabled(not no_grad):
                h = backbone(h)
            loss = head(h).square().sum()
            loss.backward()
            if not frozen:
                expected = loss.item(), adapter.weight.grad, head.weight.grad
            assert loss.item() == expected[0] and torch.equal(head.weight.grad, expected[2])
            assert (adapter.weight.grad is None) is no_grad
            assert no_grad or torch.equal(adapter.weight.grad, expected[1])
            assert not frozen or backbone[0].weight.grad is None

    @pytest.mark.parametrize("before", ["trained", "frozen"])
    def test_no_grad_around_a_frozen_layer_costs_nothing_if_nothing_before_it_is_trained(self, before):
        found = []
        for enabled in (True, False):
            torch.manual_seed(0)
            first, backbone, head = nn.Linear(3, 3), nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1)
            first.requires_grad_(before == "trained")
            h = first(torch.ones(2, 3))
            with torch.set_grad_enabled(enabled):
                h = backbone(h)
            head(h).sum().backward()
            found.append([layer.weight.grad for layer in (first, backbone, head)])
        lost = [a is not None and b is None for a, b in zip(*found, strict=True)]
        assert lost == [before == "trained", False, False] and torch.equal(found[0][2], found[1][2])

    @pytest.mark.parametrize(
        ("mode", "place", "requires_grad"),
        [
            ("grad", None, None),
            ("frozen", None, None),
            ("detach", "second", True),
            ("no_grad", "second", False),
            ("five layers", "gate", True),
        ],
    )
    def test_the_first_output_without_a_gradient_from_the_loss_back_is_at_the_cut(self, mode, place, requires_grad):
        model, outputs = Net(broken=True) if mode == "five layers" else Chain(mode), []

        def keep(name):
            def hook(module, args, output):
                if output.requires_grad:
                    output.retain_grad()
                outputs.append((name, output))

            return hook

        for name, module in model.named_children():
            module.register_forward_hook(keep(name))
        model(torch.randn(2, 8 if mode == "five layers" else 4)).sum().backward()
        without = [(name, output.requires_grad) for name, output in reversed(outputs) if output.grad is None]
        assert without[:1] == ([(place, requires_grad)] if place else [])

    def test_zero_times_a_factor_is_zero_and_small_factors_are_a_small_gradient(self):
        for factor in (0.0, 1e-3, torch.inf):
            first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)
            nn.init.constant_(second.weight, 1.0)
            second(first(torch.ones(1, 2)) * factor).sum().backward()
            assert first.weight.grad.eq(factor).all()

    @pytest.mark.parametrize("size", [2, 5])
    def test_after_clipping_one_nan_has_made_every_gradient_nan(self, size):
        model = nn.Sequential(nn.Linear(size, size), nn.Linear(size, 1))
        model(torch.ones(3, size)).sum().backward()
        model[0].weight.grad[0, 0] = torch.nan
        assert sum(p.grad.isnan().sum().item() for p in model.parameters()) == 1
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        assert all(p.grad.isnan().all() for p in model.parameters())

    @pytest.mark.parametrize("scale", [2.0, 1024.0])
    def test_a_scaler_multiplies_gradients_until_they_are_unscaled(self, scale):
        layer = nn.Linear(2, 1)
        optimizer, scaler = torch.optim.SGD(layer.parameters()), torch.amp.GradScaler("cpu", init_scale=scale)
        scaler.scale(layer(torch.ones(1, 2)).sum()).backward()
        assert layer.weight.grad.tolist() == [[scale, scale]]
        scaler.unscale_(optimizer)
        assert layer.weight.grad.tolist() == [[1, 1]]

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
    def test_in_float16_a_small_gradient_rounds_to_zero_and_a_scaler_prevents_it(self, dtype):
        for scale in (1.0, 2.0**16):
            layer = nn.Linear(2, 1, bias=False)
            h = layer(torch.ones(1, 2)).to(dtype)
            scaler = torch.amp.GradScaler("cpu", init_scale=scale)
            scaler.scale((h * 1e-4 * 1e-4).float().sum()).backward()
            assert layer.weight.grad.any().item() is (dtype is torch.float32 or scale > 1)

    @pytest.mark.parametrize("to", ["meta", torch.float64])
    def test_the_loop_does_not_list_what_is_not_registered(self, to):
        class Hidden(nn.Module):
            def __init__(self):
                super().__init__()
                self.head, self.layers = nn.Linear(2, 1), [nn.Linear(2, 2)]
                self.scale = nn.Parameter(torch.ones(2)).to(to)
                self.kept = nn.Parameter(torch.ones(2, device="meta"))

        model = Hidden()
        assert [name for name, _ in model.named_parameters()] == ["kept", "head.weight", "head.bias"]
        assert not model.scale.is_leaf and model.scale.requires_grad and not isinstance(model.scale, nn.Parameter)

    def test_only_floats_carry_a_gradient(self):
        h = torch.randn(3, 4, requires_grad=True)
        assert h.argmax(1).dtype is torch.int64 and (h > 0).dtype is torch.bool and h.round().dtype is torch.float32
        for cut in (h.argmax(1), h > 0, h.int()):
            assert not cut.requires_grad
            with pytest.raises(RuntimeError, match="floating point"):
                cut.requires_grad_()

    @pytest.mark.parametrize(
        ("between", "graph", "zero"),
        [
            (torch.floor, True, True),
            (torch.round, True, True),
            (torch.sign, True, True),
            (lambda h: h.clamp(max=-100), True, True),
            (lambda h: h.argmax(1, keepdim=True).float().expand(-1, 4), False, None),
            (lambda h: (h > 0).float(), False, None),
            (lambda h: h.detach(), False, None),
            (lambda h: h.int().float(), False, None),
        ],
    )
    def test_an_operation_cuts_the_graph_or_has_derivative_zero(self, between, graph, zero):
        first, second = nn.Linear(4, 4), nn.Linear(4, 1)
        h = between(first(torch.randn(6, 4)))
        loss = second(h).square().mean()
        loss.backward()
        assert h.requires_grad is graph and loss.requires_grad
        if zero:
            assert not first.weight.grad.any()
        else:
            assert first.weight.grad is None

    def test_no_grad_cuts_as_well(self):
        first, second = nn.Linear(4, 4), nn.Linear(4, 1)
        with torch.no_grad():
            h = first(torch.randn(6, 4))
        second(h).sum().backward()
        assert first.weight.grad is None and second.weight.grad is not None

    def test_the_cut_is_behind_the_last_module_marked_after(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Tanh(), flow_find.Encoder()), nn.Linear(4, 1))
        found = flow_find.cuts(model, torch.randn(2, 4))
        assert found == ["0: after", "1.0: after", "1.1.layer: after", "1.1: inside", "1: inside"]
        assert flow_find.cuts(Net(broken=True), torch.randn(2, 8)) == ["gate: after"]
        assert flow_find.cuts(flow_find.Encoder(), torch.randn(2, 4)) == ["layer: after", "the model: inside"]

    @pytest.mark.parametrize("activation", [nn.Identity(), nn.Tanh()])
    def test_a_detach_in_place_is_found_as_well(self, activation):
        class InPlace(flow_find.Encoder):
            def forward(self, x):
                return activation(self.layer(x)).detach_()

        model = nn.Sequential(nn.Linear(4, 4), InPlace(), nn.Linear(4, 1))
        assert flow_find.cuts(model, torch.randn(2, 4)) == ["0: after", "1.layer: after", "1: inside"]

    def test_inside_can_be_a_frozen_module_with_a_trained_layer_that_it_does_not_use(self):
        class Unused(flow_find.Encoder):
            def forward(self, x):
                return self.layer(x)

        module = Unused()
        module.layer.requires_grad_(False)
        assert flow_find.cuts(nn.Sequential(module, nn.Linear(4, 1)), torch.randn(2, 4)) == []
        module.extra = nn.Linear(4, 4)
        assert flow_find.cuts(nn.Sequential(module, nn.Linear(4, 1)), torch.randn(2, 4)) == ["0: inside"]

    @pytest.mark.parametrize("beside", [True, False])
    def test_backward_raises_only_if_no_trained_layer_stands_behind_the_cut_or_beside_it(self, beside):
        layer, gate, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(5, 4)
        loss = ((layer(x) if beside else x) * (gate(x) > 0)).sum()
        if beside:
            loss.backward()
            assert gate.weight.grad is None and layer.weight.grad is not None
        else:
            with pytest.raises(RuntimeError, match="does not require grad"):
                loss.backward()

    @pytest.mark.parametrize(("called", "text"), [(True, "zero"), (False, "None")])
    def test_an_expert_called_with_no_rows_has_a_zero_and_one_that_is_not_called_has_none(self, called, text):
        used, expert, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(5, 4)
        parts = [used(x), expert(x[:0])] if called else [used(x)]
        torch.cat(parts).sum().backward()
        assert kinds(expert) == [text, text]

    def test_the_hooks_are_removed_also_if_forward_raises(self):
        model = nn.Sequential(nn.Linear(4, 4), flow_find.Encoder())
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            flow_find.cuts(model, torch.randn(2, 5))
        assert not any(module._forward_hooks for module in model.modules())

    @pytest.mark.parametrize(
        "model",
        [
            nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4)),
            nn.LSTM(4, 4),
            nn.TransformerEncoderLayer(4, 2, batch_first=True),
            nn.Linear(4, 4).requires_grad_(False),
        ],
    )
    def test_a_model_without_a_cut_is_not_accused(self, model):
        assert flow_find.cuts(model, torch.randn(2, 3, 4)) == []

    def test_the_cut_is_found_through_keywords_tuples_and_dicts(self):
        class Cut(nn.Module):
            def forward(self, *, h):
                return {"h": h.detach()}

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.cut, self.head = nn.LSTM(4, 4), Cut(), nn.Linear(4, 1)

            def forward(self, x, frozen=False):
                with torch.set_grad_enabled(not frozen):
                    h, _ = self.lstm(x)
                return self.head(self.cut(h=h)["h"])

        assert flow_find.cuts(Net(), torch.randn(2, 3, 4)) == ["lstm: after", "cut: inside"]
        assert flow_find.cuts(Net(), torch.randn(2, 3, 4), frozen=True) == ["lstm: inside"]

    def test_a_module_that_returns_another_type_is_refused(self):
        class Shape(nn.Module):
            def forward(self, x):
                return x.dim()

        with pytest.raises(TypeError, match="^0 returns int: no tensor$"):
            flow_find.cuts(nn.Sequential(Shape()), torch.zeros(2))

    @pytest.mark.parametrize(("set_to_none", "text"), [(True, "None"), (False, "zero")])
    def test_a_zero_can_be_left_over_from_zero_grad(self, set_to_none, text):
        used, other = nn.Linear(2, 2), nn.Linear(2, 2)
        (used(torch.ones(1, 2)) + other(torch.ones(1, 2))).sum().backward()
        other.zero_grad(set_to_none=set_to_none)
        used(torch.ones(1, 2)).sum().backward()
        assert kinds(other) == [text, text]

    def test_the_healthy_network_has_a_gradient_everywhere(self):
        model = Net(broken=False)
        model(torch.randn(8, 8)).square().mean().backward()
        assert kinds(model) == ["a norm"] * 10

    def test_a_warmup_by_lambda_can_start_at_zero(self):
        w = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 10)
        w.sum().backward()
        optimizer.step()
        assert w.item() == 1 and w.grad.item() == 1

    def test_gumbel_softmax_is_one_hot_and_passes_a_gradient(self):
        logits = torch.randn(6, 4, requires_grad=True)
        chosen = F.gumbel_softmax(logits, hard=True)
        torch.testing.assert_close(chosen.detach(), F.one_hot(chosen.argmax(1), 4).float())
        (chosen * torch.arange(4.0)).sum().backward()
        assert logits.grad.any()

    def test_the_straight_through_estimator_rounds_and_passes_the_gradient(self):
        h = torch.tensor([0.3, 1.7, -2.2], requires_grad=True)
        y = h + (h.round() - h).detach()
        torch.testing.assert_close(y, h.round())
        y.sum().backward()
        assert h.grad.tolist() == [1.0, 1.0, 1.0]

    def test_the_optimizer_skips_none_and_moves_a_parameter_with_a_zero_gradient(self):
        for gradient, moves in ((None, False), (torch.zeros(2), True)):
            w = torch.ones(2, requires_grad=True)
            w.grad = gradient
            torch.optim.AdamW([w], lr=0.1, weight_decay=0.1).step()
            assert w.detach().ne(1).all().item() is moves

    def test_retain_grad_shows_where_the_gradient_becomes_zero(self):
        model = Net(broken=True)
        x = torch.randn(4, 8)
        before = model.body(x)
        after = before.relu()
        before.retain_grad()
        after.retain_grad()
        model.head(after).sum().backward()
        assert after.grad.any() and not before.grad.any()
