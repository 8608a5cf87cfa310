"""What docs/mid/autograd/dynamic-graphs.md claims, proven beyond the example shown."""

import warnings
from collections.abc import Callable

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

jumps = load_snippet("mid/autograd/dynamic_graphs_jumps.py")


def operations(result: torch.Tensor) -> list[str]:
    """Names of the nodes from a result to its leaf, along the first edges."""
    node, names = result.grad_fn, []
    while node.next_functions:
        names.append(node.name().removesuffix("Backward0"))
        node = node.next_functions[0][0]
    return names


def on_value(x: torch.Tensor) -> torch.Tensor:
    return 2 * x if x.sum() > 0 else -x


def with_cond(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: 2 * x, lambda x: -x, (x,))


class Wrapped(nn.Module):
    """A function as a module, for export."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]):
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def graphs_of(function: Callable, *inputs: torch.Tensor) -> int:
    """Compile a function, compare it with eager at the inputs, and count its graphs."""
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list) -> Callable:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    fast = torch.compile(function, backend=backend)
    assert all(torch.equal(fast(x), function(x)) for x in inputs)
    return len(graphs)


class TestDynamicGraphs:
    @pytest.mark.parametrize(("at", "rounds"), [(0.5, 0), (1.5, 1), (3.0, 2), (100.0, 7)])
    def test_each_input_leaves_the_operations_that_ran(self, at: float, rounds: int):
        y = jumps.shrink(torch.tensor(at, requires_grad=True) * 1)
        assert operations(y) == ["Div"] * rounds + ["Mul"]
        value, slope = jumps.value_and_slope(at)
        assert value == at / 2**rounds and slope == 0.5**rounds and 0.5 <= value <= 1

    def test_a_loop_keeps_one_copy_of_its_body_per_round(self):
        for rounds in (1, 5, 20):
            kept, x = [], torch.ones(3, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t, kept=kept: kept.append(t) or t, lambda t: t):
                for _ in range(rounds):
                    x = x.sin()
            assert len(kept) == len(operations(x)) == rounds

    @pytest.mark.parametrize("compare", [torch.gt, torch.ge, torch.eq, torch.lt])
    def test_a_comparison_has_no_gradient(self, compare: Callable):
        x, threshold = torch.randn(5), torch.zeros(1, requires_grad=True)
        assert not compare(x, threshold).requires_grad
        assert not compare(x, threshold).float().requires_grad
        assert torch.sigmoid(x - threshold).requires_grad

    def test_a_layer_in_the_branch_that_did_not_run_gets_none(self):
        for sign in (1.0, -1.0):
            up, down = nn.Linear(2, 1), nn.Linear(2, 1)
            x = sign * torch.ones(1, 2)
            (up(x) if x.sum() > 0 else down(x)).sum().backward()
            assert (up.weight.grad is None) == (sign < 0) and (down.weight.grad is None) == (sign > 0)

    def test_where_differentiates_both_sides(self):
        guards = {"none": lambda x: x, "clamp": lambda x: x.clamp(min=0), "where": lambda x: torch.where(x > 0, x, 1)}
        for at, safe in ((-1.0, ["clamp", "where"]), (0.0, ["where"])):
            for name, guard in guards.items():
                x = torch.tensor([at, 4.0], requires_grad=True)
                torch.where(x > 0, guard(x).sqrt(), -x).sum().backward()
                assert (not x.grad.isnan().any()) == (name in safe)

    def test_a_comparison_of_a_batch_is_no_condition(self):
        with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
            bool(torch.ones(2) > 0)
        assert bool(torch.ones(1) > 0)

    def test_compile_breaks_at_a_value_and_recompiles_for_a_shape(self):
        ones = torch.ones(2)
        assert graphs_of(on_value, ones, -ones) == 3
        assert graphs_of(with_cond, ones, -ones) == 1
        assert graphs_of(lambda x: 2 * x if x.size(0) > 2 else -x, torch.ones(3), ones) == 2

    def test_a_trace_freezes_the_branch_of_its_example(self):
        for flag in (True, False):
            for function, warns in ((on_value, True), (lambda x, flag=flag: 2 * x if flag else -x, False)):
                example = torch.ones(2) if flag else -torch.ones(2)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    traced = torch.jit.trace(function, example, check_trace=False)
                assert any(issubclass(w.category, torch.jit.TracerWarning) for w in caught) == warns
                x = -example
                assert torch.equal(traced(x), 2 * x if flag else -x)

    @pytest.mark.parametrize(
        ("other", "fits"),
        [(lambda x: -x, True), (lambda x: 3 * x[:1], True), (lambda x: -x.double(), False), (torch.sum, False)],
    )
    def test_export_takes_cond_if_both_sides_fit(self, other: Callable, fits: bool):
        ones = torch.ones(2)
        model = Wrapped(lambda x: torch.cond(x.sum() > 0, lambda x: 2 * x, other, (x,)))
        if fits:
            exported = torch.export.export(model, (ones,)).module()
            assert torch.equal(exported(ones), 2 * ones) and torch.equal(exported(-ones), other(-ones))
        else:
            with pytest.raises(RuntimeError):
                torch.export.export(model, (ones,))

    def test_export_refuses_a_branch_on_a_value_and_takes_where(self):
        ones = torch.ones(2)
        with pytest.raises(RuntimeError, match="data-dependent"):
            torch.export.export(Wrapped(on_value), (ones,))
        exported = torch.export.export(Wrapped(lambda x: torch.where(x.sum() > 0, 2 * x, -x)), (ones,)).module()
        assert torch.equal(exported(-ones), ones)

    @pytest.mark.parametrize(
        ("number", "known"),
        [
            (lambda x: x.shape[0], True),
            (lambda x: len(x) - 2, True),
            (lambda x: int(x.sum()), False),
            (lambda x: x[x > 0].shape[0], False),
        ],
    )
    def test_a_number_from_values_is_data_dependent_and_a_shape_of_the_input_is_not(
        self, number: Callable, known: bool
    ):
        def function(x: torch.Tensor) -> torch.Tensor:
            return 2 * x if number(x) > 0 else -x

        ones = torch.ones(3)
        assert graphs_of(function, ones, -ones) == (1 if known else 3)
        if known:
            torch.export.export(Wrapped(function), (ones,))
        else:
            with pytest.raises(RuntimeError, match="data-dependent"):
                torch.export.export(Wrapped(function), (ones,))

    @pytest.mark.parametrize("detach", [True, False])
    def test_a_pass_goes_on_with_the_history_of_its_input(self, detach: bool):
        w = torch.ones((), requires_grad=True)
        state = torch.tensor(3.0)
        for steps in (1, 2):
            state = w * (state.detach() if detach else state)
            (slope,) = torch.autograd.grad(state, w, retain_graph=True)
            assert slope == (3 if detach else 3 * steps)

    def test_cond_is_one_node(self):
        x = torch.ones(2, requires_grad=True)
        y = with_cond(x)
        below = [type(node).__name__ for node, _ in y.grad_fn.next_functions if node is not None]
        assert "Cond" in y.grad_fn.name() and below == ["AccumulateGrad"]
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
