"""Every claim that docs/mid/algorithms/kth-largest.md makes, proven beyond the example shown."""

import heapq
import math
import random
import time

import pytest
import torch

from warmup.testing import load_snippet

kth_largest = load_snippet("mid/algorithms/kth_largest_heap.py").kth_largest
quickselect = load_snippet("mid/algorithms/kth_largest.py").quickselect
counts = load_snippet("mid/algorithms/kth_largest_counts.py")
first_pivot = load_snippet("mid/algorithms/kth_largest_broken.py").first_pivot
sampling = load_snippet("mid/algorithms/kth_largest_sampling.py")


def lists():
    draw = random.Random(0)
    yield from ([7], [1, 1], [2, 1], list(range(20)), list(range(20, 0, -1)), [0] * 20, [math.inf, -math.inf, 0.0])
    for highest in (1, 3, 1000):
        for n in (2, 9, 40):
            yield [draw.randrange(-highest, highest + 1) for _ in range(n)]


class TestKthLargest:
    @pytest.mark.parametrize("values", list(lists()), ids=str)
    def test_every_method_agrees_with_sorting_for_every_k(self, values):
        x, before = torch.tensor(values), list(values)
        for k in range(1, len(values) + 1):
            right = sorted(values)[-k]
            assert kth_largest(values, k) == quickselect(values, k) == first_pivot(values, k)[0] == right
            assert heapq.nlargest(k, values)[-1] == x.sort(descending=True).values[k - 1] == right
            assert x.topk(k).values[-1] == x.kthvalue(len(values) - k + 1).values == right
            assert counts.with_sort(values, k) == counts.with_heap(values, k) == counts.with_select(values, k) == right
        assert values == before

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_nan_is_the_largest(self, dtype):
        x = torch.tensor([3.0, math.nan, math.inf, 1.0], dtype=dtype)
        assert x.topk(1).values.isnan() and x.kthvalue(4).values.isnan()
        assert x.topk(2).values[1] == math.inf == x.kthvalue(3).values
        assert x.sort().values[-1].isnan() and x.sort(descending=True).values[0].isnan()

    def test_sorted_and_the_heap_depend_on_the_place_of_nan(self):
        assert sorted([2.0, math.nan, 1.0]) != sorted([1.0, 2.0]) + [math.nan]
        assert kth_largest([5.0, math.nan], 1) == 5.0 and math.isnan(kth_largest([math.nan, 5.0], 1))

    def test_kthvalue_counts_from_the_smallest_and_unique_drops_duplicates(self):
        x = torch.tensor([4, 4, 2, 9, 9])
        assert x.kthvalue(2).values == 4 and x.topk(2).values[-1] == 9 and x.unique()[-2] == 4

    @pytest.mark.parametrize("values", [[3.0, 5.0, 5.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    def test_the_gradient_goes_to_one_element(self, values):
        x = torch.tensor(values, requires_grad=True)
        for k in range(1, len(values) + 1):
            for found in (x.topk(k), x.kthvalue(len(values) - k + 1)):
                found = type(found)(each.reshape(-1)[-1] for each in found)
                (gradient,) = torch.autograd.grad(found.values, x)
                assert sorted(gradient.tolist())[-2:] == [0, 1] and gradient[found.indices] == 1
                assert not found.indices.requires_grad

    @pytest.mark.parametrize("values", [[5.0, 5.0, 1.0], [2.0, 7.0, 2.0, 2.0]])
    def test_the_minimum_of_an_unsorted_topk_divides_the_gradient_among_equal_values(self, values):
        x = torch.tensor(values, requires_grad=True)
        k = len(values) if values.count(2.0) else 2
        found = x.topk(k, sorted=False).values.min()
        (gradient,) = torch.autograd.grad(found, x)
        equal = x.detach() == found.detach()
        assert torch.allclose(gradient, equal / equal.sum())

    @pytest.mark.parametrize("k", [2, 3])
    def test_the_minimum_of_an_unsorted_topk_is_nan_if_a_value_is(self, k):
        x = torch.tensor([3.0, 1.0, math.nan, 5.0, 2.0])
        assert x.topk(k, sorted=False).values.min().isnan() and x.topk(k).values[-1] == x[[3, 0][k - 2]]

    @pytest.mark.parametrize("shape", [(2, 3), (4, 5)])
    def test_two_dimensions_are_flattened_for_the_whole_and_taken_by_row_for_rows(self, shape):
        x, k, n = torch.randn(shape), 2, shape[0] * shape[1]
        whole = sorted(x.flatten().tolist())[-k]
        assert x.flatten().topk(k).values[-1] == x.flatten().kthvalue(n - k + 1).values == whole
        assert x.topk(k).values[..., -1].tolist() == [sorted(row)[-k] for row in x.tolist()]
        assert x.topk(k).values[-1].tolist() == sorted(x[-1].tolist())[::-1][:k]

    @pytest.mark.parametrize("k", [10, 1000])
    def test_for_rising_values_kthvalue_is_faster_because_topk_is_slower_than_for_falling_ones(self, k):
        def seconds(call):
            times = []
            for _ in range(3):
                start = time.process_time()
                call()
                times.append(time.process_time() - start)
            return min(times)

        n = 200_000
        rising = torch.arange(n).float()
        topk = seconds(lambda: rising.topk(k))
        assert topk > 2 * seconds(lambda: rising.kthvalue(n - k + 1))
        assert topk > 2 * seconds(lambda: rising.flip(0).topk(k))

    def test_kthvalue_is_faster_than_a_sort_for_every_k_and_topk_for_a_small_one(self):
        torch.set_num_threads(1)

        def seconds(call):
            times = []
            for _ in range(3):
                start = time.process_time()
                call()
                times.append(time.process_time() - start)
            return min(times)

        n = 200_000
        x = torch.randn(n)
        sort = seconds(lambda: x.sort())
        for k in (10, 1000, n // 2, n):
            assert seconds(lambda k=k: x.kthvalue(n - k + 1)) < sort / 1.5
        assert seconds(lambda: x.topk(10)) < sort / 5

    @pytest.mark.parametrize("k", [0, 4, -1])
    def test_kthvalue_refuses_k_out_of_range(self, k):
        with pytest.raises((RuntimeError, IndexError)):
            torch.ones(3).kthvalue(k)

    def test_topk_of_zero_is_empty_and_above_n_it_raises(self):
        assert torch.ones(3).topk(0).values.shape == (0,)
        with pytest.raises(RuntimeError, match="out of range"):
            torch.ones(3).topk(4)

    def test_on_an_empty_tensor_no_k_is_valid(self):
        for k in (0, 1):
            with pytest.raises((RuntimeError, IndexError)):
                torch.empty(0).kthvalue(k)

    @pytest.mark.parametrize("k", [10, 500])
    def test_unsorted_topk_has_the_same_values(self, k):
        x = torch.randn(1000)
        unsorted = x.topk(k, sorted=False).values
        assert torch.equal(unsorted.sort(descending=True).values, x.topk(k).values)
        assert unsorted.min() == x.topk(k).values[-1]

    def test_the_heap_compares_least_for_a_small_k_and_quickselect_for_a_large_one(self):
        for n in (1024, 2048):
            small = [
                counts.per_value(method, n, 1) for method in (counts.with_heap, counts.with_select, counts.with_sort)
            ]
            large = [
                counts.per_value(method, n, n // 2)
                for method in (counts.with_select, counts.with_heap, counts.with_sort)
            ]
            assert small == sorted(small) and large == sorted(large)
            assert small[0] == (n - 1) / n

    def test_twice_the_values_cost_quickselect_about_twice_and_sort_more(self):
        select = [counts.per_value(counts.with_select, n, n // 2) for n in (256, 1024)]
        sort = [counts.per_value(counts.with_sort, n, n // 2) for n in (256, 1024)]
        assert select[1] < 1.5 * select[0] < 8 and sort[1] > sort[0] + 1.5

    @pytest.mark.parametrize("make", [lambda n: list(range(n)), lambda n: [1] * n])
    def test_the_first_pivot_with_two_parts_is_quadratic(self, make):
        small, large = (first_pivot(make(n), n // 2)[1] for n in (300, 600))
        assert 3.9 < large / small < 4.1

    def test_random_pivots_fix_sorted_values_and_three_parts_fix_equal_ones(self):
        for make in (lambda n: list(range(n)), lambda n: [1] * n):
            counts.Counted.compared = 0
            for method in (counts.with_select, quickselect):
                counts.Counted.compared = 0
                method([counts.Counted(value) for value in make(2000)], 1000)
                assert counts.Counted.compared < 20 * 2000
        assert first_pivot(list(range(2000)), 1000)[1] > 500 * 2000

    @pytest.mark.parametrize("seed", [0, 1])
    def test_random_pivots_with_two_parts_are_quadratic_for_equal_values(self, seed):
        def two_parts(values, k):
            draw, compared = random.Random(seed), 0
            while True:
                values = draw.sample(values, len(values))  # so the first one is a random pivot
                pivot, others = values[0], values[1:]
                compared += len(others)
                larger = [value for value in others if value > pivot]
                if len(larger) == k - 1:
                    return compared
                if len(larger) < k - 1:
                    k -= len(larger) + 1
                    larger = [value for value in others if value <= pivot]
                values = larger

        small, large = (two_parts([1] * n, n // 2) for n in (200, 400))
        assert 3.9 < large / small < 4.1 and large > 10 * two_parts(list(range(400)), 200)

    def test_the_heap_compares_once_with_what_is_smaller_and_takes_what_rises(self):
        for n, k in ((200, 5), (500, 20)):
            counts.Counted.compared = 0
            counts.with_heap([counts.Counted(n - i) for i in range(n)], k)
            falling = counts.Counted.compared
            assert n - k <= falling < n + 3 * k
            entered, heap = 0, list(range(k))
            for value in range(k, n):
                entered += value > heap[0]
                heapq.heapreplace(heap, value)
            assert entered == n - k

    def test_the_heap_takes_a_stream(self):
        draw = random.Random(0)
        for k in (1, 3, 50):
            values = [draw.randrange(9) for _ in range(50)]
            assert kth_largest(iter(values), k) == kth_largest(torch.tensor(values), k) == sorted(values)[-k]

    @pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 3, 7)])
    @pytest.mark.parametrize("k", [1, 3, 7])
    def test_scattering_by_index_keeps_exactly_k(self, shape, k):
        for logits in (torch.randn(shape), torch.zeros(shape), torch.randint(0, 2, shape).float()):
            kept = sampling.top_k_by_index(logits, k)
            assert (kept.isfinite().sum(-1) == k).all()
            assert torch.equal(kept.topk(k).values, logits.topk(k).values)
            assert torch.equal(kept[kept.isfinite()], logits[kept.isfinite()])
            assert (sampling.top_k_by_value(logits, k).isfinite().sum(-1) >= k).all()

    def test_without_ties_both_filters_agree(self):
        logits = torch.randn(5, 30)
        assert torch.equal(sampling.top_k_by_value(logits, 4), sampling.top_k_by_index(logits, 4))

    def test_fewer_bits_make_more_ties(self):
        logits = torch.randn(100, 1000)
        kept = [
            sampling.top_k_by_value(low, 50).isfinite().sum().item()
            for low in (logits, logits.half(), logits.bfloat16())
        ]
        assert 5000 <= kept[0] <= kept[1] < kept[2]
        different = [len(low.unique()) for low in (logits, logits.half(), logits.bfloat16())]
        assert different[0] > different[1] > different[2]

    @pytest.mark.parametrize("parts", [1, 3, 7])
    @pytest.mark.parametrize("highest", [2, 10**6])
    def test_the_k_largest_of_the_parts_hold_the_k_largest(self, parts, highest):
        x = torch.randint(0, highest, (200,))
        for k in (1, 5, 28):
            best = torch.cat([part.topk(min(k, len(part))).values for part in x.chunk(parts) + (x[:0],)])
            assert torch.equal(best.topk(k).values, x.topk(k).values)
