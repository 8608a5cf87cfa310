"""What docs/senior/distributed/exception-handling.md claims, proven beyond the example shown."""

import inspect
import json
import multiprocessing
import os
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from warmup.testing import load_snippet

dies = load_snippet("senior/distributed/exception_handling.py")
culprit = load_snippet("senior/distributed/exception_handling_culprit.py")
os.environ.pop("TORCH_FR_BUFFER_SIZE")  # of its own processes
cleanup = load_snippet("senior/distributed/exception_handling_cleanup_broken.py")
record = load_snippet("senior/distributed/exception_handling_record.py")
LONG = timedelta(seconds=60)  # what nothing here ever waits for


def worker(rank: int, world_size: int, folder: str, function, released) -> None:
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=world_size, timeout=LONG)
    dist.barrier()
    text = function(rank, released)
    Path(folder, str(rank)).write_text(str(text))
    os._exit(0)


def on_ranks(function, world_size: int, last: int) -> list[str]:
    """What each rank returns, or "" if its process ended; rank ``last`` is released when the others have."""
    context = multiprocessing.get_context("fork")
    released = context.Event()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (world_size, folder, function, released)
        ranks = [context.Process(target=worker, args=(rank, *arguments)) for rank in range(world_size)]
        for process in ranks:
            process.start()
        for rank, process in enumerate(ranks):
            if rank != last:
                process.join()
        released.set()
        ranks[last].join()
        files = [Path(folder, str(rank)) for rank in range(world_size)]
        return [file.read_text() if file.exists() else "" for file in files]


class TestExceptionHandling:
    @pytest.mark.parametrize("collective", ["all_reduce", "broadcast"])
    def test_the_others_lose_the_connection_long_before_the_timeout_when_a_process_ends(self, collective):
        def function(rank, released):
            if rank == 1:
                os._exit(1)
            try:
                x = torch.ones(1)
                dist.all_reduce(x) if collective == "all_reduce" else dist.broadcast(x, src=1)
            except RuntimeError as error:
                return error

        first, second = on_ranks(function, 2, last=1)
        assert "peer" in first and second == ""

    @pytest.mark.parametrize("seconds", [0, 1.5])
    def test_a_forked_child_of_a_dead_rank_keeps_its_connections_open(self, seconds):
        def function(rank, released):
            if rank == 1:
                if os.fork() == 0:
                    time.sleep(seconds)
                os._exit(1)
            begin = time.monotonic()
            try:
                dist.all_reduce(torch.ones(1))
            except RuntimeError as error:
                return time.monotonic() - begin if "peer" in str(error) else error

        waited = float(on_ranks(function, 2, last=1)[0])
        assert waited < 20
        assert waited > 0.5 or not seconds

    def test_a_rank_that_waits_for_a_living_victim_sees_nothing_until_the_timeout(self):
        def function(rank, released):
            if rank == 1:
                os._exit(1)
            try:
                work = dist.all_reduce(torch.ones(1), async_op=True)
                work.wait(timedelta(seconds=0.3)) if rank == 3 else work.wait()
            except RuntimeError as error:
                time.sleep(0 if rank == 3 else 2)
                return error

        errors = on_ranks(function, 4, last=1)
        assert "peer" in errors[0] and "peer" in errors[2]
        assert "timed out" in errors[3].lower()

    def test_numbers_of_the_flight_record_count_per_group(self):
        def function(rank, released):
            other = dist.new_group([0, 1])
            for group in (None, other, other):
                dist.all_reduce(torch.ones(7), group=group)
            entries = json.loads(torch._C._distributed_c10d._dump_fr_trace_json())["entries"]
            return [entry["collective_seq_id"] for entry in entries if entry["input_sizes"] == [[7]]]

        for text in on_ranks(function, 2, last=1):
            default, first, second = json.loads(text)
            assert second == first + 1
            assert first <= default

    def test_the_flight_recorder_is_on_if_nothing_is_set(self):
        def function(rank, released):
            dist.all_reduce(torch.ones(1))
            return len(json.loads(torch._C._distributed_c10d._dump_fr_trace_json())["entries"])

        assert all(int(entries) >= 1 for entries in on_ranks(function, 2, last=1))

    @pytest.mark.parametrize("collective", ["all_reduce", "monitored_barrier"])
    def test_a_rank_that_hangs_is_noticed_at_the_timeout_and_only_monitored_barrier_names_it(self, collective):
        def function(rank, released):
            if rank == 1:
                released.wait()
                return "silent"
            try:
                if collective == "all_reduce":
                    dist.all_reduce(torch.ones(1), async_op=True).wait(timedelta(seconds=0.2))
                else:
                    dist.monitored_barrier(timeout=timedelta(seconds=0.2))
            except RuntimeError as error:
                return error

        first, second = on_ranks(function, 2, last=1)
        assert "timed out" in first.lower() and second == "silent"
        assert ("Rank 1" in first) == (collective == "monitored_barrier")

    @pytest.mark.parametrize(("handler", "raised"), [("raise", "ValueError"), ("barrier", "RuntimeError")])
    def test_a_barrier_in_the_handler_replaces_the_error_by_its_own(self, handler, raised):
        def function(rank, released):
            distributed_c10d._set_pg_timeout(timedelta(seconds=0.2))
            if rank == 0:
                released.wait()
                return "in another collective"
            try:
                cleanup.train(rank, handler)
            except Exception as error:
                return f"{type(error).__name__} {type(error.__context__).__name__}"

        context = "NoneType" if handler == "raise" else "ValueError"
        assert on_ranks(function, 2, last=0)[1] == f"{raised} {context}"

    def test_the_flag_that_all_ranks_reduce_lets_them_skip_together(self):
        def function(rank, released):
            done = []
            for step in range(3):
                bad = torch.tensor(float(rank == 1 and step == 1))
                dist.all_reduce(bad, op=dist.ReduceOp.MAX)
                if not bad:
                    x = torch.full((1,), 10.0 * step + rank)
                    dist.all_reduce(x)
                    done.append(x.item())
            return done

        assert on_ranks(function, 2, last=1) == ["[1.0, 41.0]"] * 2

    def test_a_rank_that_misses_a_collective_and_goes_on_pairs_its_next_one_with_theirs(self):
        def function(rank, released):
            done = []
            for step in range(3):
                if rank == 1 and step == 0:
                    continue
                x = torch.full((1,), 10.0 * step)
                if len(done) < 2:
                    dist.all_reduce(x)
                    done.append(x.item())
            return done

        assert on_ranks(function, 2, last=1) == ["[10.0, 30.0]"] * 2

    def test_destroying_a_group_that_was_never_made_hides_why(self, monkeypatch):
        monkeypatch.delenv("MASTER_ADDR", raising=False)
        with pytest.raises(AssertionError) as failure:
            record.start()
        assert "MASTER_ADDR" in str(failure.value.__context__)
        with pytest.raises(ValueError, match="MASTER_ADDR"):
            dist.init_process_group("gloo", rank=0, world_size=2)

    def test_default_timeouts_are_10_minutes_for_nccl_and_30_for_others(self):
        assert "10 minutes for NCCL and 30 minutes for other backends" in inspect.getdoc(dist.init_process_group)
        assert distributed_c10d.default_pg_timeout == timedelta(minutes=30)

    def test_two_ranks_raise_and_the_silent_one_is_the_culprit(self):
        assert on_ranks(culprit.train, 3, last=1) == ["RuntimeError", "nothing", "RuntimeError"]

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("[/a/pair.cc:5] Connection closed by peer [127.0.0.1]:4. Check", dies.LOST),
            ("[/a/pair.cc:5] Read error [::1]:4: Connection reset by peer", dies.LOST),
            ("[/a/b.cc:78] Timed out waiting 500ms. More", "Timed out waiting 500ms"),
        ],
    )
    def test_the_message_without_what_differs_between_runs(self, text, shown):
        assert dies.what(RuntimeError(text)) == shown
