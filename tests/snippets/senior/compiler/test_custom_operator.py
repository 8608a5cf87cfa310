"""What docs/senior/compiler/custom-operator.md claims, proven beyond the example shown."""

import numpy as np
import pytest
import torch
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.utils import fresh_cache
from torch.autograd.gradcheck import GradcheckError
from torch.library import custom_op, opcheck

from warmup.testing import load_snippet

complete = load_snippet("senior/compiler/custom_operator.py")
missing = load_snippet("senior/compiler/custom_operator_missing_broken.py")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


class TestCustomOperator:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("shape", [(5,), (2, 3), (0,), ()])
    def test_the_operator_is_softplus_in_every_mode(self, dtype, shape):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        compiled = torch.compile(complete.softplus, backend="aot_eager", fullgraph=True)
        expected = torch.nn.functional.softplus(x)
        for function in (complete.softplus, compiled):
            out = function(x)
            torch.testing.assert_close(out, expected)
            assert out.dtype == dtype
            torch.testing.assert_close(torch.autograd.grad(out.sum(), x)[0], torch.sigmoid(x))

    @pytest.mark.parametrize("make", [lambda: torch.randn(4), lambda: torch.randn(3, 2).T])
    def test_it_passes_opcheck_on_other_strides_too(self, make):
        assert set(opcheck(complete.softplus, (make(),)).values()) == {"SUCCESS"}

    def test_gradcheck_and_not_opcheck_finds_a_wrong_gradient(self):
        @custom_op("warmup_tests::cube", mutates_args=())
        def cube(x: torch.Tensor) -> torch.Tensor:
            return torch.from_numpy(x.numpy() ** 3)

        cube.register_fake(torch.empty_like)
        cube.register_autograd(
            lambda ctx, grad: grad * ctx.saved_tensors[0],
            setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
        )
        x = torch.linspace(1, 2, 4, dtype=torch.float64, requires_grad=True)
        assert set(opcheck(cube, (x,)).values()) == {"SUCCESS"}
        with pytest.raises(GradcheckError):
            torch.autograd.gradcheck(cube, x)

    def test_each_missing_part_has_its_own_error(self):
        x, w = torch.ones(3), torch.ones(3, requires_grad=True)
        assert torch.equal(missing.numpy_softplus(x), missing.softplus(x))
        with pytest.raises(RuntimeError, match="Can't call numpy"):
            missing.numpy_softplus(w)
        with pytest.raises(RuntimeError, match="no autograd formula was registered"):
            missing.softplus(w).sum().backward()
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError):
            torch.compile(missing.softplus, backend="eager", fullgraph=True)(x)
        assert missing.first_line(lambda: x) == "ok"
        assert missing.first_line(lambda: x.view(7)).startswith("RuntimeError: shape")

    @pytest.mark.parametrize("length", [4, 8])
    def test_a_wrong_fake_shape_is_believed_under_compile_only(self, length):
        shape = load_snippet("senior/compiler/custom_operator_shape_broken.py")
        x = torch.ones(length)
        assert shape.mean(x).item() == 1
        torch.compiler.reset()
        assert torch.compile(shape.mean, backend="eager")(x).item() == 2 / length

    def test_an_undeclared_mutation_passes_eager_calls_and_a_declared_one_passes_opcheck(self):
        def define(name, mutates):
            @custom_op(f"warmup_tests::{name}", mutates_args=mutates)
            def add_one(x: torch.Tensor) -> torch.Tensor:
                x.add_(1)
                return x.clone()

            add_one.register_fake(torch.empty_like)
            return add_one

        with pytest.raises(Exception, match="test_schema"):
            opcheck(define("hidden_mutation", ()), (torch.ones(3),))
        declared = define("declared_mutation", ("x",))
        assert set(opcheck(declared, (torch.ones(3),)).values()) == {"SUCCESS"}

    @pytest.mark.parametrize("view", [lambda x: x, lambda x: x[:2]])
    def test_returning_the_input_or_a_view_raises(self, view):
        name = "returns_view" if view(torch.ones(3)).numel() == 2 else "returns_input"

        @custom_op(f"warmup_tests::{name}", mutates_args=())
        def alias(x: torch.Tensor) -> torch.Tensor:
            return view(x)

        with pytest.raises(RuntimeError, match="alias"):
            alias(torch.ones(3))

    def test_numpy_without_gradients_is_traced_by_dynamo_itself(self):
        graphs = []

        def backend(module, inputs):
            graphs.append(module)
            return module.forward

        compiled = torch.compile(missing.numpy_softplus, backend=backend, fullgraph=True)
        torch.testing.assert_close(compiled(torch.ones(3)), torch.nn.functional.softplus(torch.ones(3)))
        assert len(graphs) == 1

    @pytest.mark.filterwarnings("ignore:There is a performance drop")
    def test_vmap_calls_it_per_sample_unless_it_is_registered(self):
        calls = []

        @custom_op("warmup_tests::negate", mutates_args=())
        def negate(x: torch.Tensor) -> torch.Tensor:
            calls.append(tuple(x.shape))
            return torch.from_numpy(np.negative(x.numpy()))

        x = torch.ones(2, 3)
        assert torch.equal(torch.vmap(negate)(x), -x) and calls == [(3,), (3,)]
        negate.register_vmap(lambda info, in_dims, x: (negate(x), in_dims[0]))
        calls.clear()
        assert torch.equal(torch.vmap(negate)(x), -x) and calls == [(2, 3)]

    def test_a_hidden_mutation_is_dropped_by_the_compiler_and_a_declared_one_is_kept(self):
        def run(name, mutates):
            @custom_op(f"warmup_tests::{name}", mutates_args=mutates)
            def add_one(x: torch.Tensor) -> torch.Tensor:
                x.add_(1)
                return x.clone()

            add_one.register_fake(torch.empty_like)

            def use(x):
                add_one(x)
                return x * 2

            return use(torch.ones(1)).item(), torch.compile(use, backend="aot_eager")(torch.ones(1)).item()

        assert run("hidden", ()) == (4, 2) and run("declared", ("x",)) == (4, 4)

    def test_inductor_checks_the_size_of_the_result_and_not_its_dtype(self, monkeypatch):
        monkeypatch.setattr(AsyncCompile, "cpp_pybinding", lambda *args, **kwargs: lambda *tensors: None)

        def define(name, real):
            @custom_op(f"warmup_tests::{name}", mutates_args=())
            def operator(x: torch.Tensor) -> torch.Tensor:
                return real(x)

            operator.register_fake(torch.empty_like)
            return torch.compile(lambda x: operator(x) * 2)

        with fresh_cache():
            with pytest.raises(AssertionError, match="incorrect fake"):
                define("other_size", lambda x: x[:2].clone())(torch.ones(4))
            define("other_dtype", lambda x: x.double())(torch.ones(4))

    def test_the_forward_derivative_is_zero_without_a_warning_and_func_grad_raises(self):
        x = torch.ones(2)
        out, tangent = torch.func.jvp(complete.softplus, (x,), (x,))
        torch.testing.assert_close(out, torch.nn.functional.softplus(x))
        assert torch.equal(tangent, torch.zeros(2))
        with pytest.raises(RuntimeError, match="setup_context"):
            torch.func.grad(lambda x: complete.softplus(x).sum())(x)
