"""What docs/mid/autograd/multiple-backward.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

fixes = load_snippet("mid/autograd/multiple_backward_fixes.py")
memory = load_snippet("mid/autograd/multiple_backward_memory.py")

SECOND_TIME = "backward through the graph a second time"


class TestMultipleBackward:
    @pytest.mark.parametrize(
        "operation", [lambda x: x + 1, torch.neg, lambda x: x.cumsum(0), lambda x: x[1:], lambda x: x - x.mean()]
    )
    def test_without_saved_tensors_the_gradient_doubles(self, operation):
        x = torch.randn(3, requires_grad=True)
        loss = operation(x).sum()
        loss.backward()
        first = x.grad.clone()
        loss.backward()
        assert torch.equal(x.grad, 2 * first)

    @pytest.mark.parametrize(
        "operation",
        [lambda x: 2 * x, torch.exp, torch.relu, lambda x: x**2, lambda x: x / 2, nn.Linear(3, 2), nn.Softmax(0)],
    )
    def test_with_saved_tensors_the_second_raises_unless_they_are_retained(self, operation):
        x = torch.randn(3, requires_grad=True)
        loss = operation(x).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        x.grad = None
        loss = operation(x).sum()
        loss.backward(retain_graph=True)
        first = x.grad.clone()
        loss.backward()
        assert torch.allclose(x.grad, 2 * first)

    @pytest.mark.parametrize("operation", [lambda x: x + 1, torch.neg])
    def test_a_compiled_function_refuses_a_second_call_without_retain_graph(self, operation):
        for retain in (False, True):
            x = torch.ones(3, requires_grad=True)
            loss = torch.compile(operation, backend="aot_eager")(x).sum()
            loss.backward(retain_graph=retain)
            first = x.grad.clone()
            if retain:
                loss.backward()
                assert torch.equal(x.grad, 2 * first)
            else:
                with pytest.raises(RuntimeError, match=SECOND_TIME):
                    loss.backward()

    def test_all_fixes_give_one_gradient_and_two_visit_the_trunk_once(self):
        names = ("retain_graph", "one sum", "one call, two losses", "forward twice")
        found = [fixes.gradient(name) for name in names]
        assert [values for values, _ in found] == [[4.0, 4.0]] * 4
        assert [visits for _, visits in found] == [2, 1, 1, 2]

    def test_backward_frees_layer_by_layer_and_retain_graph_nothing(self):
        layers = memory.LAYERS
        rise = [float(n) for n in range(layers + 1)]
        assert memory.held(False) == rise + rise[-2::-1]
        assert memory.held(True) == rise + [float(layers)] * layers

    def test_a_failed_backward_leaves_part_of_the_gradients(self):
        a, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
        loss = (a.exp() + b.neg()).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        assert a.grad.tolist() == [1, 1] and b.grad.tolist() == [-2, -2]

    def test_create_graph_retains(self):
        x = torch.ones(2, requires_grad=True)
        y = (x**3).sum()
        torch.autograd.grad(y, x, create_graph=True)
        y.backward()
        assert x.grad.tolist() == [3, 3]
        y = (x**3).sum()
        torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            y.backward()

    @pytest.mark.parametrize("as_attribute", [True, False])
    def test_a_tensor_kept_as_an_attribute_is_not_freed(self, as_attribute: bool):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x: torch.Tensor) -> torch.Tensor:
                if as_attribute:
                    ctx.x = x
                else:
                    ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g: torch.Tensor) -> torch.Tensor:
                return 2 * g * (ctx.x if as_attribute else ctx.saved_tensors[0])

        x = torch.ones(2, requires_grad=True)
        loss = Square.apply(x).sum()
        loss.backward()
        if as_attribute:
            loss.backward()
            assert x.grad.tolist() == [4, 4]
        else:
            with pytest.raises(RuntimeError, match=SECOND_TIME):
                loss.backward()

    @pytest.mark.parametrize("trained", ["weight", "bias"])
    def test_a_linear_layer_with_a_trained_weight_has_saved_its_input(self, trained: str):
        layer = nn.Linear(2, 1).requires_grad_(False)
        layer.get_parameter(trained).requires_grad_()
        loss = layer(torch.ones(4, 2)).sum()
        loss.backward()
        if trained == "weight":
            with pytest.raises(RuntimeError, match=SECOND_TIME):
                loss.backward()
        else:
            loss.backward()
            assert layer.bias.grad.item() == 8

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_a_fused_step_is_not_noticed(self, optimizer: type):
        for fused in (True, False):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
            made = optimizer(model.parameters(), lr=0.1, fused=fused)
            loss = model(torch.ones(4, 2)).square().mean()
            loss.backward(retain_graph=True)
            old = model[0].weight.grad.clone()
            made.step()
            made.zero_grad()
            if fused:
                loss.backward()
                assert not torch.allclose(model[0].weight.grad, old)  # the second layer's new weight
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()

    def test_grad_frees_only_what_it_visits(self):
        x = torch.ones(2, requires_grad=True)
        h = x.exp()
        loss = (h * h).sum()
        torch.autograd.grad(loss, h)
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            loss.backward()
        h.sum().backward()
        assert torch.allclose(x.grad, x.detach().exp())

    def test_a_step_in_between_raises_if_a_weight_was_saved(self):
        for layers, raises in ((1, False), (2, True)):
            model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(layers)))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loss = model(torch.ones(4, 2)).square().mean()
            loss.backward(retain_graph=True)
            stale = model[0].weight.grad.clone()
            optimizer.step()
            optimizer.zero_grad()
            if raises:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()
            else:
                loss.backward()
                assert torch.equal(model[0].weight.grad, stale)

    def test_a_state_that_is_carried_over_makes_every_backward_longer(self):
        w, state, visits, counts = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0), [], []
        for _ in range(4):
            state = (w * state).tanh()
            state.grad_fn.register_prehook(lambda _: visits.append(1))
            state.backward(retain_graph=True)
            counts.append(len(visits))
            visits.clear()
        assert counts == [1, 2, 3, 4]

    @pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell])
    def test_a_state_that_is_carried_over_raises_after_a_step(self, cell: type[nn.Module]):
        for detach in (True, False):
            made, state = cell(2, 3), torch.zeros(1, 3)
            sgd = torch.optim.SGD(made.parameters(), lr=0.1)
            for i in range(3):  # the first step has no weight of the state to keep: its state is data
                state = made(torch.ones(1, 2), state.detach() if detach else state)
                if i == 2 and not detach:
                    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                        state.sum().backward(retain_graph=True)
                else:
                    state.sum().backward(retain_graph=True)
                    sgd.step()
