"""Every claim of docs/mid/algorithms/two-sum-pairs.md, proven beyond the example shown."""

import random
from itertools import combinations

import pytest
import torch

from warmup.testing import load_snippet

count = load_snippet("mid/algorithms/two_sum_pairs_count.py")
cost = load_snippet("mid/algorithms/two_sum_pairs_cost.py")
tensors = load_snippet("mid/algorithms/two_sum_pairs_torch.py")


def oracle(values: list[float], target: float, tolerance: float = 0.0) -> list[list[int]]:
    return [[i, j] for i, j in combinations(range(len(values)), 2) if abs(values[i] + values[j] - target) <= tolerance]


def integers(rng: random.Random) -> tuple[list[int], int]:
    """Many duplicates; at times empty, or one value."""
    return [rng.randrange(-4, 5) for _ in range(rng.randrange(0, 12))], rng.randrange(-6, 7)


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

    def test_buckets_are_right_with_both_neighbors_and_a_test_of_each_candidate(self):
        rng = random.Random(2)
        for _ in range(100):
            values = [rng.uniform(-1, 1) for _ in range(15)]
            places: dict[int, list[int]] = {}
            found = []
            for j, value in enumerate(values):
                key = round((0.3 - value) / 0.1)
                near = [i for k in (key - 1, key, key + 1) for i in places.get(k, [])]
                found += [[i, j] for i in near if abs(values[i] + value - 0.3) <= 0.1]
                places.setdefault(round(value / 0.1), []).append(j)
            assert sorted(found) == oracle(values, 0.3, 0.1)


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
