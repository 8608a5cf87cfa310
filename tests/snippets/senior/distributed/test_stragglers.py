"""What docs/senior/distributed/stragglers.md claims, proven beyond the example shown."""

import contextlib
import statistics
import tempfile
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from warmup.testing import load_snippet

stragglers = load_snippet("senior/distributed/stragglers.py")
find = load_snippet("senior/distributed/stragglers_find.py")
weights = load_snippet("senior/distributed/stragglers_weights.py")

RATES = [[2, 2, 2, 1], [4, 1, 1, 1, 1], [3, 3, 3]]


class TestShares:
    @pytest.mark.parametrize("rates", RATES)
    def test_a_step_takes_as_long_as_the_slowest_rank_which_does_not_wait(self, rates):
        time, waits = stragglers.step([60] * len(rates), rates)
        assert time == 60 / min(rates)
        assert [60 / rate + wait for rate, wait in zip(rates, waits, strict=True)] == [time] * len(rates)
        assert waits[rates.index(min(rates))] == 0

    @pytest.mark.parametrize("rates", RATES)
    @pytest.mark.parametrize("total", [256, 1000])
    def test_proportional_shares_come_close_to_the_sum_of_the_rates(self, rates, total):
        shares = stragglers.proportional(total, rates)
        assert sum(shares) == total
        time, _ = stragglers.step(shares, rates)
        assert sum(rates) * 0.97 < total / time <= sum(rates)
        equal = stragglers.step([total / len(rates)] * len(rates), rates)[0]
        assert time < equal or len(set(rates)) == 1

    @pytest.mark.parametrize(("slow", "worse"), [(1, True), (1.4, True), (1.6, False)])
    def test_an_equal_share_makes_a_slow_gpu_worse_than_none_below_three_quarters_of_the_rate(self, slow, worse):
        with_it = 256 / stragglers.step([64] * 4, [2, 2, 2, slow])[0]
        without = 256 / stragglers.step([256 / 3] * 3, [2, 2, 2])[0]
        assert (with_it < without) == worse


class TestFind:
    @pytest.mark.parametrize(("seed", "slow"), [(0, 41), (1, 0), (2, 63)])
    def test_the_median_finds_the_slow_rank_where_the_last_one_of_a_step_varies(self, seed, slow):
        rows = find.times(seed, slow)
        assert find.slow_ranks(rows) == [slow]
        assert len({max(range(find.RANKS), key=row.__getitem__) for row in rows}) > 10

    def test_without_a_slow_rank_nobody_is_accused(self):
        assert find.slow_ranks(find.times(0, -1)) == []

    def test_one_slow_rank_among_64_costs_less_than_the_hiccups(self):
        rows = find.times(0, 41)
        healthy = statistics.mean(max(t for r, t in enumerate(row) if r != 41) for row in rows)
        assert statistics.mean(map(max, rows)) - healthy < 0.2 < healthy - 1.1

    @pytest.mark.parametrize(("ranks", "percent"), [(8, 15), (64, 73), (1024, 100)])
    def test_a_rare_hiccup_of_a_rank_is_frequent_in_a_step(self, ranks, percent):
        assert round(100 * (1 - 0.98**ranks)) == percent

    def test_hiccups_average_out_over_micro_batches_before_the_wait_and_a_slow_rank_does_not(self):
        rows = find.times(0, 41)
        single = statistics.mean(map(max, rows))
        sums = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        assert max(sums) < 0.65 * single
        assert max(sums) > 1.2 * statistics.median(sums)


def _clocks(rank: int, folder: str) -> None:
    """Seconds of forward and of backward on this rank, with and without sync; rank 1 is slow in its forward."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=2)
    model, x, seen = DistributedDataParallel(nn.Linear(4, 4)), torch.ones(2, 4), []
    model(x).sum().backward()
    for context in (contextlib.nullcontext(), model.no_sync()):
        dist.barrier()
        with context:
            begin = time.perf_counter()
            y = model(x)
            time.sleep(rank)
            forward = time.perf_counter()
            y.sum().backward()
            seen.append((forward - begin, time.perf_counter() - forward))
    dist.barrier()
    torch.save(seen, f"{folder}/{rank}.pt")
    del model
    dist.destroy_process_group()


def test_under_ddp_a_fast_rank_waits_in_backward_but_not_in_forward_nor_under_no_sync():
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(_clocks, (folder,), 2, start_method="fork")
        fast, slow = (torch.load(Path(folder, f"{rank}.pt")) for rank in range(2))
    for forward, _ in slow:
        assert forward > 0.9
    (forward, waits), (unsynced, backward) = fast
    assert waits > 0.5
    assert max(forward, unsynced, backward) < 0.5


class TestWeights:
    @pytest.mark.parametrize("shares", [[73, 73, 73, 37], [200, 56], [64] * 4])
    def test_sums_over_the_global_count_give_the_mean_and_means_do_so_for_equal_shares_only(self, shares):
        x = torch.arange(256, dtype=torch.float64) ** 2
        parts = x.split(shares)
        right = weights.all_reduce_mean([part.sum() * len(parts) / len(x) for part in parts])
        assert right == pytest.approx(x.mean().item())
        wrong = weights.all_reduce_mean([part.mean() for part in parts])
        assert (wrong == pytest.approx(x.mean().item())) == (len(set(shares)) == 1)
