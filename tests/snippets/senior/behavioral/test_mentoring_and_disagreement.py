"""What docs/senior/behavioral/mentoring-and-disagreement.md claims, proven beyond the example shown."""

import heapq
import math
import random
from statistics import mean

import pytest

from warmup.testing import load_snippet

loader = load_snippet("senior/behavioral/mentoring_and_disagreement_loader.py")
rule = load_snippet("senior/behavioral/mentoring_and_disagreement_rule.py")


def means(order, drift):
    times: dict[str, list[float]] = {"A": [], "B": []}
    for run, name in enumerate(order):
        times[name].append(drift(run))
    return mean(times["A"]), mean(times["B"])


def constant(ms, noise=0.0, seed=0):
    generator = random.Random(seed)
    return lambda: ms * generator.gauss(1, noise)


def varying(kind, held, free, workers=4, rows=30_000):
    """Ms per row of threads whose rows take random times, with these means."""
    generator = random.Random(0)

    def draw(mean):
        return generator.expovariate(1 / mean) if kind == "exponential" else mean * generator.uniform(0.5, 1.5)

    ready, lock = [0.0] * workers, 0.0
    for _ in range(rows):
        lock = max(heapq.heappop(ready), lock) + draw(held)
        heapq.heappush(ready, lock + draw(free))
    return max(ready) / rows


class TestMentoringAndDisagreement:
    @pytest.mark.parametrize(("start", "slope"), [(100, 1), (7, -0.5), (3, 40)])
    def test_a_drift_in_a_straight_line_cancels_in_abba_and_not_in_blocks(self, start, slope):
        line = lambda run: start + slope * run  # noqa: E731
        a, b = means("ABBAABBA", line)
        assert a == b
        a, b = means("AAAABBBB", line)
        assert b - a == 4 * slope
        a, b = means("ABABABAB", line)
        assert b - a == slope

    def test_a_drift_of_the_square_does_not_cancel_within_a_group_of_four(self):
        a, b = means("ABBA", lambda run: 100 + run**2)
        assert a > b
        a, b = means("ABBA", lambda run: 100 - run**2)
        assert a < b


class TestMentoringAndDisagreementLoader:
    @pytest.mark.parametrize("workers", [2, 4, 8])
    @pytest.mark.parametrize(("held", "free"), [(8, 2), (1, 19), (10, 30), (3, 3)])
    def test_threads_need_the_longer_of_the_lock_and_the_row_per_worker(self, held, free, workers):
        expected = max(held, (held + free) / workers)
        assert loader.threads(held, free, workers) == pytest.approx(expected, rel=0.01)

    @pytest.mark.parametrize("workers", [2, 4, 16])
    def test_above_the_share_more_threads_do_not_help_and_more_processes_do(self, workers):
        assert loader.threads(8, 2, workers) == pytest.approx(8, rel=0.01)
        assert loader.processes(8, 2, 2 * workers, 0) == loader.processes(8, 2, workers, 0) / 2

    @pytest.mark.parametrize(("held", "free", "copy"), [(1, 19, 3), (2, 30, 1)])
    def test_below_the_share_threads_win_by_the_copy(self, held, free, copy):
        won = loader.processes(held, free, 4, copy) - loader.threads(held, free, 4)
        assert won == pytest.approx(copy / 4, rel=0.1)

    @pytest.mark.parametrize(("held", "threads_win"), [(30, True), (36, True), (40, False)])
    def test_a_copy_moves_the_limit_to_one_plus_its_share_over_the_workers(self, held, threads_win):
        free, copy = 100 - held, 50
        found = loader.threads(held, free, 4) < loader.processes(held, free, 4, copy)
        assert found is threads_win is (held / 100 < (1 + copy / 100) / 4)

    def test_the_numbers_of_the_story(self):
        assert loader.threads(8, 2, 4) == pytest.approx(8, abs=0.005)
        assert loader.processes(8, 2, 4, 0) == 2.5
        assert loader.threads(1, 19, 4) == pytest.approx(5, abs=0.01)
        assert loader.processes(1, 19, 4, 3) == 5.75

    @pytest.mark.parametrize(
        ("kind", "held", "free", "expected"),
        [("half", 10, 30, 11.5), ("exponential", 10, 30, 12.6), ("half", 1, 19, 5.0), ("exponential", 1, 19, 5.05)],
    )
    def test_if_times_vary_threads_wait_below_the_limit_and_hardly_at_a_share_of_5_percent(
        self, kind, held, free, expected
    ):
        found = varying(kind, held, free)
        assert found == pytest.approx(expected, rel=0.02)
        assert found > max(held, (held + free) / 4)
        assert (found > loader.processes(held, free, 4, 1)) is (held == 10)

    def test_four_exponential_threads_at_a_share_of_a_quarter_as_a_formula(self):
        # Four customers, one server: the chance that nobody is at the lock.
        idle = 1 / sum(math.perm(4, n) / 3**n for n in range(5))
        assert 10 / (1 - idle) == pytest.approx(12.6, abs=0.05)

    @pytest.mark.parametrize("held", [5, 8])
    def test_with_varying_times_threads_lose_below_the_limit_of_a_small_copy(self, held):
        assert held / 40 < (1 + 1 / 40) / 4
        assert varying("exponential", held, 40 - held) > loader.processes(held, 40 - held, 4, 1)

    def test_one_thread_waits_for_nobody(self):
        assert loader.threads(3, 4, 1, rows=10) == 7


class TestMentoringAndDisagreementRule:
    def test_the_sixth_of_twenty_from_each_end_covers_the_median_with_95_9_percent(self):
        outside = 2 * sum(math.comb(20, k) for k in range(6)) / 2**20
        assert 1 - outside == pytest.approx(0.9586, abs=0.0001)

    @pytest.mark.parametrize("distribution", ["gauss", "skewed"])
    def test_the_interval_covers_the_median_about_that_often(self, distribution):
        generator, inside = random.Random(1), 0
        for _ in range(2000):
            draw = generator.gauss if distribution == "gauss" else generator.lognormvariate
            median = 0 if distribution == "gauss" else 1
            values = sorted(draw(0, 1) for _ in range(20))
            inside += values[5] <= median <= values[-6]
        assert 0.94 < inside / 2000 < 0.975

    @pytest.mark.parametrize(
        ("a", "b", "said"),
        [
            (100, 120, "B is slower"),
            (100, 80, "B is faster"),
            (100, 100, "no difference that counts"),
            (100, 103, "no difference that counts"),
        ],
    )
    def test_it_says_what_the_difference_is(self, a, b, said):
        assert rule.verdict(constant(a, 0.01), constant(b, 0.01, seed=1), least=0.05).endswith(said)

    @pytest.mark.parametrize("seed", [2, 3])
    def test_short_noisy_runs_are_undecided(self, seed):
        a, b = constant(100, 0.2, seed), constant(100, 0.2, seed + 10)
        assert "undecided" in rule.verdict(a, b, least=0.02)

    @pytest.mark.parametrize("slope", [0.01, 0.05])
    def test_a_drift_leaves_one_program_equal_to_itself(self, slope):
        runs = iter(range(1000))
        program = lambda: 100 * (1 + slope * next(runs))  # noqa: E731
        assert "undecided" in rule.verdict(program, program, least=0.0)
        low, high = rule.verdict(program, program, least=1.0).split(":")[0].split(" to ")
        assert float(low.strip("%")) < 0 < float(high.strip("%"))

    def test_the_order_is_a_b_b_a_in_twenty_pairs(self):
        order = []

        def program(name):
            def run():
                order.append(name)
                return 1.0

            return run

        rule.verdict(program("A"), program("B"), least=0.05)
        assert "".join(order) == "ABBA" * 10
