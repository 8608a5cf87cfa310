"""What docs/senior/compiler/dynamic-shapes.md claims, proven beyond the example shown."""

import functools
import logging

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

causes = load_snippet("senior/compiler/dynamic_shapes_causes.py")
counter = load_snippet("senior/compiler/dynamic_shapes_counter_broken.py")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()
    logging.disable(logging.NOTSET)


class TestDynamicShapes:
    @pytest.mark.parametrize("function", [torch.sin, lambda x: torch.softmax(x * 2, 0)])
    @pytest.mark.parametrize("dimension", [0, 1])
    def test_the_second_size_becomes_dynamic_and_sizes_one_and_zero_do_not(self, function, dimension):
        def shaped(size):
            return [torch.ones((size, 7) if dimension == 0 else (7, size))]

        assert causes.compiles(function, [shaped(n) for n in (4, 5, 6, 9, 1, 0, 4)]) == "C C . . C C ."
        assert causes.compiles(function, [shaped(n) for n in (4, 1, 5, 6)]) == "C C C ."

    def test_dimensions_that_are_equal_in_the_first_call_share_a_symbol(self):
        for first, second, marks in (((4, 4), (5, 4), "C C ."), ((4, 8), (5, 8), "C . .")):
            calls = [[torch.ones(first)], [torch.ones(second)], [torch.ones(first)]]
            assert causes.compiles(torch.sin, calls, dynamic=True) == marks

    def test_a_branch_on_a_size_is_a_guard_under_dynamic_true(self):
        def branch(x):
            return x.sin() if x.shape[0] > 20 else x.cos()

        assert causes.compiles(branch, [[torch.ones(n)] for n in (4, 8, 30, 40)], dynamic=True) == "C . C ."

    @pytest.mark.parametrize(
        ("numbers", "marks"), [([3, 5, 7, 9], "C C . ."), ([0.3, 0.5, 0.7], "C C ."), ([True, False, True], "C C .")]
    )
    def test_numbers_become_dynamic_and_bools_do_not_need_to(self, numbers, marks):
        assert causes.compiles(torch.mul, [[torch.ones(2), number] for number in numbers]) == marks

    def test_strings_and_lengths_of_lists_compile_once_for_each_value(self):
        x = torch.ones(2)
        words = [[word, x] for word in ("up", "down", "left", "up")]
        assert causes.compiles(lambda word, x: x * len(word), words) == "C C C ."
        assert causes.compiles(torch.stack, [[[x] * n] for n in (2, 3, 4, 5, 3)]) == "C C C C ."

    @pytest.mark.parametrize(
        ("values", "marks"),
        [
            ([2, 3, 4, 5, 3], "C C C C ."),
            ([0.2, 0.3, 0.4, 0.5], "C C . ."),
            ([torch.tensor(2), torch.tensor(3), torch.tensor(4)], "C . ."),
        ],
    )
    def test_an_int_attribute_is_a_constant_a_float_or_tensor_is_not(self, values, marks):
        assert causes.with_attribute(values) == marks

    @pytest.mark.parametrize("calls", [10, 15])
    def test_past_the_limit_an_int_counter_runs_eager_with_right_results(self, calls):
        limit = torch._dynamo.config.recompile_limit
        assert limit == 8
        assert counter.count(0, calls) == (limit, limit)
        assert counter.count(torch.tensor(0), calls) == (1, calls)
        torch.compiler.reset()
        model = torch.compile(counter.Warmup(0), backend="eager")
        assert [model(torch.ones(1)).item() for _ in range(calls)] == list(range(1, calls + 1))

    def test_an_int_attribute_can_be_made_dynamic(self):
        with torch._dynamo.config.patch(allow_unspec_int_on_nn_module=True):
            assert counter.count(0, 12) == (2, 12)

    def test_with_fullgraph_the_limit_raises(self):
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
            counter.count(0, 9, fullgraph=True)
        assert counter.count(0, 8, fullgraph=True) == (8, 8)

    def test_a_float_rate_compiles_sgd_each_time_adamw_twice_and_a_tensor_rate_once(self):
        rates = [0.5, 0.4, 0.3, 0.2, 0.1]
        assert causes.with_rates(rates) == "C C C C C"
        assert causes.with_rates(rates, torch.optim.AdamW) == "C C . . ."
        assert causes.with_rates(torch.tensor(rates), torch.optim.AdamW) == "C . . . ."
        assert causes.with_rates(torch.tensor([0.5, 0.4, 0.3, 0.2, 0.1])) == "C . . . ."

    @pytest.mark.parametrize(("foreach", "marks"), [(False, "C C . ."), (True, "C C C C")])
    def test_with_foreach_adamw_compiles_for_each_float_rate(self, foreach, marks):
        kind = functools.partial(torch.optim.AdamW, foreach=foreach)
        assert causes.with_rates([0.4, 0.3, 0.2, 0.1], kind) == marks

    @pytest.mark.parametrize(("skip", "graphs"), [(True, 1), (False, 2)])
    def test_a_hook_added_after_the_first_call_has_no_guard_by_default(self, skip, graphs):
        compiled, seen = [], []

        def backend(module, inputs):
            compiled.append(1)
            return module.forward

        with torch._dynamo.config.patch(skip_nnmodule_hook_guards=skip):
            model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            fast = torch.compile(model, backend=backend)
            fast(torch.ones(1, 2))
            model[0].register_forward_hook(lambda *_: seen.append(1))
            fast(torch.ones(1, 2))
        assert len(compiled) == graphs and len(seen) == graphs - 1
        assert torch._dynamo.config.skip_nnmodule_hook_guards

    def test_marks_follow_the_call_and_what_runs_before_it(self):
        seen = []
        marks = causes.compiles(torch.sin, [[torch.ones(2)], [torch.ones(2).double()]], before=seen.append)
        assert marks == "C C" and seen == [0, 1]

    @pytest.mark.parametrize("change", ["dtype", "rank", "requires_grad", "strides"])
    def test_these_are_guarded_and_the_old_graph_is_kept(self, change):
        x = torch.ones(4, 8)
        other = {
            "dtype": x.double(),
            "rank": x[None],
            "requires_grad": x.clone().requires_grad_(),
            "strides": torch.ones(8, 4).T,
        }[change]
        assert causes.compiles(torch.sin, [[x], [other], [x], [other]]) == "C C . ."

    def test_grad_modes_are_guarded(self):
        compiled, graphs = None, []

        def backend(module, inputs):
            graphs.append(1)
            return module.forward

        compiled = torch.compile(torch.sin, backend=backend)
        x = torch.ones(2)
        for mode in (torch.enable_grad, torch.no_grad, torch.inference_mode, torch.enable_grad, torch.no_grad):
            with mode():
                compiled(x)
        assert len(graphs) == 3

    @pytest.mark.parametrize(
        ("module", "marks"),
        [
            (nn.Dropout(0.5), "C C . ."),
            (nn.BatchNorm1d(2), "C C . ."),
            (nn.Sequential(nn.Linear(2, 2), nn.ReLU()), "C . . ."),
        ],
    )
    def test_train_and_eval_are_two_graphs_if_forward_reads_training(self, module, marks):

        def switch(number):
            module.train(number % 2 == 0)

        assert causes.compiles(module, [[torch.ones(4, 2)]] * 4, before=switch) == marks

    def test_a_marked_dimension_that_the_code_fixes_raises(self):
        def fixed(x):
            return x * 2 if x.shape[0] == 8 else x * 3

        x = torch.ones(8)
        torch._dynamo.mark_dynamic(x, 0)
        with pytest.raises(torch.fx.experimental.symbolic_shapes.ConstraintViolationError):
            torch.compile(fixed, backend="eager")(x)
        torch.compiler.reset()
        x = torch.ones(8)
        torch._dynamo.maybe_mark_dynamic(x, 0)
        assert torch.compile(fixed, backend="eager")(x)[0] == 2

    def test_an_unbacked_dimension_serves_sizes_one_and_zero_and_may_not_be_branched_on(self):
        def marked(size):
            x = torch.ones(size, 4)
            torch._dynamo.decorators.mark_unbacked(x, 0)
            return [x]

        assert causes.compiles(torch.sin, [marked(4), [torch.ones(1, 4)], [torch.ones(0, 4)]]) == "C . ."
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.UserError):
            torch.compile(lambda x: x * 2 if x.shape[0] > 3 else x * 3, backend="eager", fullgraph=True)(*marked(4))

    @pytest.mark.parametrize(
        ("function", "marks"),
        [
            (lambda x, t: (x - t) * t + x / t, "C C . ."),
            (lambda x, t: x.clamp(max=t), "C C C C"),
            (lambda x, t: x.add(x, alpha=t), "C C C C"),
        ],
    )
    def test_a_float_that_is_an_option_of_an_operation_stays_a_constant(self, function, marks):
        assert causes.compiles(function, [[torch.ones(2), t] for t in (0.3, 0.5, 0.7, 0.9)]) == marks

    def test_the_length_of_an_unrolled_loop_compiles_for_each_value(self):
        def repeat(x, times):
            for _ in range(times):
                x = x * 2
            return x

        assert causes.compiles(repeat, [[torch.ones(2), n] for n in (3, 5, 7, 3)]) == "C C C ."

    def test_fail_on_recompile_fails_on_the_first_call_too(self):
        compiled = torch.compile(torch.sin, backend="eager")
        with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="Detected recompile"):
            compiled(torch.ones(2))
        compiled(torch.ones(2))
        with torch.compiler.set_stance("fail_on_recompile"):
            compiled(torch.ones(2))
