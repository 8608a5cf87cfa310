"""What docs/senior/inference/gptq-awq-smoothquant.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.nn import functional as F

from warmup.testing import load_snippet

page = load_snippet("senior/inference/gptq_awq_smoothquant.py")
outlier = load_snippet("senior/inference/gptq_awq_smoothquant_outlier_broken.py")
awq = load_snippet("senior/inference/gptq_awq_smoothquant_awq.py")


def layer(seed, out=40, width=48):
    """Weights, scales, two sets of correlated inputs and one of independent ones."""
    torch.manual_seed(seed)
    w, white, a, b = (torch.randn(n, width).double() for n in (out, 3000, width, width))
    decay = torch.logspace(0, -1, width)
    return w, w.abs().amax(1, keepdim=True) / 7, white @ a * decay, white @ b * decay, white


def off(q, w, x):
    return ((x @ (q - w).T).norm() / (x @ w.T).norm()).item()


class TestGPTQ:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_weights_are_farther_and_outputs_closer(self, seed):
        w, scale, x, _, _ = layer(seed)
        near, q = page.nearest(w, scale), page.gptq(w, x[:1500], scale)
        assert (q - w).norm() > 2 * (near - w).norm()
        assert off(q, w, x[1500:]) < 0.65 * off(near, w, x[1500:])

    def test_both_use_the_same_grid_and_none_is_nearer_than_nearest(self):
        w, scale, x, _, _ = layer(3)
        near, q = page.nearest(w, scale), page.gptq(w, x, scale)
        for levels in (near / scale, q / scale):
            assert (levels - levels.round()).abs().max() < 1e-9 and levels.abs().max() <= 7 + 1e-9
        assert ((near - w).abs() <= (q - w).abs() + 1e-12).all()

    @pytest.mark.parametrize("seed", [1, 2])
    def test_the_squared_output_error_is_a_trace(self, seed):
        w, scale, x, _, _ = layer(seed)
        e = page.nearest(w, scale) - w
        torch.testing.assert_close((x @ e.T).square().sum(), torch.trace(e @ (x.T @ x) @ e.T))

    @pytest.mark.parametrize("seed", [1, 2])
    def test_without_correlation_it_gains_nothing(self, seed):
        w, scale, _, _, white = layer(seed)
        ratio = off(page.gptq(w, white[:1500], scale), w, white[1500:]) / off(page.nearest(w, scale), w, white[1500:])
        assert ratio == pytest.approx(1, abs=0.05)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_neither_do_channels_of_different_size_help_but_a_common_mean_does(self, seed):
        w, scale, _, _, white = layer(seed, width=64)
        ratios = []
        for x in (white * torch.logspace(0, -2, 64), white.relu(), white + 1):
            ratios.append(off(page.gptq(w, x[:1500], scale), w, x[1500:]) / off(page.nearest(w, scale), w, x[1500:]))
        assert ratios[0] == pytest.approx(1, abs=0.05)
        assert 0.75 < ratios[1] < 0.95 and 0.65 < ratios[2] < 0.85

    def test_the_9_and_11_percent_after_a_relu(self):
        torch.manual_seed(1)
        w, x = torch.randn(48, 64).double(), torch.randn(4096, 64).double().relu()
        scale = w.abs().amax(1, keepdim=True) / 7
        assert round(off(page.gptq(w, x[:2048], scale), w, x[2048:]), 2) == 0.09
        assert round(off(page.nearest(w, scale), w, x[2048:]), 2) == 0.11

    def test_with_other_inputs_it_is_worse_than_nearest(self):
        for width in (48, 64):
            w, scale, x, other, _ = layer(0, width=width)
            assert off(page.gptq(w, other, scale), w, x) > 1.2 * off(page.nearest(w, scale), w, x)

    def test_the_18_and_11_percent_of_the_table(self):
        torch.manual_seed(0)
        w, x, mix, other = (torch.randn(n, 64).double() for n in (48, 4096, 64, 64))
        scale, decay = w.abs().amax(1, keepdim=True) / 7, torch.logspace(0, -1, 64)
        live, calibration = x @ mix * decay, x @ other * decay
        assert round(off(page.gptq(w, calibration, scale), w, live), 2) == 0.18
        assert round(off(page.nearest(w, scale), w, live), 2) == 0.11

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_fewer_rows_than_inputs_it_is_worse_and_needs_damping(self, seed):
        w, scale, x, _, _ = layer(seed, width=64)
        assert off(page.gptq(w, x[:32], scale), w, x[32:]) > 1.03 * off(page.nearest(w, scale), w, x[32:])
        h = x[:32].T @ x[:32]
        assert torch.linalg.matrix_rank(h) == 32
        with pytest.raises(torch.linalg.LinAlgError):
            torch.linalg.cholesky(h.inverse(), upper=True)


class TestOutliers:
    def setup_method(self):
        torch.manual_seed(5)
        self.x, self.w = torch.randn(800, 32).double(), torch.randn(20, 32).double()
        self.x[:, 3] *= 80
        self.y = self.x @ self.w.T

    def error(self, x, w, dim=1):
        return ((outlier.int8(x, dim) @ outlier.int8(w, 1).T - self.y).norm() / self.y.norm()).item()

    def test_smoothing_and_rotation_are_exact_before_rounding_and_help(self):
        smoothed = outlier.smooth(self.x, self.w)
        h = outlier.hadamard(32)
        torch.testing.assert_close(h @ h.T, torch.eye(32).double())
        rotated = self.x @ h, self.w @ h
        for x, w in (smoothed, rotated):
            torch.testing.assert_close(x @ w.T, self.y)
            assert self.error(x, w) < 0.6 * self.error(self.x, self.w)
        assert self.error(self.x, self.w) < 0.6 * self.error(self.x, self.w, (0, 1))
        zeros = (outlier.int8(self.x, (0, 1)) == 0).double().mean()
        assert 0.5 < zeros < 0.8
        peak = rotated[0].abs().amax(0)
        assert peak.max() / peak.min() < 1.5

    @pytest.mark.parametrize("size", [60, 80])
    def test_moving_all_of_the_outlier_is_worse(self, size):
        torch.manual_seed(0)
        self.x, self.w = torch.randn(1024, 64).double(), torch.randn(48, 64).double()
        self.x[:, 7] *= size
        self.y = self.x @ self.w.T
        half, full = (self.error(*outlier.smooth(self.x, self.w, alpha)) for alpha in (0.5, 1.0))
        assert 4 < full / half < 6.5

    @pytest.mark.parametrize("seed, width", [(0, 64), (5, 32)])
    def test_float8_is_as_far_off_with_an_outlier_as_without_and_int8_per_token_is_closer(self, seed, width):
        def float8(x, dim):
            scale = x.abs().amax(dim, keepdim=True) / 448
            return (x / scale).to(torch.float8_e4m3fn).double() * scale

        def error(kind, x, w, dim):
            return (kind(x, dim) @ kind(w, 1).T - x @ w.T).norm() / (x @ w.T).norm()

        torch.manual_seed(seed)
        x, w = torch.randn(1024, width).double(), torch.randn(48, width).double()
        out = x.clone()
        out[:, 7] *= 60
        plain, spoiled = (error(float8, a, w, (0, 1)) for a in (x, out))
        assert 0.034 < plain < 0.04 and spoiled < 1.1 * plain
        assert error(outlier.int8, out, w, (0, 1)) > 4 * error(outlier.int8, x, w, (0, 1))
        assert error(outlier.int8, out, w, 1) < 0.02 < error(float8, out, w, 1)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_a_scale_per_token_confines_an_outlier_of_few_tokens_and_smoothing_spreads_it(self, seed):
        torch.manual_seed(seed)
        x, w = torch.randn(1024, 64).double(), torch.randn(48, 64).double()
        x[:8, 7] *= 60
        y, off = x @ w.T, []
        for a, b in ((x, w), outlier.smooth(x, w), (x @ outlier.hadamard(64), w @ outlier.hadamard(64))):
            wrong = outlier.int8(a, 1) @ outlier.int8(b, 1).T - y
            off.append((wrong[8:].norm() / y[8:].norm()).item())  # the other tokens
        assert off == pytest.approx([0.008, 0.0155, 0.0085], abs=0.0005)

    def test_a_scale_per_input_channel_does_not_factor_out(self):
        scale = self.x.abs().amax(0, keepdim=True) / 127
        q = (self.x / scale).round()
        right = (q * scale) @ self.w.T
        assert ((right - self.y).norm() / self.y.norm()) < 0.01
        best = (q @ self.w.T * right).sum() / (q @ self.w.T).square().sum()  # one factor behind the sum
        assert ((best * (q @ self.w.T) - right).norm() / right.norm()) > 0.1

    def test_the_division_folds_into_a_layer_norm_or_a_linear_layer_but_not_through_gelu(self):
        s = torch.rand(32).double() + 0.5
        gain, bias = torch.randn(2, 32).double()
        norm = F.layer_norm(self.x, (32,), gain, bias)
        torch.testing.assert_close(F.layer_norm(self.x, (32,), gain / s, bias / s), norm / s)
        for reader in torch.randn(2, 8, 32).double():  # query and key: both need the factor
            torch.testing.assert_close((norm / s) @ (reader * s).T, norm @ reader.T)
            assert not torch.allclose((norm / s) @ reader.T, norm @ reader.T, atol=1e-2)
        before = torch.randn(32, 32).double()
        torch.testing.assert_close(self.x @ (before.T / s), (self.x @ before.T) / s)
        assert not torch.allclose(F.gelu(norm / s), F.gelu(norm) / s, atol=1e-2)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_without_outliers_8_bit_activations_need_no_smoothing(self, seed):
        torch.manual_seed(seed)
        x, w = torch.randn(512, 64).double(), torch.randn(48, 64).double()
        plain, smoothed = (outlier.int8(a, 1) @ outlier.int8(b, 1).T for a, b in ((x, w), outlier.smooth(x, w)))
        error, after = ((q - x @ w.T).norm() / (x @ w.T).norm() for q in (plain, smoothed))
        assert error < 0.01 and after > 0.95 * error


class TestAWQ:
    def data(self, seed, size):
        torch.manual_seed(seed)
        w, x = torch.randn(50, 64).double(), torch.randn(2000, 64).double()
        x[:, [2, 40]] *= size
        return w, x[:1000], x[1000:]

    @pytest.mark.parametrize("size", [15, 30])
    def test_channels_with_large_inputs_are_salient_and_scaling_protects_them(self, size):
        w, fit, test = self.data(1, size)
        near = off(awq.int4(w), w, test)
        best = min(off(awq.awq(w, fit, a / 10), w, test) for a in range(11))
        assert best < 0.65 * near
        errors = {}
        for name, sizes in (("inputs", fit.abs().mean(0)), ("weights", w.norm(dim=0))):
            q = awq.int4(w)
            kept = sizes.topk(2).indices
            q[:, kept] = w[:, kept]
            errors[name] = off(q, w, test)
        assert errors["inputs"] < 0.5 * near and errors["weights"] > 0.9 * near

    def test_with_equal_inputs_there_is_nothing_to_protect(self):
        w, fit, test = self.data(2, 1)
        near = off(awq.int4(w), w, test)
        assert all(off(awq.awq(w, fit, a), w, test) == pytest.approx(near, rel=0.05) for a in (0.3, 0.6, 1.0))

    @pytest.mark.parametrize("seed", [1, 2])
    def test_with_other_large_channels_it_protects_the_wrong_ones(self, seed):
        w, _, test = self.data(seed, 20)
        fit = torch.randn(1000, 64).double()
        fit[:, [7, 50]] *= 20
        alpha = min((a / 10 for a in range(11)), key=lambda a: off(awq.awq(w, fit, a), w, fit))
        assert off(awq.awq(w, fit, alpha), w, test) > 1.1 * off(awq.int4(w), w, test)

    def test_it_is_exact_before_rounding(self):
        w, fit, _ = self.data(3, 9)
        s = fit.abs().mean(0) ** 0.4
        torch.testing.assert_close((fit / s) @ (w * s).T, fit @ w.T)
