"""What docs/senior/behavioral/scaled-to-multi-gpu.md claims, proven beyond the example shown."""

import copy
import gc
import itertools
import math
import re
import tempfile

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import SNIPPETS, load_snippet

target = load_snippet("senior/behavioral/scaled_to_multi_gpu_target.py")
share = load_snippet("senior/behavioral/scaled_to_multi_gpu_share.py")


def page(name):
    return (SNIPPETS / "senior/behavioral" / name).read_text()


def _rank(rank, folder, model, x, y):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=2)
    replica = DistributedDataParallel(copy.deepcopy(model))
    mine = list(DistributedSampler(x, shuffle=False))
    with FlopCounterMode(display=False) as counter:
        F.mse_loss(replica(x[mine]), y[mine]).backward()
    gradients = [parameter.grad for parameter in replica.parameters()]
    torch.save((counter.get_total_flops(), gradients), f"{folder}/{rank}.pt")
    del replica
    gc.collect()
    dist.destroy_process_group()


class TestScaledToMultiGpu:
    def test_two_ranks_halve_the_operations_of_each_and_have_the_gradient_of_one(self):
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
        x, y = torch.randn(12, 6), torch.randn(12, 2)
        with FlopCounterMode(display=False) as counter:
            F.mse_loss(model(x), y).backward()
        with tempfile.TemporaryDirectory() as folder:
            mp.start_processes(_rank, args=(folder, model, x, y), nprocs=2, start_method="fork")
            for rank in range(2):
                flops, gradients = torch.load(f"{folder}/{rank}.pt")
                assert 2 * flops == counter.get_total_flops()
                torch.testing.assert_close(gradients, [parameter.grad for parameter in model.parameters()])

    @pytest.mark.parametrize(("inputs", "hidden", "rows"), [(20, 25, 25), (7, 3, 10)])
    def test_a_step_of_two_equal_layers_is_five_products_and_validation_two(self, inputs, hidden, rows):
        model = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, inputs))
        x = torch.randn(rows, inputs)
        with FlopCounterMode(display=False) as trained:
            model(x).sum().backward()
        with FlopCounterMode(display=False) as validated, torch.no_grad():
            model(x)
        product = 2 * rows * inputs * hidden
        assert (trained.get_total_flops(), validated.get_total_flops()) == (5 * product, 2 * product)

    def test_the_rows_of_the_table_add_up(self):
        lines = page("scaled_to_multi_gpu.out").splitlines()[1:]
        assert len(lines) == 5
        for line in lines:
            gpus, steps, trains, validates, total, speed_up, efficiency = map(float, re.findall(r"[\d.]+", line))
            assert trains == 40 / gpus and validates == 2 and total == trains + validates
            assert steps * gpus * 25 == 8000
            assert speed_up == pytest.approx(42 / total, abs=0.05)
            assert efficiency == pytest.approx(4200 / total / gpus, abs=0.5)

    @pytest.mark.parametrize("gpus", [8, 64, 10**6])
    def test_a_fixed_part_of_2_in_42_limits_the_speed_up_to_21(self, gpus):
        speed_up = 42 / (40 / gpus + 2)
        assert speed_up < 21
        assert gpus < 10**6 or speed_up > 20.99

    def test_the_first_run_on_eight_is_slower_to_the_target_than_one_gpu(self):
        lines = page("scaled_to_multi_gpu_target.out").splitlines()[1:]
        numbers = [list(map(float, re.findall(r"[\d.]+", line.replace("rank 0", "")))) for line in lines]
        alone = numbers[0][-2]
        for _, _, epochs, epoch, work, speed_up in numbers:
            assert work == epochs * epoch
            assert speed_up == pytest.approx(alone / work, abs=0.05)
        assert [n[2] for n in numbers] == [3, 23, 3, 3]
        assert [n[-1] for n in numbers] == [1.0, 0.8, 6.0, 8.0]

    @pytest.mark.parametrize("seed", [1])
    def test_at_the_old_rate_eight_times_the_batch_needs_more_than_four_times_the_epochs(self, seed):
        alone = target.epochs_to(0.05, 25, 0.1, seed=seed)
        assert alone == target.epochs_to(0.05, 200, 0.8, seed=seed) == 2
        assert target.epochs_to(0.05, 200, 0.1, seed=seed, most=4 * alone) == math.inf

    def test_at_the_old_rate_two_gpus_already_need_more_epochs(self):
        alone = target.epochs_to(0.03, 25, 0.1)
        assert target.epochs_to(0.03, 50, 0.1, most=alone + 1) > alone + 1


class TestScaledToMultiGpuShare:
    @pytest.mark.parametrize("gpus", [2, 8, 100])
    @pytest.mark.parametrize(("divided", "fixed"), [(40, 2), (1, 3), (5, 0)])
    def test_the_share_of_an_undivided_part_is_the_same_for_all_numbers_of_gpus(self, gpus, divided, fixed):
        together = divided / gpus + fixed
        assert share.fixed_share(divided + fixed, together, gpus) == pytest.approx(fixed / (divided + fixed))

    @pytest.mark.parametrize(("work", "cost"), [(42, 0.25), (10, 0.01)])
    def test_the_share_of_a_cost_per_gpu_doubles_with_the_gpus(self, work, cost):
        shares = [share.fixed_share(work, work / n + cost * (n - 1), n) for n in (2, 4, 8, 16)]
        for one, twice in itertools.pairwise(shares):
            assert twice == pytest.approx(2 * one)

    @pytest.mark.parametrize("gpus", [2, 4, 8, 64])
    @pytest.mark.parametrize(("work", "cost"), [(42, 1), (10, 0.1)])
    def test_a_ring_limited_by_bandwidth_has_one_share_if_the_steps_are_fixed(self, gpus, work, cost):
        exchange = cost * 2 * (gpus - 1) / gpus
        assert share.fixed_share(work, work / gpus + exchange, gpus) == pytest.approx(2 * cost / work)
        if (work, cost) == (42, 1):  # the times of the job whose validation is not divided
            assert work / gpus + exchange == pytest.approx(40 / gpus + 2)

    @pytest.mark.parametrize("gpus", [2, 4, 8, 64])
    def test_with_a_fixed_batch_per_rank_bandwidths_share_falls_as_1_over_n_and_that_of_messages_stays(self, gpus):
        exchange = 2 * (gpus - 1) / gpus / gpus  # a step costs the same, and there are 1 / n of them
        assert share.fixed_share(42, 42 / gpus + exchange, gpus) == pytest.approx(2 / 42 / gpus)
        messages = (gpus - 1) / gpus
        assert share.fixed_share(42, 42 / gpus + messages, gpus) == pytest.approx(1 / 42)

    @pytest.mark.parametrize("gpus", [2, 8, 64])
    def test_with_one_rank_at_half_the_speed_the_share_falls_as_one_over_n_minus_1(self, gpus):
        assert share.fixed_share(42, 2 * 42 / gpus, gpus) == pytest.approx(1 / (gpus - 1))

    def test_both_jobs_are_six_times_faster_on_eight_gpus_and_differ_on_64(self):
        speeds = {n: [job(1) / job(n) for job in share.JOBS.values()] for n in (8, 64)}
        assert speeds[8] == [6, 6]
        assert speeds[64] == pytest.approx([16, 2.6], abs=0.05)

    def test_a_cost_per_message_peaks_below_seven_near_13_gpus(self):
        job = share.JOBS["a message for each GPU"]
        best = min(range(1, 65), key=job)
        assert best == 13 and 6.5 < job(1) / job(best) < 7

    def test_14_days_and_2_1_are_not_7_3_times(self):
        assert (round(14 / 2.1, 2), round(14 / 2.1 / 8, 2)) == (6.67, 0.83)
        fixed = share.fixed_share(14, 2.1, 8)
        assert fixed == pytest.approx(0.0286, abs=0.0001) and 1 / fixed == pytest.approx(35)

    @pytest.mark.parametrize("gpus", [0, 1])
    def test_one_gpu_cannot_be_compared_with_itself(self, gpus):
        with pytest.raises(ValueError, match="two or more"):
            share.fixed_share(1, 1, gpus)


class TestScaledToMultiGpuValidation:
    @pytest.mark.parametrize(("rows", "ranks", "counted"), [(10, 4, 12), (1000, 8, 1000), (1001, 8, 1008)])
    def test_a_sampler_repeats_rows_if_the_numbers_do_not_divide(self, rows, ranks, counted):
        shares = [list(DistributedSampler(range(rows), ranks, rank)) for rank in range(ranks)]
        assert sum(map(len, shares)) == counted and len({row for mine in shares for row in mine}) == rows

    @pytest.mark.parametrize("counts", [(1, 3), (5, 5, 2)])
    def test_a_mean_of_means_is_wrong_for_different_counts_and_sums_over_counts_are_right(self, counts):
        values = torch.arange(1.0, sum(counts) + 1)
        parts = values.split(list(counts))
        assert torch.stack([part.mean() for part in parts]).mean() != values.mean()
        total = torch.stack([part.sum() for part in parts]).sum() / sum(counts)
        assert total == values.mean()
