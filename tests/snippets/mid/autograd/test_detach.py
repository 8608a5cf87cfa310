"""What docs/mid/autograd/detach.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

ways = load_snippet("mid/autograd/detach_ways.py")
gan = load_snippet("mid/autograd/detach_gan.py")
graph = load_snippet("mid/autograd/detach_graph.py")

SECOND_TIME = "backward through the graph a second time"


class TestDetach:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_same_memory_and_no_history(self, dtype: torch.dtype):
        y = torch.randn(3, dtype=dtype, requires_grad=True) * 2
        d = y.detach()
        assert d.data_ptr() == y.data_ptr() and d.grad_fn is None and not d.requires_grad and d.is_leaf
        assert y.grad_fn is not None and y.requires_grad
        d += 1
        assert torch.equal(d, y) and y._version == d._version == 1

    def test_the_detached_factor_is_a_constant(self):
        x = torch.randn(4, dtype=torch.float64, requires_grad=True)
        for attached, cut in ((1, 0), (1, 1), (1, 2), (2, 1), (3, 2)):
            y = x.sin()
            expected = attached * y ** (attached + cut - 1) * x.cos()
            found = torch.autograd.grad((y**attached * y.detach() ** cut).sum(), x)[0]
            assert torch.allclose(found, expected)

    def test_which_ways_share_flow_and_notice(self):
        found = {name: ways.properties(cut) for name, cut in ways.WAYS.items()}
        assert found["y.detach()"] == (False, True, "backward raises")
        assert found["y.data"] == (False, True, "GRADIENT WRONG")
        assert found["y.clone()"] == (True, False, "gradient right")
        assert found["y.detach().clone()"] == (False, False, "gradient right")
        assert ways.properties(lambda y: y.clone().detach()) == (False, False, "gradient right")

    def test_detach_in_the_discriminators_step_matters_if_the_gradient_is_cleared_too_early(self):
        reference, reached = gan.train(True, "before its backward")
        assert not reached
        assert torch.equal(gan.train(True, "after its step")[0], reference)
        weights, reached = gan.train(False, "before its backward")
        assert reached and torch.equal(weights, reference)
        assert not torch.allclose(gan.train(False, "after its step")[0], reference, atol=1e-3)

    @pytest.mark.parametrize("last", [nn.Identity, nn.Tanh])
    def test_one_fake_batch_for_both_steps_raises_without_the_cut(self, last: type[nn.Module]):
        G, D = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), last()), nn.Linear(3, 1)
        for cut in (True, False):
            fake = G(torch.randn(4, 2))
            D(fake.detach() if cut else fake).square().mean().backward()
            if cut:
                D(fake).mean().backward()
            else:
                with pytest.raises(RuntimeError, match=SECOND_TIME):
                    D(fake).mean().backward()

    def test_the_discriminators_gradient_does_not_depend_on_the_cut(self):
        torch.manual_seed(0)
        G, D = nn.Sequential(nn.Linear(2, 5), nn.ReLU()), nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
        fake = G(torch.randn(8, 2))
        cut = torch.autograd.grad(D(fake.detach()).mean(), list(D.parameters()))
        whole = torch.autograd.grad(D(fake).mean(), list(D.parameters()))
        assert all(map(torch.equal, cut, whole))
        D(fake.detach()).mean().backward()
        assert all(p.grad is None for p in G.parameters()) and all(p.grad is not None for p in D.parameters())

    def test_an_attached_target_moves_as_well(self):
        net = nn.Linear(3, 1)
        state, following = torch.randn(4, 3), torch.randn(4, 3)
        value, target = net(state), 1 + 0.9 * net(following)
        detached = torch.autograd.grad(F.mse_loss(value, target.detach()), net.weight, retain_graph=True)[0]
        attached = torch.autograd.grad(F.mse_loss(value, target), net.weight)[0]
        residual = (target - value).detach()
        assert torch.allclose(detached, -2 * (residual * state).mean(0), atol=1e-5)
        assert torch.allclose(attached, 2 * (residual * (0.9 * following - state)).mean(0), atol=1e-5)

    def test_truncation_needs_both_states_of_an_lstm(self):
        lstm = nn.LSTM(2, 3)
        for cut, raises in ((lambda h, c: (h.detach(), c.detach()), False), (lambda h, c: (h.detach(), c), True)):
            output, state = lstm(torch.randn(4, 1, 2))
            output.sum().backward()
            again = lstm(torch.randn(4, 1, 2), cut(*state))[0].sum()
            if raises:
                with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                    again.backward()
            else:
                again.backward()

    def test_numpy_needs_it(self):
        with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
            torch.ones(1, requires_grad=True).numpy()

    @pytest.mark.parametrize("operation", [torch.sigmoid, torch.exp])
    def test_a_write_through_numpy_is_not_noticed(self, operation: Callable[[torch.Tensor], torch.Tensor]):
        for through_numpy in (True, False):
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            y = operation(w)
            if through_numpy:
                y.detach().numpy()[:] = 0
                y.sum().backward()
                assert w.grad.tolist() == [0, 0]  # both keep their output
            else:
                y.detach()[:] = 0
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    y.sum().backward()

    def test_straight_through(self):
        x = torch.tensor([0.2, 1.7], requires_grad=True)
        y = x + (x.round() - x).detach()
        y.sum().backward()
        assert torch.allclose(y, x.round()) and x.grad.tolist() == [1, 1]
        infinite = torch.tensor(float("inf"))
        assert (infinite + (infinite.round() - infinite)).isnan()

    def test_the_picture_draws_each_node_once_and_stops_at_none(self):
        class Axes:
            def __init__(self):
                self.texts = []

            def text(self, x: float, y: float, text: str, **_):
                self.texts.append((text, round(y)))

            def plot(self, *_, **__):
                pass

        a, b = (torch.ones((), requires_grad=True) for _ in range(2))
        axes = Axes()
        graph.draw((a * b.exp().detach() + b).grad_fn, {a: "a", b: "b"}, axes)
        assert axes.texts == [("Add", 0), ("Mul", -1), ("a.grad", -2), ("None", -2), ("b.grad", -1)]
