"""The claims of docs/mid/modeling/skip-connections.md, proven beyond the examples shown."""

from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

stacks = load_snippet("mid/modeling/skip_connections.py")
factors = load_snippet("mid/modeling/skip_connections_broken.py")
similarity = load_snippet("mid/modeling/skip_connections_shattered.py").similarity
final_losses = load_snippet("mid/modeling/skip_connections_train.py").final_losses


class TestSkipConnections:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(
        ("name", "low", "high"),
        [
            ("plain", 0, 1e-6),
            ("plain, layer norm", 0.1, 10),
            ("residual", 1, 100),
            ("residual, pre-norm", 1, 30),
        ],
    )
    def test_gradient_at_the_input_of_30_blocks(self, name, low, high, seed):
        found = stacks.input_gradients(name, 30, seed)
        assert len(found) == 30
        assert low <= found[0] < high

    def test_jacobian_of_a_stack_is_the_product_of_identity_plus_branches(self):
        blocks = [stacks.Block("residual, pre-norm", 5).double() for _ in range(4)]
        x = torch.randn(5, dtype=torch.float64)
        product, h = torch.eye(5, dtype=torch.float64), x
        for block in blocks:
            branch = torch.autograd.functional.jacobian(block.branch, h)
            product = (torch.eye(5).double() + branch) @ product
            h = block(h)
        whole = torch.autograd.functional.jacobian(nn.Sequential(*blocks), x)
        torch.testing.assert_close(whole, product, rtol=0, atol=1e-12)

    def test_block_without_a_skip_is_its_branch(self):
        block, x = stacks.Block("plain, layer norm", 6), torch.randn(3, 6)
        torch.testing.assert_close(
            block(x), F.layer_norm(x, (6,)).matmul(block.branch[1].weight.T).add(block.branch[1].bias).tanh()
        )

    @pytest.mark.parametrize("depth", [30, 50])
    def test_gradients_of_a_normed_plain_stack_have_no_common_direction(self, depth):
        assert abs(similarity(skip=False, norm=True, depth=depth)) < 0.25
        assert similarity(skip=True, norm=True, depth=depth) > 0.75
        assert similarity(skip=True, norm=False, depth=depth) > 0.75

    @pytest.mark.parametrize("seed", range(1, 6))
    def test_gradients_of_residual_stacks_have_a_common_direction_on_other_seeds(self, monkeypatch, seed):
        generator = torch.Generator().manual_seed(seed)
        other = SimpleNamespace(manual_seed=lambda _: generator)
        monkeypatch.setattr(torch, "Generator", lambda: other)
        assert min(similarity(skip=True, norm=norm, depth=50) for norm in (False, True)) > 0.7
        assert abs(similarity(skip=False, norm=True, depth=50)) < 0.15

    @pytest.mark.parametrize("norm", [False, True])
    def test_a_factor_on_the_skip_makes_a_power(self, norm):
        one, less, half = (factors.gradient_at_input(f, 40, norm) for f in (1.0, 0.9, 0.5))
        assert half < less < one and one > 0.9
        assert half > 0.3 if norm else half < 1e-3

    def test_without_a_norm_the_loss_explodes_and_with_it_the_network_learns(self):
        torch.set_num_threads(1)
        residual = final_losses(20, True, False, [0.008], 1, steps=20)
        plain, normed = (final_losses(20, skip, True, [0.008], 1, steps=20) for skip in (False, True))
        assert residual.min() > 1 and normed.max() < 0.2 < 1 / 3 < plain.min()

    @pytest.mark.parametrize("seed", [0, 1])
    def test_gradient_of_a_normed_plain_relu_stack_grows(self, seed):
        torch.manual_seed(seed)
        h = x = torch.randn(128, 16, dtype=torch.float64, requires_grad=True)
        for _ in range(24):
            h = (F.layer_norm(h, (16,)) @ (torch.randn(16, 16, dtype=torch.float64) * (2 / 16) ** 0.5)).relu()
        above = torch.randn_like(h)
        h.backward(above)
        assert x.grad.norm() / above.norm() > 100

    @pytest.mark.parametrize("seed", [0, 1])
    def test_gradients_of_tanh_blocks_with_layer_norm_keep_their_direction(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(64, 32, dtype=torch.float64)
        h = both = torch.stack([x, x + 0.1 * torch.randn_like(x)]).requires_grad_()
        for _ in range(50):
            h = stacks.Block("plain, layer norm", 32).double()(h)
        (h * torch.randn(32, dtype=torch.float64)).sum().backward()
        assert F.cosine_similarity(*both.grad, dim=1).mean() > 0.7

    @pytest.mark.parametrize("activation", [torch.relu, torch.tanh])
    def test_variance_of_blocks_with_an_activation_and_a_norm_grows_linearly(self, activation):
        h, found = torch.randn(256, 64, dtype=torch.float64), []
        for _ in range(64):
            h = h + activation(F.layer_norm(h, (64,)) @ (torch.randn(64, 64, dtype=torch.float64) * (2 / 64) ** 0.5))
            found.append(h.var().item())
        assert found[63] / found[31] == pytest.approx(2, rel=0.25)

    def test_variance_doubles_without_a_norm_and_grows_linearly_with_one(self):
        h = g = torch.randn(4000, 64, dtype=torch.float64)
        for _ in range(16):
            w = torch.randn(64, 64, dtype=torch.float64) / 8
            h = h + h @ w
            g = g + F.layer_norm(g, (64,)) @ w
        assert 2**14 < h.var() < 2**18
        assert 10 < g.var() < 25

    def test_layer_norm_without_skips_learns_with_more_steps(self):
        short, long = (final_losses(24, False, True, [0.0004], 3, steps=steps).median() for steps in (40, 400))
        assert long < 1 / 3 < short
