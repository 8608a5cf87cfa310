"""What docs/mid/debugging/gradient-flow.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

flow = load_snippet("mid/debugging/gradient_flow.py")
flow_find = load_snippet("mid/debugging/gradient_flow_find.py")


class TestGradientFlow:
    def test_the_report_tells_five_kinds_of_gradient_apart(self):
        model = flow.Net(broken=True)
        model(torch.randn(8, 8)).square().mean().backward()
        model.head.bias.grad[0] = torch.nan
        found = flow.report(model)
        assert {name: value for name, value in found.items() if isinstance(value, str)} == {
            "embed.weight": "frozen", "embed.bias": "frozen", "gate.weight": "None", "gate.bias": "None",
            "body.weight": "zero", "body.bias": "zero", "extra.weight": "None", "extra.bias": "None",
            "head.bias": "not finite",
        }  # fmt: skip
        assert found["head.weight"] == pytest.approx(model.head.weight.grad.norm().item())

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
        assert flow_find.cuts(flow.Net(broken=True), torch.randn(2, 8)) == ["gate: after"]
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
        assert flow.report(expert) == {"weight": text, "bias": text}

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

    def test_the_report_takes_sparse_gradients_and_norms_above_the_range_of_float16(self):
        embedding = nn.Embedding(5, 3, sparse=True)
        embedding(torch.tensor([1, 1])).sum().backward()
        assert flow.report(embedding)["weight"] == pytest.approx(math.sqrt(12))
        half = nn.Linear(2, 2, bias=False).half()
        half.weight.grad = torch.full_like(half.weight, 6e4)
        assert flow.report(half)["weight"] == pytest.approx(1.2e5)

    @pytest.mark.parametrize(("set_to_none", "text"), [(True, "None"), (False, "zero")])
    def test_a_zero_can_be_left_over_from_zero_grad(self, set_to_none, text):
        used, other = nn.Linear(2, 2), nn.Linear(2, 2)
        (used(torch.ones(1, 2)) + other(torch.ones(1, 2))).sum().backward()
        other.zero_grad(set_to_none=set_to_none)
        used(torch.ones(1, 2)).sum().backward()
        assert flow.report(other)["weight"] == text

    def test_the_healthy_network_has_a_gradient_everywhere(self):
        model = flow.Net(broken=False)
        model(torch.randn(8, 8)).square().mean().backward()
        assert all(isinstance(value, float) for value in flow.report(model).values())

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
        model = flow.Net(broken=True)
        x = torch.randn(4, 8)
        before = model.body(x)
        after = before.relu()
        before.retain_grad()
        after.retain_grad()
        model.head(after).sum().backward()
        assert after.grad.any() and not before.grad.any()

    @pytest.mark.parametrize("cut", [0, 1, 2])
    def test_the_last_module_whose_output_has_no_gradient_is_right_before_the_cut(self, cut: int):
        torch.manual_seed(cut)
        layers, outputs = nn.ModuleList(nn.Linear(4, 4) for _ in range(4)), {}

        def keep(module: nn.Module, args: tuple, output: torch.Tensor) -> None:
            output.retain_grad()
            outputs[module] = output

        for layer in layers:
            layer.register_forward_hook(keep)
        h = torch.randn(3, 4)
        for number, layer in enumerate(layers):
            h = layer(h).tanh()
            h = h.detach() if number == cut else h
        h.square().mean().backward()
        reached = [outputs[layer].grad is not None for layer in layers]
        assert reached == [number > cut for number in range(4)]

    @pytest.mark.parametrize("frozen", [1, 2])
    def test_an_output_of_frozen_layers_cannot_keep_its_gradient(self, frozen: int):
        layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(3)))
        layers[:frozen].requires_grad_(False)
        h = torch.randn(2, 4)
        for number, layer in enumerate(layers):
            h = layer(h)
            if number < frozen:
                with pytest.raises(RuntimeError, match="can't retain_grad"):
                    h.retain_grad()
            else:
                h.retain_grad()

    @pytest.mark.parametrize("trained", [nn.Linear, nn.LazyLinear])
    def test_the_loss_requires_grad_behind_a_detach_and_the_layers_before_get_none(self, trained: type):
        first, last = nn.Linear(4, 4), trained(4, 1) if trained is nn.Linear else trained(1)
        loss = last(first(torch.randn(2, 4)).detach()).sum()
        assert loss.requires_grad
        loss.backward()
        assert first.weight.grad is None and last.weight.grad is not None

    def test_the_loop_of_the_page_tells_the_five_layers_apart(self):
        names = ("embed", "gate", "body", "extra", "head")
        for seed in range(3):
            torch.manual_seed(seed)
            net = nn.ModuleDict({name: nn.Linear(8, 8) for name in names})
            net["embed"].requires_grad_(False)
            nn.init.constant_(net["body"].bias, -100)
            h = net["embed"](torch.randn(32, 8))
            h = (net["gate"](h) > 0).float() * h + net["body"](h).relu()
            net["head"](h).square().mean().backward()
            grads = {name: net[name].weight.grad for name in names}
            assert [name for name in names if grads[name] is None] == ["embed", "gate", "extra"]
            assert not grads["body"].any() and grads["head"].any()
