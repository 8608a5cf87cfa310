"""What docs/senior/gpu-performance/async-execution.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet, run_without_gpu

asynchronous = load_snippet("senior/gpu-performance/async_execution.py")
dispatch = load_snippet("senior/gpu-performance/async_execution_dispatch.py")
clock = load_snippet("senior/gpu-performance/async_execution_clock.py")


class TestAsyncExecution:
    def test_one_python_call_becomes_several_ops_in_order(self):
        model, x = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2)), torch.randn(3, 5)
        ops = [op for op in dispatch.dispatched(lambda: model(x)) if not op.startswith("[")]
        assert ops == ["addmm", "tanh", "addmm"]

    def test_backward_calls_ops_that_no_line_of_python_names_in_reverse_order(self):
        model, x = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2), nn.ReLU()), torch.randn(3, 5)
        loss = model(x).sum()
        ops = dispatch.dispatched(loss.backward)
        assert ops.index("threshold_backward") < ops.index("tanh_backward")
        assert ops.count("mm") == 3, "two weight gradients and one input gradient"

    def test_ops_in_brackets_share_memory_and_compute_nothing(self):
        x = torch.randn(4, 3)
        assert dispatch.dispatched(lambda: (x.t(), x.view(12), x[1:2], x.expand(2, 4, 3))) == [
            "[t]",
            "[view]",
            "[slice]",
            "[expand]",
        ]
        assert x.t().data_ptr() == x.data_ptr()
        assert dispatch.dispatched(lambda: (x + 1, x.clone())) == ["add", "clone"]

    def test_detach_is_in_brackets_too_because_it_shares_memory(self):
        x = torch.randn(4, 3)
        assert dispatch.dispatched(lambda: x.detach()) == ["[detach]"]
        assert x.detach().data_ptr() == x.data_ptr() and x.detach().stride() == x.stride()

    @pytest.mark.parametrize(
        "read",
        [
            lambda x: x.item(),
            lambda x: float(x),
            lambda x: int(x),
            lambda x: bool(x > 0),
            lambda x: f"{x:.2f}",
            lambda x: max(x, torch.zeros(())),
        ],
    )
    def test_every_way_to_a_python_number_ends_in_the_op_that_waits(self, read):
        assert dispatch.dispatched(lambda: read(torch.tensor(1.5)))[-1] == "_local_scalar_dense"

    def test_metadata_asks_the_device_for_nothing(self):
        x = torch.randn(4, 3)
        assert dispatch.dispatched(lambda: (x.shape, x.dtype, x.numel(), x.device, x.requires_grad, len(x))) == []

    def test_on_a_cpu_the_result_is_there_when_the_call_returns(self):
        x = torch.ones(64, 64)
        y = asynchronous.matmul_chain(x, count=2)
        assert y.untyped_storage().tolist()[:4] == torch.tensor([4096.0]).untyped_storage().tolist()

    def test_logging_changes_no_result(self):
        torch.manual_seed(0)
        model, x = nn.Linear(3, 2), torch.randn(4, 3)
        results = []
        dispatch.dispatched(lambda: results.append(model(x)))
        assert torch.equal(results[0], model(x))


class TestTheModelOfTheClock:
    @pytest.mark.parametrize(("launch", "kernel", "calls"), [(5, 200, 50), (7, 30, 4)])
    def test_without_a_wait_the_clock_measures_launches(self, launch, kernel, calls):
        machine = clock.Machine(launch, kernel)
        for _ in range(calls):
            machine.call()
        assert machine.host == calls * launch
        assert machine.gpu == launch + calls * kernel, "the first kernel starts after its launch"
        machine.wait()
        assert machine.host == machine.gpu

    def test_if_kernels_are_shorter_than_launches_waiting_adds_one_kernel(self):
        machine = clock.Machine(launch=20, kernel=3)
        for _ in range(10):
            machine.call()
        assert (machine.host, machine.gpu) == (200, 203)

    def test_after_a_wait_the_gpu_idles_for_a_launch(self):
        machine = clock.Machine()
        machine.call()
        machine.wait()
        before = machine.gpu
        machine.call()
        assert machine.gpu == before + machine.launch + machine.kernel

    def test_a_wait_with_an_empty_queue_costs_nothing(self):
        machine = clock.Machine()
        machine.call()
        machine.wait()
        before = machine.host
        machine.wait()
        assert machine.host == before


class TestAsyncExecutionWithoutGpu:
    def test_the_script_refuses_with_a_message_instead_of_timing_a_cpu(self):
        run = run_without_gpu("senior/gpu-performance/async_execution.py")
        assert run.returncode == 1 and run.stdout == ""
        assert run.stderr.strip() == "async_execution.py needs a CUDA GPU: torch.cuda.is_available() is False"

    @pytest.mark.parametrize("count", [0, 1, 4])
    def test_the_chain_is_a_matrix_power(self, count):
        x = torch.randn(6, 6) / 6**0.5
        torch.testing.assert_close(asynchronous.matmul_chain(x, count), torch.linalg.matrix_power(x, count + 1))

    def test_the_scaled_random_matrix_of_the_script_does_not_overflow(self):
        n = 256
        power = asynchronous.matmul_chain(torch.randn(n, n) / n**0.5)
        assert power.isfinite().all() and power.any()


@pytest.mark.cuda
class TestAsyncExecutionWithGpu:
    @pytest.fixture(scope="class")
    def x(self):
        n = 4096
        x = torch.randn(n, n, device="cuda") / n**0.5
        asynchronous.matmul_chain(x)[0, 0].item()
        return x

    def test_the_calls_return_while_the_gpu_still_works(self, x):
        elapsed, idle = asynchronous.host_milliseconds(x, lambda y: None)
        assert not idle
        assert elapsed < asynchronous.event_milliseconds(x) / 2

    @pytest.mark.parametrize(
        "finish",
        [
            lambda y: torch.cuda.synchronize(),
            lambda y: torch.accelerator.synchronize(),
            lambda y: y[0, 0].item(),
            lambda y: bool(y[0, 0] > 0),
            lambda y: y[0].cpu(),
            lambda y: y[0].tolist(),
            lambda y: str(y[0, 0]),
            lambda y: y[0].nonzero(),
            lambda y: y[0][y[0] > 0],
        ],
    )
    def test_what_waits(self, x, finish):
        elapsed, idle = asynchronous.host_milliseconds(x, finish)
        assert idle
        assert elapsed > asynchronous.event_milliseconds(x) / 2

    @pytest.mark.parametrize("finish", [lambda y: y.shape, lambda y: y.dtype, lambda y: y * 2, lambda y: y.sum()])
    def test_what_does_not_wait(self, x, finish):
        assert not asynchronous.host_milliseconds(x, finish)[1]

    def test_events_agree_with_the_clock_that_waits(self, x):
        elapsed, _ = asynchronous.host_milliseconds(x, lambda y: torch.cuda.synchronize())
        assert asynchronous.event_milliseconds(x) == pytest.approx(elapsed, rel=0.3)

    def test_elapsed_time_of_an_unfinished_event_raises(self, x):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        asynchronous.matmul_chain(x)
        end.record()
        assert not end.query()
        with pytest.raises(RuntimeError):
            start.elapsed_time(end)
        end.synchronize()
        assert start.elapsed_time(end) > 0

    def test_sync_debug_mode_finds_the_hidden_wait(self, x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "prototype feature"
            torch.cuda.set_sync_debug_mode("error")
        try:
            y = x @ x
            with pytest.raises(RuntimeError):
                y[0, 0].item()
        finally:
            torch.cuda.set_sync_debug_mode("default")
