"""What docs/mid/training-dynamics/activation-shift.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

curve = load_snippet("mid/training-dynamics/activation_shift_curve.py")


def spread_after(norm: type[nn.Module], steps: int, scale: float, affine: bool = True) -> float:
    """Standard deviation of the norm's output after training on targets of this scale, over that before."""
    x, t = torch.randn(256, 16).double(), scale * torch.randn(256, 1).double()
    layers = nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), norm(64), nn.ReLU(), nn.Linear(64, 1)
    model = nn.Sequential(*layers).double()
    for p in () if affine else model[3].parameters():
        p.requires_grad_(False)
    before = model[:4](x).std().item()
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.003)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(x), t).backward()
        optimizer.step()
    return model[:4](x).std().item() / before


class TestActivationShift:
    def test_without_a_norm_the_spread_grows_and_all_three_fit(self):
        torch.set_num_threads(1)
        for norm, low, high in ((None, 1.25, 4), (nn.BatchNorm1d, 0.8, 1.25), (nn.LayerNorm, 0.8, 1.25)):
            seen, losses = curve.log(norm, steps=60, hidden=2)
            assert seen.shape == (61, 2, 2) and losses[-1] < 0.3 < losses[0]
            assert low < seen[-1, -1, 1] / seen[0, -1, 1] < high

    @pytest.mark.parametrize("norm", [nn.BatchNorm1d, nn.LayerNorm])
    def test_the_learned_scale_and_shift_let_the_spread_grow_where_the_targets_are_large(self, norm):
        assert 1.15 < spread_after(norm, 200, 20) < 2 < spread_after(nn.Identity, 200, 20)
        assert spread_after(norm, 200, 20, affine=False) == pytest.approx(1, abs=0.01)
        assert spread_after(norm, 200, 1) == pytest.approx(1, abs=0.05)

    @pytest.mark.parametrize("norm", [nn.BatchNorm1d, nn.LayerNorm])
    @pytest.mark.parametrize("scale", [0.5, 100.0])
    def test_a_positive_factor_on_the_weights_before_a_norm_changes_nothing_where_epsilon_is_small(self, norm, scale):
        z, normalize = torch.randn(32, 8).double(), norm(8).double()
        torch.testing.assert_close(normalize(scale * z), normalize(z), rtol=1e-4, atol=1e-4)
        tiny = normalize(1e-4 * z)
        assert tiny.std() < 0.1

    def test_over_which_axis_mean_and_variance_are_those_of_beta_and_gamma(self):
        z = 3 + 5 * torch.randn(64, 10).double() * torch.arange(1, 11)
        for norm, axis in ((nn.BatchNorm1d(10), 0), (nn.LayerNorm(10), 1)):
            out = norm.double()(z)
            assert out.mean(dim=axis).abs().max() < 1e-6
            assert (out.std(dim=axis, correction=0) - 1).abs().max() < 1e-3
            assert out.mean(dim=1 - axis).abs().max() > 0.01

    def test_a_norm_does_not_change_the_shape_of_a_distribution(self):
        z = torch.randn(4000, 1).double().exp()
        out = nn.BatchNorm1d(1).double()(z)
        skew = [((v - v.mean()) / v.std()).pow(3).mean().item() for v in (z, out)]
        assert skew[0] == pytest.approx(skew[1], rel=1e-3) and skew[0] > 2
