"""What docs/senior/compiler/graph-breaks.md claims, proven beyond the example shown."""

import contextlib
import os
import subprocess
import sys

import pytest
import torch

from warmup.testing import SNIPPETS, load_snippet

graph_breaks = load_snippet("senior/compiler/graph_breaks_explain.py")
causes = load_snippet("senior/compiler/graph_breaks_causes.py")
rewrite = load_snippet("senior/compiler/graph_breaks_rewrite.py")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def two_branches(x):
    if x.sum() > 0:
        x = x + 1
    x = x * 2
    if x.max() > 5:
        x = x - 1
    return x


class OwnManager:
    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass


@contextlib.contextmanager
def own_manager():
    yield


class TestGraphBreaks:
    def test_only_a_branch_that_ran_is_captured(self):
        ones = torch.ones(4)
        assert graph_breaks.captured_graphs(graph_breaks.activate, ones) == ["mul sum gt", "sin add"]
        assert graph_breaks.captured_graphs(graph_breaks.activate, -ones) == ["mul sum gt", "cos sub"]
        both = graph_breaks.captured_graphs(graph_breaks.activate, ones, -ones, ones, -ones)
        assert both == ["mul sum gt", "sin add", "cos sub"]

    def test_explain_sees_one_path_only(self):
        for x in (torch.ones(3), -torch.ones(3)):
            explanation = torch._dynamo.explain(graph_breaks.activate)(x)
            assert (explanation.graph_count, explanation.graph_break_count) == (2, 1)

    def test_every_break_adds_a_graph(self):
        explanation = torch._dynamo.explain(two_branches)(4 * torch.ones(3))
        assert (explanation.graph_count, explanation.graph_break_count) == (3, 2)

    def test_explain_counts_graphs_minus_one_so_the_reasons_are_what_to_read(self):
        explanation = torch._dynamo.explain(two_branches)(torch.ones(3))
        assert (explanation.graph_break_count, len(explanation.break_reasons)) == (1, 2)
        torch.compiler.reset()
        assert torch._dynamo.explain(causes.loop_with_branch)(torch.ones(3)).graph_break_count == -1

    @pytest.mark.parametrize("function", [graph_breaks.activate, two_branches, causes.loop_with_branch])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_a_break_changes_no_result(self, function, sign):
        x = sign * torch.rand(5)
        torch.testing.assert_close(torch.compile(function, backend="eager")(x), function(x))

    def test_a_break_is_silent_unless_the_log_is_on(self):
        program = (
            "import sys, torch\n"
            f"sys.path.insert(0, {str(SNIPPETS / 'senior/compiler')!r})\n"
            "from graph_breaks_explain import activate\n"
            "torch.compile(activate, backend='eager')(torch.ones(3))\n"
        )

        def messages(**variables):
            run = subprocess.run(
                [sys.executable, "-W", "error", "-c", program],
                text=True,
                capture_output=True,
                check=True,
                env=os.environ | variables,
            )
            return run.stdout + run.stderr

        assert messages() == ""
        log = messages(TORCH_LOGS="graph_breaks")
        assert "Graph Break Reason: Data-dependent branching" in log and "graph_breaks_explain.py" in log

    @pytest.mark.parametrize(
        ("construct", "expected"),
        [
            ("if x.shape[0] > 2", (1, "ok")),
            ("np.sin(x.numpy())", (1, "ok")),
            ("x.sum().item()", (2, "ok")),
            ("x[x > 0]", (2, "ok")),
            ("print()", (2, "error")),
            ("print() in a helper", (4, "error")),
            ("call of a disabled function", (2, "error")),
            ("if x.sum() > 0", (2, "error")),
            ("if x.sum() > 0 in a loop", (0, "error")),
        ],
    )
    def test_what_breaks(self, construct, expected):
        assert causes.capture(causes.CONSTRUCTS[construct]) == expected

    def test_every_construct_of_the_table_is_tested(self):
        assert len(causes.CONSTRUCTS) == 9

    @pytest.mark.parametrize(
        ("construct", "expected"),
        [
            ("if x.shape[0] > 2", lambda x: 2 * x),
            ("np.sin(x.numpy())", lambda x: 2 * x.sin()),
            ("x.sum().item()", lambda x: x * x.sum()),
            ("x[x > 0]", lambda x: 2 * x.masked_select(x > 0)),
            ("print()", lambda x: 2 * x + 1),
            ("print() in a helper", lambda x: (2 * x - 1) / 3),
            ("call of a disabled function", lambda x: 6 * x + 3),
            ("if x.sum() > 0", lambda x: 2 * x if x.sum() > 0 else 3 * x),
            ("if x.sum() > 0 in a loop", lambda x: 24 * x + 21 if x.sum() > 0 else 24 * x),
        ],
    )
    @pytest.mark.parametrize("x", [[0.25, 0.5, -0.25], [-1.0, 0.5, -2.0]])
    def test_a_construct_computes_the_same_compiled_wherever_it_breaks(self, construct, expected, x):
        function, x = causes.CONSTRUCTS[construct], torch.tensor(x)
        for run in (function, torch.compile(function, backend="eager")):
            torch.testing.assert_close(run(x), expected(x))

    def test_what_was_compiled_before_does_not_change_the_count(self):
        def scale(x):
            return x * 2

        for _ in range(torch._dynamo.config.recompile_limit):
            torch.compile(scale, backend=lambda graph_module, example_inputs: graph_module.forward)(torch.ones(3))
        assert causes.capture(scale) == (1, "ok")

    def test_what_breaks_for_other_functions(self):
        assert causes.capture(lambda x: x.exp() + x.shape[0]) == (1, "ok")
        assert causes.capture(lambda x: x * x.max().item() + 1) == (2, "ok")
        assert causes.capture(lambda x: x + 1 if x.all() else x * 2) == (2, "error")

    @pytest.mark.parametrize(
        "function", [lambda x: x * 2 if x.sum().item() > 0 else x, lambda x: x * 2 if int(x.max().item()) == 1 else x]
    )
    def test_an_if_on_a_captured_item_is_an_error_of_another_type(self, function):
        assert causes.capture(function) == (2, "error")
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.UserError, match="data-dependent"):
            torch.compile(function, backend="eager", fullgraph=True)(torch.ones(3))

    @pytest.mark.parametrize("fullgraph", [False, True])
    @pytest.mark.parametrize("branch", [lambda x: x, lambda x: x.view(-1), lambda x: x.clone()])
    def test_a_branch_of_cond_may_not_return_its_input_or_a_view_of_it(self, branch, fullgraph):
        compiled = torch.compile(
            lambda x: torch.cond(x.sum() > 0, branch, lambda x: -x, (x,)), backend="eager", fullgraph=fullgraph
        )
        original = torch.ones(3)
        if branch(original).untyped_storage().data_ptr() == original.untyped_storage().data_ptr():
            with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError):
                compiled(original)
        else:
            assert torch.equal(compiled(original), original) and torch.equal(compiled(-original), original)

    def test_a_break_inside_try_skips_the_function_too(self):
        def guarded(x):
            x = x * 2
            try:
                if x.sum() > 0:
                    x = x + 1
            except ValueError:
                pass
            return x * 3

        assert causes.capture(guarded) == (0, "error")

    def test_a_break_in_the_body_of_any_loop_skips_the_function_and_one_in_its_condition_does_not(self):
        def body(x):
            i = 0
            while i < 3:
                x = x * 2
                if x.sum() > 0:
                    x = x + 1
                i += 1
            return x * 3

        def condition(x):
            while x.sum() < 100:
                x = x * 2
            return x * 3

        assert causes.capture(body) == (0, "error")
        assert causes.capture(condition)[0] > 1

    def test_a_loop_that_returns_right_after_the_break_is_an_exception(self):
        def early_exit(x):
            x = x * 2
            for _ in range(3):
                x = x * 2
                if x.sum() > 100:
                    return x + 1
            return x * 3

        def last_round(x):
            for number in range(3):
                x = x * 2
                if number == 2:
                    print(end="")
                    return x + 1
            return x

        assert causes.capture(early_exit)[0] > 1
        assert causes.capture(last_round) == (2, "error")

    @pytest.mark.parametrize(
        ("manager", "graphs"), [(torch.no_grad, 2), (contextlib.nullcontext, 2), (OwnManager, 0), (own_manager, 0)]
    )
    def test_a_break_inside_with_on_your_own_context_manager_skips_the_function(self, manager, graphs):
        def inside(x):
            x = x * 2
            with manager():
                x = x * 2
                print(end="")
                x = x + 1
            return x * 3

        assert causes.capture(inside) == (graphs, "error")

    def test_a_decision_about_the_shape_is_guarded_by_the_shape_not_by_its_outcome(self):
        def decide(x):
            return x * 2 if x.shape[0] > 2 else x

        assert len(graph_breaks.captured_graphs(decide, torch.ones(3), torch.ones(3))) == 1
        assert len(graph_breaks.captured_graphs(decide, torch.ones(3), torch.ones(4))) == 2

    def test_a_captured_item_makes_the_shape_unknown_and_a_break_makes_it_a_constant(self):
        def sized_by_data(x):
            return torch.ones(int(x.sum().item())) * 2

        def last_shape(fullgraph):
            shapes = []

            def backend(graph_module, example_inputs):
                output = [node for node in graph_module.graph.nodes if node.op == "output"][0]
                shapes.append(output.args[0][0].meta["example_value"].shape)
                return graph_module.forward

            torch.compiler.reset()
            torch.compile(sized_by_data, backend=backend, fullgraph=fullgraph)(torch.ones(3))
            return shapes[-1]

        assert type(last_shape(fullgraph=False)[0]) is int
        assert type(last_shape(fullgraph=True)[0]) is torch.SymInt

    def test_a_break_in_a_helper_breaks_every_caller(self):
        def broken(x):
            x = x + 1
            print(end="")
            return x * 2

        def one_above(x):
            return broken(x - 1) / 3

        def two_above(x):
            return one_above(x.sin()).cos()

        assert causes.capture(broken) == (2, "error")
        assert causes.capture(one_above) == (4, "error")
        assert causes.capture(two_above) == (6, "error")

    @pytest.mark.parametrize("fullgraph", [False, True])
    @pytest.mark.parametrize(
        "operation",
        [lambda x: x @ torch.ones(4, 2), lambda x: x.reshape(5), lambda x: torch.cat([x, torch.ones(2)])],
    )
    def test_shapes_that_do_not_fit_raise_with_and_without_fullgraph(self, operation, fullgraph):
        with pytest.raises(torch._dynamo.exc.TorchRuntimeError):
            torch.compile(operation, backend="eager", fullgraph=fullgraph)(torch.ones(3, 3))

    @pytest.mark.parametrize("fullgraph", [False, True])
    @pytest.mark.parametrize("operation", [lambda x: x[5], lambda x: x.sum(dim=4)])
    def test_an_index_out_of_range_raises_too_though_the_type_may_be_that_of_eager(self, operation, fullgraph):
        with pytest.raises((IndexError, torch._dynamo.exc.TorchRuntimeError)):
            torch.compile(operation, backend="eager", fullgraph=fullgraph)(torch.ones(3, 3))

    def test_a_skipped_function_still_gets_its_callees_captured(self):
        def callee(x):
            return x.sin() * 3

        def looping(x):
            for _ in range(3):
                x = callee(x)
                if x.sum() > 100:
                    x = x * 2
            return x.cos() + 1

        assert graph_breaks.captured_graphs(looping, torch.ones(3)) == ["sin mul"]

    def test_a_branch_moved_out_of_the_loop_is_captured_again(self):
        def step(x):
            x = x * 2
            if x.sum() > 0:
                x = x + 1
            return x

        def looping(x):
            for _ in range(3):
                x = step(x)
            return x * 3

        assert graph_breaks.captured_graphs(looping, torch.ones(3)) != []

    def test_a_backend_that_fails_raises_even_without_fullgraph(self):
        def failing(graph_module, example_inputs):
            raise RuntimeError("no kernel for this")

        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="no kernel for this"):
            torch.compile(torch.sin, backend=failing)(torch.ones(3))

    @pytest.mark.parametrize("fullgraph", [False, True])
    def test_too_many_recompilations_end_in_eager_or_in_an_error(self, fullgraph):
        graphs = []

        def backend(graph_module, example_inputs):
            graphs.append(graph_module)
            return graph_module.forward

        def scale(x, settings):
            return x * settings["factor"]

        compiled = torch.compile(scale, backend=backend, fullgraph=fullgraph, dynamic=False)
        limit = torch._dynamo.config.recompile_limit
        for factor in range(2, limit + 2):
            compiled(torch.ones(1), {"factor": factor})
        assert len(graphs) == limit
        if fullgraph:
            with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
                compiled(torch.ones(1), {"factor": 1000})
        else:
            assert compiled(torch.ones(1), {"factor": 1000}).item() == 1000
        assert len(graphs) == limit

    def test_the_recompile_limit_is_a_warning_in_the_log_that_names_how_to_see_the_reasons(self):
        program = (
            "import torch\n"
            "scale = torch.compile(lambda x, s: x * s['f'], backend='eager', dynamic=False)\n"
            "for f in range(2, torch._dynamo.config.recompile_limit + 4): scale(torch.ones(1), {'f': f})\n"
        )
        run = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True)
        assert run.stderr.count("hit config.recompile_limit") == 1 and 'TORCH_LOGS="recompiles"' in run.stderr

    @pytest.mark.parametrize(
        ("second", "graphs"),
        [
            (torch.ones(3), 1),
            (torch.ones(4), 2),
            (torch.ones(3, dtype=torch.float64), 2),
            (torch.ones(3, requires_grad=True), 2),
        ],
    )
    def test_a_guard_that_fails_recompiles_the_whole_function(self, second, graphs):
        captured = graph_breaks.captured_graphs(lambda x: x.sin() * 2, torch.ones(3), second)
        assert captured == ["sin mul"] * graphs

    def test_the_second_shape_recompiles_dynamically_and_the_third_does_not(self):
        shapes = [torch.ones(length) for length in (3, 4, 5, 6)]
        assert len(graph_breaks.captured_graphs(lambda x: x.sin() * 2, *shapes)) == 2

    @pytest.mark.parametrize("function", [rewrite.with_where, rewrite.with_guarded_where, rewrite.with_cond])
    @pytest.mark.parametrize("x", [[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [5.0, 0.5, 0.25], [0.25, 0.5]])
    def test_the_rewrites_are_one_graph_and_equal_the_branch(self, function, x):
        x = torch.tensor(x)
        torch.testing.assert_close(torch.compile(function, backend="eager", fullgraph=True)(x), rewrite.branch(x))
        assert len(graph_breaks.captured_graphs(function, x, -x)) <= 2

    @pytest.mark.parametrize("x", [[1.0, 2.0], [-1.0, -2.0], [0.25, 0.5]])
    def test_gradients_of_cond_and_of_the_guarded_where_equal_the_branch(self, x):
        def gradient(function):
            leaf = torch.tensor(x, requires_grad=True)
            function(leaf).sum().backward()
            return leaf.grad

        for function in (rewrite.with_guarded_where, rewrite.with_cond):
            torch.testing.assert_close(gradient(function), gradient(rewrite.branch))
            compiled = torch.compile(function, backend="eager", fullgraph=True)
            torch.testing.assert_close(gradient(compiled), gradient(rewrite.branch))
        assert gradient(rewrite.with_where).isnan().any().item() is (x[0] < 0)

    def test_the_branch_is_taken_by_the_sign_of_the_sum(self):
        for x in (torch.tensor([0.25, 0.5]), torch.tensor([4.0, 9.0])):
            torch.testing.assert_close(rewrite.branch(x), x.sqrt())
            torch.testing.assert_close(rewrite.branch(-x), -2 * x)
            torch.testing.assert_close(graph_breaks.activate(x), torch.sin(2 * x) + 1)
            torch.testing.assert_close(graph_breaks.activate(-x), torch.cos(2 * x) - 1)

    def test_where_computes_both_sides(self):
        assert "sqrt mul where" in graph_breaks.captured_graphs(rewrite.with_where, torch.ones(2))[0]

    def test_branches_of_cond_need_the_same_structure_and_dtypes(self):
        def conditional(other):
            function = torch.compile(
                lambda x: torch.cond(x.sum() > 0, lambda x: (x.sin(),), other, (x,)), backend="eager", fullgraph=True
            )
            return function(torch.ones(3))

        torch.testing.assert_close(conditional(lambda x: (x.cos(),)), (torch.ones(3).sin(),))
        for other in (lambda x: (x.double(),), lambda x: (x.sin(), x.cos())):
            torch.compiler.reset()
            with pytest.raises(torch._dynamo.exc.TorchDynamoException):
                conditional(other)

    def test_a_custom_op_is_one_node_of_the_graph(self):
        @torch.library.custom_op("warmup_tests::halve", mutates_args=())
        def halve(x: torch.Tensor) -> torch.Tensor:
            return torch.from_numpy(x.numpy() / 2) if x.sum() > 0 else x.clone()

        @halve.register_fake
        def _(x):
            return torch.empty_like(x)

        graphs = graph_breaks.captured_graphs(lambda x: halve(x * 2) + 1, torch.ones(3), -torch.ones(3))
        assert len(graphs) == 1 and len(graphs[0].split()) == 3
        compiled = torch.compile(lambda x: halve(x * 2) + 1, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(torch.ones(3)), 2 * torch.ones(3))

    @pytest.mark.parametrize("fullgraph", [False, True])
    def test_a_custom_op_without_a_fake_raises_with_and_without_fullgraph(self, fullgraph):
        @torch.library.custom_op(f"warmup_tests::third{int(fullgraph)}", mutates_args=())
        def third(x: torch.Tensor) -> torch.Tensor:
            return torch.from_numpy(x.numpy() / 3)

        with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="no fake impl"):
            torch.compile(lambda x: third(x) + 1, backend="eager", fullgraph=fullgraph)(torch.ones(3))

    @pytest.mark.parametrize("fullgraph", [False, True])
    def test_a_custom_op_that_writes_into_its_input_and_has_no_result_needs_no_fake(self, fullgraph):
        @torch.library.custom_op(f"warmup_tests::increase{int(fullgraph)}", mutates_args=("x",))
        def increase(x: torch.Tensor) -> None:
            x.add_(1)

        def function(x):
            y = x * 2
            increase(y)
            return y * 3

        compiled = torch.compile(function, backend="eager", fullgraph=fullgraph)
        torch.testing.assert_close(compiled(torch.ones(3)), torch.full((3,), 9.0))

    @pytest.mark.parametrize("construct", ["x.sum().item()", "x[x > 0]", "print()", "if x.sum() > 0"])
    def test_fullgraph_does_not_show_every_break_that_there_is_without_it(self, construct):
        graphs, with_the_flag = causes.capture(causes.CONSTRUCTS[construct])
        assert graphs == 2 and (with_the_flag == "ok") == (construct in ("x.sum().item()", "x[x > 0]"))

    def test_a_disabled_call_in_a_loop_leaves_the_caller_uncompiled(self):
        def looping(x):
            for _ in range(3):
                x = causes.disabled(x * 2)
            return x + 1

        assert causes.capture(looping) == (0, "error")

    def test_error_on_graph_break_guards_a_region_and_lets_the_rest_break(self):
        @torch._dynamo.error_on_graph_break(True)
        def critical(x):
            return x + 1 if x.sum() > 0 else x

        def lenient(x):
            return x + 1 if x.sum() > 0 else x

        def model(x, block):
            x = x * 2
            if x.sum() > 0:
                x = x + 1
            return block(x)

        torch.compile(model, backend="eager")(torch.ones(2), lenient)
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(model, backend="eager")(torch.ones(2), critical)

    def test_disabling_one_caller_turns_many_breaks_into_one(self):
        def noisy(x):
            a = 1 if x[0] > 0 else 2
            b = 1 if x[1] > 0 else 2
            c = 1 if x[2] > 0 else 2
            return x * (a + b + c)

        def model(x, log):
            return log(x * 2) + 1

        explain = torch._dynamo.explain
        many = explain(model)(torch.ones(3), noisy).graph_break_count
        torch.compiler.reset()
        one = explain(model)(torch.ones(3), torch.compiler.disable(noisy)).graph_break_count
        assert one == 1 < many
