"""What docs/senior/behavioral/explain-to-stakeholders.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

power = load_snippet("senior/behavioral/explain_to_stakeholders.py")
chart = load_snippet("senior/behavioral/explain_to_stakeholders_chart.py")


def counts(rate, requests, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.binomial(torch.full((draws,), float(requests)), torch.full((draws,), rate), generator=generator)


def alarms(before, after, requests, draws=20_000, control=1.0):
    """How often two simulated versions differ by more than 1.96 standard errors."""
    old = counts(before, control * requests, draws, 1) / (control * requests)
    new = counts(after, requests, draws, 2) / requests
    error = (old * (1 - old) / (control * requests) + new * (1 - new) / requests).sqrt()
    return (new - old > 1.96 * error).double().mean().item()


class TestExplainToStakeholders:
    @pytest.mark.parametrize("after", [0.012, 0.015, 0.02])
    def test_the_chance_to_notice_is_what_a_simulation_finds(self, after):
        assert power.noticed(0.01, after, 2_400) == pytest.approx(alarms(0.01, after, 2_400), abs=0.03)

    @pytest.mark.parametrize(("before", "after"), [(0.01, 0.012), (0.3, 0.32), (0.05, 0.1)])
    def test_with_the_requests_that_it_asks_for_a_simulation_notices_four_of_five(self, before, after):
        requests = round(power.requests_for(before, after))
        assert alarms(before, after, requests) == pytest.approx(0.8, abs=0.03)

    @pytest.mark.parametrize("requests", [2_400, 43_200])
    def test_a_healthy_release_is_stopped_once_in_forty(self, requests):
        assert power.noticed(0.01, 0.01, requests) == pytest.approx(1 / 40)
        assert alarms(0.01, 0.01, requests) == pytest.approx(1 / 40, abs=0.005)

    @pytest.mark.parametrize(("before", "after"), [(0.01, 0.014), (0.2, 0.24)])
    def test_half_of_the_rise_takes_about_four_times_the_requests(self, before, after):
        half = power.requests_for(before, (before + after) / 2)
        assert 3.3 < half / power.requests_for(before, after) < 4.2

    def test_against_all_other_traffic_about_half_of_the_requests_are_enough(self):
        half = round(power.requests_for(0.01, 0.012) / 2)
        assert alarms(0.01, 0.012, half, control=20) == pytest.approx(0.8, abs=0.05)

    def test_looking_ten_times_gives_far_more_false_alarms(self):
        def looks(seed):
            return counts(0.01, 2_400, 20_000, seed)

        stopped, old, new = torch.zeros(20_000, dtype=torch.bool), 0, 0
        for look in range(10):
            old, new = old + looks(10 + look), new + looks(50 + look)
            stopped |= new - old > 1.96 * (old + new).sqrt()
        assert stopped.double().mean() * 40 == pytest.approx(3.8, abs=0.3)


class TestExplainToStakeholdersChart:
    def test_both_programs_compute_the_same_chance(self):
        for after in (0.012, 0.02):
            assert chart.noticed(after, 2_400) == power.noticed(0.01, after, 2_400)

    @pytest.mark.parametrize(("requests", "rate"), [(2_400, 0.01), (500, 0.1)])
    def test_usual_holds_38_of_40_days(self, requests, rate):
        low, high = chart.usual(requests, rate)
        found = counts(rate, requests, 40_000, 3)
        assert (found < low).double().mean() <= 1 / 40 + 0.002
        assert (found > high).double().mean() <= 1 / 40 + 0.002
        assert ((found >= low + 1) & (found <= high - 1)).double().mean() < 0.95

    def test_a_fifth_more_is_inside_the_usual_and_a_doubling_is_not(self):
        low, high = chart.usual(2_400)
        assert (low, high) == (15, 34) and low < 29 < high < 48

    @pytest.mark.parametrize(("days", "share"), [(18, 0.01), (9, 0.02), (1, 0.18)])
    def test_plans_with_equal_requests_cost_the_same(self, days, share):
        assert chart.outcome([(days, share)], 0.012) == pytest.approx(chart.outcome([(18, 0.01)], 0.012))

    def test_two_stages_cost_less_if_errors_double_and_notice_a_fifth_as_well_as_one_large_stage(self):
        staged, large = chart.PLANS["1% a day, then 18%"], chart.PLANS["18% for a day"]
        assert chart.outcome(staged, 0.02)[1] < 0.3 * chart.outcome(large, 0.02)[1]
        assert chart.outcome(staged, 0.012)[0] >= chart.outcome(large, 0.012)[0]

    def test_two_stages_stop_one_healthy_release_in_twenty(self):
        assert chart.outcome(chart.PLANS["1% a day, then 18%"], 0.01)[0] == pytest.approx(1 / 20, abs=0.001)

    def test_failures_in_bursts_spread_wider_than_the_usual(self):
        low, high = chart.usual(2_400)
        errors = 6 * counts(0.01 / 6, 2_400, 20_000, 4)  # each cause fails six requests
        assert errors.mean().item() == pytest.approx(24, abs=0.3)
        assert ((errors < low) | (errors > high)).double().mean() > 0.2
