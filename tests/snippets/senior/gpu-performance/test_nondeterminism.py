"""What docs/senior/gpu-performance/nondeterminism.md claims, proven beyond the example shown."""

from itertools import permutations

import pytest
import torch

from warmup.testing import load_snippet

split = load_snippet("senior/gpu-performance/nondeterminism.py")
ROW = torch.tensor([2.0**24] + [1.0] * 7)
OTHER = 2.0**24 + 3


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True


class TestOrder:
    def test_the_number_of_chunks_decides_the_sum_and_the_token(self):
        sums = {chunks: split.row_sum(ROW, chunks).item() for chunks in (1, 2, 4, 8)}
        assert {chunks: total - 2**24 for chunks, total in sums.items()} == {1: 0, 2: 4, 4: 6, 8: 0}
        assert [sums[chunks] > OTHER for chunks in (4, 2, 1)] == [True, True, False]
        assert ROW.double().sum() == 16777223 > OTHER, "exactly, token A is better"

    @pytest.mark.parametrize(("dtype", "big"), [(torch.float32, 2.0**24), (torch.bfloat16, 256.0)])
    def test_one_by_one_each_one_is_rounded_away_and_two_are_not(self, dtype, big):
        big, one = torch.tensor(big, dtype=dtype), torch.ones((), dtype=dtype)
        assert big + one == big
        assert big + (one + one) > big
        row = torch.cat([big[None], one.expand(7)])
        assert split.row_sum(row, 1) == big < split.row_sum(row, 4)

    @pytest.mark.parametrize("chunks", [1, 2, 4])
    def test_the_same_call_repeats_exactly_with_any_seed(self, chunks):
        row = torch.randn(64, generator=torch.Generator().manual_seed(chunks))
        totals = set()
        for seed in range(3):
            torch.manual_seed(seed)
            totals.add(split.row_sum(row, chunks).item())
        assert len(totals) == 1

    def test_float32_can_hold_neither_2_to_the_24_plus_1_nor_the_exact_sum_of_four(self):
        assert torch.tensor(2.0**24 + 1).double() != 2**24 + 1
        assert torch.tensor(16777219.0).double() != 16777219

    def test_24_orders_of_arrival_give_two_sums(self):
        totals = [split.in_order(torch.tensor(order)).item() for order in permutations([2.0**24, 1.0, 1.0, 1.0])]
        assert sorted(map(totals.count, set(totals))) == [12, 12] and set(totals) == {16777216.0, 16777220.0}

    def test_exact_sums_do_not_depend_on_the_order(self):
        integers = torch.tensor([2**24] + [1] * 7)
        small = torch.arange(8.0)
        for row, total in ((integers, 2**24 + 7), (small, 28)):
            assert {split.row_sum(row, chunks).item() for chunks in (1, 2, 4, 8)} == {total}

    @pytest.mark.parametrize("function", [torch.exp, torch.nn.functional.gelu, lambda x: x * 3 + 1])
    def test_an_elementwise_operation_gives_a_row_nearly_its_result_alone(self, function):
        x = torch.randn(64, 100)
        torch.testing.assert_close(function(x)[:1], function(x[:1]))
        assert torch.equal((x * 3)[:1], x[:1] * 3)

    @pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="this build has no vector code")
    @pytest.mark.parametrize("function", [torch.nn.functional.gelu, torch.sigmoid, torch.nn.functional.silu])
    def test_vectorized_and_scalar_code_can_round_one_number_differently(self, function):
        x = torch.randn(1000, generator=torch.Generator().manual_seed(0))
        alone = torch.cat([function(value[None]) for value in x])
        torch.testing.assert_close(alone, function(x))
        assert not torch.equal(alone, function(x))

    def test_a_gap_larger_than_the_rounding_keeps_the_token(self):
        assert {split.row_sum(ROW, chunks).item() > OTHER - 100 for chunks in (1, 2, 4, 8)} == {True}

    def test_a_row_alone_is_close_to_the_row_in_a_batch_and_a_call_repeats(self):
        x, w = torch.randn(64, 256), torch.randn(256, 128)
        torch.testing.assert_close((x @ w)[:1], x[:1] @ w, rtol=1e-4, atol=1e-4)
        assert torch.equal(x @ w, x @ w)


class TestDeterministicMode:
    def test_put_raises_and_index_add_and_scatter_add_do_not(self, deterministic):
        index, ones = torch.tensor([0, 0]), torch.ones(2)
        with pytest.raises(RuntimeError, match="put_ does not have a deterministic implementation"):
            torch.zeros(3).put_(index, ones)
        assert torch.zeros(3).index_add_(0, index, ones).tolist() == [2, 0, 0]
        assert torch.zeros(3).scatter_add_(0, index, ones).tolist() == [2, 0, 0]
        assert torch.zeros(3).put_(index, ones, accumulate=True).tolist() == [2, 0, 0], "on a CPU this one is"

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
    def test_a_new_buffer_is_nan_and_times_zero_does_not_clear_it(self, deterministic, dtype):
        for buffer in (torch.empty(3, dtype=dtype), torch.empty_like(torch.ones(3, dtype=dtype))):
            assert buffer.isnan().all() and (buffer * 0).isnan().all()
            assert buffer.zero_().tolist() == [0, 0, 0]
        assert torch.zeros(3, dtype=dtype).tolist() == [0, 0, 0]

    @pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8])
    def test_integers_are_filled_with_their_largest_value(self, deterministic, dtype):
        assert torch.empty(2, dtype=dtype).tolist() == [torch.iinfo(dtype).max] * 2

    def test_warn_only_warns_and_runs(self, deterministic):
        torch.use_deterministic_algorithms(True, warn_only=True)
        with pytest.warns(UserWarning, match="does not have a deterministic implementation"):
            assert torch.zeros(3).put_(torch.tensor([1]), torch.ones(1)).tolist() == [0, 1, 0]

    def test_without_the_fill_new_memory_is_not_overwritten(self, deterministic):
        torch.utils.deterministic.fill_uninitialized_memory = False
        memory = torch.ones(1000)
        assert memory.resize_(10).resize_(1000).tolist() == [1.0] * 1000
        torch.utils.deterministic.fill_uninitialized_memory = True
        assert torch.zeros(1).resize_(4).isnan().sum() == 3
