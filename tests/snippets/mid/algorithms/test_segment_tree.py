"""Every claim of docs/mid/algorithms/segment-tree.md, proven beyond the example shown."""

import operator
import random
from functools import reduce

import pytest
import torch

from warmup.testing import load_snippet

story = load_snippet("mid/algorithms/segment_tree.py")
broken = load_snippet("mid/algorithms/segment_tree_broken.py")
trees = load_snippet("mid/algorithms/segment_tree_query.py")
replay = load_snippet("mid/algorithms/segment_tree_replay.py")
cost = load_snippet("mid/algorithms/segment_tree_cost.py")

OPERATIONS = [
    (operator.add, 0, lambda rng: rng.randrange(-(2**70), 2**70)),
    (min, float("inf"), lambda rng: rng.randrange(-9, 9)),
    (max, float("-inf"), lambda rng: rng.uniform(-9, 9)),
    (operator.add, "", lambda rng: rng.choice("abc")),
]


def sums(values):
    """The tree of the story over these values."""
    tree = [0] * len(values) + list(values)
    for i in range(len(values) - 1, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    return tree


class TestSegmentTreeOfTheStory:
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
    def test_every_range_agrees_with_sum_after_every_update(self, n):
        rng = random.Random(n)
        values = [rng.randrange(-9, 9) for _ in range(n)]
        tree = sums(values)
        for _ in range(5):
            for start in range(n + 1):
                for stop in range(start, n + 1):
                    assert story.query(tree, start, stop) == sum(values[start:stop])
            i = rng.randrange(n)
            values[i] = rng.randrange(-9, 9)
            story.update(tree, i, values[i])
            assert tree == sums(values)

    @pytest.mark.parametrize("n", [4, 16])
    def test_added_differences_are_wrong_only_if_an_index_comes_twice(self, n):
        for index, right in (([1, 2], True), ([2, 2], False), ([1, 1, 1], False)):
            tree = torch.tensor(sums([1] * n))
            broken.update(tree, torch.tensor(index), torch.full((len(index),), 9))
            assert (tree[1] == tree[n:].sum()).item() is right
            assert tree[1] == n + 8 * len(index)
            again = sums([1] * n)
            for i in index:
                story.update(again, i, 9)
            assert again[1] == sum(again[n:])

    def test_added_differences_keep_rounding_errors_and_recomputed_sums_do_not(self):
        for changes in ((0.1, 0.2, 0.3), (0.1, 0.7, 0.2)):
            total, tree = 0.0, sums([0.0] * 4)
            for i, change in enumerate(changes):
                total += change
                story.update(tree, i, change)
            for i, change in enumerate(changes):
                total -= change
                story.update(tree, i, 0.0)
            assert total != 0 and tree[1] == 0

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_a_tree_in_float32_loses_ones_above_2_to_the_24(self, dtype):
        tree = torch.zeros(8, dtype=dtype)
        tree[4:] = torch.tensor([2**24, 1, 1, 1])
        for i in (3, 2, 1):
            tree[i] = tree[2 * i] + tree[2 * i + 1]
        assert tree[1].item() == 2**24 + (2 if dtype == torch.float32 else 3)

    def test_three_leaves_come_in_another_order(self):
        assert trees.SegmentTree("abc", operator.add, "").tree[1] == "bca"

    @pytest.mark.parametrize("n", [4, 9])
    def test_prefix_sums_answer_all_queries_by_one_indexing_operation(self, n):
        x = torch.randint(-9, 9, (n,))
        prefix = torch.cat([torch.zeros(1, dtype=torch.int64), x.cumsum(0)])
        start = torch.randint(0, n, (20,))
        stop = torch.maximum(start, torch.randint(0, n + 1, (20,)))
        right = [x[a:b].sum().item() for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
        assert (prefix[stop] - prefix[start]).tolist() == right

    def test_multinomial_raises_for_more_than_2_to_the_24_categories(self):
        for extra in (1, 5):
            with pytest.raises(RuntimeError, match=r"number of categories cannot exceed 2\^24"):
                torch.multinomial(torch.ones(1).expand(2**24 + extra), 1)


class TestSegmentTree:
    @pytest.mark.parametrize(("combine", "neutral", "draw"), OPERATIONS)
    def test_every_range_agrees_with_a_loop_after_every_update(self, combine, neutral, draw):
        rng = random.Random(0)
        for n in (0, 1, 2, 3, 5, 8, 13):
            values = [draw(rng) for _ in range(n)]
            tree = trees.SegmentTree(values, combine, neutral)
            for _ in range(4):
                for start in range(n + 1):
                    for stop in range(start, n + 1):
                        assert tree.query(start, stop) == reduce(combine, values[start:stop], neutral)
                if n:
                    i = rng.randrange(n)
                    values[i] = draw(rng)
                    tree.update(i, values[i])

    def test_refuses_indices_outside(self):
        tree = trees.SegmentTree([1, 2, 3], operator.add, 0)
        for i in (-1, 3):
            with pytest.raises(IndexError):
                tree.update(i, 0)
        for start, stop in ((-1, 2), (2, 1), (0, 4)):
            with pytest.raises(IndexError):
                tree.query(start, stop)
        with pytest.raises(IndexError):
            trees.SegmentTree([], operator.add, 0).update(0, 1)
        assert tree.query(0, 3) == 6

    def test_the_root_keeps_the_order_only_for_powers_of_two(self):
        for n in range(1, 40):
            tree = trees.SegmentTree([chr(97 + i) for i in range(n)], operator.add, "")
            assert (tree.tree[1] == tree.query(0, n)) == (n & (n - 1) == 0)
            assert len(tree.tree) == 2 * n

    def test_min_is_not_associative_with_nan(self):
        nan = float("nan")
        assert min(min(1, nan), 0) == 0 and min(1, min(nan, 0)) == 1

    def test_recursive_numbering_needs_up_to_4n_places_and_this_one_2n(self):
        def largest(node, start, stop):
            if stop - start == 1:
                return node
            middle = (start + stop) // 2
            return max(largest(2 * node, start, middle), largest(2 * node + 1, middle, stop))

        assert largest(1, 0, 33) == 127
        places = {n: largest(1, 0, n) + 1 for n in range(1, 300)}
        assert all(2 * n <= places[n] < 4 * n for n in places) and places[257] > 3.9 * 257

    def test_two_prefix_sums_lose_digits_that_a_range_keeps(self):
        values = torch.tensor([1e16, 1.0, 1.0], dtype=torch.float64)
        prefix = values.cumsum(0)
        assert prefix[2] - prefix[0] != 2
        assert trees.SegmentTree(values.tolist(), operator.add, 0.0).query(1, 3) == 2

    @pytest.mark.parametrize("n", [1, 7, 16])
    def test_two_fenwick_trees_add_to_ranges_in_logarithmic_time(self, n):
        slope, shift = [0] * (n + 2), [0] * (n + 2)
        steps = 0

        def put(tree, i, change):
            nonlocal steps
            while i < len(tree):
                tree[i] += change
                i += i & -i
                steps += 1

        def prefix(stop):
            factor = offset = 0
            i = stop
            while i:
                factor, offset, i = factor + slope[i], offset + shift[i], i - (i & -i)
            return factor * stop - offset

        rng, values = random.Random(1), [0] * n
        for _ in range(20):
            start = rng.randrange(n)
            stop, change = rng.randrange(start, n + 1), rng.randrange(-9, 9)
            values[start:stop] = [v + change for v in values[start:stop]]
            before = steps
            for i, sign in ((start, 1), (stop, -1)):
                put(slope, i + 1, sign * change)
                put(shift, i + 1, sign * change * i)
            assert steps - before <= 4 * ((n + 1).bit_length())
            assert [prefix(i) for i in range(n + 1)] == [sum(values[:i]) for i in range(n + 1)]

    def test_doubling_adds_two_reads_and_no_range_reads_more_than_two_nodes_a_level(self):
        counts = {n: cost.reads(n) for n in (16, 32, 64)}
        assert counts[32] == (counts[16][0] + 2, counts[16][1] + 2)
        assert counts[64] == (counts[32][0] + 2, counts[32][1] + 2)
        for n in (2, 3, 11, 27, 64):
            query, update = cost.reads(n)
            assert query <= 2 * n.bit_length() and update <= 2 * n.bit_length()

    def test_small_counts(self):
        assert cost.reads(2) == (1, 2)
        assert cost.reads(3) == (2, 4)


class TestSegmentTreeReplay:
    @pytest.mark.parametrize("capacity", [1, 2, 3, 7, 8, 33])
    def test_finds_the_place_in_the_cumulative_sums_after_updates_with_duplicates(self, capacity):
        sampler = replay.PrioritySampler(capacity)
        priority = torch.zeros(capacity, dtype=torch.float64)
        for _ in range(6):
            index = torch.randint(capacity, (5,))
            value = torch.randint(0, 4, (5,)).double()
            sampler.update(index, value)
            for i, v in zip(index.tolist(), value.tolist(), strict=True):
                priority[i] = v
            assert sampler.tree[1] == priority.sum()
            total = int(priority.sum())
            if total:
                mass = torch.arange(2 * total, dtype=torch.float64) / 2
                expected = torch.searchsorted(priority.cumsum(0), mass, right=True)
                assert torch.equal(sampler.find(mass), expected)
                assert torch.equal(mass, torch.arange(2 * total, dtype=torch.float64) / 2)

    def test_draws_in_proportion_and_not_what_has_priority_zero(self):
        sampler = replay.PrioritySampler(6)
        priority = torch.tensor([0.1, 0.0, 0.3, 0.0, 0.6, 0.0])
        sampler.update(torch.arange(6), priority)
        share = sampler.sample(20_000).bincount(minlength=6) / 20_000
        assert (share - priority).abs().max() < 0.02
        assert share[priority == 0].eq(0).all()

    def test_a_mass_at_the_total_finds_a_positive_priority(self):
        sampler = replay.PrioritySampler(8)
        sampler.update(torch.tensor([0, 2, 5]), torch.tensor([0.1, 0.2, 0.3]))
        assert sampler.find(sampler.tree[1:2].clone()).tolist() == [5]

    def test_no_priority_is_an_error_and_an_empty_batch_is_none(self):
        sampler = replay.PrioritySampler(3)
        with pytest.raises(ValueError, match="all priorities are 0"):
            sampler.sample(1)
        sampler.update(torch.empty(0, dtype=torch.int64), torch.empty(0))
        sampler.update(torch.tensor([1]), torch.tensor([2.0]))
        assert sampler.sample(4).tolist() == [1] * 4 and sampler.sample(0).tolist() == []
        sampler.update(torch.tensor([1]), torch.tensor([0.0]))
        assert sampler.tree.eq(0).all()

    def test_refuses_what_would_corrupt_the_tree(self):
        sampler = replay.PrioritySampler(5)
        sampler.update(torch.tensor([1]), torch.tensor([2.0]))
        for index, priority in (
            ([0], [float("nan")]),
            ([0], [float("inf")]),
            ([0], [-1.0]),
            ([0, 1], [1.0]),
            ([[0, 1]], [[1.0, 1.0]]),
            (0, 1.0),
        ):
            with pytest.raises(ValueError, match="one finite priority"):
                sampler.update(torch.tensor(index), torch.tensor(priority))
        for outside in (-1, 5, 7):
            with pytest.raises(IndexError, match="not in 0 .. 4"):
                sampler.update(torch.tensor([outside]), torch.tensor([1.0]))
        assert sampler.tree[1] == 2 and sampler.sample(3).tolist() == [1] * 3

    def test_the_weights_make_the_mean_that_of_uniform_sampling(self):
        for share in (torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([0.7, 0.1, 0.1, 0.1])):
            loss = torch.tensor([1.0, 2.0, 3.0, 10.0])
            i = share.multinomial(40_000, replacement=True)
            assert abs((loss / (4 * share))[i].mean() - loss.mean()) < 0.3 < abs(loss[i].mean() - loss.mean())

    def test_the_weights_cannot_correct_for_what_is_never_drawn(self):
        loss = torch.tensor([1.0, 2.0, 3.0, 10.0])
        for share in (torch.tensor([0.2, 0.4, 0.4, 0.0]), torch.tensor([0.5, 0.5, 0.0, 0.0])):
            i = share.multinomial(40_000, replacement=True)
            missing = loss[share == 0].sum() / 4
            assert abs((loss / (4 * share))[i].mean() - (loss.mean() - missing)) < 0.1 < missing

    def test_the_tree_is_exact_where_float32_is_not(self):
        sampler = replay.PrioritySampler(4)
        sampler.update(torch.arange(4), torch.tensor([2.0**24, 1.0, 1.0, 1.0]))
        assert sampler.tree[1].item() == 2**24 + 3
        assert sampler.tree.float()[4:].cumsum(0)[-1].item() != 2**24 + 3
