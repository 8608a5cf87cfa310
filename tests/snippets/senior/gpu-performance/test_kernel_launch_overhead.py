"""What docs/senior/gpu-performance/kernel-launch-overhead.md claims, proven beyond the example shown."""

from collections import Counter

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

launch = load_snippet("senior/gpu-performance/kernel_launch_overhead.py")
python = load_snippet("senior/gpu-performance/kernel_launch_overhead_python.py")
timeline = load_snippet("senior/gpu-performance/kernel_launch_overhead_timeline.py")


class Names(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.names[operation.overloadpacket.__name__] += 1
        return operation(*args, **(kwargs or {}))


def given(tensors: int, size: int) -> list[torch.Tensor]:
    parameters = [torch.ones(size, requires_grad=True) for _ in range(tensors)]
    for parameter in parameters:
        parameter.grad = torch.ones(size)
    return parameters


def operations(tensors: int, size: int, **options: bool) -> int:
    return of_a_step(given(tensors, size), **options)


def of_a_step(parameters: list[torch.Tensor], **options: bool) -> int:
    optimizer = torch.optim.AdamW(parameters, **options)
    optimizer.step()
    with launch.Operations() as counted:
        optimizer.step()
    return counted.count


def length(kernels: int, host: float, kernel: float) -> float:
    return timeline.timeline(kernels, host, kernel)[1][-1] + kernel


class TestKernelLaunchOverhead:
    @pytest.mark.parametrize(("tensors", "size"), [(3, 4), (3, 4096), (20, 4)])
    def test_the_loop_has_eight_operations_for_each_parameter_the_others_do_not_depend_on_them(self, tensors, size):
        assert operations(tensors, size, foreach=False) == 8 * tensors
        assert operations(tensors, size, foreach=True) == 8
        assert operations(tensors, size, fused=True) == 1

    @pytest.mark.parametrize("tensors", [2, 9])
    def test_foreach_and_fused_run_once_for_each_data_type(self, tensors):
        parameters = given(tensors, 4)
        for parameter in given(tensors, 4):
            parameters.append(parameter.detach().double().requires_grad_())
            parameters[-1].grad = torch.ones(4, dtype=torch.float64)
        assert of_a_step(parameters, foreach=False) == 16 * tensors
        assert of_a_step(parameters, foreach=True) == 16 and of_a_step(parameters, fused=True) == 2

    @pytest.mark.parametrize("tokens", [1, 8])
    def test_a_kernel_that_only_reads_weights_takes_as_long_for_twice_the_samples(self, tokens):
        def seconds(n: int, width: int) -> float:
            flops, moved = 2 * n * width**2, 2 * (2 * n * width + width**2)
            return max(flops / 989e12, moved / 3.35e12)  # an H100

        assert seconds(2 * tokens, 4096) / seconds(tokens, 4096) < 1.01
        assert seconds(8192, 4096) / seconds(4096, 4096) > 1.99

    def test_a_number_is_not_counted_and_a_tensor_is(self):
        one, many = torch.tensor(1.0), torch.ones(2)
        with launch.Operations() as counted:
            _ = one + 1
            assert counted.count == 0
            _ = many + 1
            _ = one + many
        assert counted.count == 2

    @pytest.mark.parametrize("options", [{"foreach": True}, {"fused": True}])
    def test_the_three_implementations_make_the_same_step(self, options):
        results = []
        for chosen in ({"foreach": False}, options):
            parameters = given(3, 5)
            torch.optim.AdamW(parameters, **chosen).step()
            results.append(torch.stack([p.detach() for p in parameters]))
        torch.testing.assert_close(*results)

    def test_the_loop_updates_a_step_counter_for_each_parameter(self):
        optimizer = torch.optim.AdamW(given(10, 4), foreach=False)
        optimizer.step()
        assert all(
            state["step"].dim() == 0 and state["step"].device.type == "cpu" for state in optimizer.state.values()
        )

    @pytest.mark.parametrize("n", [1, 2, 50])
    @pytest.mark.parametrize("host", [1.0, 2.5])
    @pytest.mark.parametrize("kernel", [0.25, 1.0, 3.0])
    def test_the_slower_of_host_and_gpu_sets_the_pace(self, n, host, kernel):
        assert length(n, host, kernel) == pytest.approx(max(n * host + kernel, host + n * kernel))

    def test_on_one_stream_a_kernel_starts_after_its_launch_and_after_the_kernel_before(self):
        for kernel in (0.5, 2.0):
            launched, starts = timeline.timeline(9, 1.0, kernel)
            assert all(start >= back for back, start in zip(launched, starts, strict=True))
            assert all(b - a >= kernel for a, b in zip(starts, starts[1:], strict=False))

    def test_below_one_launch_a_faster_kernel_gains_nothing_and_a_batch_four_times_as_large_costs_nothing(self):
        assert length(1000, 1, 1) / length(1000, 1, 0.25) < 1.001
        assert length(1000, 1, 4) / length(1000, 1, 1) > 3.99

    def test_foreach_hardly_reduces_python_and_fused_does(self):
        loop, foreach, fused = (
            python.python_calls(python.adamw(30, **options))
            for options in ({"foreach": False}, {"foreach": True}, {"fused": True})
        )
        assert 0.7 * loop < foreach < 1.1 * loop and fused < 0.7 * foreach

    def test_python_calls_are_counted(self):
        def twice() -> None:
            len("a")
            len("b")

        few = python.python_calls(lambda: None)
        assert python.python_calls(twice) == few + 2

    def test_a_composite_operation_is_many_and_foreach_clips_in_eight(self):
        x, many = torch.ones(2, 3), given(10, 4)
        with Names() as log:
            torch.nn.functional.gelu(x) + torch.nn.functional.mse_loss(x, x)
        assert sum(log.names.values()) == 3
        counts = []
        for foreach in (False, True):
            with Names() as log:
                torch.nn.utils.clip_grad_norm_(many, 1.0, foreach=foreach)
            counts.append(sum(log.names.values()))
        assert counts[0] > 2 * len(many) and counts[1] < 10

    def test_a_layer_norm_by_hand_is_many_operations_and_the_function_is_one(self):
        x = torch.ones(2, 3)
        with Names() as log:
            (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt()
        by_hand = sum(log.names.values())
        with Names() as log:
            torch.nn.functional.layer_norm(x, (3,))
        assert by_hand == 6 and sum(log.names.values()) == 1

    def test_fused_keeps_its_step_counters_with_the_parameters(self):
        optimizer = torch.optim.AdamW(given(4, 4), fused=True)
        optimizer.step()
        with Names() as log:
            optimizer.step()
        assert log.names["_foreach_add_"] == log.names["_fused_adamw_"] == 1
