"""Every claim of docs/mid/modeling/flow-matching.md, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/flow_matching.py")
drawn = load_snippet("mid/modeling/flow_matching_paths.py")


def pairs(n, seed=0):
    torch.manual_seed(seed)
    noise = torch.randn(n, 1).double()
    return noise, page.MODES[torch.randint(2, (n, 1))] + page.WIDTH * torch.randn_like(noise)


class TestFlowMatching:
    @pytest.mark.parametrize(("x", "t"), [(0.3, 0.5), (-0.6, 0.7), (0.9, 0.2)])
    def test_the_field_is_the_mean_of_data_minus_noise_at_a_point(self, x, t):
        noise, data = pairs(1_000_000)
        here = ((1 - t) * noise + t * data - x).abs() < 0.02
        mean = (data - noise)[here].mean().item()
        assert page.velocity(torch.tensor([[x]]).double(), t).item() == pytest.approx(mean, abs=0.1)

    @pytest.mark.parametrize("other", [lambda v: 0.9 * v, lambda v: v + 0.2, lambda v: 0 * v])
    def test_no_other_field_has_a_lower_loss_and_its_own_is_far_from_zero(self, other):
        noise, data = pairs(20_000, 1)
        t = torch.rand_like(noise)
        field = page.velocity((1 - t) * noise + t * data, t)
        best = (field - (data - noise)).square().mean()
        assert 1.0 < best < (other(field) - (data - noise)).square().mean()

    def test_samples_have_the_distribution_of_the_lines_at_each_time(self):
        noise, data = pairs(20_000, 0)
        found = drawn.paths(noise, 128)
        for i in (32, 64, 96, 128):
            t = i / 128
            line = ((1 - t) * noise + t * data)[:, 0].sort().values
            assert (found[i].sort().values - line).abs().mean() < 0.03

    def test_one_step_lands_on_the_average_of_the_data(self):
        x = torch.linspace(-2, 2, 9, dtype=torch.double)[:, None]
        assert (x + page.velocity(x, 0.0)).abs().max() < 1e-12

    def test_paths_do_not_cross(self):
        x = torch.linspace(-2, 2, 41, dtype=torch.double)[:, None]
        found = drawn.paths(x, 256)
        assert (found.diff(dim=1) > 0).all()

    def test_lines_of_the_training_cross_zero_in_half_of_the_pairs(self):
        noise, data = pairs(20_000, 3)
        assert (noise * data < 0).double().mean().item() == pytest.approx(0.5, abs=0.02)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_pairs_after_reflow_have_straight_lines_that_do_not_cross_so_one_step_is_exact(self, seed):
        noise = torch.randn(2000, 1, generator=torch.Generator().manual_seed(seed), dtype=torch.double)
        end = drawn.paths(noise, 512)[-1][:, None]
        start, order = noise[:, 0].sort()
        assert (end[order, 0].diff() > -1e-9).all()
        # Lines in the same order at both ends do not meet, so the mean at a point is the one line there.
        for t in (0.3, 0.8):
            between = (1 - t) * start + t * end[order, 0]
            assert (between.diff() > 0).all()

    def test_noise_and_data_follow_from_the_velocity(self):
        noise, data = pairs(1_000_000, 4)
        x, t = -0.4, 0.6
        here = ((1 - t) * noise + t * data - x).abs() < 0.02
        v = page.velocity(torch.tensor([[x]]).double(), t).item()
        assert x - t * v == pytest.approx(noise[here].mean().item(), abs=0.06)
        assert x + (1 - t) * v == pytest.approx(data[here].mean().item(), abs=0.06)

    def test_for_a_single_point_the_loss_can_be_zero_and_one_step_is_exact(self):
        noise, t = pairs(100)[0], torch.rand(100, 1).double()
        data = torch.full_like(noise, 3.0)
        at = (1 - t) * noise + t * data
        field = (3.0 - at) / (1 - t)
        assert (field - (data - noise)).abs().max() < 1e-9
        assert torch.allclose(noise + (3.0 - noise), data)

    def test_paired_by_distance_lines_cross_less_and_the_spread_around_the_mean_is_lower(self):
        noise, data = pairs(4000, 5)
        near = data.sort(dim=0).values[noise[:, 0].argsort().argsort()]
        for t in (0.3, 0.6):
            left = []
            for end in (data, near):
                at = ((1 - t) * noise + t * end)[:, 0]
                target = (end - noise)[:, 0][at.argsort()].view(80, 50)  # bins of neighbors
                left.append(target.var(dim=1).mean())
            assert left[1] < 0.2 * left[0]

    def test_with_data_minus_the_noise_all_lines_cross_in_one_point(self):
        noise = torch.linspace(-2, 2, 9, dtype=torch.double)
        assert not ((1 - 0.5) * noise + 0.5 * -noise).any()

    def test_of_one_mode_known_one_step_lands_on_its_average(self):
        x = torch.linspace(-2, 2, 9, dtype=torch.double)
        field = 1.0 - x  # the mean of data - noise if all data are around 1
        assert torch.allclose(x + field, torch.ones_like(x))

    @pytest.mark.parametrize("steps", [8, 16])
    def test_heun_has_the_smaller_error_per_step(self, steps):
        noise = torch.linspace(0.2, 2, 50, dtype=torch.double)[:, None]
        exact = drawn.paths(noise, 1024)[512]
        ends = []
        for heun in (False, True):
            x, h = noise, 0.5 / steps
            for i in range(steps):
                v = page.velocity(x, i * h)
                if heun:
                    v = (v + page.velocity(x + h * v, (i + 1) * h)) / 2
                x = x + h * v
            ends.append((x[:, 0] - exact).abs().mean())
        assert ends[1] < 0.3 * ends[0]

    def test_in_two_dimensions_the_pairs_after_reflow_mix_far_less(self):
        torch.manual_seed(0)
        modes, width = torch.tensor([[2.0, 0], [-1, 2], [-1.5, -2], [0, 4]]).double(), 0.05
        noise = torch.randn(1500, 2).double()
        x = noise
        for i in range(128):
            t = i / 128
            spread = (1 - t) ** 2 + (t * width) ** 2
            off = x[:, None] - t * modes
            weight = (-off.square().sum(dim=-1) / (2 * spread)).softmax(dim=1)[..., None]
            x = x + (weight * (modes + (t * width**2 - (1 - t)) / spread * off)).sum(dim=1) / 128
        left = []
        for end in (x[torch.randperm(1500)], x):
            near = torch.cdist(noise + end, noise + end).topk(8, largest=False).indices  # at t = 0.5
            left.append((end - noise)[near].var(dim=1).sum(dim=-1).mean())
        assert left[1] < 0.05 * left[0]
