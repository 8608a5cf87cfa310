"""What docs/senior/system-design/model-monitoring.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/model_monitoring.py")
psi = load_snippet("senior/system-design/model_monitoring_psi.py")
worlds = load_snippet("senior/system-design/model_monitoring_worlds.py")
labels = load_snippet("senior/system-design/model_monitoring_labels.py")


def draw(rows, windows=300, seed=5, make=torch.rand):
    return make(windows, rows, generator=torch.Generator().manual_seed(seed))


class TestBudget:
    def test_the_plan_adds_up_to_less_than_one_false_alarm_in_two_weeks(self):
        assert sum(tests * rate for _, tests, rate in budget.CHECKS) == pytest.approx(0.448)
        assert 30 * 24 * 7 * 0.05 == 252

    @pytest.mark.parametrize(("tests", "rate"), [(1000, 0.05), (2000, 0.01)])
    def test_a_test_fires_at_its_rate_although_nothing_changes(self, tests, rate):
        generator = torch.Generator().manual_seed(3)
        reference = torch.randn(10_000, generator=generator)
        limit = psi.threshold(10_000, 300, rate)
        windows = torch.randn(tests, 300, generator=generator)
        fired = (psi.psi(reference, windows) > limit).float().mean().item()
        assert fired == pytest.approx(rate, rel=0.5)

    def test_a_loss_of_two_points_shows_on_day_11_after_44_000_more_mistakes(self):
        assert 3 * budget.LABELS < labels.labels_needed(0.92, 0.90) <= 4 * budget.LABELS
        assert (4 + budget.DELAY) * 0.02 * budget.PREDICTIONS == 44_000

    def test_a_small_segment_that_collapses_moves_the_total_by_less_than_a_point(self):
        lost, share = 92 - 50, 0.02
        assert share * lost == pytest.approx(0.84)


class TestLabels:
    @pytest.mark.parametrize(("before", "after"), [(0.92, 0.90), (0.7, 0.65)])
    def test_that_many_labels_notice_the_loss_in_80_percent_and_fire_falsely_in_1(self, before, after):
        count = labels.labels_needed(before, after)
        limit = before - 2.326 * math.sqrt(before * (1 - before) / count)
        for truth, expected in ((before, 0.01), (after, 0.8)):
            generator = torch.Generator().manual_seed(1)
            found = (torch.rand(3000, count, generator=generator) < truth).float().mean(1).tolist()
            assert sum(value < limit for value in found) / 3000 == pytest.approx(expected, abs=0.03)

    @pytest.mark.parametrize(("per_day", "delay", "day"), [(500, 7, 11), (2000, 7, 8), (500, 1, 5), (50, 7, 47)])
    def test_the_day_on_which_it_is_noticed(self, per_day, delay, day):
        assert math.ceil(labels.labels_needed(0.92, 0.90) / per_day) + delay == day

    @pytest.mark.parametrize(("after", "requests"), [(0.02, 2_316), (0.012, 42_691)])
    def test_a_canary_of_that_size_sees_the_difference_in_80_percent(self, after, requests):
        assert labels.canary_requests(0.01, after) == requests
        generator, seen = torch.Generator().manual_seed(0), 0
        for _ in range(2000):
            a, b = (
                torch.binomial(torch.tensor([float(requests)]), torch.tensor([p]), generator=generator).item()
                / requests
                for p in (0.01, after)
            )
            noise = math.sqrt((a * (1 - a) + b * (1 - b)) / requests)
            seen += abs(a - b) > 1.96 * noise
        assert seen / 2000 == pytest.approx(0.8, abs=0.04)


class TestPsi:
    @pytest.mark.parametrize(("rows", "bins"), [(100, 10), (400, 10), (400, 20)])
    def test_without_change_the_mean_is_the_bins_less_one_over_the_rows(self, rows, bins):
        reference = draw(10_000, 1, seed=1)[0]
        mean = psi.psi(reference, draw(rows), bins).mean().item()
        assert mean == pytest.approx((bins - 1) * (1 / rows + 1 / 10_000), rel=0.12)

    @pytest.mark.parametrize("make", [torch.rand, torch.randn])
    def test_it_does_not_depend_on_the_distribution(self, make):
        reference = draw(10_000, 1, 1, make)[0]
        above = {rows: (psi.psi(reference, draw(rows, make=make)) > 0.1).float().mean() for rows in (50, 100, 500)}
        assert 0.6 < above[50] < 0.85 and 0.2 < above[100] < 0.45 and above[500] == 0

    def test_values_up_to_0_4_come_without_change_in_50_rows(self):
        reference = draw(10_000, 1, seed=1)[0]
        assert 0.38 < psi.threshold(10_000, 50, 0.01) < 0.5
        assert psi.psi(reference, draw(50, 2000)).max() > 0.4

    def test_with_a_reference_as_small_as_the_window_most_windows_exceed_it(self):
        found = [psi.psi(draw(100, 1, seed)[0], draw(100, 50, seed + 1000)) for seed in range(40)]
        assert (torch.cat(found) > 0.1).float().mean().item() == pytest.approx(0.8, abs=0.07)

    @pytest.mark.parametrize(("rows", "reference_rows", "bins"), [(1000, 1000, 10), (4000, 1000, 10), (400, 2000, 20)])
    def test_the_threshold_counts_the_rows_of_the_reference_and_the_bins(self, rows, reference_rows, bins):
        limit = psi.threshold(reference_rows, rows, 0.05, bins)
        fired = [
            psi.psi(draw(reference_rows, 1, seed)[0], draw(rows, 5, seed + 1000), bins) > limit for seed in range(60)
        ]
        assert torch.cat(fired).float().mean().item() == pytest.approx(0.05, abs=0.045)

    @pytest.mark.parametrize("users", [30, 100])
    def test_rows_in_groups_of_ten_fire_in_more_than_half_of_the_windows(self, users):
        reference = draw(10_000, 1, seed=1)[0]
        limit = psi.threshold(10_000, 10 * users, 0.01)
        grouped = draw(users).repeat_interleave(10, dim=1)
        assert (psi.psi(reference, grouped) > limit).float().mean() > 0.5
        assert (psi.psi(reference, draw(10 * users)) > limit).float().mean() < 0.04

    def test_with_200_000_rows_less_than_a_tenth_of_a_standard_deviation_fires(self):
        generator = torch.Generator().manual_seed(2)
        reference = torch.randn(10_000, generator=generator)
        limit = psi.threshold(10_000, 200_000, 0.001)
        day = torch.randn(200_000, generator=generator)
        assert psi.psi(reference, day) < limit < psi.psi(reference, day + 0.07)

    def test_slow_drift_is_found_against_the_first_week_and_not_against_the_last(self):
        generator = torch.Generator().manual_seed(4)
        weeks = [torch.randn(10_000, generator=generator) + 0.1 * week for week in range(10)]
        assert all(psi.psi(a, b) < 0.1 for a, b in zip(weeks, weeks[1:], strict=False))
        assert psi.psi(weeks[0], weeks[9]) > 0.25


class TestWorlds:
    @pytest.mark.parametrize("seed", [10, 20])
    def test_drift_fires_where_retraining_does_not_help_and_is_silent_where_it_does(self, seed):
        before = worlds.sample("nothing changes", 20_000, seed)
        old, found = worlds.fit(*before), {}
        for world in worlds.WORLDS:
            recent, test = (worlds.sample(world, 20_000, seed + k) for k in (1, 2))
            new = worlds.fit(*recent)
            gain = worlds.accuracy(new, *test) - worlds.accuracy(old, *test)
            found[world] = (worlds.drift(before[0], recent[0]) > 0.1, gain > 0.02, worlds.accuracy(old, *test) < 0.88)
        assert found == {
            "nothing changes": (False, False, False),
            "unused feature shifts": (True, False, False),
            "rule changes": (False, True, True),
            "cases get harder": (True, False, True),
            "feature 0 arrives as 0": (True, False, True),
        }
        fixed = worlds.sample("nothing changes", 20_000, seed + 3)
        assert worlds.accuracy(old, *fixed) - worlds.accuracy(new, *fixed) == pytest.approx(0.11, abs=0.01)
        assert abs(new[0]) < 1e-3

    def test_a_gate_on_the_same_broken_data_lets_a_model_pass_that_is_worse_after_the_repair(self):
        old = worlds.fit(*worlds.sample("nothing changes", 20_000, 0))
        broken = worlds.sample("feature 0 arrives as 0", 20_000, 1)
        new = worlds.fit(*broken)
        assert worlds.accuracy(new, *broken) > worlds.accuracy(old, *broken) - 0.015

    def test_a_joint_change_is_seen_by_a_classifier_and_by_no_feature_alone(self):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(20_000, 2, generator=generator)
        before = torch.stack([x[:, 0], 0.8 * x[:, 0] + 0.6 * x[:, 1]], dim=1)
        y = torch.randn(20_000, 2, generator=generator)
        after = torch.stack([y[:, 0], -0.8 * y[:, 0] + 0.6 * y[:, 1]], dim=1)
        assert worlds.drift(before, after) < 0.01
        rows = torch.cat([before, after])
        which = torch.cat([torch.zeros(20_000), torch.ones(20_000)])
        product = torch.stack([rows[:, 0] * rows[:, 1], torch.ones(len(rows))], dim=1)
        assert worlds.accuracy(worlds.fit(product, which), product, which) > 0.7

    def test_labels_of_positive_predictions_alone_miss_a_loss_among_the_negative_ones(self):
        x, y = worlds.sample("nothing changes", 20_000, 0)
        weight = worlds.fit(x, y)
        positive = x @ weight > 0
        changed = torch.where(~positive & (x[:, 4] > 0), 1 - y, y)
        assert worlds.accuracy(weight, x[positive], changed[positive]) > 0.9
        assert worlds.accuracy(weight, x, changed) < 0.75
