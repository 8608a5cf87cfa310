"""Every claim of docs/mid/algorithms/k-means.md, proven beyond the example shown."""

from itertools import product
from math import log

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/algorithms/k_means.py")
start = load_snippet("mid/algorithms/k_means_start.py")


def uniform(seed, n=80, d=3):
    return torch.rand(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


class TestKMeans:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("k", [2, 7])
    def test_the_sum_never_rises(self, seed, k):
        points = uniform(seed)
        costs = start.k_means(points, points[:k])
        assert all(later <= earlier + 1e-12 for earlier, later in zip(costs, costs[1:], strict=False))
        assert page.k_means(points, points[:k]) == pytest.approx(costs[-1])

    @pytest.mark.parametrize("seed", range(3))
    def test_the_mean_is_the_best_center_and_the_nearest_center_the_best_owner(self, seed):
        points = uniform(seed, 20)
        mean = points.mean(dim=0)
        best = (points - mean).square().sum()
        for other in uniform(seed + 100, 30):
            assert (points - other).square().sum() > best

    def test_with_two_centers_in_one_cluster_of_three_it_stays_there(self):
        torch.manual_seed(1)
        points = start.clusters([[0, 0], [30, 0], [60, 0]])
        bad = torch.tensor([[-0.2, 0], [0.2, 0], [45.0, 0]], dtype=torch.double)
        good = torch.tensor([[0.0, 0], [30, 0], [60, 0]], dtype=torch.double)
        assert page.k_means(points, bad) > 100 * page.k_means(points, good)

    @pytest.mark.parametrize("places", [[[0, 0], [0, 9], [9, 0], [9, 9]], [[0], [10], [20], [30], [40], [50]]])
    def test_k_means_plus_plus_finds_the_best_sum_more_often(self, places):
        torch.manual_seed(2)
        points, k = start.clusters(places, 30), len(places)
        best = page.k_means(points, torch.tensor(places, dtype=torch.double))
        found = []
        for draw in (lambda: points[torch.randperm(len(points))[:k]], lambda: start.spread(points, k)):
            found.append(sum(page.k_means(points, draw()) < 1.01 * best for _ in range(60)))
        assert found[1] > 1.3 * found[0]

    def test_the_chance_of_the_next_center_grows_with_its_squared_distance(self):
        torch.manual_seed(3)
        points = torch.tensor([[0.0], [1.0], [3.0]], dtype=torch.double)
        draws = [start.spread(points, 2)[:, 0].tolist() for _ in range(3000)]
        second = [b for a, b in draws if a == 0]
        assert second.count(3.0) / len(second) == pytest.approx(9 / 10, abs=0.03)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_before_any_step_its_expected_sum_is_within_the_bound(self, seed):
        torch.manual_seed(seed)
        points = start.clusters([[0, 0], [0, 8], [8, 0], [8, 8], [4, 4]], 20)
        best = min(page.k_means(points, start.spread(points, 5)) for _ in range(20))
        sums = [torch.cdist(points, start.spread(points, 5)).amin(dim=1).square().sum() for _ in range(100)]
        assert torch.stack(sums).mean() < 8 * (log(5) + 2) * best

    @pytest.mark.parametrize("k", [3, 4])
    def test_nan_is_the_smallest_for_argmin_so_it_takes_every_point(self, k):
        centers = uniform(0, k, 2)
        centers[k - 1] = torch.nan
        owner = torch.cdist(uniform(1, 50, 2), centers).argmin(dim=1)
        assert (owner == k - 1).all()

    def test_a_center_without_points_stays_and_gives_no_nan(self):
        points = uniform(4)
        far = torch.cat([points[:2], torch.full((1, 3), 50.0, dtype=torch.double)])
        assert page.k_means(points, far) == pytest.approx(page.k_means(points, points[:2]))

    @pytest.mark.parametrize("seed", [5, 6])
    def test_of_two_equal_centers_the_second_is_empty_until_the_first_has_moved(self, seed):
        points = uniform(seed)
        owner = torch.cdist(points, points[[0, 0, 1]]).argmin(dim=1)
        assert (owner != 1).all()
        moved = torch.stack([points[owner == 0].mean(dim=0), points[0], points[owner == 2].mean(dim=0)])
        assert (torch.cdist(points, moved).argmin(dim=1) == 1).any()

    @pytest.mark.parametrize(("offset", "ends"), [(0.0, True), (1000.0, False)])
    def test_float32_far_from_the_origin_makes_the_sum_rise_and_the_steps_go_on(self, offset, ends):
        points = uniform(0, 200, 2).float() + offset
        centers, costs, owners = points[:5], [], []
        for _ in range(60):
            owners.append(torch.cdist(points, centers).argmin(dim=1))
            costs.append((points - centers[owners[-1]]).double().square().sum().item())
            centers = torch.stack([points[owners[-1] == i].mean(dim=0) for i in range(5)])
        assert owners[-1].equal(owners[-2]) == ends
        assert all(b < 1.001 * a for a, b in zip(costs, costs[1:], strict=False)) == ends
        assert page.k_means(points, points[:5], 3) > 0  # returns

    def test_each_run_of_the_page_ends_by_itself(self):
        torch.manual_seed(0)
        points = start.clusters([[0, 0], [0, 8], [8, 0], [8, 8], [4, 4]])
        for _ in range(20):
            centers = points[torch.randperm(len(points))[:5]]
            assert page.k_means(points, centers, 50) == page.k_means(points, centers, 60)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_lowest_sum_falls_with_each_center_to_zero(self, seed):
        points = uniform(seed, 7, 2)
        lowest = []
        for k in range(1, 8):
            sums = []
            for owner in product(range(k), repeat=7) if k < 4 else ():
                owner = torch.tensor(owner)
                inside = [points[owner == i] for i in range(k) if (owner == i).any()]
                sums.append(sum((one - one.mean(dim=0)).square().sum().item() for one in inside))
            lowest.append(
                min(sums) if sums else min(page.k_means(points, points[torch.randperm(7)[:k]]) for _ in range(50))
            )
        assert all(b < a for a, b in zip(lowest, lowest[1:], strict=False))
        assert lowest[-1] == pytest.approx(0, abs=1e-12)

    def test_for_plain_distances_the_mean_is_not_the_best_center(self):
        points = torch.tensor([0.0, 0.0, 10.0])
        assert (points - points.mean()).abs().sum() > points.sub(points.median()).abs().sum()

    def test_rings_are_cut(self):
        angle = torch.arange(200, dtype=torch.double) * (2 * torch.pi / 200)
        ring = torch.stack([angle.cos(), angle.sin()], dim=1)
        points = torch.cat([ring, 4 * ring])
        torch.manual_seed(0)
        best = min(page.k_means(points, start.spread(points, 2)) for _ in range(20))
        apart = sum((one - one.mean(dim=0)).square().sum().item() for one in (ring, 4 * ring))
        assert best < apart

    def test_long_stripes_side_by_side_are_cut(self):
        stripe = torch.stack([torch.linspace(0, 10, 80), torch.zeros(80)], dim=1).double()
        points = torch.cat([stripe, stripe + torch.tensor([0.0, 1]).double()])
        torch.manual_seed(0)
        best = min(page.k_means(points, start.spread(points, 2)) for _ in range(5))
        assert best < 0.5 * 2 * (stripe - stripe.mean(dim=0)).square().sum()

    def test_two_centers_in_a_large_cluster_can_beat_one_per_cluster(self):
        torch.manual_seed(0)
        large = 4 * torch.randn(5000, 2, dtype=torch.double)
        small = torch.tensor([[14.0, 0]], dtype=torch.double) + 0.1 * torch.randn(3, 2, dtype=torch.double)
        points = torch.cat([large, small])
        apart = sum((one - one.mean(dim=0)).square().sum().item() for one in (large, small))
        assert min(page.k_means(points, start.spread(points, 2)) for _ in range(5)) < apart

    def test_with_many_noisy_features_distances_and_ends_are_nearly_alike(self):
        spreads = []
        for d in (2, 500):
            points = uniform(6, 100, d)
            distances = torch.pdist(points)
            spreads.append((distances.std() / distances.mean()).item())
        assert spreads[1] < 0.1 * spreads[0]
        torch.manual_seed(0)
        ends = [page.k_means(points, points[torch.randperm(100)[:5]]) for _ in range(10)]
        assert max(ends) < 1.01 * min(ends)

    def test_with_many_noisy_features_a_start_that_misses_a_cluster_has_nearly_the_best_sum(self):
        torch.manual_seed(0)
        places = torch.nn.functional.normalize(torch.randn(2, 500).double()) * 8
        points = places.repeat_interleave(60, dim=0) + torch.randn(120, 500).double()
        good, missed = (
            sum((one - one.mean(dim=0)).square().sum() for one in parts)
            for parts in (points.split(60), (points[:30], points[30:]))
        )
        assert good < missed < 1.1 * good

    @pytest.mark.parametrize(
        ("third", "many", "size", "repairs"),
        [
            (14.0, 200, 60, False),
            (24.0, 200, 60, True),
            (40.0, 200, 60, True),
            (40.0, 200, 10, True),
            (40.0, 2000, 10, False),
            (40.0, 200, 1, False),
        ],
    )
    def test_two_centers_in_one_cluster_part_if_one_of_them_is_nearest_to_the_empty_one(
        self, third, many, size, repairs
    ):
        torch.manual_seed(1)
        parts = {0.0: many, 8.0: size, third: 60}
        points = torch.cat([start.clusters([[x, 0]], n) for x, n in parts.items()])
        two = torch.tensor([[-0.2, 0], [0.2, 0], [third, 0]], dtype=torch.double)
        good = torch.tensor([[0.0, 0], [8, 0], [third, 0]], dtype=torch.double)
        assert (page.k_means(points, two) < 1.01 * page.k_means(points, good)) == repairs

    def test_a_center_of_nan_takes_all_points_then_their_mean_and_the_others_become_nan(self):
        points = torch.tensor([[0.0], [1.0], [9.0]])
        centers = torch.tensor([[0.5], [9.0], [torch.nan]])
        for owner in (2, 0, 1):
            nearest = torch.cdist(points, centers).argmin(dim=1)
            assert nearest.tolist() == [owner] * 3
            centers = torch.stack([points[nearest == k].mean(dim=0) for k in range(3)])
            assert centers.isnan().flatten().tolist() == [k != owner for k in range(3)]
