"""Every claim that docs/mid/algorithms/sliding-window-max.md makes, proven beyond the example shown."""

import heapq
import math
import random
import time
from collections import deque

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

sliding_max = load_snippet("mid/algorithms/sliding_window_max.py").sliding_max
vectorized = load_snippet("mid/algorithms/sliding_window_max_torch.py")
counts = load_snippet("mid/algorithms/sliding_window_max_counts.py")
of_values = load_snippet("mid/algorithms/sliding_window_max_broken.py").sliding_max_of_values
with_nan = load_snippet("mid/algorithms/sliding_window_max_nan.py").sliding_max

SIZES = [(n, k) for n in (1, 2, 3, 7, 16, 33) for k in (1, 2, 3, 4, 5, 7, 8, 16, 31, 33) if k <= n]


FUNCTIONS = [
    vectorized.doubling_max,
    lambda x, window: F.max_pool1d(x[None, None], window, stride=1)[0, 0],
    lambda x, window: x.unfold(0, window, 1).amax(dim=1),
]


def brute(values, window):
    return [max(values[i : i + window]) for i in range(len(values) - window + 1)]


def draws(n, highest):
    draw = random.Random(n * 10 + highest)
    rising = sorted(draw.randrange(-highest, highest + 1) for _ in range(n))
    return [[draw.randrange(-highest, highest + 1) for _ in range(n)], rising, rising[::-1], [3] * n]


class TestSlidingWindowMax:
    @pytest.mark.parametrize(("n", "window"), SIZES)
    @pytest.mark.parametrize("highest", [1, 1000])
    def test_deque_and_doubling_agree_with_the_brute_force(self, n, window, highest):
        for values in draws(n, highest):
            right = brute(values, window)
            assert sliding_max(values, window) == right
            assert with_nan(values, window, lambda value: False) == right
            assert vectorized.doubling_max(torch.tensor(values), window).tolist() == right

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.uint8, torch.int64, torch.bool])
    @pytest.mark.parametrize("window", [1, 3, 4, 9])
    def test_doubling_keeps_the_dtype(self, dtype, window):
        x = torch.randint(0, 2 if dtype == torch.bool else 9, (9,)).to(dtype)
        found = vectorized.doubling_max(x, window)
        assert found.dtype == dtype and found.tolist() == brute(x.tolist(), window)

    @pytest.mark.parametrize("window", [1, 2, 3, 5, 8, 13])
    def test_a_window_that_holds_nan_or_infinity(self, window):
        x = torch.randn(13)
        x[[2, 7]], x[[0, 12]], x[4] = math.nan, math.inf, -math.inf
        right = x.unfold(0, window, 1).amax(dim=1)
        assert repr(vectorized.doubling_max(x, window).tolist()) == repr(right.tolist())
        found = with_nan(x.tolist(), window, lambda value: value != value)
        assert repr(found) == repr(right.tolist())

    def test_without_the_rule_the_result_depends_on_the_order_of_nan(self):
        assert sliding_max([5.0, math.nan], 2) == [5.0]
        assert math.isnan(sliding_max([math.nan, 5.0], 2)[0]) and math.isnan(max([math.nan, 5.0]))
        assert max([5.0, math.nan]) == 5.0

    def test_minus_infinity_ignores_nan(self):
        for last in (3.0, math.inf):
            x = torch.tensor([1.0, math.nan, 2.0, math.nan, math.nan, last])
            x = torch.where(x.isnan(), -torch.inf, x)
            assert vectorized.doubling_max(x, 2).tolist() == [1.0, 2.0, 2.0, -math.inf, last]
            assert sliding_max(x.tolist(), 2) == [1.0, 2.0, 2.0, -math.inf, last]

    @pytest.mark.parametrize("function", [vectorized.doubling_max])
    @pytest.mark.parametrize(("shape", "window"), [((3,), 0), ((3,), 4), ((0,), 1), ((2, 3), 1), ((), 1), ((3,), -1)])
    def test_other_shapes_and_windows_are_refused(self, function, shape, window):
        with pytest.raises(ValueError, match="1-D|window"):
            function(torch.zeros(shape), window)

    @pytest.mark.parametrize("function", [vectorized.doubling_max])
    def test_the_input_is_not_changed_and_may_be_a_view(self, function):
        x = torch.randn(20)
        before = x.clone()
        assert function(x[::2], 3).tolist() == brute(x[::2].tolist(), 3) and torch.equal(x, before)

    def test_an_empty_list_has_no_window(self):
        assert sliding_max([], 1) == [] and sliding_max([1, 2], 3) == []

    @pytest.mark.parametrize("window", [1, 2, 16, 500])
    def test_the_deque_compares_fewer_than_two_times_per_value(self, window):
        for values in draws(500, 1) + draws(500, 1000):
            assert counts.deque_comparisons(values, window) < 2 * 500

    @pytest.mark.parametrize("window", [4, 64])
    def test_twice_the_values_cost_about_twice_the_comparisons(self, window):
        draw = random.Random(0)
        values = [draw.random() for _ in range(8000)]
        ratio = counts.deque_comparisons(values, window) / counts.deque_comparisons(values[:4000], window)
        assert 1.95 < ratio < 2.05

    @pytest.mark.parametrize("window", [2, 3, 8, 100])
    def test_the_counts_are_those_of_the_programs(self, window, monkeypatch):
        class Counted(float):
            compared = 0

            def __le__(self, other):
                Counted.compared += 1
                return float(self) <= float(other)

            def __gt__(self, other):
                Counted.compared += 1
                return float(self) > float(other)

        draw = random.Random(window)
        values = [Counted(draw.randrange(50)) for _ in range(200)]
        sliding_max(values, window)
        assert Counted.compared == counts.deque_comparisons([float(value) for value in values], window)
        Counted.compared = 0
        brute(values, window)
        assert Counted.compared == counts.brute_comparisons(200, window)
        compared, maximum = [], torch.maximum
        monkeypatch.setattr(torch, "maximum", lambda a, b: (compared.append(len(a)), maximum(a, b))[1])
        vectorized.doubling_max(torch.zeros(200), window)
        assert sum(compared) == counts.doubling_comparisons(200, window)

    def test_one_value_can_remove_a_whole_window(self):
        for window in (10, 100):
            falling = list(range(window, 0, -1))
            before = counts.deque_comparisons(falling, window)
            assert counts.deque_comparisons(falling + [window + 1], window + 1) - before == window
            assert counts.deque_comparisons(falling + [window + 1], window) - before == window

    def test_values_instead_of_indices_fail_only_on_equal_values(self):
        draw, wrong = random.Random(0), 0
        for _ in range(200):
            different, equal = draw.sample(range(100), 12), [draw.randrange(3) for _ in range(12)]
            assert of_values(different, 3) == brute(different, 3)
            wrong += of_values(equal, 3) != brute(equal, 3)
        assert wrong > 50

    def test_a_strict_comparison_makes_the_deque_of_values_right(self):
        draw = random.Random(0)
        for _ in range(200):
            values, best, result = [draw.randrange(3) for _ in range(12)], [], []
            for now, value in enumerate(values):
                while best and best[-1] < value:
                    best.pop()
                best.append(value)
                if now >= 3 and best[0] == values[now - 3]:
                    best.pop(0)
                if now >= 2:
                    result.append(best[0])
            assert result == brute(values, 3)

    def test_a_heap_with_lazy_deletion_is_right_and_can_hold_all_values(self):
        for values in draws(60, 5):
            heap, result, largest = [], [], 0
            for now, value in enumerate(values):
                heapq.heappush(heap, (-value, now))
                while heap[0][1] <= now - 4:
                    heapq.heappop(heap)
                largest = max(largest, len(heap))
                if now >= 3:
                    result.append(-heap[0][0])
            assert result == brute(values, 4)
        assert largest <= 60
        heap = []
        for now in range(60):  # rising: no old value reaches the top
            heapq.heappush(heap, (-now, now))
            while heap[0][1] <= now - 4:
                heapq.heappop(heap)
        assert len(heap) == 60

    @pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
    def test_max_pool1d_refuses_integers(self, dtype):
        with pytest.raises(NotImplementedError, match="max_pool1d_impl"):
            F.max_pool1d(torch.ones(1, 1, 4, dtype=dtype), 2, stride=1)

    def test_max_pool1d_without_squeeze_keeps_the_dimension(self):
        for window in (1, 2, 5):
            x = torch.randn(5)
            assert F.max_pool1d(x[None, None], window, stride=1)[0, 0].tolist() == brute(x.tolist(), window)

    def test_all_windows_are_a_view(self):
        x = torch.arange(9)
        assert x.unfold(0, 4, 1).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()

    def test_the_time_of_max_pool1d_grows_with_the_window_and_of_doubling_hardly(self):
        torch.set_num_threads(1)
        x = torch.randn(20_000)

        def seconds(call):
            times = []
            for _ in range(9):
                start = time.process_time()
                call()
                times.append(time.process_time() - start)
            return min(times)

        pool = [seconds(lambda k=k: F.max_pool1d(x[None, None], k, 1)) for k in (32, 512)]
        twice = [seconds(lambda k=k: vectorized.doubling_max(x, k)) for k in (32, 512)]
        assert pool[1] > 4 * pool[0] and pool[1] > 3 * twice[1]

    def test_trained_through_doubling_wins_for_large_windows(self):
        torch.set_num_threads(1)
        x = torch.randn(100_000, requires_grad=True)

        def seconds(function, k):
            times = []
            for _ in range(7):
                start = time.process_time()
                function(x, k).sum().backward()
                times.append(time.process_time() - start)
            return min(times)

        doubling, pool = FUNCTIONS[:2]
        assert seconds(pool, 256) > 1.3 * seconds(doubling, 256)

    @pytest.mark.parametrize("window", [4, 16, 64])
    def test_backward_of_doubling_keeps_one_tensor_per_pass(self, window):
        x, kept = torch.randn(5000, requires_grad=True), {}

        def keep(tensor):
            kept[tensor.untyped_storage().data_ptr()] = tensor
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            vectorized.doubling_max(x, window)
        assert len(kept) == math.log2(window)
        assert all(4900 < len(tensor) <= 5000 for tensor in kept.values())

    @pytest.mark.parametrize(("shape", "window"), [((3, 9), 4), ((2, 5, 16), 8)])
    def test_a_batch_needs_no_loop(self, shape, window):
        x, width = torch.randn(shape), 1
        found = x
        while width < window:
            found = torch.maximum(found[..., :-width], found[..., width:])
            width *= 2
        assert torch.equal(found, x.unfold(-1, window, 1).amax(dim=-1))

    @pytest.mark.parametrize("window", [2, 4])
    def test_the_maximum_over_a_square_is_separable(self, window):
        x = torch.randn(7, 9)
        rows = torch.stack([vectorized.doubling_max(row, window) for row in x])
        both = torch.stack([vectorized.doubling_max(column, window) for column in rows.T]).T
        assert torch.equal(both, F.max_pool2d(x[None, None], window, stride=1)[0, 0])

    def test_the_table_shows_the_deque_of_each_step(self):
        values, best, states = [1, 3, 2, 0, 1, 5], deque(), []
        for now, value in enumerate(values):
            while best and values[best[-1]] <= value:
                best.pop()
            best.append(now)
            if best[0] == now - 3:
                best.popleft()
            states.append([values[i] for i in best])
        assert states == [[1], [3], [3, 2], [3, 2, 0], [2, 1], [5]]

    @pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
    def test_max_pool1d_takes_integers_if_it_returns_indices(self, dtype):
        x = torch.tensor([1, 3, 2, 0], dtype=dtype)
        assert F.max_pool1d(x[None, None], 2, stride=1, return_indices=True)[0].tolist() == [[[3, 3, 2]]]

    def test_a_window_longer_than_the_tensor(self):
        for n in (2, 5):
            assert sliding_max(list(range(n)), n + 1) == []
            with pytest.raises(RuntimeError):
                F.max_pool1d(torch.ones(1, 1, n), n + 1, stride=1)

    @pytest.mark.parametrize("window", [1, 3, 4, 7])
    def test_gradients_agree_if_the_values_differ(self, window):
        x = torch.randperm(12).float().requires_grad_()
        gradients = [torch.autograd.grad(function(x, window).sum(), x)[0] for function in FUNCTIONS]
        assert all(torch.equal(gradient, gradients[0]) for gradient in gradients)

    def test_gradients_of_equal_values_differ(self):
        x = torch.ones(3, requires_grad=True)
        doubled, pooled, amax = (torch.autograd.grad(function(x, 3).sum(), x)[0] for function in FUNCTIONS)
        assert doubled.tolist() == [0.25, 0.5, 0.25] and sorted(pooled.tolist()) == [0, 0, 1]
        assert torch.allclose(amax, torch.full((3,), 1 / 3))

    @pytest.mark.parametrize("window", [1, 3, 10])
    def test_pairs_of_index_and_value_serve_a_stream(self, window):
        for values in draws(40, 3):
            best, result = deque(), []
            for now, value in enumerate(iter(values)):
                while best and best[-1][1] <= value:
                    best.pop()
                best.append((now, value))
                if best[0][0] == now - window:
                    best.popleft()
                assert len(best) <= window
                if now >= window - 1:
                    result.append(best[0][1])
            assert result == brute(values, window)
        with pytest.raises(TypeError, match="not subscriptable"):
            sliding_max(iter([1, 2]), 1)
