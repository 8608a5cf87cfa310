"""What docs/senior/gpu-performance/low-gpu-utilization.md claims, proven beyond the example shown."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

loops = load_snippet("senior/gpu-performance/low_gpu_utilization.py")
workers = load_snippet("senior/gpu-performance/low_gpu_utilization_workers.py")
waits = load_snippet("senior/gpu-performance/low_gpu_utilization_waits.py")

CURES = {
    "slow loader": {"kept batch", "on the GPU"},
    "slow copy": {"on the GPU"},
    "small kernels": {"batch x 4"},
    "item() each step": {"no item()", "batch x 4"},
}


def percent(**changes) -> int:
    return loops.run(loops.Loop(**changes))[0]


def scaled(loop, factor: int):
    times = ("load", "copy", "kernel", "launch", "python")
    return replace(loop, **{name: factor * getattr(loop, name) for name in times})


class TestLowGpuUtilization:
    @pytest.mark.parametrize("factor", [1, 7])
    def test_all_four_start_at_half_and_each_has_its_own_cures(self, factor):
        for cause, loop in loops.CAUSES.items():
            loop = scaled(loop, factor)
            assert 48 <= loops.run(loop)[0] <= 52
            cured = {check for check, change in loops.CHECKS.items() if loops.run(change(loop))[0] > 70}
            assert cured == CURES[cause]

    def test_without_a_fault_the_kernels_run_nearly_always(self):
        assert percent() == 95, "20 of 21 milliseconds: the copy is in the stream of the kernels"

    def test_item_alone_costs_little_and_what_python_does_next_costs_its_time(self):
        assert percent(item=True) >= 94
        for python in (5_000, 18_000):
            assert percent(python=python) == 95
            assert percent(python=python, item=True) == round(100 * 20_000 / (21_000 + python))

    def test_the_gpu_works_during_item(self):
        _, host, gpu = loops.run(loops.Loop(python=18_000, item=True))
        (begin, length, _), (kernels, duration, _) = host[32], gpu[32]
        assert begin + length < kernels + duration, "the host has launched everything and waits"
        assert host[33][0] == kernels + duration, "and the next step begins when the kernels have ended"

    @pytest.mark.parametrize("item", [False, True])
    @pytest.mark.parametrize("count", [1, 4, 8, 16])
    def test_the_formula_agrees_with_the_simulation(self, count, item):
        simulated = percent(load=160_000, workers=count, python=9_000, launch=1, item=item)
        assert simulated == pytest.approx(workers.percent(count, item), abs=1)

    @pytest.mark.parametrize(("item", "limit"), [(True, 20 / 30), (False, 20 / 21)])
    def test_enough_workers_reach_a_limit_that_more_do_not_move(self, item, limit):
        assert workers.percent(8, item) == workers.percent(64, item) == pytest.approx(100 * limit)

    def test_a_larger_batch_does_not_help_if_loader_or_copy_is_the_limit(self):
        for factor in (2, 8):
            for cause, expected in (("slow loader", False), ("slow copy", False), ("small kernels", True)):
                loop = loops.CAUSES[cause]
                larger = replace(loop, load=factor * loop.load, copy=factor * loop.copy, kernel=factor * loop.kernel)
                assert (loops.run(larger)[0] > 70) == expected

    def test_of_two_faults_at_one_rate_no_single_change_helps_and_both_together_do(self):
        loop = loops.Loop(load=160_000, python=18_000, item=True)
        kept, no_item = loops.CHECKS["kept batch"], loops.CHECKS["no item()"]
        for change in (lambda loop: loop, kept, no_item):
            assert loops.run(change(loop))[0] <= 51
        assert loops.run(no_item(kept(loop)))[0] == 95

    def test_if_the_kernels_do_not_get_longer_utilization_stays(self):
        loop = loops.CAUSES["small kernels"]
        assert loops.run(replace(loop, load=2 * loop.load, copy=2 * loop.copy))[0] == loops.run(loop)[0]

    def test_a_kernel_that_follows_the_next_without_a_gap_gives_full_utilization_however_small(self):
        assert percent(load=0, copy=0, kernels=2_000, kernel=10, launch=5) == 100

    def test_without_a_wait_the_host_is_ahead_of_the_kernels(self):
        _, host, gpu = loops.run(loops.Loop())
        assert host[33][0] < gpu[32][0] + gpu[32][1]


class TestWaits:
    def names(self, function) -> list[str]:
        with waits.Waits() as log:
            function()
        return [name for names in log.lines.values() for name in names]

    @pytest.mark.parametrize(
        "reads",
        [
            lambda x: x[0].item(),
            lambda x: bool(x[0] > 0),
            lambda x: f"{x[0]:.1f}",
            lambda x: x.nonzero(),
            lambda x: x[x > 0],
            lambda x: x.masked_select(x > 0),
            lambda x: x.unique(),
            lambda x: torch.equal(x, x + 1),
            lambda x: x.__setitem__(x > 0, torch.ones(2)),
            lambda x: x.repeat_interleave(torch.tensor([1, 2, 3])),
        ],
    )
    def test_what_needs_values_is_found(self, reads):
        assert self.names(lambda: reads(torch.tensor([1.0, -1.0, 2.0])))

    @pytest.mark.parametrize(
        "queues",
        [
            lambda x: x.sum(),
            lambda x: x[torch.tensor([0, 2])],
            lambda x: x[1:],
            lambda x: x.__setitem__(x > 0, 0.0),
            lambda x: x.masked_fill(x > 0, 0.0),
            lambda x: torch.where(x > 0, x, 0.0),
            lambda x: x.__setitem__(torch.tensor([0, 2]), torch.ones(2)),
            lambda x: (x.shape, x.dtype),
        ],
    )
    def test_what_needs_none_is_not(self, queues):
        assert self.names(lambda: queues(torch.tensor([1.0, -1.0, 2.0]))) == []

    def test_the_line_is_the_callers_and_not_torchs(self):
        with waits.Waits() as log:
            torch.tensor(1.0).item()
            nn.utils.clip_grad_norm_([], 1.0)
            torch.testing.assert_close(torch.tensor(1.5), torch.tensor(1.5))
        assert {file for file, _ in log.lines} == {__file__}
        assert len(log.lines) == 2

    def test_printing_a_tensor_is_not_seen(self):
        for function in (lambda: str(torch.tensor(1.5)), lambda: repr(torch.ones(3))):
            assert self.names(function) == []

    def test_what_is_no_operation_on_a_cpu_is_not_seen(self):
        x = torch.ones(3)
        assert self.names(lambda: (x.tolist(), x.cpu(), x.numpy())) == []

    def test_a_mask_filled_with_a_tensor_of_one_number_looks_like_one_filled_with_a_number(self):
        x = torch.tensor([1.0, -1.0, 3.0])
        assert self.names(lambda: x.__setitem__(x > 2, x.mean())) == []
        assert x.tolist() == [1.0, -1.0, 1.0]

    def test_clipping_needs_no_value_unless_it_shall_raise(self):
        model = nn.Linear(2, 2)
        model(torch.ones(1, 2)).sum().backward()
        clip = nn.utils.clip_grad_norm_
        assert self.names(lambda: clip(model.parameters(), 1.0)) == []
        assert self.names(lambda: clip(model.parameters(), 1.0, error_if_nonfinite=True))

    def test_results_are_unchanged(self):
        x = torch.randn(5)
        with waits.Waits():
            assert torch.equal(x[x > 0], x.masked_select(x > 0))

    def test_adamw_reads_its_counters_and_they_stay_on_the_cpu(self):
        model = nn.Linear(2, 2)
        model(torch.ones(1, 2)).sum().backward()
        optimizer = torch.optim.AdamW(model.parameters())
        assert self.names(optimizer.step)
        weight = nn.Parameter(torch.ones(2, device="meta"))
        weight.grad = torch.ones(2, device="meta")
        optimizer = torch.optim.AdamW([weight])
        optimizer.step()
        assert optimizer.state[weight]["step"].device.type == "cpu"
        capturable = torch.optim.AdamW([weight], capturable=True)
        with pytest.raises(AssertionError):  # no CUDA here
            capturable.step()
        assert capturable.state[weight]["step"].device == weight.device
