"""What docs/senior/system-design/video-pipeline.md claims, proven beyond the example shown."""

import asyncio
import threading

import pytest
import torch

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/video_pipeline.py")
newest = load_snippet("senior/system-design/video_pipeline_newest_broken.py")
loop = load_snippet("senior/system-design/video_pipeline_loop_broken.py")


class TestVideoPipeline:
    def test_the_parts_add_up_to_200_ms_and_23_of_them_are_slack(self):
        assert sum(budget.BUDGET_MS.values()) == 200
        assert budget.BUDGET_MS["slack"] == 23
        assert budget.BUDGET_MS["wait"] + budget.BUDGET_MS["model"] == 47

    def test_float32_frames_are_1493_times_the_stream_and_more_than_a_pcie_5_link(self):
        stream = budget.STREAMS * budget.MEGABITS / 8e3
        pixels = budget.frames * budget.PIXELS * 12 / 1e9
        assert pixels / stream == pytest.approx(1493, abs=0.5)
        assert pixels > 64 > budget.frames * budget.MODEL * 3 / 1e9

    @pytest.mark.parametrize(("fps", "gpus"), [(30, 2.81), (10, 0.94)])
    def test_the_gpus_at_80_percent_load(self, fps, gpus):
        assert budget.STREAMS * fps / (0.8 * budget.capacity) == pytest.approx(gpus, abs=0.005)

    def test_a_batch_of_one_gives_222_frames_per_second(self):
        assert round(1000 / (budget.FIXED_MS + budget.ITEM_MS)) == 222
        assert round(budget.capacity) == 1333
        assert 1000 / budget.capacity == pytest.approx(0.75)

    def test_at_80_percent_load_an_hour_is_worked_off_in_four(self):
        waiting, hours = 0.8, 0
        while waiting > 1e-9:
            waiting, hours = waiting + 0.8 - 1, hours + 1
        assert hours == 4


class TestNewest:
    @pytest.mark.parametrize("cameras", [50, 66])
    def test_at_overload_a_queue_grows_with_time_and_slots_do_not(self, cameras):
        ages = {
            policy: [newest.percentile(newest.serve([30] * cameras, policy, seconds)[0], 99) for seconds in (5, 10)]
            for policy in ("fifo", "newest")
        }
        assert ages["fifo"][1] > 1.7 * ages["fifo"][0] > 800
        assert max(ages["newest"]) < 47

    @pytest.mark.parametrize("policy", ["fifo", "newest"])
    def test_below_capacity_nothing_is_dropped(self, policy):
        for cameras in (10, 34):
            done, _, dropped = newest.serve([30] * cameras, policy, 4)
            assert dropped == 0 and len(done) == 120 * cameras
            assert newest.percentile(done, 99) < 20

    @pytest.mark.parametrize("cameras", [50, 80])
    def test_every_frame_is_served_or_dropped(self, cameras):
        for policy in ("fifo", "newest", "newest at the back"):
            done, served, dropped = newest.serve([30] * cameras, policy, 3)
            assert len(done) + dropped == 90 * cameras == sum(served) + dropped

    @pytest.mark.parametrize(("fast", "slow"), [(5, 45), (10, 50)])
    def test_at_the_back_of_the_line_fast_cameras_starve_at_overload(self, fast, slow):
        rates = [60] * fast + [30] * slow
        shares = {}
        for policy in ("newest", "newest at the back"):
            _, served, _ = newest.serve(rates, policy)
            shares[policy] = sum(served[:fast]) / fast, sum(served[fast:]) / slow
        assert shares["newest"][0] > 0.9 * shares["newest"][1]
        assert shares["newest at the back"][0] < 0.05 * shares["newest at the back"][1]

    def test_below_capacity_they_do_not(self):
        _, served, _ = newest.serve([60] * 10 + [30] * 30, "newest at the back")
        assert sum(served[10:]) / 30 == 300 and sum(served[:10]) / 10 > 430

    @pytest.mark.parametrize("rates", [[30] * 50, [30] * 100, [60] * 20 + [10] * 40])
    def test_with_slots_the_age_is_bounded_by_the_line(self, rates):
        batches = 1 + -(-len(rates) // newest.MAX_BATCH)
        longest = batches * (newest.FIXED_MS + newest.ITEM_MS * newest.MAX_BATCH)
        done, _, _ = newest.serve(rates, "newest")
        assert max(age for _, age in done) <= longest


class TestLoop:
    @pytest.mark.parametrize(("call", "received"), [(loop.blocking, False), (loop.threaded, True)])
    def test_only_a_thread_lets_the_loop_receive(self, call, received):
        async def both():
            others = threading.Event()
            got, _ = await asyncio.gather(call(torch.ones(2), others), loop.receive(others))
            return got

        assert asyncio.run(both()) is received

    def test_an_await_of_a_coroutine_that_only_computes_holds_the_loop_too(self):
        async def awaiting(others):
            return await loop.blocking(torch.ones(2), others)

        async def both():
            others = threading.Event()
            got, _ = await asyncio.gather(awaiting(others), loop.receive(others))
            return got

        assert asyncio.run(both()) is False
