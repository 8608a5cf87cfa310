"""What docs/senior/system-design/fault-tolerant-training.md claims, proven beyond the example shown."""

import os
import time

import pytest
import torch

from warmup.testing import load_snippet

agent = load_snippet("senior/system-design/fault_tolerant_training_agent.py")
interval = load_snippet("senior/system-design/fault_tolerant_training_interval.py")


def first_order(t, between, write, down):
    return write / t + t / 2 / between + down / between


def used(folder):
    return torch.load(folder / f"{agent.STEPS}.pt")


class TestBudget:
    def test_llama_3_interruptions_are_one_in_50_000_hours_of_a_gpu(self):
        job = 54 * 24 / 419
        assert job == pytest.approx(50_000 / 16384, rel=0.02) and job == pytest.approx(3.05, rel=0.02)

    @pytest.mark.parametrize(("between", "write"), [(183.1, 1.0), (2930, 4.0), (45, 0.5)])
    def test_at_youngs_interval_saving_and_repeating_cost_the_same_and_no_other_interval_costs_less(
        self, between, write
    ):
        t = interval.young(between, write)
        assert write * between / t == pytest.approx(t / 2)
        for down in (0.0, 30.0):  # which does not move it
            best = first_order(t, between, write, down)
            assert all(first_order(t * k, between, write, down) > best for k in (0.5, 0.9, 1.1, 2))

    @pytest.mark.parametrize("between", [183.1, 2930])
    def test_a_write_of_a_quarter_halves_what_saving_and_repeating_cost(self, between):
        costs = [first_order(interval.young(between, w), between, w, 0) for w in (2.0, 0.5)]
        assert costs[1] == pytest.approx(costs[0] / 2)

    def test_noticing_nine_minutes_sooner_is_five_percent_of_the_time_on_16384_gpus(self):
        share = 9 / (60 * 50_000 / 16384)
        assert share == pytest.approx(0.05, abs=0.002)

    def test_the_formula_is_one_point_above_at_youngs_interval_and_four_at_a_quarter(self):
        between = 60 * 50_000 / 16384
        t = interval.young(between)
        for factor, points in ((1, 1), (0.25, 4)):
            found = interval.simulate(factor * t, between, failures=40_000)
            formula = first_order(factor * t, between, interval.WRITE, interval.DOWN)
            assert 100 * (formula - found) == pytest.approx(points, abs=0.7)


class TestInterval:
    @pytest.mark.parametrize(("between", "write", "down"), [(183.1, 1.0, 6.0), (732, 3.0, 20.0)])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_simulation_agrees_and_is_flat_around_youngs_interval(self, between, write, down, seed):
        t = interval.young(between, write)
        lost = {k: interval.simulate(k * t, between, write, down, 20_000, seed) for k in (0.25, 0.5, 1, 2, 4)}
        formula = first_order(t, between, write, down)
        assert formula - 0.02 < lost[1] < formula
        assert all(0.005 < lost[k] - lost[1] < 0.035 for k in (0.5, 2))
        assert all(lost[k] - lost[1] > 0.05 for k in (0.25, 4))

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_three_clusters_lose_about_13_6_and_3_percent(self, seed):
        for gpus, expected in ((16384, 13), (4096, 6), (1024, 3)):
            between = 60 * 50_000 / gpus
            lost = 100 * interval.simulate(interval.young(between), between, seed=seed, failures=20_000)
            assert lost == pytest.approx(expected, abs=0.7)

    def test_without_failures_only_the_writes_are_lost(self):
        assert interval.simulate(9.0, 1e9, 1.0, 0.0, 200) == pytest.approx(0.1, abs=0.001)

    def test_if_the_job_fails_before_each_checkpoint_all_is_lost(self):
        assert interval.simulate(1e6, 10.0, 1.0, 5.0, 500) == 1


class TestAgent:
    @pytest.mark.parametrize(("rank", "step", "begins"), [(0, 9, [0, 8]), (1, 2, [0, 0])])
    @pytest.mark.parametrize("kind", ["dies", "hangs"])
    def test_after_a_death_and_after_a_hang_it_goes_on_from_the_last_checkpoint(
        self, tmp_path, rank, step, begins, kind
    ):
        def fault(at_rank, at_step, attempt):
            if (at_rank, at_step, attempt) == (rank, step, 0):
                os._exit(1) if kind == "dies" else time.sleep(600)

        noticed, found = agent.agent(tmp_path, fault, sizes=(2, 2), silence_s=1.5)
        assert noticed == {"dies": "exit code", "hangs": "silence"}[kind]
        assert found == begins
        assert (used(tmp_path) == 1).all()

    @pytest.mark.parametrize("sizes", [(2, 3), (3, 1)])
    def test_with_another_number_of_ranks_each_sample_is_still_used_once(self, tmp_path, sizes):
        assert agent.agent(tmp_path, agent.dies, sizes)[1] == [0, 4]
        assert (used(tmp_path) == 1).all()

    @pytest.mark.parametrize(("samples", "ranks", "equal"), [(6, 3, True), (6, 4, False), (1024, 1008, False)])
    def test_the_mean_over_ranks_is_the_mean_over_samples_only_if_the_batch_divides(self, samples, ranks, equal):
        loss = torch.arange(samples, dtype=torch.float64) ** 2
        parts = [loss[rank::ranks] for rank in range(ranks)]
        over_ranks = torch.stack([part.mean() for part in parts]).mean()
        weighted = sum(part.mean() * len(part) / samples for part in parts)
        assert bool(torch.isclose(over_ranks, loss.mean(), rtol=1e-4)) is equal
        assert torch.isclose(weighted, loss.mean())

    def test_a_hang_before_the_first_heartbeat_is_not_noticed(self, tmp_path, monkeypatch):
        def slow_start(*_):
            time.sleep(0.6)  # three times the silence that counts as a hang
            os._exit(0)

        monkeypatch.setattr(agent, "worker", slow_start)
        assert agent.agent(tmp_path, sizes=(2, 2), silence_s=0.2) == ("nothing", [0])

    def test_two_failures_need_two_restarts(self, tmp_path):
        def fault(rank, step, attempt):
            if rank == 0 and (step, attempt) in ((5, 0), (10, 1)):
                os._exit(3)

        assert agent.agent(tmp_path, fault, (2, 2, 2)) == ("exit code", [0, 4, 8])
        assert (used(tmp_path) == 1).all()

    def test_a_restart_that_does_not_restore_the_step_looks_like_a_success_and_repeats_the_first_steps(self, tmp_path):
        noticed, begins = agent.agent(tmp_path, agent.dies, (2, 2), restore_step=False)
        assert (noticed, begins) == ("exit code", [0, 4])
        counts = used(tmp_path).view(agent.STEPS, agent.SAMPLES)
        assert (counts[:4] == 2).all() and (counts[4:] == 1).all()

    @pytest.mark.parametrize("attempts", [2, 3])
    def test_a_fault_that_comes_back_makes_no_progress(self, tmp_path, attempts):
        assert agent.agent(tmp_path, agent.dies_each_time, (2,) * attempts)[1] == [0] + [4] * (attempts - 1)
        assert not (tmp_path / f"{agent.STEPS}.pt").exists()

    def test_a_half_written_checkpoint_is_not_the_newest(self, tmp_path):
        (tmp_path / "4.pt").touch()
        (tmp_path / "new.tmp").touch()
        assert agent.newest(tmp_path) == 4
