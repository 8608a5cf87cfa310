"""What docs/senior/system-design/multi-tenant-platform.md claims, proven beyond the example shown."""

import random

import pytest

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/multi_tenant_platform.py")
gangs = load_snippet("senior/system-design/multi_tenant_platform_gangs_broken.py")
queue = load_snippet("senior/system-design/multi_tenant_platform_queue.py")
drf = load_snippet("senior/system-design/multi_tenant_platform_drf.py")

FAIR = {"fair": True}
PREEMPT = {"fair": True, "preempt": True}
HOLD = PREEMPT | {"hold_after": 24 * 60}
PROTECT = HOLD | {"protect": True}


def small(waits):
    return sum(waits["small"]) / len(waits["small"]) / 60


class TestBudget:
    def test_the_rows_add_up_to_the_cluster_and_90_percent_are_useful(self):
        total = budget.GPUS * budget.WEEK
        assert sum(budget.lost.values()) + budget.useful == pytest.approx(total)
        assert round(budget.useful / total, 2) == 0.9
        assert max(budget.lost, key=budget.lost.get).startswith("gangs")

    def test_two_hours_between_checkpoints_cost_4_800_gpu_hours_more(self):
        stops = 200 * 32
        assert stops * (0.5 / 2 + 0.1) == pytest.approx(2_240) and stops * (2 / 2 + 0.1) == pytest.approx(7_040)

    @pytest.mark.parametrize("interval", [30, 120])
    def test_a_stop_at_a_random_time_loses_half_an_interval(self, interval):
        chance = random.Random(0)
        lost = [chance.randrange(10_000) % interval for _ in range(20_000)]
        assert sum(lost) / len(lost) == pytest.approx(interval / 2, rel=0.05)


class TestGangs:
    @pytest.mark.parametrize(("jobs", "gpus"), [({"a": 6, "b": 6}, 8), ({"a": 3, "b": 3, "c": 3}, 6)])
    def test_one_by_one_takes_all_gpus_and_starts_nothing(self, jobs, gpus):
        assert all(needs <= gpus for needs in jobs.values())
        assert gangs.schedule(jobs, gpus, gang=False) == []
        assert sorted(gangs.schedule(jobs, gpus, gang=True)) == sorted(jobs)

    @pytest.mark.parametrize("jobs", [{"a": 4, "b": 4}, {"a": 1, "b": 1, "c": 1}])
    def test_without_contention_both_ways_start_all(self, jobs):
        for gang in (False, True):
            assert sorted(gangs.schedule(jobs, 8, gang)) == sorted(jobs)


class TestQueue:
    @pytest.mark.parametrize("shift", [0, 35])
    def test_waiting_times_of_the_policies(self, shift):
        jobs = queue.workload()
        for job in jobs:
            job.arrived += shift if job.team == "small" else 0
        found = {}
        for name, options in {"oldest": {}, "fair": FAIR, "preempt": PREEMPT, "protect": PROTECT}.items():
            waits, lost, end = queue.simulate(jobs, queue.QUOTA, **options)
            found[name] = small(waits), waits["rare"][0] / 60, lost, end / 60
        assert found["oldest"][0] > 70 and 2 < found["fair"][0] < 5 and found["preempt"][0] < 0.5
        assert 0.3 < found["protect"][0] < 3
        assert all(found[name][1] > 100 for name in ("oldest", "fair", "preempt")) and found["protect"][1] < 36
        assert found["oldest"][2] == found["fair"][2] == 0 < found["preempt"][2] < 100 * 60

    def test_the_page_rounds_its_run(self):
        runs = [queue.simulate(queue.workload(), queue.QUOTA, **o) for o in ({}, FAIR, PREEMPT, HOLD, PROTECT)]
        assert [round(small(waits)) for waits, *_ in runs] == [82, 3, 0, 121, 2]
        assert [round(waits["rare"][0] / 60) for waits, *_ in runs][2:] == [108, 34, 34]
        assert round(runs[2][1] / 60) == 40
        assert [round(end / 60) for *_, end in runs] == [107, 110, 112, 343, 117]

    @pytest.mark.parametrize("every", [127, 110])
    def test_a_held_gang_that_may_be_preempted_makes_everybody_wait(self, every):
        jobs = [job for job in queue.workload() if job.team != "small"]
        jobs += [queue.Job("small", 8, 60, 50 + every * number) for number in range(20)]
        ends = [queue.simulate(jobs, queue.QUOTA, **options)[2] for options in (HOLD, PROTECT)]
        assert ends[0] > 1.5 * ends[1]

    @pytest.mark.parametrize("options", [{}, FAIR, PREEMPT, PROTECT])
    def test_all_work_is_done_and_no_gpu_is_used_twice(self, options):
        jobs = queue.workload()
        waits, lost, end = queue.simulate(jobs, queue.QUOTA, **options)
        assert sum(map(len, waits.values())) == len(jobs)
        assert end * 64 >= sum(job.gpus * job.left for job in jobs) + lost

    def test_the_interval_between_checkpoints_sets_what_preemption_loses(self):
        lost = [queue.simulate(queue.workload(), queue.QUOTA, **PREEMPT, interval=i)[1] for i in (1, 30, 120)]
        assert lost[0] == 0 < lost[1] < lost[2]

    def test_priority_times_share_from_small_to_large_puts_production_last(self):
        jobs = {"production": (10, 0.5), "experiment": (1, 0.5)}
        assert sorted(jobs, key=lambda job: jobs[job][0] * jobs[job][1]) == ["experiment", "production"]


class TestDrf:
    def test_the_example_of_the_paper(self):
        tasks = {"a": {"cpus": 1, "memory": 4}, "b": {"cpus": 3, "memory": 1}}
        assert drf.fill(tasks, {"cpus": 9, "memory": 18})[-1] == {"a": 3, "b": 2}

    @pytest.mark.parametrize("cores", [8, 30])
    def test_shares_stay_within_one_task_while_everything_fits(self, cores):
        cluster = {"GPUs": 64, "cores": 960}
        tasks = {"language": {"GPUs": 4, "cores": 8}, "vision": {"GPUs": 1, "cores": cores}}
        for row in drf.fill(tasks, cluster)[:20]:
            shares = [drf.dominant_share(row[team], tasks[team], cluster) for team in tasks]
            assert abs(shares[0] - shares[1]) <= max(drf.dominant_share(1, task, cluster) for task in tasks.values())

    def test_equal_gpus_do_not_fit_and_give_vision_91_percent_of_the_cores(self):
        assert 8 * 8 + 32 * 30 > 960 >= 8 * 8 + 29 * 30
        assert round(29 * 30 / 960, 2) == 0.91

    def test_with_the_same_proportions_it_is_the_same_as_equal_gpus(self):
        tasks = {"a": {"GPUs": 1, "cores": 10}, "b": {"GPUs": 2, "cores": 20}}
        last = drf.fill(tasks, {"GPUs": 64, "cores": 1000})[-1]
        assert last["a"] == 2 * last["b"] == 32
