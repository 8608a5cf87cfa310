"""What docs/senior/distributed/pipeline-parallelism.md claims, proven beyond the example shown."""

import contextlib
import tempfile
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.pipelining import Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B

from warmup.testing import load_snippet

pipeline = load_snippet("senior/distributed/pipeline_parallelism.py")
ranks = load_snippet("senior/distributed/pipeline_parallelism_ranks.py")


def schedule(kind: str, stages: int, micro: int, forward: list[float] | None = None, ratio: float = 2):
    return pipeline.run(pipeline.orders(kind, stages, micro), forward or [1] * stages, ratio)


CASES = [(2, 1), (2, 4), (4, 1), (4, 3), (4, 8), (4, 32), (8, 32)]


class TestSchedules:
    @pytest.mark.parametrize("kind", ["GPipe", "1F1B"])
    @pytest.mark.parametrize(("stages", "micro"), CASES)
    @pytest.mark.parametrize("ratio", [1, 2, 3])
    def test_the_bubble_is_p_minus_1_over_m_plus_p_minus_1_whatever_a_backward_takes(self, kind, stages, micro, ratio):
        lanes = schedule(kind, stages, micro, ratio=ratio)
        assert pipeline.idle(lanes) == pytest.approx((stages - 1) / (micro + stages - 1))

    @pytest.mark.parametrize(("stages", "micro"), CASES)
    def test_gpipe_keeps_m_and_1f1b_at_most_p_minus_s_micro_batches(self, stages, micro):
        kept = [pipeline.kept(lane) for lane in schedule("GPipe", stages, micro)]
        assert kept == [micro] * stages
        kept = [pipeline.kept(lane) for lane in schedule("1F1B", stages, micro)]
        assert kept == [min(stages - stage, micro) for stage in range(stages)]

    @pytest.mark.parametrize(("stages", "micro"), CASES)
    def test_idle_time_over_busy_time_is_p_minus_1_over_m(self, stages, micro):
        idle = pipeline.idle(schedule("1F1B", stages, micro))
        assert idle / (1 - idle) == pytest.approx((stages - 1) / micro)

    @pytest.mark.parametrize("kind", ["GPipe", "1F1B"])
    @pytest.mark.parametrize(("stages", "micro"), CASES)
    def test_every_step_runs_once_after_its_input_and_after_the_step_before_it(self, kind, stages, micro):
        end = {}
        lanes = schedule(kind, stages, micro)
        for stage, lane in enumerate(lanes):
            assert sorted(step[2:] for step in lane) == sorted((w, i) for w in "FB" for i in range(micro))
            assert all(a[1] <= b[0] for a, b in zip(lane, lane[1:], strict=False))
            end |= {(what, i, stage): (begin, stop) for begin, stop, what, i in lane}
        for (what, i, stage), (begin, stop) in end.items():
            assert stop - begin == (1 if what == "F" else 2)
            source = (what, i, stage + (1 if what == "B" else -1))
            assert source not in end or end[source][1] <= begin
            assert what == "F" or end["F", i, stage][1] <= begin

    @pytest.mark.parametrize("slow", range(4))
    def test_one_stage_that_takes_twice_as_long_leaves_about_40_percent_idle(self, slow):
        forward = [2 if stage == slow else 1 for stage in range(4)]
        idle = pipeline.idle(schedule("1F1B", 4, 32, forward))
        assert idle == pytest.approx(0.4, abs=0.02)

    @pytest.mark.parametrize("stages", [2, 4, 8, 64])
    def test_four_times_as_many_micro_batches_as_stages_leave_less_than_a_fifth_idle(self, stages):
        assert (stages - 1) / (4 * stages + stages - 1) < 0.2
        assert round(100 * 7 / 39) == 18


class FakeStage:
    """As much of a stage as a schedule asks for when it is made."""

    has_backward, num_stages, stage_index, is_last, is_first = True, 4, 0, False, True
    group_size, group_rank, device, submod = 4, 0, torch.device("cpu"), nn.Identity()


@pytest.mark.parametrize("per_gpu", [1, 2, 4])
@pytest.mark.parametrize("micro", [8, 32])
def test_an_interleaved_schedule_divides_the_time_of_the_bubble_by_the_stages_per_gpu(per_gpu, micro):
    count = 4 * per_gpu
    stages = [FakeStage() for _ in range(per_gpu)]
    for i, stage in enumerate(stages):
        stage.stage_index, stage.num_stages = 4 * i, count
    order = ScheduleInterleaved1F1B(stages, n_microbatches=micro).pipeline_order
    left = [[action for action in order[rank] if action] for rank in range(4)]
    end, now = {}, [0.0] * 4
    while any(left):
        before = len(end)
        for rank, actions in enumerate(left):
            while actions:
                forward = actions[0].computation_type.name == "FORWARD"
                stage, i = actions[0].stage_index, actions[0].microbatch_index
                source = stage - 1 if forward else stage + 1
                if 0 <= source < count and (forward, source, i) not in end:
                    break
                now[rank] = max(now[rank], end.get((forward, source, i), 0)) + (1 if forward else 2) / per_gpu
                end[forward, stage, i] = now[rank]
                actions.pop(0)
        assert len(end) > before, "a deadlock"
    assert len(end) == 2 * count * micro
    assert max(now) - 3 * micro == pytest.approx(3 * 3 / per_gpu)


@pytest.mark.parametrize(("micro", "raises"), [(1, True), (3, True), (4, False)])
def test_schedule_1f1b_raises_if_there_are_fewer_micro_batches_than_stages(micro, raises):
    with pytest.raises(ValueError, match="number of stages") if raises else contextlib.nullcontext():
        Schedule1F1B(FakeStage(), n_microbatches=micro)


@pytest.mark.parametrize("kind", [nn.BatchNorm1d, nn.LayerNorm])
def test_batch_norm_sees_micro_batches_and_layer_norm_does_not_care(kind):
    torch.manual_seed(0)
    layer, x = kind(4), torch.randn(8, 4)
    parts = torch.cat([layer(part) for part in x.chunk(4)])
    assert torch.allclose(parts, layer(x), atol=1e-6) == (kind is nn.LayerNorm)


@pytest.mark.parametrize(("sizes", "equal"), [((2, 2, 2, 2), True), ((5, 1, 1, 1), False)])
def test_the_mean_of_means_is_the_mean_for_equal_micro_batches_only(sizes, equal):
    x = torch.arange(8.0) ** 2
    means = torch.stack([part.mean() for part in x.split(sizes)])
    assert torch.allclose(means.mean(), x.mean()) == equal


def _rank(rank: int, folder: str, cases: list) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=2)
    torch.save([ranks.train(rank, *case) for case in cases], f"{folder}/{rank}.pt")
    dist.destroy_process_group()


class TestRanks:
    def test_gradients_of_a_sum_need_scale_grads_false_and_those_of_a_mean_need_it_true(self):
        cases = [(ScheduleGPipe, "sum", True), (ScheduleGPipe, "sum", False), (Schedule1F1B, "mean", False)]
        with tempfile.TemporaryDirectory() as folder:
            mp.start_processes(_rank, (folder, cases), 2, start_method="fork")
            first, second = (torch.load(Path(folder, f"{rank}.pt")) for rank in range(2))
        for one in (first, second):
            assert [ratio for ratio, _ in one] == pytest.approx([0.25, 1, 4], rel=1e-4)
        assert [kept for _, kept in first] == [4, 4, 2]
        assert [kept for _, kept in second] == [4, 4, 1]
