"""What docs/mid/debugging/vanishing-exploding-gradients.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

vanishing = load_snippet("mid/debugging/vanishing_exploding_gradients.py")
vanishing_broken = load_snippet("mid/debugging/vanishing_exploding_gradients_broken.py")


class TestVanishingExplodingGradients:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(
        ("name", "slope", "size"),
        [
            ("sigmoid", (1e-14, 1e-7), 1),
            ("sigmoid, skip", (1e-3, 10), 1e3),
            ("ReLU, half He", (1e-7, 1e-3), 1),
            ("ReLU, He", (1e-2, 1e2), 1e2),
            ("ReLU, twice He", (1e-2, 1e2), 1e14),
        ],
    )
    def test_the_profile_of_the_gradient_norms(self, name, slope, size, seed):
        found = vanishing.norms(name, seed=seed)
        assert slope[0] < found[0] / found[-1] < slope[1]
        assert found[-1] < size
        assert (min(found) > 1e6) is (name == "ReLU, twice He")

    def test_depth_makes_it_a_power(self):
        shallow, deep = (vanishing.norms("sigmoid", depth) for depth in (5, 20))
        assert shallow[0] / shallow[-1] > 1e3 * deep[0] / deep[-1]

    @pytest.mark.parametrize("seed", [1, 2])
    def test_exploding_is_seen_before_the_first_step_and_a_high_rate_is_not(self, seed):
        explodes, last = vanishing_broken.train(3.0, 0.01, seed=seed)
        assert explodes > 1e6 and not math.isfinite(last)
        ordinary, last = vanishing_broken.train(1.0, 10.0, seed=seed)
        assert ordinary < 1e3 and not math.isfinite(last)
        healthy, last = vanishing_broken.train(1.0, 0.01, seed=seed)
        assert healthy == ordinary and last < 1.5

    @pytest.mark.parametrize("case", [(3.0, 0.01), (1.0, 10.0)])
    def test_clipping_keeps_the_loss_finite_and_does_not_make_it_small(self, case):
        _, last = vanishing_broken.train(*case, clip=1.0, seed=1)
        assert math.isfinite(last) and last > 1

    @pytest.mark.parametrize("rate", [1e-6, 10.0])
    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_the_rate_does_not_change_the_gradient(self, rate, optimizer_class):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1))
        x = torch.randn(4, 8)
        expected = torch.autograd.grad(model(x).sum(), model[0].weight)[0]
        optimizer = optimizer_class(model.parameters(), lr=rate)
        model(x).sum().backward()
        optimizer.step()
        assert torch.equal(model[0].weight.grad, expected)

    def test_the_slope_of_a_sigmoid_is_at_most_a_quarter_and_of_a_relu_that_is_off_zero(self):
        x = torch.linspace(-9, 9, 101, requires_grad=True)
        slope = torch.autograd.grad(torch.sigmoid(x).sum(), x)[0]
        assert slope.max() == pytest.approx(0.25) and slope.argmax() == 50
        slope = torch.autograd.grad(F.relu(x).sum(), x)[0]
        assert set(slope.tolist()) == {0.0, 1.0}

    def test_get_total_norm_is_what_clip_grad_norm_returns_and_changes_nothing(self):
        model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))
        model(torch.randn(3, 5)).square().sum().mul(100).backward()
        gradients = [p.grad.clone() for p in model.parameters()]
        norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
        assert all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), gradients, strict=True))
        torch.testing.assert_close(nn.utils.clip_grad_norm_(model.parameters(), 1.0), norm)
        assert not torch.equal(model[0].weight.grad, gradients[0])

    @pytest.mark.parametrize(("gradient", "share"), [(1.0, 1.0), (1e-5, 0.999), (1e-8, 0.5), (1e-11, 0.000999)])
    def test_adam_does_not_rescale_a_gradient_below_eps(self, gradient, share):
        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        w.grad = torch.full_like(w, gradient)
        torch.optim.Adam([w], lr=0.1).step()
        assert abs(w.item()) == pytest.approx(0.1 * share, rel=1e-3)

    @pytest.mark.parametrize(("norm", "slope"), [(False, (1e-16, 1e-8)), (True, (1e-11, 1e-5))])
    def test_layer_norm_before_each_sigmoid_does_not_stop_it_from_vanishing(self, norm, slope):
        x, y = torch.randn(64, 32), torch.randn(64, 1)
        layers = [nn.Linear(32, 32) for _ in range(20)]
        for layer in layers:
            nn.init.xavier_normal_(layer.weight)
        parts = [p for layer in layers for p in (layer, nn.LayerNorm(32) if norm else nn.Identity(), nn.Sigmoid())]
        (nn.Sequential(*parts, nn.Linear(32, 1))(x) - y).square().mean().backward()
        assert slope[0] < layers[0].weight.grad.norm() / layers[-1].weight.grad.norm() < slope[1]

    @pytest.mark.parametrize(("activation_function", "init"), [
        (F.relu, nn.init.kaiming_normal_), (F.gelu, nn.init.kaiming_normal_), (torch.tanh, nn.init.xavier_normal_),
    ])  # fmt: skip
    def test_an_initialization_that_fits_keeps_the_profile(self, activation_function, init):
        h, layers = torch.randn(64, 32), [nn.Linear(32, 32) for _ in range(20)]
        for layer in layers:
            init(layer.weight)
            h = activation_function(layer(h))
        nn.Linear(32, 1)(h).square().mean().backward()
        assert 1e-2 < layers[0].weight.grad.norm() / layers[-1].weight.grad.norm() < 1e2

    @pytest.mark.parametrize("width", [32, 128])
    def test_a_hundred_layers_of_gelu_vanish_with_he_and_those_of_relu_do_not(self, width):
        ratios = []
        for activation in (nn.ReLU, nn.GELU):
            layers = [nn.Linear(width, width) for _ in range(100)]
            for layer in layers:
                nn.init.kaiming_normal_(layer.weight)
            model = nn.Sequential(*[p for layer in layers for p in (layer, activation())], nn.Linear(width, 1))
            model(torch.randn(64, width)).square().mean().backward()
            ratios.append(layers[0].weight.grad.norm() / layers[-1].weight.grad.norm())
        assert ratios[1] < 1e-6 < 1e-3 < ratios[0]

    @pytest.mark.parametrize(("norm", "vanishes"), [(nn.LayerNorm, True), (nn.BatchNorm1d, False)])
    def test_batch_norm_before_each_sigmoid_keeps_the_gradient_and_layer_norm_does_not(self, norm, vanishes):
        parts = []
        for _ in range(20):
            layer = nn.Linear(32, 32)
            nn.init.kaiming_normal_(layer.weight)
            parts += [layer, norm(32), nn.Sigmoid()]
        model = nn.Sequential(*parts, nn.Linear(32, 1))
        (model(torch.randn(64, 32)) - torch.randn(64, 1)).square().mean().backward()
        assert (model[0].weight.grad.norm() / model[57].weight.grad.norm() < 1e-6).item() is vanishes

    @pytest.mark.parametrize(("gain", "rate"), [(3.0, 0.01), (1.0, 10.0)])
    def test_clipped_losses_end_far_above_that_of_a_constant_zero(self, gain, rate):
        assert vanishing_broken.train(gain, rate, clip=1.0)[1] > 50
        assert vanishing_broken.train(1.0, 0.01)[1] < 1  # the same network, with fitting weights and rate

    @pytest.mark.parametrize(("depth", "flat_and_tiny"), [(20, False), (100, True)])
    def test_gelu_with_zero_biases_is_flat_and_at_a_hundred_layers_tiny_everywhere(self, depth, flat_and_tiny):
        found = []
        for _ in range(5):
            layers = [nn.Linear(32, 32) for _ in range(depth)]
            for layer in layers:
                nn.init.kaiming_normal_(layer.weight)
                nn.init.zeros_(layer.bias)
            model = nn.Sequential(*[p for layer in layers for p in (layer, nn.GELU())], nn.Linear(32, 1))
            (model(torch.randn(64, 32)) - torch.randn(64, 1)).square().mean().backward()
            norms = [layer.weight.grad.norm().item() for layer in layers]
            assert 1e-3 < norms[0] / norms[-1] < 1e3
            found.append(max(norms) < 1e-9)
        assert (sum(found) >= 3) is flat_and_tiny

    def test_a_skip_hands_on_the_gradient_of_the_block_and_not_its_delta(self):
        first, second = nn.Linear(4, 4), nn.Linear(4, 4)
        x = torch.randn(3, 4)
        z1 = first(x)
        h1 = x + z1.sigmoid()
        z2 = second(h1)
        h2 = h1 + z2.sigmoid()
        dh1, dz2, dh2 = torch.autograd.grad(h2.square().sum(), (h1, z2, h2))
        torch.testing.assert_close(dh1, dh2 + dz2 @ second.weight)
        assert not torch.allclose(dh1, dz2 + dz2 @ second.weight)

    def test_a_hundred_sigmoid_layers_have_a_gradient_of_exactly_zero_at_the_first(self):
        found = vanishing.norms("sigmoid", 100)
        assert found[0] == 0 and found[-1] > 1e-4

    @pytest.mark.parametrize(("gain", "scale", "grow"), [(1.0, 3e5, False), (3.0, 1.0, True)])
    def test_large_targets_make_all_gradients_huge_without_growing_activations(self, gain, scale, grow):
        h, sizes, layers = torch.randn(64, 32), [], [nn.Linear(32, 32) for _ in range(10)]
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight)
            layer.weight.data *= gain
            h = F.relu(layer(h))
            sizes.append(h.norm().item())
        (nn.Linear(32, 1)(h) - scale * torch.randn(64, 1)).square().mean().backward()
        assert min(layer.weight.grad.norm() for layer in layers) > 1e4
        assert (sizes[-1] > 100 * sizes[0]) is grow and (grow or sizes[-1] < 10 * sizes[0])

    @pytest.mark.parametrize("width", [32, 128])
    def test_exploding_gradients_of_a_bounded_activation_grow_towards_the_input(self, width):
        h, layers = torch.randn(64, width), [nn.Linear(width, width) for _ in range(20)]
        for layer in layers:
            nn.init.xavier_normal_(layer.weight, gain=3)
            h = torch.tanh(layer(h))
        nn.Linear(width, 1)(h).square().mean().backward()
        assert layers[0].weight.grad.norm() > 10 * layers[-1].weight.grad.norm()

    @pytest.mark.parametrize(("bias", "vanishes"), [(0.0, True), (5.0, False)])
    def test_an_lstm_needs_a_forget_gate_bias(self, bias, vanishes):
        model = nn.LSTM(8, 32)
        if bias:
            with torch.no_grad():
                model.bias_hh_l0[32:64] = bias
        x = torch.randn(100, 4, 8, requires_grad=True)
        model(x)[0][-1].sum().backward()
        norms = x.grad.flatten(1).norm(dim=1)
        assert norms[0] < 1e-15 if vanishes else 0.1 < norms[0] / norms[-1] < 10

    def test_float16_loses_such_a_gradient_and_bfloat16_does_not(self):
        small = torch.tensor(1e-11)
        assert small.half() == 0 and small.bfloat16() > 0
        assert torch.tensor(6e-8).half() > 0

    @pytest.mark.parametrize("seed", [0, 1])
    def test_half_he_with_zero_biases_vanishes_flat_and_the_total_norm_hides_it(self, seed):
        torch.manual_seed(seed)
        layers = [nn.Linear(64, 64) for _ in range(20)]
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight)
            layer.weight.data /= 2
            nn.init.zeros_(layer.bias)
        head = nn.Linear(64, 1)
        model = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())), head)
        F.mse_loss(model(torch.randn(32, 64)), torch.ones(32, 1)).backward()
        norms = [layer.weight.grad.norm().item() for layer in layers]
        assert max(norms) < 1e-4 and max(norms) / min(norms) < 100
        assert nn.utils.get_total_norm([p.grad for p in model.parameters()]) > 0.1
