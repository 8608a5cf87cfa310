"""What docs/senior/compiler/inductor.md claims, proven beyond the example shown."""

import pytest
import torch
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.graph import GraphLowering
from torch.nn import functional as F

from warmup.testing import load_snippet

kept = GraphLowering.codegen, AsyncCompile.cpp_pybinding
loops = load_snippet("senior/compiler/inductor_loops.py")
patched = GraphLowering.codegen, AsyncCompile.cpp_pybinding
GraphLowering.codegen, AsyncCompile.cpp_pybinding = kept
stages = load_snippet("senior/compiler/inductor_stages.py")


@pytest.fixture(autouse=True)
def nothing_is_built():
    torch.compiler.reset()
    GraphLowering.codegen, AsyncCompile.cpp_pybinding = patched
    yield
    GraphLowering.codegen, AsyncCompile.cpp_pybinding = kept
    torch.compiler.reset()


class TestInductor:
    @pytest.mark.parametrize("length", [1, 3, 6])
    @pytest.mark.parametrize("size", [8, 64])
    def test_a_pointwise_chain_is_one_loop_with_one_load_and_one_store(self, length, size):
        def chain(x):
            for _ in range(length):
                x = torch.sin(x)
            return x

        assert loops.generated(chain, torch.ones(size, size)) == (1, 1, 0)
        (code,) = loops.kernels
        assert code.count("= in_ptr0[") == 1 and code.count("std::sin") == length
        assert code.count("out_ptr0[static_cast") == 1

    def test_two_sums_are_one_function_with_two_nests(self):
        assert loops.generated(lambda x: (x.sum(0), x.sum(1)), torch.ones(64, 64)) == (1, 4, 0)

    @pytest.mark.parametrize("size", [32, 64])
    def test_products_are_library_calls_and_what_follows_is_generated(self, size):
        x = torch.ones(size, size)
        assert loops.generated(lambda x: x @ x @ x, x) == (0, 0, 2)
        assert loops.generated(lambda x: torch.relu(x @ x), x) == (1, 1, 1)

    def test_an_operator_without_a_lowering_is_called_and_nothing_is_fused_through_it(self):
        @torch.library.custom_op("warmup_tests::opaque", mutates_args=())
        def opaque(x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        opaque.register_fake(torch.empty_like)
        functions, _, calls = loops.generated(lambda x: (opaque(x.sin() + 1) * 2).cos(), torch.ones(8, 8))
        assert functions == 2 and calls >= 1

    def test_layer_norm_is_decomposed_and_a_product_is_not(self):
        found = stages.graphs(lambda x: F.layer_norm(x, (8,)), torch.ones(2, 8))
        assert found["Dynamo"] == ["layer_norm"] and found["AOTAutograd"][0] == "native_layer_norm"
        assert len(found["decomposed"]) == 7 and "var_mean" in found["decomposed"]
        found = stages.graphs(lambda x: x @ x, torch.ones(8, 8))
        assert found["AOTAutograd"] == found["decomposed"] == ["mm"]

    def test_layer_norm_is_one_function_again(self):
        assert loops.generated(lambda x: F.layer_norm(x, (64,)), torch.ones(64, 64))[0] == 1

    def test_a_product_with_a_vector_is_generated_and_a_top_k_is_called(self):
        functions, nests, calls = loops.generated(lambda x, v: x @ v, torch.ones(64, 64), torch.ones(64))
        assert functions == 1 and nests >= 1 and calls == 0
        functions, _, calls = loops.generated(lambda x: x.topk(3).values, torch.ones(64))
        assert functions == 0 and calls >= 1
