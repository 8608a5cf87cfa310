"""What docs/senior/compiler/torch-compile.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import default_partition

from warmup.testing import load_snippet

when = load_snippet("senior/compiler/torch_compile_when.py")
regions = load_snippet("senior/compiler/torch_compile_regions.py")
break_even = load_snippet("senior/compiler/torch_compile_break_even.py")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


FUNCTIONS = [lambda x: torch.sin(x) * 2, lambda x: torch.relu(x.exp() + 1), lambda x: torch.softmax(x, -1)]


class TestTorchCompile:
    @pytest.mark.parametrize("function", FUNCTIONS)
    @pytest.mark.parametrize("shape", [(3,), (2, 5)])
    def test_with_static_sizes_the_backward_is_compiled_in_the_first_backward(self, function, shape):
        x = torch.ones(shape, requires_grad=True)
        assert when.compiled_when(function, x) == {"forward": "first call", "backward": "first backward"}

    @pytest.mark.parametrize("function", FUNCTIONS)
    @pytest.mark.parametrize("shape", [(3,), (2, 5)])
    def test_with_dynamic_sizes_the_backward_is_compiled_in_the_forward_call(self, function, shape):
        x = torch.ones(shape, requires_grad=True)
        assert set(when.compiled_when(function, x, dynamic=True).values()) == {"first call"}

    def test_the_second_size_makes_it_dynamic_and_compiles_both_in_one_call(self):
        compiled = []

        def note(name):
            def compiler(module, inputs):
                compiled.append(name)
                return make_boxed_func(module.forward)

            return compiler

        f = torch.compile(torch.sin, backend=aot_autograd(fw_compiler=note("forward"), bw_compiler=note("backward")))
        f(torch.ones(3, requires_grad=True))
        assert compiled == ["forward"]
        f(torch.ones(4, requires_grad=True))
        assert compiled == ["forward", "forward", "backward"]

    @pytest.mark.parametrize("grad", [False, True])
    def test_without_gradients_there_is_one_graph_for_inference(self, grad):
        with torch.no_grad():
            found = when.compiled_when(FUNCTIONS[0], torch.ones(3, requires_grad=grad))
        assert found == {"inference": "first call"}
        assert when.compiled_when(FUNCTIONS[0], torch.ones(3)) == {"inference": "first call"}

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_the_backward_is_traced_in_the_forward_call_whenever_it_is_compiled(self, function):
        joint_sizes = []

        def cut(joint, *args, **kwargs):
            joint_sizes.append(len(joint.graph.nodes))
            return default_partition(joint, *args, **kwargs)

        def nothing(module, inputs):
            return make_boxed_func(module.forward)

        backend = aot_autograd(fw_compiler=nothing, bw_compiler=nothing, partition_fn=cut)
        compiled = torch.compile(function, backend=backend)
        x = torch.rand(3, requires_grad=True)
        loss = (compiled(x) ** 2).sum()
        assert len(joint_sizes) == 1
        loss.backward()
        expected = torch.autograd.grad((function(x) ** 2).sum(), x)[0]
        torch.testing.assert_close(x.grad, expected)
        compiled(x).sum().backward()
        assert len(joint_sizes) == 1

    def test_torch_compile_itself_compiles_nothing(self):
        graphs = []
        compiled = torch.compile(torch.sin, backend=lambda module, inputs: graphs.append(1) or module.forward)
        assert graphs == []
        compiled(torch.ones(2))
        compiled(torch.ones(2))
        assert graphs == [1]

    @pytest.mark.parametrize(
        "make",
        [
            lambda: nn.Linear(8, 8),
            lambda: nn.Sequential(nn.Linear(8, 8), nn.GELU()),
            lambda: nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True),
        ],
    )
    def test_a_builtin_module_compiled_in_place_captures_nothing_and_wrapped_it_does(self, make):
        graphs = []

        def backend(module, inputs):
            graphs.append(module)
            return module.forward

        x, module = torch.ones(1, 4, 8), make()
        module.compile(backend=backend)
        module(x)
        assert graphs == []
        torch.compile(make(), backend=backend)(x)
        assert len(graphs) == 1

    @pytest.mark.parametrize("blocks", [3, 8])
    def test_equal_blocks_share_their_graphs(self, blocks):
        def captured(whole):
            regions.sizes.clear()
            torch.compiler.reset()
            model = regions.Model(regions.Block)
            model.blocks = model.blocks[:blocks]
            for module in [model] if whole else model.blocks:
                module.compile(backend=regions.count)
            with torch.no_grad():
                model(torch.ones(1, 8))
            return list(regions.sizes)

        assert captured(whole=True) == [2 * blocks] and captured(whole=False) == [2]

    @pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
    @pytest.mark.parametrize("grad", [False, True])
    def test_in_training_the_first_block_differs_if_its_input_requires_no_grad(self, grad):
        regions.sizes.clear()
        model = regions.Model(regions.Block)
        for block in model.blocks:
            block.compile(backend=regions.count)
        model(torch.ones(1, 8, requires_grad=grad))
        assert regions.sizes == ([2] if grad else [2, 2])

    @pytest.mark.parametrize("function", FUNCTIONS[:2])
    def test_a_second_derivative_raises(self, function):
        x = torch.ones(3, requires_grad=True)
        loss = torch.compile(function, backend="aot_eager")(x).sum()
        (slope,) = torch.autograd.grad(loss, x, create_graph=True)
        with pytest.raises(RuntimeError, match="does not currently support double backward"):
            slope.sum().backward()

    @pytest.mark.parametrize("shape", [(7,), (2, 3)])
    def test_the_function_that_is_timed_is_gelu_with_tanh(self, shape):
        x = torch.linspace(-3, 3, shape[0]).expand(*reversed(shape))
        expected = nn.functional.gelu(x, approximate="tanh")
        torch.testing.assert_close(break_even.gelu(x), expected, atol=1e-4, rtol=0)
        assert break_even.milliseconds(break_even.gelu, x) > 0

    @pytest.mark.parametrize("different", [False, True])
    def test_blocks_that_read_their_index_compile_one_by_one_up_to_the_limit(self, different):
        class Indexed(nn.Module):
            def __init__(self, layer_idx):
                super().__init__()
                self.layer_idx = layer_idx

            def forward(self, x):
                return x * self.layer_idx

        graphs = []

        def note(module, inputs):
            graphs.append(1)
            return module.forward

        blocks = [Indexed(i if different else 3) for i in range(12)]
        for block in blocks:
            block.compile(backend=note)
        assert [block(torch.ones(1)).item() for block in blocks] == [block.layer_idx for block in blocks]
        assert len(graphs) == (8 if different else 1)
