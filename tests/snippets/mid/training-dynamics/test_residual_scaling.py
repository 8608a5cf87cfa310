"""What docs/mid/training-dynamics/residual-scaling.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

depth = load_snippet("mid/training-dynamics/residual_scaling_depth.py")
transformer = load_snippet("mid/training-dynamics/residual_scaling_transformer.py")


class TestResidualScaling:
    @pytest.mark.parametrize("blocks", [8, 24])
    def test_the_stream_grows_as_the_table_says(self, blocks):
        n = blocks
        expected = {
            (1, False): 2**n,
            (n**-0.5, False): (1 + 1 / n) ** n,
            (1, True): 1 + n,
            (n**-0.5, True): 2,
            (0, False): 1,
        }
        for (scale, norm), value in expected.items():
            found = depth.stream(n, scale, norm)
            assert len(found) == n + 1
            assert found[-1] / found[0] == pytest.approx(value, rel=0.8 if value == 2**n else 0.25)

    def test_one_over_sqrt_n_tends_to_e_and_one_over_n_to_one(self):
        for n in (16, 64):
            assert depth.stream(n, n**-0.5)[-1] == pytest.approx(math.e, rel=0.3)
            assert depth.stream(n, 1 / n)[-1] == pytest.approx(1 + 1 / n, abs=0.06)

    def test_with_shared_weights_one_over_sqrt_n_is_not_enough(self):
        sixteen, many = depth.stream(16, 1 / 4, shared=True)[-1], depth.stream(64, 1 / 8, shared=True)[-1]
        assert 100 < sixteen < 1000 and 1e5 < many < 3e6
        for n in (16, 64):
            assert 1.8 < depth.stream(n, 1 / n, shared=True)[-1] < 3

    def test_the_scale_has_to_fall_at_least_like_one_over_sqrt_n(self):
        for power, bounded in ((0.4, False), (0.5, True), (0.75, True)):
            small, large = depth.stream(16, 16**-power)[-1], depth.stream(128, 128**-power)[-1]
            assert (large < 1.5 * small) is bounded

    def test_attention_averages_so_its_branch_adds_less_than_one(self):
        attention = nn.MultiheadAttention(64, 4, batch_first=True)
        for w in attention.parameters():
            nn.init.normal_(w, std=w.shape[1] ** -0.5) if w.dim() == 2 else nn.init.zeros_(w)
        for tokens in (2, 8, 64):
            x = torch.randn(8, tokens, 64)
            assert attention(x, x, x)[0].square().mean() < {2: 0.95, 8: 0.4, 64: 0.15}[tokens]

    @pytest.mark.parametrize(("width", "hidden"), [(64, 256), (32, 512)])
    def test_a_mlp_with_variance_one_over_fan_in_adds_a_half(self, width, hidden):
        h = torch.randn(64, width) @ torch.randn(width, hidden) / width**0.5
        added = torch.relu(h) @ torch.randn(hidden, width) / hidden**0.5
        assert added.square().mean().item() == pytest.approx(0.5, rel=0.15)

    @pytest.mark.parametrize(
        ("f", "first_moves"), [(torch.relu, False), (torch.tanh, True), (nn.functional.gelu, True)]
    )
    def test_zero_in_the_first_layer_alone_stops_a_relu_branch(self, f, first_moves):
        first, last = torch.zeros(6, 32, requires_grad=True), torch.randn(32, 6, requires_grad=True)
        (f(torch.randn(50, 6) @ first) @ last - 1).square().mean().backward()
        assert bool(first.grad.any()) is first_moves and not last.grad.any()

    @pytest.mark.parametrize(
        ("f", "moves"), [(torch.sigmoid, True), (nn.functional.softplus, True), (torch.tanh, False)]
    )
    def test_two_zero_layers_start_where_the_activation_of_zero_is_not_zero(self, f, moves):
        first, last = torch.zeros(6, 32, requires_grad=True), torch.zeros(32, 6, requires_grad=True)
        (f(torch.randn(50, 6) @ first) @ last - 1).square().mean().backward()
        assert bool(last.grad.any()) is moves and not first.grad.any()

    @pytest.mark.parametrize(("scale", "grows"), [(1.0, True), (24**-0.5, False)])
    def test_the_gradient_grows_like_the_stream(self, scale, grows):
        x = h = torch.randn(32, 128, dtype=torch.float64, requires_grad=True)
        for _ in range(24):
            w = torch.randn(128, 128, dtype=torch.float64) * (2 / 128) ** 0.5
            h = h + scale * torch.relu(h) @ w
        (found,) = torch.autograd.grad((h * torch.randn_like(h)).sum(), x)
        assert found.square().mean().item() == pytest.approx(2**24 if grows else math.e, rel=0.6)

    @pytest.mark.parametrize("layers", [4, 10])
    def test_a_transformer_layer_counts_as_two_branches(self, layers):
        plain, scaled = transformer.growth(layers, 1), transformer.growth(layers, (2 * layers) ** -0.5)
        assert 0.7 * layers < plain < 2.2 * layers + 1 and 1.2 < scaled < 2
        assert transformer.growth(layers, 0) == pytest.approx(1)

    @pytest.mark.parametrize("norm", [nn.Identity, lambda: nn.LayerNorm(6)])
    @pytest.mark.parametrize("f", [torch.relu, torch.tanh])
    def test_two_zero_layers_have_zero_gradients_and_one_has_not(self, norm, f):
        x, y, normalize = torch.randn(50, 6), torch.randn(50, 6), norm()
        for zero, expected in (((), "12"), ((1,), "2"), ((0,), "1" if f is torch.tanh else ""), ((0, 1), "")):
            weights = [torch.randn(6, 32, requires_grad=True), torch.randn(32, 6, requires_grad=True)]
            for i in zero:
                nn.init.zeros_(weights[i])
            (x + f(normalize(x) @ weights[0]) @ weights[1] - y).square().mean().backward()
            assert "".join(str(i + 1) for i, w in enumerate(weights) if w.grad.any()) == expected

    def test_a_bias_inside_lets_the_last_weight_move(self):
        first, last = nn.Linear(6, 32), nn.Linear(32, 6)
        nn.init.zeros_(first.weight)
        nn.init.zeros_(last.weight)
        last(torch.relu(first(torch.randn(50, 6)))).sub(1).square().mean().backward()
        assert last.weight.grad.any() and not first.weight.grad.any()

    @pytest.mark.parametrize("a", [0.1, 0.5])
    @pytest.mark.parametrize(("build", "power"), [(torch.optim.SGD, 2), (torch.optim.Adam, 1)])
    def test_a_multiplier_trains_differently_from_a_scaled_initialization(self, a, build, power):
        x, y, w0 = torch.randn(40, 5).double(), torch.randn(40, 5).double(), torch.randn(5, 5).double()
        changes = []
        for multiplier, start in ((a, w0), (1, a * w0)):
            w = start.clone().requires_grad_()
            optimizer = build([w], lr=1e-3)
            (x + multiplier * x @ w - y).square().mean().backward()
            optimizer.step()
            changes.append(multiplier * (w.detach() - start))
        torch.testing.assert_close(changes[0], a**power * changes[1], rtol=1e-4, atol=1e-12)

    def test_a_zero_gamma_blocks_the_convolution_in_the_first_step_only(self):
        conv, bn = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3)
        nn.init.zeros_(bn.weight)
        optimizer = torch.optim.SGD([*conv.parameters(), *bn.parameters()], lr=0.1)
        x, y = torch.randn(4, 3, 6, 6), torch.randn(4, 3, 6, 6)
        for step in range(2):
            optimizer.zero_grad()
            (x + bn(conv(x)) - y).square().mean().backward()
            assert bn.weight.grad.any() and bn.bias.grad.any() and bool(conv.weight.grad.any()) is (step > 0)
            optimizer.step()
