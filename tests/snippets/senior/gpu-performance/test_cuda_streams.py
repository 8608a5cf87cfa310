"""What docs/senior/gpu-performance/cuda-streams.md claims, proven beyond the example shown."""

import ast
from itertools import permutations

import pytest
import torch

from warmup.testing import SNIPPETS, load_snippet

order = load_snippet("senior/gpu-performance/cuda_streams.py")
reuse = load_snippet("senior/gpu-performance/cuda_streams_reuse_broken.py")
overlap = load_snippet("senior/gpu-performance/cuda_streams_overlap.py")
READ, WRITE_Z = "read x on side", "write z"


class TestOrder:
    def test_without_a_wait_the_read_may_run_before_between_and_after(self):
        assert order.values_read([]) == [0, 1, 2]

    def test_a_wait_for_all_that_is_queued_leaves_one_value(self):
        assert order.values_read([("write 2", "read")]) == [2]

    def test_an_event_after_the_first_write_waits_for_that_point_only(self):
        assert order.values_read([("write 1", "read")]) == [1, 2]

    def test_a_wait_in_the_other_direction_makes_the_read_come_first(self):
        assert order.values_read([("read", "write 1")]) == [0]
        assert order.values_read([("read", "write 2")]) == [0, 1]

    def test_the_streams_alone_allow_three_of_six_orders(self):
        kernels = list(permutations(order.KERNELS))
        assert sum(o.index("write 1") < o.index("write 2") for o in kernels) == 3 and len(kernels) == 6


class TestReuse:
    def test_a_wait_for_the_write_does_not_protect_the_memory(self):
        assert reuse.values_read(reuse.REUSED) == ["x", "z"]

    def test_another_block_or_a_wait_back_does(self):
        assert reuse.values_read(reuse.RECORDED) == ["x"]
        assert reuse.values_read(reuse.REUSED, ((READ, WRITE_Z),)) == ["x"]

    def test_a_wait_the_wrong_way_round_makes_it_certain(self):
        assert reuse.values_read(reuse.REUSED, ((WRITE_Z, READ),)) == ["z"]

    def test_a_stream_of_a_cpu_is_a_dummy(self):
        stream = torch.Stream(device="cpu")
        with stream:
            x = torch.ones(3)
        assert x.sum() == 3 and stream.device.type == "cpu"


class TestTheFunction:
    def test_it_waits_in_both_directions_and_records_both_tensors(self):
        tree = ast.parse((SNIPPETS / "senior/gpu-performance/cuda_streams_overlap.py").read_text())
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
        calls = {ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
        assert {
            "side.wait_stream(main)",
            "main.wait_stream(side)",
            "x.record_stream(side)",
            "y.record_stream(main)",
        } <= calls


@pytest.mark.cuda
class TestWithGpu:
    @pytest.mark.parametrize("size", [1, 2**20])
    def test_the_function_doubles_while_the_caller_reuses_memory(self, size):
        side = torch.cuda.Stream()
        results = []
        for value in range(20):
            x = torch.full((size,), float(value), device="cuda")
            results.append(overlap.doubled_on(side, x))
            del x
            torch.full((size,), -1.0, device="cuda")
        assert [result.mean().item() for result in results] == [2.0 * value for value in range(20)]

    def test_entering_a_stream_waits_for_nothing(self):
        large = torch.randn(4096, 4096, device="cuda")
        torch.cuda.synchronize()
        for _ in range(20):
            large @ large
        with torch.cuda.stream(torch.cuda.Stream()):
            pass
        assert not torch.cuda.current_stream().query()
