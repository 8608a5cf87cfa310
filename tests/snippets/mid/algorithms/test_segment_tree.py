"""Every claim of docs/mid/algorithms/segment-tree.md, proven beyond the example shown."""

import operator
import random
from functools import reduce

import pytest
import torch

from warmup.testing import load_snippet

trees = load_snippet("mid/algorithms/segment_tree_query.py")
replay = load_snippet("mid/algorithms/segment_tree_replay.py")
cost = load_snippet("mid/algorithms/segment_tree_cost.py")

OPERATIONS = [
    (operator.add, 0, lambda rng: rng.randrange(-(2**70), 2**70)),
    (min, float("inf"), lambda rng: rng.randrange(-9, 9)),
    (max, float("-inf"), lambda rng: rng.uniform(-9, 9)),
    (operator.add, "", lambda rng: rng.choice("abc")),
]


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

    def test_the_tree_is_exact_where_float32_is_not(self):
        sampler = replay.PrioritySampler(4)
        sampler.update(torch.arange(4), torch.tensor([2.0**24, 1.0, 1.0, 1.0]))
        assert sampler.tree[1].item() == 2**24 + 3
        assert sampler.tree.float()[4:].cumsum(0)[-1].item() != 2**24 + 3
