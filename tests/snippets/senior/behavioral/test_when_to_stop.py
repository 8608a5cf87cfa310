"""What docs/senior/behavioral/when-to-stop.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

stop = load_snippet("senior/behavioral/when_to_stop.py")
rule = load_snippet("senior/behavioral/when_to_stop_rule.py")


def pair(better, worse, rows):
    """Answers of two models that differ on ``better`` rows for the new and on ``worse`` for the old one."""
    old, new = torch.ones(rows, dtype=torch.bool), torch.ones(rows, dtype=torch.bool)
    old[:better], new[better : better + worse] = False, False
    return old, new


class TestWhenToStop:
    @pytest.mark.parametrize(("models", "rows", "accuracy"), [(20, 500, 0.9), (5, 200, 0.6)])
    def test_the_expected_best_is_what_a_simulation_of_equal_models_shows(self, models, rows, accuracy):
        generator = torch.Generator().manual_seed(0)
        right = torch.rand(300, models, rows, generator=generator) < accuracy
        simulated = right.double().mean(2).amax(1).mean().item()
        assert stop.best_of(models, rows, accuracy) == pytest.approx(simulated, abs=0.003)

    @pytest.mark.parametrize("rows", [30, 500])
    def test_one_model_shows_its_accuracy_and_more_models_show_more(self, rows):
        shown = [stop.best_of(models, rows, 0.9) for models in (1, 5, 20, 100)]
        assert shown[0] == pytest.approx(0.9) and shown == sorted(set(shown))

    def test_more_rows_leave_less_to_luck(self):
        assert stop.best_of(20, 500, 0.9) - 0.9 > 2 * (stop.best_of(20, 10_000, 0.9) - 0.9) > 0.01

    def test_models_that_share_difficulty_gain_1_7_points_by_luck(self):
        best = [rule.answers([0.9] * 20, 500, seed).double().mean(1).amax().item() for seed in range(150)]
        # Each model takes its difficulty from the row with probability 0.7, so a pair shares 0.49.
        assert sum(best) / 150 - 0.9 == pytest.approx(0.017, abs=0.0025)

    def test_answers_have_the_accuracy_that_was_asked_for(self):
        found = rule.answers([0.8, 0.95], 40_000, seed=1).double().mean(1).tolist()
        assert found == pytest.approx([0.8, 0.95], abs=0.006)


class TestWhenToStopRule:
    def test_it_stops_only_if_the_upper_end_is_below_what_pays(self):
        assert rule.decide(*pair(30, 30, 8_000)) == "stop: good enough"
        assert rule.decide(*pair(12, 12, 500)) == "go on"  # not significant either, but too few rows to know
        assert rule.decide(*pair(700, 100, 8_000)) == "go on"

    @pytest.mark.parametrize(("need", "found"), [(0.99, "stop: good enough"), (0.9999, "stop: below need")])
    def test_it_compares_the_lower_end_of_the_accuracy_with_the_need(self, need, found):
        assert rule.decide(*pair(30, 30, 8_000), need=need) == found

    def test_on_500_rows_no_interval_of_the_page_ends_below_one_point(self):
        found = rule.answers([0.860, 0.900, 0.915, 0.919, 0.919], 500, seed=7).double()
        for old, new in zip(found[:-1], found[1:], strict=True):
            low, high = rule.interval(new - old)
            assert high > 0.02 and 0.045 < high - low < 0.066

    @pytest.mark.parametrize(("differ", "pays"), [(0.1, 0.01), (0.06, 0.02)])
    def test_rows_for_gives_the_interval_that_it_promises(self, differ, pays):
        rows = rule.rows_for(pays, differ)
        half = round(rows * differ / 2)
        low, high = rule.interval(pair(half, half, rows)[1].double() - pair(half, half, rows)[0].double())
        assert (high - low) / 2 == pytest.approx(pays, rel=0.01)
        assert rule.rows_for(0.01) == 3_842

    def test_two_independent_test_sets_take_almost_twice_the_rows(self):
        unpaired = 1.96**2 * 2 * 0.9 * 0.1 / 0.01**2
        assert 1.7 < unpaired / rule.rows_for(0.01) < 2

    @pytest.mark.parametrize("accuracy", [0.5, 0.9])
    def test_the_interval_holds_the_truth_in_95_of_100_draws(self, accuracy):
        inside = 0
        for seed in range(400):
            low, high = rule.interval(rule.answers([accuracy], 800, seed)[0])
            inside += low < accuracy < high
        assert 0.92 < inside / 400 < 0.98

    def test_a_true_gain_of_what_pays_is_called_too_small_in_one_look_of_forty(self):
        stopped = 0
        for seed in range(1_500):
            old, new = rule.answers([0.85, 0.86], 1_000, seed)
            stopped += rule.decide(old, new).startswith("stop")
        assert 0.013 < stopped / 1_500 < 0.04

    def test_without_an_error_the_interval_has_no_width(self):
        assert rule.interval(torch.ones(50)) == (1, 1)

    def test_on_other_rows_the_rule_seldom_stops_with_500_and_often_with_8000(self):
        truth = [0.860, 0.900, 0.915, 0.919, 0.919]

        def stops(rows, draws):
            found = torch.zeros(4)
            for seed in range(draws):
                models = rule.answers(truth, rows, seed=2000 + seed)
                found += torch.tensor([rule.decide(*models[turn : turn + 2]) != "go on" for turn in range(4)])
            return (found / draws).tolist()

        few, many = stops(500, 400), stops(8_000, 200)
        assert few[3] == pytest.approx(1 / 7, abs=0.05) and max(few[:2]) < 0.03
        assert many[2] == pytest.approx(0.5, abs=0.1) and many[3] == pytest.approx(0.9, abs=0.06)
