"""What docs/senior/system-design/low-latency-serving.md claims, proven beyond the example shown."""

import heapq
import math
import random
import re
import runpy
import warnings
from bisect import bisect_right
from itertools import accumulate

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/low_latency_serving.py")
estimate = load_snippet("senior/system-design/low_latency_serving_estimate.py")
queue = load_snippet("senior/system-design/low_latency_serving_queue.py")
overload = load_snippet("senior/system-design/low_latency_serving_overload_broken.py")
measure = load_snippet("senior/system-design/low_latency_serving_batch_latency.py")


def printed(module, capsys):
    runpy.run_path(module.__file__)
    return capsys.readouterr().out


def p99(*args, **kwargs):
    return queue.percentile(queue.simulate(*args, **kwargs), 99)


class TestLowLatencyServing:
    def test_the_budget_adds_up_and_64_is_the_largest_size_tried_whose_double_fits(self):
        assert sum(budget.BUDGET_MS.values()) == 100
        fits = [size for size in (1, 8, 32, 64, 128) if 2 * (budget.FIXED_MS + budget.ITEM_MS * size) <= 50]
        assert max(fits) == 64 and budget.BUDGET_MS["queue_and_model"] == 50

    @pytest.mark.parametrize(("max_batch", "zone"), [(1, 181), (8, 35), (32, 20), (64, 17), (128, 16)])
    def test_the_gpus_of_a_zone_are_the_fewest_that_stay_at_90_percent_when_another_zone_is_lost(
        self, capsys, max_batch, zone
    ):
        assert re.search(rf"^ +{max_batch} .* {zone} +{3 * zone}$", printed(budget, capsys), re.MULTILINE)
        capacity = queue.capacity(max_batch)
        assert 50_000 / (zone * capacity) <= 0.9 < 50_000 / ((zone - 1) * capacity)

    def test_51_gpus_run_at_58_percent_leave_42_unused_and_take_1_6_times_the_traffic(self):
        load = budget.RATE / (51 * queue.capacity(64))
        assert load == pytest.approx(0.58, abs=0.005) and 1 - load == pytest.approx(0.42, abs=0.005)
        for seed in (0, 1):
            assert p99(1.6 * load, 64, replicas=17, requests=120_000, seed=seed) < 30

    @pytest.mark.parametrize("max_batch", [1, 7, 64, 300])
    def test_capacity_is_the_batch_over_its_time(self, max_batch):
        batch_ms = queue.FIXED_MS + queue.ITEM_MS * max_batch
        assert queue.capacity(max_batch) * batch_ms / 1000 == pytest.approx(max_batch)

    @pytest.mark.parametrize("max_batch", [1, 64])
    def test_losing_one_of_three_zones_saturates_a_plan_at_70_but_not_at_60_percent(self, max_batch):
        capacity = queue.capacity(max_batch)
        for load, survives in ((0.7, False), (0.6, True)):
            left = math.ceil(100_000 / (load * capacity)) * 2 / 3
            assert (100_000 / left < capacity) is survives

    @pytest.mark.parametrize(("load", "max_batch"), [(0.8, 32), (0.5, 64)])
    def test_in_flight_is_the_law_of_little_in_the_simulation(self, load, max_batch):
        latencies = queue.simulate(load, max_batch)
        rate = load * queue.capacity(max_batch)
        mean = sum(latencies) / len(latencies)
        generator = queue.random.Random(0)
        arrivals = list(queue.accumulate(generator.expovariate(rate / 1000) for _ in latencies))
        left = [arrival + latency for arrival, latency in zip(arrivals, latencies, strict=True)]
        inside = [sum(end > arrivals[i] for end in left[i - 500 : i + 1]) for i in range(1000, len(arrivals), 97)]
        assert sum(inside) / len(inside) == pytest.approx(rate * mean / 1000, rel=0.1)

    @pytest.mark.parametrize(("dtype", "gigabits"), [(torch.uint8, "120.4"), (torch.float32, "481.7")])
    def test_bandwidth_is_bits_per_second(self, capsys, dtype, gigabits):
        image = torch.zeros(3, 224, 224, dtype=dtype)
        assert f"{8 * image.nbytes * estimate.RATE / 1e9:.1f}" == gigabits
        assert f"{gigabits} Gbit/s" in printed(estimate, capsys)

    @pytest.mark.parametrize(("parts", "late"), [(3, 0.03), (4, 0.04)])
    def test_parts_that_each_keep_their_p99_can_be_late_for_their_sum_of_percents(self, parts, late):
        normal, slow, limit, requests = 10.0, 60.0, 20.0, 10_000
        times = [[slow if i % 100 == part else normal for i in range(requests)] for part in range(parts)]
        for part in times:
            assert sum(time > limit for time in part) == 0.01 * requests
        total = [sum(each) for each in zip(*times, strict=True)]
        assert sum(time > parts * limit for time in total) == late * requests


class TestLowLatencyServingQueue:
    @pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
    def test_with_batches_of_one_the_wait_is_the_formula_of_pollaczek_and_khinchine(self, load):
        latencies = queue.simulate(load, 1, requests=150_000)
        service = 1000 / queue.capacity(1)
        assert sum(latencies) / len(latencies) == pytest.approx(service * (1 + load / (2 * (1 - load))), rel=0.05)

    @pytest.mark.parametrize("max_batch", [16, 64, 128])
    def test_p99_explodes_near_saturation_and_not_before(self, max_batch):
        calm, busy, saturated, over = (p99(load, max_batch) for load in (0.5, 0.9, 0.99, 1.05))
        assert busy < 4 * calm
        assert saturated > 2 * busy
        assert over > 5 * saturated

    def test_above_capacity_the_tail_depends_on_how_long_you_look(self):
        assert p99(1.05, 64, requests=120_000) == pytest.approx(2 * p99(1.05, 64), rel=0.15)
        assert p99(0.8, 64, requests=120_000) == pytest.approx(p99(0.8, 64), rel=0.05)

    def test_for_one_replica_a_wait_window_costs_when_it_is_quiet_and_changes_nothing_when_it_is_busy(self):
        for max_wait in (5.0, 10.0):
            with_window, without = (queue.percentile(queue.simulate(0.1, 64, wait), 50) for wait in (max_wait, 0.0))
            assert 0.4 * max_wait < with_window - without <= max_wait
            assert p99(0.1, 64, max_wait) > p99(0.1, 64) + 0.3 * max_wait
            assert p99(0.95, 64, max_wait) == pytest.approx(p99(0.95, 64), rel=0.02)

    @pytest.mark.parametrize("max_batch", [32, 64])
    def test_for_one_replica_a_window_longer_than_a_full_batch_costs_when_it_is_busy_too(self, max_batch):
        batch_ms = 1000 * max_batch / queue.capacity(max_batch)
        short, long = (
            queue.percentile(queue.simulate(0.9, max_batch, part * batch_ms), 50)
            - queue.percentile(queue.simulate(0.9, max_batch), 50)
            for part in (0.5, 1.25)
        )
        assert 0 <= short < 1 and long > 3

    @pytest.mark.parametrize(("clients", "fine"), [(64, True), (128, True), (300, False)])
    def test_in_a_closed_loop_the_wait_is_bounded_by_the_number_of_clients(self, clients, fine):
        sent, now, latencies = [0.0] * clients, 0.0, []
        for _ in range(200):
            batch, sent = sent[:64], sent[64:]
            now += queue.FIXED_MS + queue.ITEM_MS * len(batch)
            latencies += [now - start for start in batch]
            sent += [now] * len(batch)
        slowest = max(latencies)
        assert slowest <= math.ceil(clients / 64) * 1000 * 64 / queue.capacity(64) + 1e-6
        assert (slowest <= 50) is fine

    @pytest.mark.parametrize("max_batch", [1, 64])
    def test_without_a_window_an_idle_replica_starts_at_once(self, max_batch):
        latencies = queue.simulate(0.001, max_batch, requests=2_000)
        assert queue.percentile(latencies, 50) == pytest.approx(queue.FIXED_MS + queue.ITEM_MS, abs=1e-6)

    @pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
    def test_without_a_window_the_tail_of_one_replica_is_never_longer(self, load):
        assert p99(load, 64) <= p99(load, 64, 10.0) * 1.01

    def test_batches_form_without_a_window(self):
        latencies = queue.simulate(0.9, 64)
        alone = queue.FIXED_MS + queue.ITEM_MS
        assert min(latencies) >= alone
        served_together = queue.percentile(latencies, 50) > 4 * alone
        assert served_together and 0.9 * queue.capacity(64) > 5 * queue.capacity(1)

    def test_a_larger_max_batch_eats_the_budget_when_the_replica_is_loaded_to_match(self):
        tails = [p99(0.9, max_batch) for max_batch in (32, 64, 128, 256)]
        assert tails == sorted(tails)
        assert tails[1] < 50 < tails[3]

    def test_at_the_same_traffic_a_larger_max_batch_costs_nothing_for_one_replica_and_the_tail_for_sixteen(self):
        for replicas, longer in ((1, False), (4, True), (16, True)):
            tails = [
                p99(
                    0.9 * queue.capacity(64) / queue.capacity(size), size, replicas=replicas, requests=40_000 * replicas
                )
                for size in (64, 128)
            ]
            assert (tails[1] > 1.2 * tails[0]) is longer, (replicas, tails)

    def test_the_window_adds_part_of_its_length_when_it_is_quiet(self):
        for window in (5, 10):
            added = [
                queue.percentile(queue.simulate(0.1, 64, window), percent)
                - queue.percentile(queue.simulate(0.1, 64), percent)
                for percent in (50, 99)
            ]
            assert all(0 < more <= window for more in added)
            assert abs(p99(0.9, 64, window) - p99(0.9, 64)) < 1

    def test_at_90_percent_one_shared_queue_shortens_the_tail_of_random_routing(self):
        separate = p99(0.9, 64)
        shared = p99(0.9, 64, replicas=16, requests=960_000)
        assert queue.FIXED_MS + 64 * queue.ITEM_MS < shared < 0.8 * separate

    @pytest.mark.parametrize("seed", [0, 1])
    def test_a_slow_replica_with_its_own_share_has_a_long_tail_and_twice_as_slow_is_overloaded(self, monkeypatch, seed):
        tails = [p99(0.6, 64, seed=seed)]
        for factor in (1.5, 2.0):  # the same arrivals at a replica of less capacity
            monkeypatch.setattr(queue, "FIXED_MS", 3.0 * factor)
            monkeypatch.setattr(queue, "ITEM_MS", 0.25 * factor)
            tails.append(p99(0.6 * factor, 64, seed=seed))
        assert tails[:2] == pytest.approx([15, 50], abs=5) and tails[2] > 1000

    @pytest.mark.parametrize("seed", [0, 1])
    def test_at_60_percent_the_shared_queue_has_the_longer_tail_unless_its_batches_are_smaller(self, seed):
        separate = p99(0.6, 64, seed=seed)
        shared = p99(0.6, 64, replicas=16, requests=100_000, seed=seed)
        load = 0.6 * queue.capacity(64) / queue.capacity(32)
        smaller = p99(load, 32, replicas=16, requests=100_000, seed=seed)
        assert shared > 1.2 * separate and smaller < 0.95 * separate
        assert (separate, shared, smaller) == pytest.approx((15, 20.5, 12.6), abs=1)

    @pytest.mark.parametrize(
        ("line", "max_batch", "loads_over"),
        [((3.0, 0.25), 64, ()), ((13.0, 0.52), 23, (0.9,)), ((20.0, 2.4), 2, (0.6, 0.9))],
    )
    def test_two_batches_in_the_budget_are_no_promise_about_p99(self, monkeypatch, line, max_batch, loads_over):
        monkeypatch.setattr(queue, "FIXED_MS", line[0])
        monkeypatch.setattr(queue, "ITEM_MS", line[1])
        assert 2 * (line[0] + max_batch * line[1]) <= 50
        tails = {load: p99(load, max_batch) for load in (0.6, 0.9)}
        assert tuple(load for load, tail in tails.items() if tail > 50) == loads_over
        if max_batch == 2:
            assert tails[0.6] == pytest.approx(89, abs=5)

    @pytest.mark.parametrize(("line", "load", "pays"), [((3.0, 0.25), 0.6, False), ((13.0, 0.1), 0.9, True)])
    def test_with_a_shared_queue_a_window_of_5_ms_pays_or_costs_by_the_batch_line(self, monkeypatch, line, load, pays):
        monkeypatch.setattr(queue, "FIXED_MS", line[0])
        monkeypatch.setattr(queue, "ITEM_MS", line[1])
        without, window = (queue.simulate(load, 64, wait, replicas=16, requests=60_000) for wait in (0.0, 5.0))
        percent, expected = (99, (32, 21)) if pays else (50, (8.7, 20))
        found = tuple(queue.percentile(latencies, percent) for latencies in (without, window))
        assert found == pytest.approx(expected, abs=1)
        assert (found[1] < 0.8 * found[0]) is pays and (found[1] > found[0] + 5) is not pays

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(
        ("gpus", "one_queue", "max_batch", "up", "lost"),
        [(17, False, 64, 15, 30), (17, True, 64, 20, 22), (16, True, 128, 23, 38)],
    )
    def test_p99_of_a_zone_with_all_zones_up_and_with_one_lost(self, gpus, one_queue, max_batch, up, lost, seed):
        for zones, expected in ((3, up), (2, lost)):
            load = 100_000 / zones / (gpus * queue.capacity(max_batch))
            found = p99(load, max_batch, replicas=gpus if one_queue else 1, requests=120_000, seed=seed)
            assert found == pytest.approx(expected, abs=1.5)

    def test_two_batches_of_128_take_70_ms_and_p99_of_their_zone_stays_in_the_budget(self):
        assert 2 * (queue.FIXED_MS + 128 * queue.ITEM_MS) == 70
        for seed in (1, 2):
            load = 50_000 / (16 * queue.capacity(128))
            assert p99(load, 128, replicas=16, requests=120_000, seed=seed) < 45

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_p99_of_one_gpu_leaves_50_ms_between_95_and_99_percent(self, seed):
        assert p99(0.95, 64, seed=seed) < 50 < p99(0.99, 64, requests=200_000, seed=seed)

    @pytest.mark.parametrize("load", [0.58, 0.87])
    def test_a_slow_gpu_at_one_queue_serves_fewer_and_is_late_at_three_times_the_time(self, load):
        def slow(factor, gpus=17, requests=200_000):
            rate = load * gpus * queue.capacity(64) / 1000
            generator = random.Random(0)
            arrivals = list(accumulate(generator.expovariate(rate) for _ in range(requests)))
            free, served, own = [(0.0, number) for number in range(gpus)], 0, []
            while served < requests:
                now, number = free[0]
                start = max(now, arrivals[served])
                end = min(served + 64, bisect_right(arrivals, start))
                batch_ms = queue.FIXED_MS + queue.ITEM_MS * (end - served)
                done = start + batch_ms * (factor if number == 0 else 1)
                heapq.heapreplace(free, (done, number))
                if number == 0:
                    own += [done - arrival for arrival in arrivals[served:end]]
                served = end
            return len(own), queue.percentile(own, 99)

        (usual, _), (half, twice), (third, late) = (slow(factor) for factor in (1, 2, 3))
        assert half == pytest.approx(usual / 2, rel=0.1) and third < 0.4 * usual
        assert twice == pytest.approx(40, abs=2) and late > 50

    @pytest.mark.parametrize("burst", [20, 100])
    def test_bursts_make_longer_tails_than_poisson_arrivals_at_the_same_rate(self, monkeypatch, burst):
        smooth = p99(0.6, 64, seed=1)

        class Bursts(random.Random):
            count = 0

            def expovariate(self, rate):
                self.count += 1
                return 0.0 if self.count % burst else super().expovariate(rate / burst)

        monkeypatch.setattr(queue.random, "Random", Bursts)
        assert p99(0.6, 64, seed=1) > 1.2 * smooth

    @pytest.mark.parametrize("load", [1.05, 2.0])
    def test_above_capacity_a_gpu_is_busy_all_the_time_whatever_the_load(self, load):
        latencies, generator = queue.simulate(load, 64), random.Random(0)
        rate = load * queue.capacity(64) / 1000
        *_, last = accumulate(generator.expovariate(rate) for _ in latencies)
        busy = len(latencies) / queue.capacity(64) * 1000  # if every batch is full
        assert busy / (last + latencies[-1]) > 0.99

    def test_a_batch_never_exceeds_its_maximum(self):
        for max_batch in (1, 4, 64):
            latencies = queue.simulate(3.0, max_batch, requests=20_000)
            span = latencies[-1] + 20_000 / (3.0 * queue.capacity(max_batch)) * 1000
            assert 20_000 / span * 1000 <= queue.capacity(max_batch) * 1.02

    def test_percentile_counts_values(self):
        assert queue.percentile(list(range(100, 0, -1)), 99) == 100
        assert queue.percentile(list(range(1000)), 50) == 500
        assert queue.percentile([3.0], 99) == 3.0
        assert queue.percentile([1.0, 3.0, 2.0], 100) == 3.0


class TestLowLatencyServingOverload:
    @pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
    def test_the_two_simulations_agree_where_nothing_is_refused(self, load):
        other = overload.serve(load)
        assert queue.percentile(other, 99) == pytest.approx(p99(load, 64), rel=0.05)

    def test_below_saturation_nothing_is_lost_either_way(self):
        for limit in (math.inf, 31.0):
            assert overload.in_time(overload.serve(0.7, limit)) > 0.999

    @pytest.mark.parametrize("load", [1.05, 1.2, 1.5, 2.0])
    def test_refusing_the_late_keeps_the_service_at_capacity(self, load):
        assert overload.in_time(overload.serve(load)) < 0.05
        assert overload.in_time(overload.serve(load, 31.0)) == pytest.approx(1 / load, rel=0.02)

    def test_whoever_is_answered_is_answered_in_time(self):
        longest = 31.0 + overload.FIXED_MS + overload.ITEM_MS * overload.MAX_BATCH
        assert longest == 50.0
        assert max(overload.serve(1.5, 31.0)) <= longest + 1e-9
        assert max(overload.serve(1.5)) > 100 * longest

    @pytest.mark.parametrize("limit", [math.inf, 31.0])
    def test_no_answer_is_faster_than_a_batch_of_one(self, limit):
        for load in (0.01, 0.7, 1.5):
            assert min(overload.serve(load, limit)) >= overload.FIXED_MS + overload.ITEM_MS - 1e-6

    def test_a_little_overload_is_late_for_more_the_longer_it_lasts(self):
        for load in (1.05, 1.2):
            shares = [
                overload.in_time(overload.serve(load, requests=count), count) for count in (3_500, 10_600, 99_000)
            ]
            assert shares == sorted(shares, reverse=True) and shares[0] > 3 * shares[1] > 9 * shares[2]

    def test_everybody_is_answered_or_refused_at_the_end(self):
        for load in (0.3, 1.5):
            assert len(overload.serve(load, requests=5_000)) == 5_000

    def test_a_refusal_that_comes_too_late_saves_nobody(self):
        assert overload.in_time(overload.serve(1.5, 60.0)) < 0.2


class TestLowLatencyServingQuantize:
    @pytest.fixture
    def models(self):
        from torch.ao.quantization import quantize_dynamic

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = nn.Sequential(nn.Linear(32, 48), nn.Sequential(nn.Tanh(), nn.Linear(48, 4))).eval()
            yield model, torch.jit.script(model), lambda m: quantize_dynamic(m, {nn.Linear}, dtype=torch.qint8)

    def test_scripting_first_makes_quantize_dynamic_a_silent_no_op(self, models):
        model, scripted, quantize = models
        x = torch.randn(5, 32)
        result = quantize(scripted)
        assert torch.equal(result(x), model(x))
        assert sum(p.nbytes for p in result.parameters()) == sum(p.nbytes for p in model.parameters())

    def test_the_types_no_longer_match(self, models):
        model, scripted, _ = models
        assert sum(type(m) is nn.Linear for m in model.modules()) == 2
        assert not any(isinstance(m, nn.Linear) for m in scripted.modules())

    def test_quantizing_first_leaves_no_float_weight_and_other_outputs(self, models):
        model, _, quantize = models
        x = torch.randn(5, 32)
        result = quantize(model)
        assert not list(result.parameters())
        assert not torch.equal(result(x), model(x))
        torch.testing.assert_close(result(x), model(x), atol=0.1, rtol=0.1)


class TestLowLatencyServingMeasurement:
    def test_one_time_per_batch_size_with_the_batch_in_front(self):
        shapes = []

        class Spy(nn.Module):
            def forward(self, x):
                shapes.append(tuple(x.shape))
                return x

        times = measure.batch_milliseconds(Spy(), torch.zeros(3, 5), [1, 4], repeats=2)
        assert shapes == [(1, 3, 5)] * 2 + [(4, 3, 5)] * 2
        assert len(times) == 2 and all(time >= 0 for time in times)

    def test_off_the_cpu_the_clock_waits_until_the_work_is_done(self, monkeypatch):
        monkeypatch.setattr(torch.accelerator, "synchronize", lambda: measure.time.sleep(0.02))
        for device, waits in (("meta", True), ("cpu", False)):
            model, example = nn.Linear(3, 2, device=device), torch.zeros(3, device=device)
            times = measure.batch_milliseconds(model, example, [1, 4], repeats=5)
            assert all((time >= 20) is waits for time in times)

    def test_it_measures_milliseconds_without_a_graph(self):
        class Sleep(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(1))

            def forward(self, x):
                assert not (x * self.weight).requires_grad
                measure.time.sleep(0.02 * len(x))
                return x

        one, three = measure.batch_milliseconds(Sleep(), torch.zeros(1), [1, 3], repeats=2)
        assert 20 <= one < 60 <= three < 120
