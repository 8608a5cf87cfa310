"""What docs/senior/compiler/graph-partitioning.md claims, proven beyond the example shown."""

import pytest
import torch
from torch._functorch import config
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

main = load_snippet("senior/compiler/graph_partitioning.py")
graphs = load_snippet("senior/compiler/graph_partitioning_graphs.py")
budget = load_snippet("senior/compiler/graph_partitioning_budget.py")
late = load_snippet("senior/compiler/graph_partitioning_late_broken.py")
MIN_CUT = "aot_eager_decomp_partition"


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def held(function, *inputs):
    assert main.held_mib(function, *inputs) == late.held_mib(function, *inputs)
    return main.held_mib(function, *inputs)


def chain(x):
    for _ in range(3):
        x = torch.tanh(x).sin().exp()
    return x


class TestGraphPartitioning:
    @pytest.mark.parametrize(("function", "before", "after"), [(main.gelu, 4, 1), (chain, 6, 2)])
    @pytest.mark.parametrize("shape", [(512, 512), (64, 4096)])
    def test_min_cut_holds_less_of_a_pointwise_chain_and_gives_the_same_gradient(self, function, before, after, shape):
        x = torch.linspace(-2, 1, 2**18).reshape(shape).requires_grad_()
        assert held(function, x) == before * x.nbytes / 2**20
        torch.compiler.reset()
        compiled = torch.compile(function, backend=MIN_CUT)
        assert held(compiled, x) <= after * x.nbytes / 2**20
        expected, found = (torch.autograd.grad(f(x).sum(), x)[0] for f in (function, compiled))
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)

    def test_what_several_operations_save_is_counted_once(self):
        x = torch.ones(256, 256, requires_grad=True)
        assert held(lambda x: x.exp().sin(), x) == 0.25

    def test_backends_differ_in_the_cut(self):
        x = torch.ones(512, 512, requires_grad=True)

        def compiled(backend):
            torch.compiler.reset()
            return held(torch.compile(main.gelu, backend=backend), x)

        assert compiled("eager") == 4 and compiled("aot_eager_default_partitioner") >= 3
        assert compiled("aot_eager") == 2 and compiled(MIN_CUT) == 1

    def test_builtin_functions_hold_little_in_eager_mode_already(self):
        x = torch.ones(512, 512, requires_grad=True)
        assert held(F.gelu, x) == 1 and held(lambda x: F.softmax(x, -1), x) == 1

    @pytest.mark.parametrize("function", [graphs.chain, lambda x: x.exp().sin().cos().sin()])
    def test_min_cut_saves_fewer_and_computes_forward_operations_again(self, function):
        x = torch.ones(8, requires_grad=True)
        plain = graphs.cut(function, x, default_partition)
        cut = graphs.cut(function, x, min_cut_rematerialization_partition)
        assert len(cut["saved"]) == 1 < len(plain["saved"])
        assert not set(plain["forward"]) & set(plain["backward"])
        assert {name for name in cut["forward"] if "detach" not in name} & set(cut["backward"])

    def test_no_matrix_product_is_repeated_by_default_and_less_held_repeats_more(self):
        x, w = (torch.eye(64).requires_grad_() for _ in range(2))
        eager = budget.price(budget.layers, x, w)
        prices = []
        for fraction in (1.0, 0.5, 0.25, 0.0):
            torch.compiler.reset()
            with config.patch(activation_memory_budget=fraction):
                prices.append(budget.price(torch.compile(budget.layers, backend=MIN_CUT), x, w))
        assert eager[1] == prices[0][1] == 12 and prices[-1][1] == 18
        mib, products = zip(*prices, strict=True)
        assert list(mib) == sorted(mib, reverse=True) and list(products) == sorted(products)
        assert mib[-1] == (x.nbytes + w.nbytes) / 2**20

    def test_the_budget_is_read_when_the_graph_is_compiled(self):
        x, w = (torch.eye(64).requires_grad_() for _ in range(2))
        compiled = torch.compile(late.layers, backend=MIN_CUT)
        before = held(compiled, x, w)
        with config.patch(activation_memory_budget=0.0):
            assert held(compiled, x, w) == before
            torch.compiler.reset()
            assert held(compiled, x, w) < before

    def test_the_last_relu_keeps_a_mask_of_bools(self):
        x, w = (torch.eye(64).requires_grad_() for _ in range(2))
        saved = held(late.layers, x, w) - held(torch.compile(late.layers, backend=MIN_CUT), x, w)
        assert saved == 0.75 * x.nbytes / 2**20

    def test_a_dropout_mask_is_saved_and_the_gradient_agrees(self):
        x = torch.ones(64, requires_grad=True)

        def dropped(x):
            return F.dropout(x.sin(), 0.5)

        found = graphs.cut(dropped, x, min_cut_rematerialization_partition)
        assert not any("dropout" in name and "backward" not in name for name in found["backward"])
        x.grad = None
        out = torch.compile(dropped, backend="aot_eager")(x)
        out.sum().backward()
        assert torch.equal(x.grad == 0, out == 0)

    def test_checkpoint_is_honored(self):
        x, w = (torch.eye(64).requires_grad_() for _ in range(2))

        def checkpointed(x, w):
            return checkpoint(late.layers, x, w, use_reentrant=False)

        compiled = torch.compile(checkpointed, backend=MIN_CUT)
        mib, products = budget.price(compiled, x, w)
        assert mib == 2 * x.nbytes / 2**20 and products > 12

    @pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
    def test_behind_a_graph_break_the_second_part_saves_what_its_gradient_needs(self):
        x = torch.ones(64, 64, requires_grad=True)

        def after_a_break(function):
            def broken(x):
                h = x.sin()
                torch._dynamo.graph_break()
                return function(h)

            torch.compiler.reset()
            return held(torch.compile(broken, backend=MIN_CUT), x) * 2**20 / x.nbytes

        assert after_a_break(torch.cos) == 2 and after_a_break(lambda h: h + 1) == 1
        torch.compiler.reset()
        assert held(torch.compile(lambda x: x.sin().cos(), backend=MIN_CUT), x) * 2**20 / x.nbytes == 1
