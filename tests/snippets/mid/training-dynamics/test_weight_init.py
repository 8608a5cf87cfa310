"""What docs/mid/training-dynamics/weight-init.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

depth = load_snippet("mid/training-dynamics/weight_init_depth.py")
training = load_snippet("mid/training-dynamics/weight_init_training.py")


def mean_square(f, gain: float, layers: int, width: int, networks: int = 1) -> torch.Tensor:
    """Mean square of the last activations over that of the input, for each network."""
    x = h = torch.randn(networks, 1, width, dtype=torch.float64)
    for _ in range(layers):
        w = torch.randn(networks, width, width, dtype=torch.float64) * (gain / width) ** 0.5
        h = f(h @ w.mT)
    return (h.square().mean(dim=(1, 2))) / x.square().mean(dim=(1, 2))


class TestWeightInit:
    @pytest.mark.parametrize(("n_in", "n_out"), [(64, 64), (1024, 32), (30, 500)])
    def test_fan_in_times_variance_is_a_third_by_default_and_two_with_he(self, n_in, n_out):
        weight = torch.cat([nn.Linear(n_in, n_out).weight.detach() for _ in range(200_000 // (n_in * n_out) + 1)])
        assert weight.var().item() * n_in == pytest.approx(1 / 3, rel=0.05)
        assert weight.abs().max().item() <= n_in**-0.5
        for init in (nn.init.kaiming_normal_, nn.init.kaiming_uniform_):
            assert init(torch.empty(n_out, n_in)).var().item() * n_in == pytest.approx(2, rel=0.05)
        for init in (nn.init.xavier_normal_, nn.init.xavier_uniform_):
            assert init(torch.empty(n_out, n_in)).var().item() == pytest.approx(2 / (n_in + n_out), rel=0.05)
        assert nn.init.calculate_gain("leaky_relu", math.sqrt(5)) ** 2 == pytest.approx(1 / 3)

    @pytest.mark.parametrize("draw", ["normal", "uniform"])
    @pytest.mark.parametrize("mean", [0.0, 3.0])
    def test_the_mean_square_is_multiplied_by_fan_in_times_variance_also_for_inputs_with_a_mean(self, draw, mean):
        x = mean + torch.rand(400, dtype=torch.float64)
        w = torch.randn(5000, 400, dtype=torch.float64)
        w = 0.1 * w if draw == "normal" else 0.1 * (torch.rand_like(w) * 2 - 1) * 3**0.5
        z = w @ x
        assert z.square().mean().item() == pytest.approx(400 * 0.01 * x.square().mean().item(), rel=0.05)
        assert z.relu().square().mean().item() == pytest.approx(z.square().mean().item() / 2, rel=0.05)

    @pytest.mark.parametrize(("f", "kept"), [(torch.relu, 0.5), (F.gelu, 0.425), (F.silu, 0.356)])
    def test_how_much_of_a_standard_normal_an_activation_keeps(self, f, kept):
        z = torch.linspace(-12, 12, 200_001, dtype=torch.float64)
        density = (-z.square() / 2).exp() / math.sqrt(2 * math.pi)
        assert torch.trapezoid(f(z).square() * density, z).item() == pytest.approx(kept, abs=5e-4)

    def test_the_default_with_relu_divides_the_mean_square_by_six_per_layer(self):
        curve = depth.spreads(torch.relu, 1 / 3, layers=10, width=512)
        assert (curve[10] / curve[2]) ** 2 == pytest.approx(6**-8, rel=0.35)
        assert pytest.approx(3.5e-20, rel=0.01) == 6**-25
        assert depth.spreads(torch.relu, 2, layers=10, width=512)[10] == pytest.approx(0.8, abs=0.25)

    @pytest.mark.parametrize(
        ("dtype", "low", "high"), [(torch.float16, 18, 25), (torch.float32, 110, 120), (torch.float64, 800, 860)]
    )
    def test_without_biases_activations_become_exactly_zero(self, dtype, low, high):
        h, layers = torch.randn(4, 64, dtype=dtype), 0
        while h.any():
            w = (torch.rand(64, 64) * 2 - 1) / 8
            h, layers = torch.relu(h @ w.to(dtype).T), layers + 1
        assert low * 0.9 <= layers <= high * 1.1

    @pytest.mark.parametrize(
        ("gain", "std", "gradient"), [(2, 0.56, (3, 30)), (25 / 9, 0.65, (30, 300)), (1, 0.1, (0.03, 0.3))]
    )
    def test_tanh_settles_and_its_gradient_grows_with_a_gain_above_one(self, gain, std, gradient):
        x = h = torch.randn(32, 256, dtype=torch.float64, requires_grad=True)
        for _ in range(50):
            h = torch.tanh(h @ (torch.randn(256, 256, dtype=torch.float64) * (gain / 256) ** 0.5).T)
        assert h.std().item() == pytest.approx(std, abs=0.02)
        (found,) = torch.autograd.grad((h * torch.randn_like(h)).sum(), x)
        assert gradient[0] < found.std().item() < gradient[1]

    @pytest.mark.parametrize("f", [torch.relu, torch.tanh])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_default_biases_keep_the_std_and_lose_the_input(self, f, dtype):
        h = torch.randn(32, 128, dtype=dtype)
        for _ in range(50):
            h = f(nn.Linear(128, 128, dtype=dtype)(h))
        assert h.std() > 0.01
        assert h.std(dim=0).max() < {torch.float32: 1e-5, torch.float64: 1e-9}[dtype] * h.std()

    def test_layer_norm_rescues_the_default(self):
        blocks = [m for _ in range(50) for m in (nn.Linear(256, 256), nn.LayerNorm(256), nn.ReLU())]
        model = nn.Sequential(*blocks).double()
        h = model(torch.randn(64, 256, dtype=torch.float64))
        h.square().mean().backward()
        assert 0.5 < h.std() < 0.65 and h.std(dim=0).mean() > 0.02 * h.std()
        assert 0.02 < model[0].weight.grad.norm() / model[-3].weight.grad.norm() < 0.5

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    @pytest.mark.parametrize("biases", [False, True])
    def test_with_layer_norm_a_larger_weight_learns_more_slowly(self, biases, optimizer):
        x, target = torch.randn(2, 64, 256)

        def outputs(scale: float) -> tuple[torch.Tensor, torch.Tensor]:
            """Outputs before and after a step, for all weights times scale."""
            torch.manual_seed(1)
            linears = [nn.Linear(256, 256) for _ in range(10)]
            for linear in linears:
                linear.weight.data *= scale
                linear.bias.data *= biases
            model = nn.Sequential(*[m for linear in linears for m in (linear, nn.LayerNorm(256), nn.ReLU())])
            before = model(x)
            F.mse_loss(before, target).backward()
            optimizer([linear.weight for linear in linears], lr=1e-3).step()
            return before.detach(), model(x).detach()

        small, middle, large = map(outputs, (0.1, 1.0, 10.0))
        for other in small, large:
            change = (other[0] - middle[0]).norm() / middle[0].norm()
            assert change > 0.1 if biases else change < 0.01
        moved = [((after - before).norm() / before.norm()).item() for before, after in (small, middle, large)]
        assert moved[0] > 1.1 * moved[1] > 3 * moved[2]

    @pytest.mark.parametrize("layers", [2, 4])
    def test_constant_weights_keep_the_units_equal(self, layers):
        model = nn.Sequential(*[m for _ in range(layers - 1) for m in (nn.Linear(32, 32), nn.Tanh())], nn.Linear(32, 3))
        x, y = torch.randn(50, 32), torch.randint(3, (50,))
        for constant in (0.0, 0.1):
            for p in model.parameters():
                nn.init.constant_(p, constant)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(5):
                optimizer.zero_grad()
                F.cross_entropy(model(x), y).backward()
                optimizer.step()
            assert (model[0].weight - model[0].weight[0]).abs().max() < 1e-6
            moved = [name for name, p in model.named_parameters() if (p != constant).any()]
            assert moved == [f"{2 * layers - 2}.bias"] if constant == 0 else len(moved) > 2

    @pytest.mark.parametrize("constant", [0.0, 0.1])
    def test_default_biases_break_the_symmetry_of_constant_weights_weakly(self, constant):
        model = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))
        for layer in (model[0], model[2]):
            nn.init.constant_(layer.weight, constant)
        x, y = torch.randn(50, 32), torch.randint(3, (50,))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(50):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        assert 1e-4 < (model[0].weight - model[0].weight[0]).abs().max() < 0.03

    def test_dropout_breaks_the_symmetry_of_constant_weights(self):
        model = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Dropout(), nn.Linear(32, 3))
        for p in model.parameters():
            nn.init.constant_(p, 0.1)
        F.cross_entropy(model(torch.randn(50, 32)), torch.randint(3, (50,))).backward()
        grad = model[0].weight.grad
        assert (grad - grad[0]).abs().max() > 1e-3 * grad.abs().max()

    @pytest.mark.parametrize(("mode", "missed"), [("fan_in", "backward"), ("fan_out", "forward")])
    def test_one_direction_is_missed_by_the_ratio_of_the_first_and_the_last_width(self, mode, missed):
        widths = [32, 256, 64, 512, 128]
        found = []
        for _ in range(15):
            x = h = torch.randn(64, 32, dtype=torch.float64, requires_grad=True)
            for n_in, n_out in zip(widths, widths[1:], strict=False):
                w = nn.init.kaiming_normal_(torch.empty(n_out, n_in, dtype=torch.float64), mode=mode)
                h = torch.relu(h @ w.T)
            (g,) = torch.autograd.grad((h * torch.randn_like(h)).sum(), x)
            found.append((h.square().mean().item(), g.square().mean().item()))
        forward, backward = torch.tensor(found).mean(dim=0).tolist()
        expected = (1, 4) if missed == "backward" else (0.25, 1)
        assert (forward, backward) == pytest.approx(expected, rel=0.25)

    def test_the_fan_in_of_a_transposed_convolution_is_that_of_its_output(self):
        layer = nn.ConvTranspose2d(64, 8, 3)
        assert layer.weight.shape == (64, 8, 3, 3)
        bound = layer.weight.abs().max().item()
        assert bound == pytest.approx(72**-0.5, rel=1e-3) and bound > 576**-0.5

    def test_he_keeps_the_expectation_and_narrow_networks_fluctuate_around_it(self):
        narrow, wide = mean_square(torch.relu, 2, 50, 16, 200), mean_square(torch.relu, 2, 50, 256, 4)
        assert 1e-5 < narrow.median() < 2e-3 and 0.1 < wide.median() < 3
        assert mean_square(torch.relu, 2, 3, 16, 2000).mean().item() == pytest.approx(1, rel=0.15)

    def test_fifty_gelu_layers_with_he_vanish(self):
        ends = sorted(depth.spreads(F.gelu, 2, layers=50)[50] for _ in range(3))
        assert ends[1] < 0.01
        z = 1e-3 * torch.randn(1000).double()  # once small, each layer halves the mean square
        for f in (F.gelu, F.silu):
            assert (2 * f(z).square().mean() / z.square().mean()).item() == pytest.approx(0.5, rel=1e-2)

    def test_the_depth_curve_has_one_point_per_layer_and_begins_at_the_input(self):
        curve = depth.spreads(torch.tanh, 1, layers=7, width=32)
        assert len(curve) == 8 and curve[0] == pytest.approx(1, abs=0.1)

    def test_twenty_hidden_layers_learn_digits_in_eighty_steps_only_with_he(self):
        for he in (False, True):
            found = training.accuracy(20, he, 0.003, seed=5)
            assert found > 0.6 if he else found < 0.2
            assert training.accuracy(2, he, 0.003, seed=5) > 0.75

    def test_ten_hidden_layers_with_the_default_learn_later_and_not_never(self):
        assert training.accuracy(10, True, 0.003, seed=1, steps=40) > 0.6
        assert training.accuracy(10, False, 0.003, seed=1, steps=40) < 0.3
        for seed in (1, 2):
            assert training.accuracy(10, False, 0.003, seed=seed, steps=200) > 0.4
