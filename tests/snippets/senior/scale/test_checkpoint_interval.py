"""What docs/senior/scale/checkpoint-interval.md claims, proven beyond the example shown."""

import random
from math import exp, sqrt

import pytest

from warmup.testing import load_snippet

main = load_snippet("senior/scale/checkpoint_interval.py")
background = load_snippet("senior/scale/checkpoint_interval_async_broken.py")
levers = load_snippet("senior/scale/checkpoint_interval_levers.py")


def by_events(interval, write, restart, mtbf, segments, seed):
    """Goodput of a run that is simulated segment by segment."""
    generator = random.Random(seed)
    clock, failure, done = 0.0, generator.expovariate(1 / mtbf), 0
    while done < segments:
        if clock + interval + write <= failure:
            clock, done = clock + interval + write, done + 1
            continue
        clock, ready = failure, False
        while not ready:  # a failure in the restart begins it again
            failure = clock + generator.expovariate(1 / mtbf)
            ready = failure >= clock + restart
            clock = min(failure, clock + restart)
    return done * interval / clock


class TestGoodput:
    @pytest.mark.parametrize(("write", "restart", "mtbf"), [(2, 10, 100.0), (1, 3, 20.0)])
    def test_the_formula_is_what_a_simulation_finds_failed_restarts_included(self, write, restart, mtbf):
        interval = sqrt(2 * write * mtbf)
        found = by_events(interval, write, restart, mtbf, segments=30_000, seed=1)
        assert found == pytest.approx(main.goodput(interval, write, restart, mtbf), rel=0.02)

    @pytest.mark.parametrize(("stall", "upload", "interval"), [(1.0, 5.0, 12.0), (0.5, 20.0, 25.0)])
    def test_a_background_upload_counts_as_restart_time(self, stall, upload, interval):
        share, _ = background.simulate(interval, stall, upload, lives=60_000, seed=3)
        expected = main.goodput(interval, stall, background.RESTART, background.MTBF, upload)
        assert share == pytest.approx(expected, rel=0.01)
        moved = main.goodput(interval, stall, background.RESTART + upload, background.MTBF)
        assert expected == pytest.approx(moved)

    @pytest.mark.parametrize("mtbf", [30.0, 186.0])
    def test_restart_and_upload_do_not_move_the_best_interval(self, mtbf):
        grid = [0.2 * k for k in range(1, 400)]
        found = set()
        for restart, upload in ((0, 0), (2, 0), (10, 30), (40, 5)):
            found.add(max(grid, key=lambda t, r=restart, u=upload: main.goodput(t, 2, r, mtbf, u)))
        assert len(found) == 1
        assert found.pop() == pytest.approx(levers.best(2, mtbf), abs=0.2)

    @pytest.mark.parametrize(("mtbf", "low", "high"), [(186.0, 0.015, 0.035), (2969.0, 0.004, 0.015)])
    def test_half_or_twice_the_interval_costs_up_to_three_points(self, mtbf, low, high):
        young = sqrt(2 * 2 * mtbf)
        at = main.goodput(young, 2, 10, mtbf)
        for factor in (0.5, 2):
            assert low < at - main.goodput(factor * young, 2, 10, mtbf) < high

    def test_an_mtbf_from_ten_stops_costs_less_than_half_a_point(self):
        for true in (186.0, 1000.0):
            best = main.goodput(sqrt(2 * 2 * true), 2, 10, true)
            for error in (1 - 1 / sqrt(10), 1 + 1 / sqrt(10)):
                assert abs(best - main.goodput(sqrt(2 * 2 * true * error), 2, 10, true)) < 0.005

    def test_one_failure_in_three_hours_is_one_in_six_years_per_gpu(self):
        mtbf = 54 * 24 / 419
        assert round(mtbf, 1) == 3.1 and round(mtbf * 16_384 / 24 / 365.25, 1) == 5.8
        assert abs(levers.GPU / 16_384 / 60 - mtbf) < 1e-9

    @pytest.mark.parametrize("mtbf", [5.8, 23.0, 186.0, 2969.0])
    def test_young_is_within_half_a_point_of_the_best(self, mtbf):
        young, best = (main.goodput(t, 2, 10, mtbf) for t in (sqrt(4 * mtbf), levers.best(2, mtbf)))
        assert 0 <= best - young < 0.005

    def test_the_upper_limit_of_a_restart_is_exponential(self):
        for restart, mtbf in ((10, 186.0), (10, 23.2)):
            top = max(main.goodput(t / 10, 1e-6, restart, mtbf) for t in range(1, 50))
            assert top < exp(-restart / mtbf)
            assert main.goodput(0.01, 1e-9, restart, mtbf) == pytest.approx(exp(-restart / mtbf), rel=1e-3)

    def test_which_lever_is_larger_depends_on_the_size(self):
        for gpus, faster_write_wins in ((1_024, True), (16_384, True), (524_288, False)):
            mtbf = levers.GPU / gpus
            write = levers.goodput(levers.best(1 / 12, mtbf), 1 / 12, 10, mtbf)
            restart = levers.goodput(levers.best(2, mtbf), 2, 2, mtbf)
            assert (write > restart) == faster_write_wins


class TestAsync:
    def test_work_lost_per_failure_is_half_an_interval_plus_the_upload(self):
        for upload, interval in ((0, 10.0), (8, 10.0), (12, 20.0)):
            _, lost = background.simulate(interval, 0.01, upload, lives=60_000, seed=2)
            assert lost == pytest.approx(interval / 2 + upload, rel=0.06)

    @pytest.mark.parametrize(("upload", "points"), [(1.0, 0.04), (2.0, 0.01)])
    def test_with_a_short_upload_saving_as_soon_as_it_is_complete_is_worse_than_young(self, upload, points):
        for mtbf in (186.0, 300.0):
            young = sqrt(2 / 12 * mtbf)
            at = [main.goodput(t, 1 / 12, 10, mtbf, upload) for t in (upload, young)]
            assert at[1] > at[0] + points
        assert round(sqrt(2 / 12 * background.MTBF)) == 6

    @pytest.mark.parametrize("upload", [10.0, 30.0])
    def test_with_an_upload_longer_than_young_the_shortest_possible_interval_is_the_best(self, upload):
        found = [main.goodput(upload * k, 1 / 12, 10, 186.0, upload) for k in (1, 1.2, 2)]
        assert found == sorted(found, reverse=True)

    def test_a_slow_upload_loses_more_than_a_blocking_write(self):
        for mtbf in (185.0, 120.0):
            blocking = main.goodput(sqrt(4 * mtbf), 2, 10, mtbf)
            slow = main.goodput(30, 1 / 12, 10, mtbf, upload=30)
            fast = main.goodput(6, 1 / 12, 10, mtbf, upload=2)
            assert slow < blocking < fast
