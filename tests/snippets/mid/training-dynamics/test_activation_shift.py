"""What docs/mid/training-dynamics/activation-shift.md claims, proven beyond the example shown."""

import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

curve = load_snippet("mid/training-dynamics/activation_shift_curve.py")


def spread_after(norm: type[nn.Module], steps: int, scale: float, affine: bool = True) -> float:
    """Standard deviation of the norm's output after training on targets of this scale, over that before."""
    x, t = torch.randn(128, 16).double(), scale * torch.randn(128, 1).double()
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
            seen, losses = curve.log(norm, steps=40, hidden=2)
            assert seen.shape == (41, 2, 2) and losses[-1] < 0.4 < losses[0]
            assert low < seen[-1, -1, 1] / seen[0, -1, 1] < high

    @pytest.mark.parametrize("norm", [nn.BatchNorm1d, nn.LayerNorm])
    def test_the_learned_scale_and_shift_let_the_spread_grow_where_the_targets_are_large(self, norm):
        assert 1.1 < spread_after(norm, 150, 20) < 2 < spread_after(nn.Identity, 150, 20)
        assert spread_after(norm, 50, 20, affine=False) == pytest.approx(1, abs=0.01)
        assert spread_after(norm, 100, 1) == pytest.approx(1, abs=0.05)

    @pytest.mark.parametrize("norm", [nn.BatchNorm1d, nn.LayerNorm])
    @pytest.mark.parametrize("scale", [0.5, 100.0])
    def test_a_positive_factor_on_the_weights_before_a_norm_changes_nothing_where_epsilon_is_small(self, norm, scale):
        z, normalize = torch.randn(32, 8).double(), norm(8).double()
        torch.testing.assert_close(normalize(scale * z), normalize(z), rtol=1e-4, atol=1e-4)
        tiny = normalize(1e-4 * z)
        assert tiny.std() < 0.1

    @pytest.mark.parametrize("scale", [3.0, 10.0])
    def test_in_eval_mode_a_factor_passes_through_batch_norm_and_not_through_layer_norm(self, scale):
        z = torch.randn(32, 8).double()
        for norm, expected in ((nn.BatchNorm1d(8, momentum=1.0), scale), (nn.LayerNorm(8), 1)):
            norm.double()(z)
            ratio = norm.eval()(scale * z).std() / norm(z).std()
            assert ratio.item() == pytest.approx(expected, rel=0.02)

    @pytest.mark.parametrize("offset", [1.0, 3.0])
    def test_rms_norm_fixes_the_mean_square_and_not_the_mean(self, offset):
        out = nn.RMSNorm(64)(offset + torch.randn(50, 64))
        assert out.square().mean().item() == pytest.approx(1, abs=1e-3) and out.mean() > 0.6

    def test_in_the_network_of_the_plot_rms_norm_lets_the_mean_move_like_no_norm(self):
        moved = {norm: curve.log(norm, steps=60)[0][60, -1, 0] for norm in (None, nn.RMSNorm, nn.LayerNorm)}
        assert moved[None] > 0.15 and moved[nn.RMSNorm] > 0.15 and moved[nn.LayerNorm].abs() < 0.1

    @pytest.mark.parametrize("d", [5, 17])
    def test_the_mean_of_a_feature_after_layer_norm_is_bounded_by_the_root_of_the_features(self, d):
        x = torch.randn(20, d).double()
        x[:, 0] += 1e6
        means = nn.LayerNorm(d).double()(x).mean(dim=0)
        assert means[0].item() == pytest.approx((d - 1) ** 0.5, rel=1e-4)
        assert nn.LayerNorm(d)(1e3 * torch.randn(500, d).exp()).abs().max() <= (d - 1) ** 0.5 + 1e-4

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

    @pytest.mark.parametrize("build", [lambda: nn.BatchNorm1d(8), lambda: nn.BatchNorm1d(8, momentum=None)])
    def test_an_extra_pass_in_train_mode_moves_the_running_averages_and_in_eval_mode_it_does_not(self, build):
        model, log = nn.Sequential(nn.Linear(4, 8), build(), nn.ReLU(inplace=True)), []
        model[1].register_forward_hook(lambda m, i, out: log.append((out.detach().mean(), out.detach().std())))
        for training in (True, False):
            before = model.train(training)[1].running_mean.clone()
            model(5 + torch.randn(32, 4))
            assert bool((before != model[1].running_mean).any()) is training
        assert len(log) == 2 and log[0][0].abs() < 1e-5  # before the in-place ReLU writes into the output
        assert not any(value.requires_grad for value in log[0])

    def test_a_rate_that_is_too_high_shows_in_the_standard_deviation_and_less_after_a_batch_norm(self):
        seen, losses = curve.log(None, steps=40, lr=1.0)
        assert seen[:, -1, 1].max() > 10 and losses[-1] > 1
        for seed in (0, 1):
            torch.manual_seed(seed)
            x, y = torch.randn(256, 16).double(), torch.randint(10, (256,))
            parts = [nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU()]
            model = nn.Sequential(*parts, nn.Linear(64, 10)).double()
            weight, spread = model[3].weight.norm().item(), model[:5](x).std().item()
            optimizer = torch.optim.SGD(model.parameters(), lr=20)
            for _ in range(40):
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            assert loss > 2
            assert model[3].weight.norm() > 6 * weight and 2 * spread < model[:5](x).std() < 6 * spread
            assert model[3].weight.norm() / weight > 1.5 * model[:5](x).std() / spread

    def test_no_norm_repairs_inverted_digits_and_batch_norm_in_eval_mode_makes_a_change_of_brightness_worse(self):
        digits = load_digits()
        x, y = torch.tensor(digits.data / 16).float(), torch.tensor(digits.target)
        accuracy = {}
        for norm in (nn.Identity, nn.BatchNorm1d, nn.LayerNorm):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(64, 64), norm(64), nn.ReLU(), nn.Linear(64, 10))
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            for _ in range(60):
                batch = torch.randint(1400, (64,))
                optimizer.zero_grad()
                F.cross_entropy(model(x[batch]), y[batch]).backward()
                optimizer.step()
            test = x[1400:]
            for name, shifted in (("same", test), ("dark", 0.3 * test), ("inverted", 1 - test)):
                right = model.eval()(shifted).argmax(dim=1) == y[1400:]
                accuracy[norm.__name__, name] = right.float().mean().item()
            assert accuracy[norm.__name__, "same"] > 0.8 and accuracy[norm.__name__, "inverted"] < 0.1
        for norm in ("Identity", "LayerNorm"):
            assert accuracy[norm, "dark"] > accuracy[norm, "same"] - 0.03
        assert accuracy["BatchNorm1d", "dark"] < 0.7
