"""What docs/senior/gpu-performance/profiler.md claims, proven beyond the example shown."""

import json
import warnings

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerAction, profile, record_function, schedule
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

profiler = load_snippet("senior/gpu-performance/profiler.py")
forgotten = load_snippet("senior/gpu-performance/profiler_forgotten_broken.py")
drawn = load_snippet("senior/gpu-performance/profiler_schedule.py")


def counts(p: profile) -> dict[str, int]:
    return {row.key.split("#")[0]: row.count for row in p.key_averages()}


def traces(steps: int, call_step: bool = True, **plan: int) -> list[int]:
    """How many ``exp`` each trace has that the handler is given."""
    seen: list[int] = []
    with profile(schedule=schedule(**plan), on_trace_ready=lambda p: seen.append(counts(p).get("aten::exp", 0))) as p:
        for _ in range(steps):
            torch.ones(2).exp()
            if call_step:
                p.step()
    return seen


class TestTheLoop:
    def test_a_transform_per_sample_calls_std_once_per_sample_and_stacked_once_per_batch(self):
        def stacked(images):
            x = torch.stack(images)
            return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)

        images = [torch.rand(50) for _ in range(8)]
        torch.testing.assert_close(stacked(images), profiler.collate(images))
        for function, calls in ((profiler.collate, 8), (stacked, 1)):
            with profile() as p:
                function(images)
            assert counts(p)["aten::std"] == calls
        assert profiler.rows["aten::std"].count == 3 * 64 == 192

    def test_each_part_is_there_once_per_recorded_step(self):
        assert [profiler.rows[part].count for part in profiler.parts] == [3, 3, 3, 3]
        assert profiler.rows["ProfilerStep*"].count == 3

    def test_parts_are_inside_the_step_and_self_time_is_at_most_total_time(self):
        rows = profiler.rows
        assert sum(rows[part].cpu_time_total for part in profiler.parts) <= rows["ProfilerStep*"].cpu_time_total
        assert all(0 <= row.self_cpu_time_total <= row.cpu_time_total for row in rows.values())

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_loader_and_optimizer_label_themselves(self, optimizer):
        model = nn.Linear(2, 1)
        update = optimizer(model.parameters())
        with profile() as p:
            for x in DataLoader(torch.ones(4, 2), 2):
                model(x).sum().backward()
                update.step()
        keys = {row.key for row in p.key_averages()}
        assert f"Optimizer.step#{optimizer.__name__}.step" in keys
        assert "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" in keys

    def test_operators_of_loader_workers_are_in_no_row(self):
        found = {}
        for workers in (0, 1):
            with profile() as p:
                for _ in DataLoader(torch.rand(4, 10), 2, collate_fn=profiler.collate, num_workers=workers):
                    pass
            found[workers] = counts(p)
        assert found[0]["aten::std"] == 4 and "aten::std" not in found[1]
        assert found[1]["enumerate(DataLoader)"] == 3, "two batches and the end"


class TestTimes:
    def test_plain_python_has_a_row_only_if_it_has_a_label(self):
        with profile() as p:
            torch.ones(2).exp()
            sum(i * i for i in range(100_000))
            with record_function("python"):
                sum(i * i for i in range(100_000))
        events = sorted(p.events(), key=lambda event: event.time_range.start)
        exp = next(event for event in events if event.name == "aten::exp")
        label = next(event for event in events if event.name == "python")
        assert not [e for e in events if exp.time_range.end < e.time_range.start < label.time_range.start]
        assert label.time_range.start - exp.time_range.end > 100, "microseconds in which nothing was recorded"
        assert label.self_cpu_time_total == label.cpu_time_total > 100

    def test_total_time_is_self_time_and_the_children(self):
        model = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8))
        with profile() as p:
            model(torch.ones(4, 8)).sum().backward()
        for event in p.events():
            children = sum(child.cpu_time_total for child in event.cpu_children)
            assert event.cpu_time_total == pytest.approx(event.self_cpu_time_total + children)

    def test_linear_contains_addmm(self):
        with profile() as p:
            nn.Linear(3, 2)(torch.ones(4, 3))
        linear = next(event for event in p.events() if event.name == "aten::linear")
        assert "aten::addmm" in [child.name for child in linear.cpu_children]


class TestSchedule:
    @pytest.mark.parametrize(("wait", "warmup", "active"), [(1, 1, 2), (2, 1, 3), (1, 2, 1)])
    def test_only_active_steps_are_handed_out(self, wait, warmup, active):
        cycle = wait + warmup + active
        assert traces(cycle, wait=wait, warmup=warmup, active=active) == [active]
        assert traces(2 * cycle, wait=wait, warmup=warmup, active=active) == [active, active]
        assert traces(2 * cycle, wait=wait, warmup=warmup, active=active, repeat=1) == [active]

    @pytest.mark.parametrize("plan", [{"wait": 1, "warmup": 1, "active": 2}, {"wait": 0, "warmup": 1, "active": 2}])
    def test_without_step_the_handler_is_never_called_and_nothing_warns(self, plan):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert traces(9, call_step=False, **plan) == []

    def test_only_asking_for_the_table_raises(self):
        with profile(schedule=schedule(wait=1, warmup=1, active=1)) as p:
            torch.ones(2).exp()
        with pytest.raises(AssertionError, match="must be initialized before getting key averages"):
            p.key_averages()
        with profile(schedule=schedule(wait=0, warmup=1, active=1)) as p:
            torch.ones(2).exp()
        assert counts(p) == {}, "stuck in warm-up, the table is empty"

    def test_without_wait_and_warmup_the_whole_loop_is_one_trace_and_a_warning(self):
        with pytest.warns(UserWarning, match="won't be using warmup"):
            assert traces(6, call_step=False, wait=0, warmup=0, active=2) == [6]

    def test_without_a_schedule_everything_is_recorded_and_the_handler_called_once(self):
        for call_step in (True, False):
            seen = []
            with profile(on_trace_ready=seen.append) as p:
                for _ in range(5):
                    torch.ones(2).exp()
                    if call_step:
                        p.step()
            assert len(seen) == 1 and counts(p)["aten::exp"] == 5

    def test_a_loop_that_ends_while_recording_hands_out_an_incomplete_or_empty_trace(self):
        plan = {"wait": 1, "warmup": 1, "active": 2}
        assert [traces(steps, **plan) for steps in (1, 2, 3, 4)] == [[], [0], [1], [2]]
        assert [traces(steps, **plan) for steps in (5, 6, 7)] == [[2], [2, 0], [2, 1]]

    def test_the_table_has_the_last_cycle_only_unless_events_accumulate(self):
        for accumulate, expected in ((False, 2), (True, 4)):
            with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), acc_events=accumulate) as p:
                for _ in range(8):
                    torch.ones(2).exp()
                    p.step()
            assert counts(p)["aten::exp"] == expected

    def test_the_picture_is_what_the_schedule_says(self):
        assert drawn.with_step == ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
        assert set(drawn.forgotten) == {ProfilerAction.NONE.name}
        assert forgotten.traces == [], "the last one, without the call"


class TestReading:
    def test_the_old_attribute_is_gone_and_its_name_still_sorts(self):
        with profile() as p:
            torch.ones(2).exp()
        row = p.key_averages()[0]
        with pytest.raises(AttributeError):
            _ = row.cuda_time_total
        assert row.device_time_total == 0
        assert "aten::exp" in p.key_averages().table(sort_by="cuda_time_total")

    def test_shapes_separate_calls_of_different_size(self):
        model = nn.Linear(4, 2)
        with profile(record_shapes=True) as p:
            for rows in (2, 3, 3):
                model(torch.ones(rows, 4))
        found = [(row.input_shapes[1], row.count) for row in p.key_averages(True) if row.key == "aten::addmm"]
        assert sorted(found) == [([2, 4], 1), ([3, 4], 2)]

    def test_a_label_is_in_the_exported_trace(self, tmp_path):
        with profile() as p, record_function("forward"):
            torch.ones(2).exp()
        p.export_chrome_trace(str(tmp_path / "trace.json"))
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        assert {"forward", "aten::exp"} <= {event.get("name") for event in events}
