"""The claims of docs/mid/modeling/activation-functions.md, proven beyond the examples shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

slopes = load_snippet("mid/modeling/activation_functions_slopes.py")
regress = load_snippet("mid/modeling/activation_functions_dead.py").regress


def layer_factor(name: str, variance: float, std: float, seed: int = 0) -> tuple[float, float]:
    """Mean square of the gradient below one wide layer over that above it, and the factor of the formula."""
    generator = torch.Generator().manual_seed(seed)
    kind = {"generator": generator, "dtype": torch.float64}
    z = (torch.randn(64, 512, **kind) * std).requires_grad_()
    w = torch.randn(512, 512, **kind) * (variance / 512) ** 0.5
    above = torch.randn(64, 512, **kind)
    (getattr(nn, name)()(z) @ w).backward(above)
    return (z.grad.square().mean() / above.square().mean()).item(), variance * slopes.mean_square_slope(name, std)


class TestActivationFunctions:
    @pytest.mark.parametrize("name", slopes.NAMES)
    @pytest.mark.parametrize("variance", [1 / 3, 2.0])
    @pytest.mark.parametrize("std", [0.1, 1.0, 5.0])
    def test_factor_of_a_layer(self, name, variance, std):
        measured, formula = layer_factor(name, variance, std)
        assert measured == pytest.approx(formula, rel=0.1)

    @pytest.mark.parametrize("k", [0.25, 8])
    def test_gradient_is_summed_over_the_outputs(self, k):
        z = torch.randn(128, 256, dtype=torch.float64, requires_grad=True)
        layer = nn.Linear(256, int(256 * k), dtype=torch.float64)
        above = torch.randn(128, int(256 * k), dtype=torch.float64)
        layer(z.relu()).backward(above)
        assert (z.grad.square().mean() / above.square().mean()).item() == pytest.approx(k / 3 * 0.5, rel=0.1)

    @pytest.mark.parametrize("std", [0.01, 1.0, 30.0])
    def test_relu_has_one_half_at_each_scale_and_sigmoid_at_most_a_sixteenth(self, std):
        assert slopes.mean_square_slope("ReLU", std) == pytest.approx(0.5, abs=0.001)
        assert slopes.mean_square_slope("Sigmoid", std) <= 1 / 16 + 1e-9

    @pytest.mark.parametrize("name", ["GELU", "SiLU"])
    def test_a_quarter_near_zero_and_more_for_large_inputs(self, name):
        assert slopes.mean_square_slope(name, 0.01) == pytest.approx(0.25, abs=0.001)
        assert 0.48 < slopes.mean_square_slope(name, 20) < 0.52

    def test_default_of_linear_has_a_third(self):
        weight = nn.Linear(400, 500).weight
        assert weight.var().item() * 400 == pytest.approx(1 / 3, rel=0.02)

    @pytest.mark.parametrize("name", slopes.NAMES)
    def test_slope_is_the_derivative(self, name):
        z = torch.tensor([-1.3, 0.4, 2.0], dtype=torch.float64)
        function = getattr(nn, name)()
        difference = (function(z + 1e-6) - function(z - 1e-6)) / 2e-6
        assert torch.allclose(slopes.slope(name, z), difference, atol=1e-8)

    @pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
    @pytest.mark.parametrize("bias", [-5.0, -8.0])
    def test_dead_relus_stay_dead(self, optimizer, bias):
        dead, loss = regress("ReLU", optimizer, 0.05, bias, steps=30)
        assert dead == 1.0 and loss > 0.8

    @pytest.mark.parametrize(("norm", "alive"), [(nn.Identity, 0), (nn.LayerNorm, 0), (nn.BatchNorm1d, 1)])
    @pytest.mark.parametrize("share", [0.25, 0.5])
    @pytest.mark.parametrize("rate", [0.0001, 0.01])
    def test_batch_norm_revives_dead_units_and_layer_norm_and_a_lower_rate_do_not(self, norm, alive, share, rate):
        torch.set_num_threads(1)
        x, hidden, dead = torch.randn(256, 8), nn.Linear(8, 64), int(64 * share)
        nn.init.constant_(hidden.bias[:dead].data, -8)
        units = nn.Sequential(hidden, norm(64), nn.ReLU())
        model = nn.Sequential(units, nn.Linear(64, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=rate)
        for _ in range(10):
            optimizer.zero_grad()
            (model(x) - x[:, :1]).square().mean().backward()
            optimizer.step()
        assert (units(x)[:, :dead] > 0).any(dim=0).double().mean() == alive

    def test_gelu_on_the_negative_side_needs_adam(self):
        torch.set_num_threads(1)
        for rate in (0.05, 0.8):
            dead, sgd = regress("GELU", "SGD", rate, steps=100)
            assert dead == 0 and sgd > 0.8
        for name in ("GELU", "LeakyReLU"):
            assert regress(name, "Adam", 0.02, steps=100)[1] < 0.1
        assert regress("ReLU", "Adam", 0.02, bias=0.0, steps=100)[1] < 0.1

    @pytest.mark.parametrize(
        ("name", "low", "high"), [("GELU", 0, 1e-4), ("LeakyReLU", 0.005, 0.02), ("Softplus", 0.005, 0.02)]
    )
    def test_slope_at_minus_five_decides_who_recovers_with_sgd(self, name, low, high):
        torch.set_num_threads(1)
        assert low < abs(slopes.slope(name, torch.tensor([-5.0])).item()) < high
        for rate in (0.6, 0.7):
            assert (regress(name, "SGD", rate)[1] < 0.5) is (name != "GELU")

    @pytest.mark.parametrize("bias", [-15.0, -30.0])
    def test_gelu_in_float32_dies_further_out(self, bias):
        dead, loss = regress("GELU", "Adam", 0.02, bias, steps=30)
        assert dead == 1.0 and loss > 0.8
        assert regress("Softplus", "Adam", 0.02, -15.0, steps=1)[0] == 0.0

    @pytest.mark.parametrize(("last", "low", "high"), [("ReLU", 0, torch.inf), ("Tanh", -1, 1)])
    def test_an_activation_behind_the_last_layer_bounds_the_loss(self, last, low, high):
        y = torch.randn(500) * 2
        outputs = getattr(nn, last)()(torch.linspace(-50, 50, 1001))
        nearest = (outputs - y[:, None]).abs().min(dim=1).values
        assert nearest.square().mean().item() == pytest.approx(
            (y.clamp(low, high) - y).square().mean().item(), abs=0.02
        )

    @pytest.mark.parametrize("depth", [10, 20])
    def test_a_stack_of_sigmoids_vanishes_unless_batch_norm_is_in_front(self, depth):
        ratios = []
        for normalize in (False, True):
            torch.manual_seed(0)
            h = x = torch.randn(64, 128, dtype=torch.float64, requires_grad=True)
            for _ in range(depth):
                z = h @ torch.randn(128, 128, dtype=torch.float64) * 128**-0.5
                h = torch.sigmoid(F.batch_norm(z, None, None, training=True) if normalize else z)
            h.backward(out := torch.randn_like(h))
            ratios.append((x.grad.norm() / out.norm()).item())
        assert ratios[0] < 0.3**depth and ratios[1] > 0.1

    def test_linear_layers_without_activation_are_one(self):
        stack = nn.Sequential(nn.Linear(4, 9), nn.Linear(9, 7), nn.Linear(7, 3)).double()
        x = torch.randn(5, 4, dtype=torch.float64)
        bias = stack(torch.zeros(1, 4, dtype=torch.float64))
        matrix = stack[2].weight @ stack[1].weight @ stack[0].weight
        torch.testing.assert_close(stack(x), x @ matrix.T + bias)

    def test_tanh_form_of_gelu(self):
        x = torch.linspace(-8, 8, 2001, dtype=torch.float64)
        inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
        torch.testing.assert_close(F.gelu(x, approximate="tanh"), 0.5 * x * (1 + inner.tanh()))
        assert 1e-4 < (F.gelu(x) - F.gelu(x, approximate="tanh")).abs().max() < 1e-3

    @pytest.mark.parametrize(("name", "stored"), [("ReLU", 1), ("GELU", 2), ("SiLU", 2)])
    def test_what_an_activation_keeps(self, name, stored):
        kept = {}

        def pack(t):
            kept[t.data_ptr()] = t.shape
            return t

        x, last = torch.randn(8, 16), nn.Linear(32, 4)
        first = nn.Linear(16, 32)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = last(getattr(nn, name)()(first(x)))
        assert y.shape == (8, 4)
        assert sum(shape == (8, 32) for shape in kept.values()) == stored
