"""What docs/mid/training-dynamics/double-descent.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

curve = load_snippet("mid/training-dynamics/double_descent_curve.py")
GRID = [10.0**k for k in range(-4, 3)]


def least_squares(
    n: int, p: int, noise: float, linear: bool = False
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Features, labels and weights of minimum norm, of 20 data sets in 8 dimensions."""
    x = torch.randn(20, n, 8, dtype=torch.float64)
    phi = x @ torch.randn(20, 8, p, dtype=torch.float64)
    phi = phi if linear else phi.relu()
    y = x.sum(dim=2, keepdim=True) + noise * torch.randn(20, n, 1, dtype=torch.float64)
    return phi, y, torch.linalg.pinv(phi) @ y


class TestDoubleDescent:
    @pytest.mark.parametrize("n", [24, 40])
    @pytest.mark.parametrize("noise", [0.0, 0.5])
    def test_the_peak_is_where_the_number_of_features_is_that_of_the_points(self, n, noise):
        at = {p: curve.risks(p, n, noise, [0.0], 30).item() for p in (n // 4, n // 2, n, 2 * n, 6 * n)}
        assert max(at, key=at.get) == n
        assert at[n] > 4 * at[2 * n] > 4 * at[6 * n]

    @pytest.mark.parametrize("n", [24, 40])
    def test_a_ridge_tuned_on_other_points_has_no_peak(self, n):
        at = {p: curve.risks(p, n, 0.5, GRID, 30).item() for p in (n // 2, n, 10 * n)}
        assert at[n] < 1.15 * at[n // 2] and at[10 * n] < at[n]
        assert at[n] < 0.2 * curve.risks(n, n, 0.5, [0.0], 30)

    def test_a_tuned_ridge_beats_the_best_width_without_one(self):
        best = min(curve.risks(p, 40, 0.5, [0.0]).item() for p in (8, 12, 20, 200))
        for p in (20, 40, 200):
            assert curve.risks(p, 40, 0.5, GRID, 30).item() < 0.9 * best

    def test_noise_makes_the_peak_higher(self):
        quiet, noisy = (curve.risks(40, 40, noise, [0.0], 30) for noise in (0.0, 0.5))
        assert noisy > 2 * quiet

    @pytest.mark.parametrize("p", [8, 20, 40, 80])
    def test_without_noise_and_with_features_that_express_the_target_there_is_no_peak(self, p):
        x, new = torch.randn(10, 20, 8, dtype=torch.float64), torch.randn(10, 50, 8, dtype=torch.float64)
        v = torch.randn(10, 8, p, dtype=torch.float64)
        c = torch.linalg.pinv(x @ v) @ x.sum(dim=2, keepdim=True)
        assert (new @ v @ c - new.sum(dim=2, keepdim=True)).abs().max() < 1e-9

    @pytest.mark.parametrize(("n", "p"), [(20, 10), (20, 60)])
    def test_the_noise_adds_its_variance_times_the_square_of_the_weights_of_the_labels(self, n, p):
        phi = torch.randn(n, p, dtype=torch.float64)
        s = torch.randn(p, dtype=torch.float64) @ torch.linalg.pinv(phi)
        noise = 0.3 * torch.randn(20_000, n, dtype=torch.float64)
        assert (noise @ s).var().item() == pytest.approx(0.09 * s.square().sum().item(), rel=0.05)

    def test_the_smallest_singular_value_is_smallest_where_p_is_n(self):
        smallest = {}
        for p in (10, 40, 400):
            phi = torch.randn(20, 40, 8, dtype=torch.float64) @ torch.randn(20, 8, p, dtype=torch.float64)
            values = torch.linalg.svdvals(phi.relu())
            smallest[p] = (values[:, -1] / values[:, 0]).median().item()
        assert smallest[40] < 0.1 * min(smallest[10], smallest[400])

    @pytest.mark.parametrize(("n", "p"), [(10, 30), (15, 25)])
    def test_gradient_descent_from_zero_finds_the_minimum_norm_and_adam_does_not(self, n, p):
        phi, y = torch.randn(n, p, dtype=torch.float64), torch.randn(n, dtype=torch.float64)
        shortest = torch.linalg.pinv(phi) @ y
        lr = 1 / torch.linalg.matrix_norm(phi, 2) ** 2
        outside = torch.linalg.svd(phi)[2][n]
        for start in (torch.zeros(p, dtype=torch.float64), outside):
            c = start.clone()
            for _ in range(4000):
                c -= lr * phi.T @ (phi @ c - y)
            torch.testing.assert_close(c, shortest + start, rtol=1e-5, atol=1e-6)
        c = torch.zeros(p, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([c], lr=0.02)
        for _ in range(600):
            optimizer.zero_grad()
            (phi @ c - y).square().mean().backward()
            optimizer.step()
        assert (phi @ c - y).abs().max() < 1e-3 and c.norm() > 1.01 * shortest.norm()

    @pytest.mark.parametrize("p", [20, 40])
    def test_more_data_hurts_without_a_ridge_and_helps_with_a_tuned_one(self, p):
        for ridges, hurts in (([0.0], True), (GRID, False)):
            half, full, many = (curve.risks(p, n, 0.5, ridges, 30) for n in (p // 2, p, 4 * p))
            assert bool(full > half) is hurts and many < half

    @pytest.mark.parametrize("n", [24, 40])
    def test_a_weighted_norm_has_a_second_descent_too(self, n):
        at = {}
        for p in (n, 2 * n, 8 * n):
            phi, y, _ = least_squares(3 * n, p, 2.0)
            scale = 0.2 + 3 * torch.rand(20, 1, p, dtype=torch.float64)
            c = scale.mT * (torch.linalg.pinv(phi[:, :n] * scale) @ y[:, :n])
            assert (phi[:, :n] @ c - y[:, :n]).abs().max() < 1e-6
            at[p] = (phi[:, n:] @ c - y[:, n:]).square().mean(dim=(1, 2)).median()
        assert at[n] > 4 * at[2 * n] > 4 * at[8 * n]

    @pytest.mark.parametrize("n", [24, 40])
    def test_a_norm_that_all_but_forbids_the_other_features_stays_near_the_peak(self, n):
        at = {}
        for p in (n, 2 * n, 8 * n):
            phi, y, _ = least_squares(3 * n, p, 2.0)
            scale = torch.where(torch.arange(p) < n, 1.0, 1e-3).double()
            c = scale[:, None] * (torch.linalg.pinv(phi[:, :n] * scale) @ y[:, :n])
            assert (phi[:, :n] @ c - y[:, :n]).abs().max() < 1e-6
            at[p] = (phi[:, n:] @ c - y[:, n:]).square().mean(dim=(1, 2)).median()
        assert min(at[2 * n], at[8 * n]) > 0.25 * at[n]

    @pytest.mark.parametrize("n", [24, 40])
    def test_the_fit_at_the_peak_has_the_largest_weights(self, n):
        size = {p: least_squares(n, p, 0.5)[2].norm(dim=1).median() * p**0.5 for p in (n // 2, n, 4 * n)}
        assert size[n] > 3 * max(size[n // 2], size[4 * n])

    def test_without_a_ridge_both_minima_are_near_a_half_and_without_noise_the_second_is_far_lower(self):
        first, second = (curve.risks(p, 40, 0.5, [0.0]) for p in (12, 400))
        assert 0.4 < first < 0.65 and 0.4 < second < 0.65
        assert curve.risks(400, 40, 0.0, [0.0]) < 0.2 * curve.risks(30, 40, 0.0, [0.0])

    def test_another_fitting_solution_can_be_arbitrarily_bad(self):
        phi, y, c = least_squares(10, 40, 0.0)
        outside = torch.linalg.svd(phi)[2][:, -1:].mT
        assert (phi @ (c + 1000 * outside) - y).abs().max() < 1e-8
        new = torch.randn(20, 50, 40, dtype=torch.float64).relu()
        assert (new @ (c + 1000 * outside)).abs().mean() > 100

    @pytest.mark.parametrize("n, p", [(5, 12), (10, 40)])
    @pytest.mark.parametrize("adam, start", [(False, 0.0), (False, 1.0), (True, 0.0)])
    def test_only_plain_steps_from_zero_end_at_minimum_norm(self, n, p, adam, start):
        x, y = torch.randn(n, p, dtype=torch.float64), torch.randn(n, dtype=torch.float64)
        first = start * torch.randn(p, dtype=torch.float64)
        w = first.clone().requires_grad_()
        optimizer = torch.optim.Adam([w], 0.01) if adam else torch.optim.SGD([w], 0.02)
        for _ in range(5000):
            optimizer.zero_grad()
            (x @ w - y).square().mean().backward()
            optimizer.step()
        inverse = torch.linalg.pinv(x)
        outside = torch.eye(p, dtype=torch.float64) - inverse @ x
        w = w.detach()
        assert (x @ w - y).abs().max() < 0.05
        if not adam:  # the steps stay in the span, from any start
            assert (outside @ (w - first)).norm() < 1e-10
        smallest = (inverse @ y).norm()
        if adam or start:
            assert (outside @ w).norm() > 0.05 and w.norm() > 1.01 * smallest
        else:
            assert (w - inverse @ y).norm() < 0.01
