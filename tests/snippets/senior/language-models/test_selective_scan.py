"""What docs/senior/language-models/selective-scan.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/language-models/selective_scan.py")
closed = load_snippet("senior/language-models/selective_scan_closed_broken.py")
select = load_snippet("senior/language-models/selective_scan_select.py")


def pairs(steps, *rest, seed=1):
    torch.manual_seed(seed)
    return torch.rand(steps, *rest, dtype=torch.double), torch.randn(steps, *rest, dtype=torch.double)


class TestScan:
    @pytest.mark.parametrize("steps", [1, 2, 3, 64, 100])
    @pytest.mark.parametrize("rest", [(), (3, 2)])
    def test_the_scan_equals_the_loop_in_log_many_rounds(self, steps, rest):
        a, b = pairs(steps, *rest)
        found, rounds = main.scan(a, b)
        torch.testing.assert_close(found, select.states(a, b))
        assert rounds == math.ceil(math.log2(steps))

    def test_pairs_compose_in_any_grouping(self):
        def then(first, second):
            return second[0] * first[0], second[0] * first[1] + second[1]

        for seed in (1, 2):
            a, b = pairs(3, seed=seed)
            x, y, z = zip(a, b, strict=True)
            left, right = then(then(x, y), z), then(x, then(y, z))
            torch.testing.assert_close(torch.stack(left), torch.stack(right))
            torch.testing.assert_close(left[1], select.states(a, b)[-1])
            assert not torch.isclose(then(x, y)[1], then(y, x)[1])  # the order counts

    def test_gradients_are_those_of_the_loop_and_a_reversed_recurrence(self):
        for steps in (7, 20):
            a, b = (z.requires_grad_() for z in pairs(steps))
            sent = torch.randn(steps, dtype=torch.double)
            loop = torch.autograd.grad((select.states(a, b) * sent).sum(), (a, b))
            fast = torch.autograd.grad((main.scan(a, b)[0] * sent).sum(), (a, b))
            for x, y in zip(loop, fast, strict=True):
                torch.testing.assert_close(x, y)
            later = torch.cat([a[1:], torch.ones(1).double()]).detach()
            g = main.scan(later.flip(0), sent.flip(0))[0].flip(0)  # g[t] = sent[t] + a[t + 1] * g[t + 1]
            torch.testing.assert_close(g, loop[1])
            previous = torch.cat([torch.zeros(1).double(), select.states(a, b).detach()[:-1]])
            torch.testing.assert_close(g * previous, loop[0])

    @pytest.mark.parametrize("steps", [1000, 64])
    def test_doubling_does_t_log_t_work(self, steps):
        rounds = math.ceil(math.log2(steps))
        work = sum(steps - 2**k for k in range(rounds))
        assert steps * (rounds - 1) <= work + 2**rounds and work > 4 * steps
        assert steps != 1000 or work == 8977

    def test_matrices_compose_too(self):
        torch.manual_seed(0)
        a, b = torch.randn(3, 2, 2).double(), torch.randn(3, 2).double()
        h = torch.zeros(2).double()
        for x, y in zip(a, b, strict=True):
            h = x @ h + y
        torch.testing.assert_close(a[2] @ (a[1] @ b[0] + b[1]) + b[2], h)
        torch.testing.assert_close((a[2] @ a[1]) @ b[0] + (a[2] @ b[1] + b[2]), h)

    def test_a_factor_of_zero_forgets_in_the_scan_and_is_nan_in_the_closed_form(self):
        for place in (1, 5):
            a, b = pairs(10)
            a[place] = 0
            found = main.scan(a, b)[0]
            torch.testing.assert_close(found[place], b[place])
            torch.testing.assert_close(found, select.states(a, b))
            assert closed.closed(a, b)[place:].isnan().all() and closed.closed(a, b)[:place].isfinite().all()

    def test_scan_and_loop_differ_by_rounding_in_float32(self):
        differ = []
        for seed in (1, 2, 3):
            a, b = (z.float() for z in pairs(500, 8, seed=seed))
            found, wanted = main.scan(a, b)[0], select.states(a, b)
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
            differ.append(not torch.equal(found, wanted))
        assert any(differ)


class TestClosedForm:
    @pytest.mark.parametrize("size", [1, 10, 40])
    def test_on_short_runs_and_in_chunks_it_is_right(self, size):
        a, b = pairs(80)
        a = 0.3 + 0.5 * a
        torch.testing.assert_close(closed.closed(a[:40], b[:40]), select.states(a[:40], b[:40]))
        torch.testing.assert_close(closed.chunked(a, b, size), select.states(a, b))

    @pytest.mark.parametrize(("dtype", "end"), [(torch.float32, 128), (torch.float64, 1024)])
    def test_it_ends_where_the_sum_of_the_inverse_products_passes_the_largest_number(self, dtype, end):
        for a in (0.7, 0.95):
            ones = torch.ones(3000, dtype=dtype)
            step = closed.first_wrong(closed.closed(a * ones, ones), a)
            expected = (end + math.log2(1 - a)) / -math.log2(a)
            assert step is None if expected > 3000 else abs(step - expected) <= 1.5
            assert closed.first_wrong(main.scan(a * ones, ones)[0], a) is None
            assert closed.first_wrong(closed.chunked(a * ones, ones, 64), a) is None

    def test_with_one_half_the_sum_is_infinite_before_the_product_is_zero(self):
        a, b = torch.full((160,), 0.5), torch.ones(160)
        product = a.cumprod(0)
        states = product * (b / product).cumsum(0)
        assert states[:126].isfinite().all() and states[126:149].isinf().all() and states[149:].isnan().all()
        assert product[148] > 0 == product[149]

    def test_the_states_are_small(self):
        for dtype, most in ((torch.double, 100), (torch.float, 100.001)):  # float32 rounds 0.99 up
            for a in (0.6, 0.9, 0.99):
                ones = torch.ones(10_000, dtype=dtype)
                assert main.scan(a * ones, ones)[0].max() < most

    @pytest.mark.parametrize(
        ("a", "size", "right"), [(0.6, 64, True), (0.2, 64, False), (0.2, 32, True), (0.01, 32, False)]
    )
    def test_a_small_factor_overflows_a_chunk_in_float32_and_sums_of_logs_do_not(self, a, size, right):
        ones = torch.ones(200)
        assert (closed.first_wrong(closed.chunked(a * ones, ones, size), a) is None) == right
        log = (a * ones[:size]).log().cumsum(0)
        between = (log[:, None] - log).tril()
        assert between.max() <= 0
        assert closed.first_wrong(between.exp().tril() @ ones[:size], a) is None

    @pytest.mark.parametrize(("strong", "right"), [(1, True), (20, True), (64, False)])
    def test_a_few_strong_tokens_do_not_overflow_a_chunk(self, strong, right):
        a, b = torch.full((200,), 0.9), torch.ones(200)
        a[:strong] = 0.2
        assert torch.allclose(closed.chunked(a, b, 64), main.scan(a, b)[0], rtol=1e-3) == right

    def test_with_a_factor_of_zero_only_the_logs_between_two_tokens_may_be_summed(self):
        for place in (1, 5):
            a, b = pairs(10)
            a[place] = 0
            log = a.log()
            difference = (log.cumsum(0)[:, None] - log.cumsum(0)).tril()
            between = log[:, None].expand(10, 10).tril(-1).cumsum(0)
            assert (difference.exp().tril() @ b)[place:].isnan().all()
            torch.testing.assert_close(between.exp().tril() @ b, main.scan(a, b)[0])

    def test_in_float16_64_steps_are_too_many_with_0_6(self):
        ones = torch.ones(64, dtype=torch.float16)
        assert not closed.closed(0.6 * ones, ones).isfinite().all()
        assert closed.closed(0.6 * ones[:16], ones[:16]).isfinite().all()


class TestSelection:
    def test_a_constant_recurrence_is_a_convolution(self):
        for factor, steps in ((0.5, 20), (0.99, 50)):
            _, x = pairs(steps)
            kernel = factor ** torch.arange(steps, dtype=torch.double)
            wanted = torch.stack([(kernel[: t + 1].flip(0) * x[: t + 1]).sum() for t in range(steps)])
            torch.testing.assert_close(select.states(torch.full_like(x, factor), x), wanted)

    @pytest.mark.parametrize("steps", [30, 400])
    def test_a_chosen_factor_keeps_the_marked_token_and_a_constant_one_does_not(self, steps):
        x = torch.rand(steps, dtype=torch.double)
        x[3] = 9
        assert select.states(*select.selective(x))[-1] == 9
        moved = x.clone()
        moved[3] = 8
        change = select.states(*select.constant(x)) - select.states(*select.constant(moved))
        assert change[-1] < 0.1 and select.states(*select.selective(moved))[-1] == 8

    @pytest.mark.parametrize("factor", [0.9, 0.98])
    def test_a_constant_factor_ends_in_a_sum_that_is_larger_than_any_input(self, factor):
        torch.manual_seed(0)
        x = torch.rand(500, dtype=torch.double)
        assert select.states(torch.full_like(x, factor), x)[-1] > 2 > x.max()

    def test_with_chosen_factors_the_output_is_not_linear(self):
        x = torch.tensor([7.0, 1.0, 2.0])
        assert not torch.equal(select.states(*select.selective(10 * x)), 10 * select.states(*select.selective(x)))

    def test_a_gate_that_depends_on_the_state_cannot_be_known_in_advance(self):
        """The factor of step 2 changes with step 1's input, although step 2's input is the same."""
        torch.manual_seed(0)
        cell = torch.nn.LSTMCell(1, 1).double()
        gates = []
        with torch.no_grad():
            cell.weight_hh.fill_(2.0)
        for first in (-5.0, 5.0):
            h, c = cell(torch.tensor([[first]]).double())
            x = torch.ones(1, 1).double()
            every = x @ cell.weight_ih.T + cell.bias_ih + h @ cell.weight_hh.T + cell.bias_hh
            gates.append(every.chunk(4, 1)[1].sigmoid().item())  # forget gate: the factor of c
        assert abs(gates[0] - gates[1]) > 0.05

    def test_linear_attention_is_the_case_of_factor_one(self):
        torch.manual_seed(0)
        k, v = torch.randn(9, 4).double(), torch.randn(9, 3).double()
        outer = k[:, :, None] * v[:, None]
        found = main.scan(torch.ones_like(outer), outer)[0]
        torch.testing.assert_close(found[-1], k.T @ v)

    def test_one_decay_per_token_makes_a_chunk_a_masked_product(self):
        for tokens in (6, 12):
            torch.manual_seed(0)
            q, k, v = (torch.randn(tokens, 4).double() for _ in range(3))
            a = torch.rand(tokens).double()
            states = select.states(a, k[:, :, None] * v[:, None])
            log = a.log().cumsum(0)
            mask = (log[:, None] - log).tril().exp().tril()
            torch.testing.assert_close(torch.einsum("td,tde->te", q, states), (q @ k.T * mask) @ v)

    def test_5120_channels_with_16_states_are_81920_numbers(self):
        assert torch.empty(5120, 16).numel() == 81_920
