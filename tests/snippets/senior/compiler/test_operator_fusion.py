"""What docs/senior/compiler/operator-fusion.md claims, proven beyond the example shown."""

import pytest
import torch
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.graph import GraphLowering
from torch.nn import functional as F

from warmup.testing import load_snippet

kept = GraphLowering.codegen, AsyncCompile.cpp_pybinding
broken = load_snippet("senior/compiler/operator_fusion_broken.py")
GraphLowering.codegen, AsyncCompile.cpp_pybinding = kept
table = load_snippet("senior/compiler/operator_fusion_table.py")
patched = GraphLowering.codegen, AsyncCompile.cpp_pybinding
GraphLowering.codegen, AsyncCompile.cpp_pybinding = kept


@pytest.fixture(autouse=True)
def nothing_is_built():
    torch.compiler.reset()
    GraphLowering.codegen, AsyncCompile.cpp_pybinding = patched
    yield
    GraphLowering.codegen, AsyncCompile.cpp_pybinding = kept
    torch.compiler.reset()


class TestOperatorFusion:
    @pytest.mark.parametrize("shape", [(256, 256), (64, 1024)])
    @pytest.mark.parametrize("length", [2, 5])
    def test_a_pointwise_chain_is_one_read_and_one_write(self, shape, length):
        def chain(x):
            for _ in range(length):
                x = torch.sin(x)
            return x

        x = torch.ones(shape)
        assert table.eager_mib(chain, x) == length * 2 * x.nbytes / 2**20
        assert table.fused_mib(chain, x) == 2 * x.nbytes / 2**20

    def test_gelu_by_hand_moves_nine_times_as_much_as_fused(self):
        x = torch.ones(512, 512)
        assert table.eager_mib(table.gelu, x) == 9 * table.fused_mib(table.gelu, x)
        torch.testing.assert_close(table.gelu(x), F.gelu(x, approximate="tanh"), atol=1e-4, rtol=0)
        torch.testing.assert_close(table.softmax(x), x.softmax(-1))

    def test_views_move_nothing(self):
        x = torch.ones(64, 64)
        assert table.eager_mib(lambda x: x.T.view(-1).reshape(64, 64)[1:], x.T) == 0

    @pytest.mark.parametrize("function", [torch.relu, F.gelu, torch.exp])
    def test_one_operation_gains_nothing(self, function):
        x = torch.ones(256, 256)
        assert table.eager_mib(function, x) == table.fused_mib(function, x)

    def test_softmax_of_rows_is_one_read_and_one_write(self):
        x = torch.ones(256, 1024)
        assert table.fused_mib(table.softmax, x) == table.fused_mib(lambda x: x.softmax(-1), x) == 2

    def test_softmax_of_columns_counts_three_times_as_much(self):
        x = torch.ones(512, 512)
        rows, columns = (table.fused_mib(lambda x, dim=dim: x.softmax(dim), x) for dim in (1, 0))
        assert rows == 2 and round(columns) == 6

    @pytest.mark.parametrize("size", [256, 512])
    def test_the_epilogue_of_a_product_is_a_pass_of_its_own(self, size):
        x = torch.ones(size, size)
        one = x.nbytes / 2**20
        product, w = table.FUNCTIONS["relu(x @ w + 1)"], x.clone()
        assert table.eager_mib(product, x, w) == 7 * one and table.fused_mib(product, x, w) == 5 * one

    def test_a_batch_norm_is_counted_by_its_tensors_in_eager_mode_and_reads_twice(self):
        x = torch.ones(512, 512)

        def normalize(x):
            return F.batch_norm(x, None, None, training=True)

        assert round(table.eager_mib(normalize, x)) == 2 and round(table.fused_mib(normalize, x)) == 3

    @pytest.mark.parametrize("size", [1024, 2048])
    def test_each_obstacle_costs_the_pass_that_the_page_names(self, size):
        x = torch.ones(512, size)
        one = x.nbytes // 2**20
        assert table.fused_mib(broken.whole, x) == 2 * one
        assert table.fused_mib(broken.also_returned, x) == 3 * one
        assert round(table.fused_mib(broken.divided_by_its_mean, x), 3) == 3 * one
        assert table.fused_mib(broken.with_print, x) == 4 * one

    def test_the_variants_compute_what_they_say(self):
        x = torch.linspace(0, 1, 8)
        h = torch.sin(x) + 1
        assert torch.equal(broken.whole(x), torch.cos(h) * 2) and torch.equal(broken.with_print(x), broken.whole(x))
        assert torch.equal(broken.divided_by_its_mean(x), torch.cos(h) / h.mean())
        assert all(map(torch.equal, broken.also_returned(x), (torch.cos(h) * 2, h)))
