"""Every claim of docs/mid/algorithms/two-sum-pairs.md, proven beyond the example shown."""

import random
from itertools import combinations

import pytest
import torch

from warmup.testing import load_snippet

story = load_snippet("mid/algorithms/two_sum_pairs.py")
broken = load_snippet("mid/algorithms/two_sum_pairs_broken.py")
count = load_snippet("mid/algorithms/two_sum_pairs_count.py")
cost = load_snippet("mid/algorithms/two_sum_pairs_cost.py")
tensors = load_snippet("mid/algorithms/two_sum_pairs_torch.py")


def oracle(values: list[float], target: float, tolerance: float = 0.0) -> list[list[int]]:
    return [[i, j] for i, j in combinations(range(len(values)), 2) if abs(values[i] + values[j] - target) <= tolerance]


def integers(rng: random.Random) -> tuple[list[int], int]:
    """Many duplicates; at times empty, or one value."""
    return [rng.randrange(-4, 5) for _ in range(rng.randrange(0, 12))], rng.randrange(-6, 7)


class TestTwoSumPairsOfTheStory:
    def test_the_table_finds_each_index_pair_once(self):
        rng = random.Random(8)
        for _ in range(300):
            values, target = integers(rng)
            found = list(story.index_pairs(values, target))
            assert sorted(found) == [tuple(pair) for pair in oracle(values, target)]

    @pytest.mark.parametrize(("values", "target"), [([1, 3, 1], 4), ([5, 2, 5, 2, 5], 7)])
    def test_a_table_of_last_indices_repeats_pairs_and_loses_others(self, values, target):
        found = [tuple(sorted(pair)) for pair in broken.with_a_table(values, target)]
        last = {v: i for i, v in enumerate(values)}
        both = tuple(sorted(last.values()))
        assert found.count(both) == 2 and len(set(found)) <= len(found) - 1
        for half in (2, 7):
            assert broken.with_a_table([half], 2 * half) == [(0, 0)]

    @pytest.mark.parametrize("n", [3, 6])
    def test_a_set_finds_neither_index_pairs_nor_distinct_pairs(self, n):
        seen, pairs = set(), []
        for value in [1] * n:
            if 2 - value in seen:
                pairs.append((2 - value, value))
            seen.add(value)
        assert len(pairs) == n - 1
        assert len(list(story.index_pairs([1] * n, 2))) == n * (n - 1) // 2

    @pytest.mark.parametrize("dtype", [torch.int64, torch.float32])
    def test_tensors_as_keys_find_nothing_and_raise_nothing(self, dtype):
        x = torch.tensor([1, 3, 1], dtype=dtype)
        assert list(story.index_pairs(x, 4)) == []
        assert list(story.index_pairs(x.tolist(), 4)) == [(0, 1), (1, 2)]

    @pytest.mark.parametrize("target", [-1, 2, 5])
    def test_broadcasting_finds_the_same_pairs(self, target):
        rng = random.Random(9)
        for _ in range(20):
            values, _ = integers(rng)
            x = torch.tensor(values, dtype=torch.int64)
            found = (x[:, None] + x == target).triu(diagonal=1).nonzero()
            assert found.tolist() == oracle(values, target)

    def test_sums_of_int64_wrap_around_and_those_of_python_do_not(self):
        for value in (2**62, 3 * 2**61):
            x = torch.tensor([value, value])
            assert (x[0] + x[1]).item() == 2 * value - 2**64 != 2 * value
            assert list(story.index_pairs(x.tolist(), 2 * value - 2**64)) == []
            assert (x[:, None] + x == 2 * value - 2**64).triu(diagonal=1).nonzero().tolist() == [[0, 1]]

    def test_multiples_of_2_to_the_61_minus_1_share_a_hash(self):
        assert {hash(i * (2**61 - 1)) for i in range(1000)} == {0}

    @pytest.mark.parametrize(("a", "b"), [(0.1, 0.2), (0.1, 0.7)])
    def test_floats_miss_pairs_that_are_equal_on_paper(self, a, b):
        assert list(story.index_pairs([a, b], round(a + b, 1))) == []
        assert tensors.pairs_within(torch.tensor([a, b]), round(a + b, 1), 1e-6).tolist() == [[0, 1]]


class TestTwoSumPairs:
    def test_count_and_distinct_values_agree_with_all_pairs(self):
        rng = random.Random(0)
        for _ in range(500):
            values, target = integers(rng)
            pairs = oracle(values, target)
            assert count.count_pairs(values, target) == len(pairs)
            assert count.distinct_pairs(values, target) == sorted(
                {tuple(sorted((values[i], values[j]))) for i, j in pairs}
            )

    def test_the_count_of_a_million_pairs_does_not_make_them(self):
        assert count.count_pairs([7] * 10_000, 14) == 10_000 * 9_999 // 2
        assert count.count_pairs([2**80, -(2**80), 2**80], 0) == 2

    def test_the_table_and_the_loops_find_the_same_pairs(self):
        rng = random.Random(1)
        for _ in range(200):
            values, target = integers(rng)
            truth = [tuple(pair) for pair in oracle(values, target)]
            assert sorted(cost.table(values, target)[0]) == sorted(cost.brute(values, target)[0]) == truth
            assert cost.table(values, target)[1] == len(values) + len(truth)
            assert cost.brute(values, target)[1] == len(values) * (len(values) - 1) // 2

    def test_buckets_twice_as_wide_with_both_neighbors_are_right_and_narrow_ones_lose_pairs(self):
        def bucketed(values, target, tolerance, width):
            places: dict[int, list[int]] = {}
            found = []
            for j, value in enumerate(values):
                key = round((target - value) / width)
                near = [i for k in (key - 1, key, key + 1) for i in places.get(k, [])]
                found += [[i, j] for i in near if abs(values[i] + value - target) <= tolerance]
                places.setdefault(round(value / width), []).append(j)
            return sorted(found)

        rng = random.Random(2)
        for _ in range(300):
            values = [rng.randrange(-30, 30) / 10 for _ in range(8)] + [rng.uniform(-1, 1)]
            target, tolerance = rng.randrange(-30, 30) / 10, rng.randrange(1, 5) / 10
            assert bucketed(values, target, tolerance, 2 * tolerance) == oracle(values, target, tolerance)
        assert bucketed([1.5, 0.0], 0.5, 1.0, 1.0) == [] and oracle([1.5, 0.0], 0.5, 1.0) == [[0, 1]]
        assert (round(0.5), round(1.5)) == (0, 2)

    def test_two_pointers_count_duplicates_by_their_runs(self):
        def counted(values, target):
            total, left, right = 0, 0, len(values) - 1
            while left < right:
                gap = values[left] + values[right] - target
                if gap:
                    left, right = (left + 1, right) if gap < 0 else (left, right - 1)
                    continue
                a, b = values.count(values[left]), values.count(values[right])
                if values[left] == values[right]:
                    return total + a * (a - 1) // 2
                total, left, right = total + a * b, left + a, right - b
            return total

        rng = random.Random(5)
        for _ in range(200):
            values, target = integers(rng)
            assert counted(sorted(values), target) == len(oracle(values, target))

    def test_keys_that_share_a_hash_are_compared_with_one_another(self):
        class Key(int):
            compared = 0

            def __eq__(self, other):
                Key.compared += 1
                return int(self) == int(other)

            __hash__ = int.__hash__

        def compared(step, n=200):
            Key.compared = 0
            table = {Key(i * step): i for i in range(n)}
            assert len(table) == n
            return Key.compared

        assert compared(1) == 0 and compared(2**61 - 1) == 200 * 199 // 2


class TestTwoSumPairsWithinATolerance:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_agrees_with_the_loops_on_random_floats(self, dtype):
        for n in (0, 1, 2, 3, 20, 33):
            for scale in (1e-6, 1.0, 1e9):
                values = (torch.randn(n, dtype=dtype) * scale).round(decimals=6)
                for target, tolerance in ((0.0, 0.0), (0.3 * scale, 0.5 * scale), (-scale, 100 * scale)):
                    found = tensors.pairs_within(values, target, tolerance)
                    assert found.dtype == torch.int64 and found.shape[1:] == (2,)
                    assert found.tolist() == oracle(values.double().tolist(), target, tolerance)

    def test_agrees_at_the_edge_of_the_tolerance(self):
        rng = random.Random(3)
        for _ in range(300):
            values = [rng.randrange(-30, 30) / 10 for _ in range(12)]
            target, tolerance = rng.randrange(-30, 30) / 10, rng.randrange(0, 4) / 10
            found = tensors.pairs_within(torch.tensor(values, dtype=torch.float64), target, tolerance)
            assert found.tolist() == oracle(values, target, tolerance)

    def test_integers_with_duplicates_up_to_the_stated_size(self):
        rng = random.Random(4)
        for dtype in (torch.int8, torch.int64):
            for _ in range(100):
                values, target = integers(rng)
                assert tensors.pairs_within(torch.tensor(values, dtype=dtype), target).tolist() == oracle(
                    values, target
                )
        big = [2**51, -(2**51), 2**51 - 1, 1 - 2**51, 2**51]
        for target in (0, 1, -1, 2**52, 2**52 - 1):
            assert tensors.pairs_within(torch.tensor(big), target).tolist() == oracle(big, target)

    def test_nan_and_infinity_have_no_partner_and_a_large_value_does_not_widen_the_search(self, monkeypatch):
        nan, inf = float("nan"), float("inf")
        for odd in ([nan], [nan, nan], [inf, -inf], [inf, nan, -inf, inf]):
            found = tensors.pairs_within(torch.tensor([0.5, *odd, 0.5, 0.25], dtype=torch.float64), 1.0, 0.1)
            assert found.tolist() == [[0, len(odd) + 1]]
        rng = random.Random(6)
        for odd in ([nan], [nan, inf, -inf]):
            for _ in range(100):
                values = rng.choices([-1.0, -0.5, 0.5, 1.0, 1.5, *odd], k=9)
                found = tensors.pairs_within(torch.tensor(values), 1.0, 0.5)
                assert found.tolist() == oracle(values, 1.0, 0.5)
        made = []
        expand = torch.Tensor.repeat_interleave
        monkeypatch.setattr(torch.Tensor, "repeat_interleave", lambda *a: made.append(expand(*a)) or made[-1])
        for large in (1.0, 1e20):
            values = torch.cat([torch.linspace(-1, 1, 100), torch.tensor([large])])
            assert tensors.pairs_within(values, 50.0).shape == (0, 2)
        for odd in (nan, inf, -inf):
            assert tensors.pairs_within(torch.full((100,), odd), 1.0).shape == (0, 2)
        assert [len(candidates) for candidates in made] == [0] * 10

    def test_a_binary_search_that_meets_nan_goes_astray(self):
        for values in ([-1.0, 1.0], [0.0, 1.0, 2.0]):
            with_nan = torch.tensor([*values, *[float("nan")] * len(values)])
            place = torch.searchsorted(torch.tensor(values), values[-1]).item()
            assert torch.searchsorted(with_nan, values[-1]).item() != place == len(values) - 1

    def test_all_equal_values_give_every_pair_once(self):
        found = tensors.pairs_within(torch.full((40,), 0.1), 0.2, 1e-6)
        assert found.tolist() == [list(pair) for pair in combinations(range(40), 2)]

    def test_a_strided_input_is_left_as_it_was(self):
        values = torch.arange(10)[::2]
        assert tensors.pairs_within(values, 8).tolist() == [[0, 4], [1, 3]]
        assert values.tolist() == [0, 2, 4, 6, 8]

    def test_the_sizes_of_the_broadcast(self):
        n = 100_000
        assert n * n * torch.bool.itemsize == 10 * 10**9
        assert n * n * torch.float32.itemsize == 40 * 10**9
