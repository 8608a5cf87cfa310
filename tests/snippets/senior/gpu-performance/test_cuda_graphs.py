"""What docs/senior/gpu-performance/cuda-graphs.md claims, proven beyond the example shown."""

import inspect

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet, run_without_gpu

model_of_graphs = load_snippet("senior/gpu-performance/cuda_graphs.py")
real = load_snippet("senior/gpu-performance/cuda_graphs_capture.py")
Capture = model_of_graphs.Capture


def captured(function, *inputs: torch.Tensor):
    with torch.no_grad(), Capture() as graph:
        out = function(*inputs)
    return graph, out


class TestTheModel:
    @pytest.mark.parametrize("network", [nn.Linear(4, 2), nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 1))])
    def test_only_a_copy_into_the_captured_input_reaches_a_replay(self, network):
        static, new = torch.randn(3, 4), torch.randn(3, 4)
        graph, y = captured(network, static)
        before = y.clone()
        graph.replay()
        assert torch.equal(y, before)
        static.copy_(new)
        graph.replay()
        torch.testing.assert_close(y, network(new))
        assert not torch.equal(y, before)

    def test_numbers_and_branches_of_python_are_constants(self):
        setting = {"scale": 2.0, "bonus": False}
        x = torch.ones(2)

        def step(x):
            y = x * setting["scale"]
            return y + 100 if setting["bonus"] else y

        graph, y = captured(step, x)
        setting.update(scale=5.0, bonus=True)
        graph.replay()
        assert y.tolist() == [2, 2]
        graph, y = captured(step, x)
        setting.update(scale=2.0, bonus=False)
        graph.replay()
        assert y.tolist() == [105, 105]

    def test_a_number_that_python_has_drawn_repeats(self):
        factors = iter([3.0, 4.0])
        graph, y = captured(lambda x: x * next(factors), torch.ones(1))
        graph.replay()
        assert y.item() == 3 and next(factors) == 4

    def test_python_does_not_run_in_a_replay_of_the_recorded_calls(self):
        runs = []
        graph, _ = captured(lambda x: (runs.append(1), x + 1)[1], torch.ones(1))
        graph.replay()
        graph.replay()
        assert runs == [1]

    def test_each_replay_writes_to_the_same_output(self):
        x = torch.zeros(1)
        graph, y = captured(lambda x: x * 2, x)
        kept, cloned = [], []
        for batch in (1.0, 2.0, 3.0):
            x.fill_(batch)
            graph.replay()
            kept.append(y)
            cloned.append(y.clone())
        assert [t.item() for t in kept] == [6, 6, 6] and [t.item() for t in cloned] == [2, 4, 6]

    @pytest.mark.parametrize("tensor", [False, True])
    def test_a_learning_rate_that_is_a_float_is_a_constant_and_a_tensor_is_read(self, tensor):
        rate = torch.tensor(1.0) if tensor else 1.0
        weight, gradient = torch.zeros(1), torch.ones(1)
        with torch.no_grad(), Capture() as graph:
            weight.sub_(gradient * rate)
        weight.zero_()
        if tensor:
            rate.fill_(10.0)
        else:
            rate = 10.0
        graph.replay()
        assert weight.item() == (-10 if tensor else -1) and rate == 10

    def test_adam_has_capturable_and_sgd_has_no_counter(self):
        assert "capturable" in inspect.signature(torch.optim.Adam).parameters
        assert "capturable" not in inspect.signature(torch.optim.SGD).parameters
        weight = nn.Parameter(torch.ones(1))
        for kind, counted in ((torch.optim.Adam, True), (torch.optim.SGD, False)):
            optimizer = kind([weight], lr=0.1)
            weight.grad = torch.ones(1)
            optimizer.step()
            assert ("step" in optimizer.state[weight]) is counted

    @pytest.mark.parametrize("assign", [False, True])
    def test_weights_copied_in_place_are_seen_and_assigned_ones_are_not(self, assign):
        network, other, x = nn.Linear(2, 2), nn.Linear(2, 2), torch.randn(1, 2)
        graph, y = captured(network, x)
        network.load_state_dict(other.state_dict(), assign=assign)
        graph.replay()
        assert torch.allclose(y, other(x)) is not assign
        assert torch.allclose(network(x), other(x)), "eager sees them in both cases"


class TestWithoutGpu:
    def test_the_script_refuses_with_a_message(self):
        run = run_without_gpu("senior/gpu-performance/cuda_graphs_capture.py")
        assert run.returncode == 1 and run.stdout == ""
        assert "cuda_graphs_capture.py needs a CUDA GPU" in run.stderr


@pytest.mark.cuda
class TestWithGpu:
    @pytest.mark.parametrize("depth", [1, 4])
    def test_replay_equals_eager_on_new_data(self, depth):
        network = nn.Sequential(*(nn.Linear(16, 16) for _ in range(depth))).cuda().eval()
        x = torch.randn(4, 16, device="cuda")
        graph, y = real.captured(network, x)
        x.copy_(torch.randn(4, 16, device="cuda"))
        graph.replay()
        with torch.no_grad():
            torch.testing.assert_close(y, network(x))

    def test_a_new_tensor_is_ignored(self):
        x = torch.ones(2, 16, device="cuda")
        graph, y = real.captured(nn.ReLU(), x)
        x = torch.full((2, 16), 7.0, device="cuda")
        graph.replay()
        assert (y == 1).all() and (x == 7).all()

    def test_dropout_draws_a_new_mask_in_each_replay(self):
        x = torch.ones(1000, device="cuda")
        graph, y = real.captured(nn.Dropout(0.5), x)
        graph.replay()
        first = y.clone()
        graph.replay()
        assert not torch.equal(first, y)

    def test_events_measure_a_positive_time(self):
        x = torch.ones(1000, device="cuda")
        assert real.milliseconds(lambda: x * 2) > 0
