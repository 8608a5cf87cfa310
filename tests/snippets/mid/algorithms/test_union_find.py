"""Every claim of docs/mid/algorithms/union-find.md, proven beyond the example shown."""

import random
import sys
from collections import deque

import pytest
import torch

from warmup.testing import load_snippet

story = load_snippet("mid/algorithms/union_find.py")
sets = load_snippet("mid/algorithms/union_find_class.py")
cost = load_snippet("mid/algorithms/union_find_cost.py")
labels = load_snippet("mid/algorithms/union_find_labels.py")
timing = load_snippet("mid/algorithms/union_find_tensor.py")


def oracle(n: int, edges: list[tuple[int, int]]) -> list[int]:
    """The smallest node of each node's component, by breadth-first search."""
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    found = [-1] * n
    for start in range(n):
        if found[start] < 0:
            found[start], queue = start, deque([start])
            while queue:
                for b in near[queue.popleft()]:
                    if found[b] < 0:
                        found[b] = start
                        queue.append(b)
    return found


def random_graph(rng: random.Random) -> tuple[int, list[tuple[int, int]]]:
    """Duplicate edges and self-loops included; at times without an edge."""
    n = rng.randrange(1, 20)
    edges = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randrange(0, 20))]
    return n, edges + edges[::2]


def mask_oracle(mask: list[list[int]]) -> list[list[int]]:
    labeled, name = [[0] * len(row) for row in mask], 0
    for i, row in enumerate(mask):
        for j, on in enumerate(row):
            if not on or labeled[i][j]:
                continue
            name += 1
            stack = [(i, j)]
            while stack:
                y, x = stack.pop()
                if 0 <= y < len(mask) and 0 <= x < len(row) and mask[y][x] and not labeled[y][x]:
                    labeled[y][x] = name
                    stack += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return labeled


class TestUnionFindOfTheStory:
    def test_agrees_with_a_breadth_first_search_after_every_edge(self):
        rng = random.Random(4)
        for _ in range(100):
            n, edges = random_graph(rng)
            parent, size = list(range(n)), [1] * n
            for k, (a, b) in enumerate(edges):
                truth = oracle(n, edges[:k])
                assert story.union(parent, size, a, b) is (truth[a] != truth[b])
            truth = oracle(n, edges)
            roots = [story.find(parent, x) for x in range(n)]
            assert all((roots[a] == roots[b]) == (truth[a] == truth[b]) for a in range(n) for b in range(n))
            assert all(size[root] == roots.count(root) for root in roots)

    @pytest.mark.parametrize("times", [2, 3, 5])
    def test_without_the_check_for_equal_roots_the_size_doubles(self, times):
        parent, size = list(range(4)), [1] * 4
        for _ in range(times):
            a, b = story.find(parent, 0), story.find(parent, 1)
            parent[a] = b
            size[b] += size[a]
        assert size[story.find(parent, 0)] == 2**times

    @pytest.mark.parametrize("edges", [[(0, 1), (0, 2)], [(3, 1), (3, 0), (3, 2)]])
    def test_linking_elements_keeps_only_the_last_edge_of_each(self, edges):
        parent = list(range(4))
        for a, b in edges:
            parent[a] = b
        assert story.find(parent, edges[0][1]) != story.find(parent, edges[1][1])

    @pytest.mark.parametrize("step", [0.9, 0.5])
    def test_the_ends_of_a_chain_share_a_component_and_can_be_far_apart(self, step):
        values = [step * k for k in range(10)]
        parent, size = list(range(10)), [1] * 10
        for a in range(10):
            for b in range(a):
                if abs(values[a] - values[b]) <= 1:
                    story.union(parent, size, a, b)
        assert story.find(parent, 0) == story.find(parent, 9) and values[9] - values[0] > 4
        kept = [v for v in values if abs(v - values[0]) <= 1]
        assert max(kept) - min(kept) <= 1


class TestUnionFind:
    def test_agrees_with_a_breadth_first_search_after_every_edge(self):
        rng = random.Random(0)
        for _ in range(150):
            n, edges = random_graph(rng)
            made = sets.UnionFind(n)
            for k, (a, b) in enumerate(edges):
                apart = oracle(n, edges[:k])[a] != oracle(n, edges[:k])[b]
                assert made.union(a, b) is apart
            truth = oracle(n, edges)
            roots = [made.find(x) for x in range(n)]
            assert all((roots[a] == roots[b]) == (truth[a] == truth[b]) for a in range(n) for b in range(n))
            assert made.components == len(set(truth)) == len(set(roots))
            assert all(made.size[root] == roots.count(root) for root in roots)

    def test_no_element_one_element_and_a_self_loop(self):
        assert sets.UnionFind(0).components == 0
        one = sets.UnionFind(1)
        assert one.union(0, 0) is False and one.components == 1 and one.size == [1]

    @pytest.mark.parametrize("outside", [-1, 3])
    def test_refuses_an_element_outside(self, outside):
        made = sets.UnionFind(3)
        with pytest.raises(IndexError, match="is not in 0"):
            made.find(outside)
        with pytest.raises(IndexError):
            made.union(0, outside)

    def test_union_by_size_keeps_the_depth_logarithmic(self):
        for n in (2, 100, 1024, 3000):
            made = sets.UnionFind(n)
            while made.components > 1:
                made.union(random.randrange(n), random.randrange(n))
            depth = 0
            for x in range(n):
                here = 0
                while made.parent[x] != x:
                    x, here = made.parent[x], here + 1
                depth = max(depth, here)
            assert depth <= n.bit_length() - 1
        assert (10**6).bit_length() - 1 < 20

    def test_a_find_writes(self):
        made = sets.UnionFind(8)
        for a, b in [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4)]:
            made.union(a, b)
        before = made.parent.copy()
        assert any(made.find(x) != before[x] for x in range(8))
        assert made.parent != before

    @pytest.mark.parametrize("size", [1, 4])
    def test_two_unions_at_once_can_lose_a_join(self, size):
        made = sets.UnionFind(3 * size)
        for x in range(3 * size):
            made.union(x, x // size * size)
        find, second = made.find, []

        def interrupted(x):
            root = find(x)
            if x == size and not second:
                second.append(None)
                second[0] = made.union(0, size)  # in another thread, before the first one writes
            return root

        made.find = interrupted
        assert made.union(2 * size, size) is True and second == [True]
        assert find(2 * size) == find(size) != find(0)
        assert made.components == 1  # although there are two sets

    def test_labels_a_mask_as_a_flood_fill_does(self):
        rng = random.Random(1)
        for _ in range(200):
            height, width = rng.randrange(0, 7), rng.randrange(1, 7)
            mask = [[int(rng.random() < 0.6) for _ in range(width)] for _ in range(height)]
            assert sets.label_mask(mask) == mask_oracle(mask)
        assert sets.label_mask([]) == [] and sets.label_mask([[]]) == [[]]

    def test_a_spiral_is_one_component(self):
        mask = [[1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]]
        assert {value for row in sets.label_mask(mask) for value in row} == {0, 1}


class TestUnionFindCost:
    def test_a_chain_without_a_rule_is_quadratic(self):
        ratio = cost.reads(512, False, False, "chain") / cost.reads(256, False, False, "chain")
        assert 3.9 < ratio < 4.1

    @pytest.mark.parametrize("order", ["chain", "pairs"])
    @pytest.mark.parametrize(("by_size", "halving"), [(False, True), (True, True)])
    def test_with_halving_a_doubling_costs_a_factor_of_two_in_these_orders(self, order, by_size, halving):
        ratio = cost.reads(1024, by_size, halving, order) / cost.reads(512, by_size, halving, order)
        assert 1.98 < ratio < 2.02
        assert cost.reads(1024, by_size, halving, order) / 2047 < 5

    def test_union_by_size_alone_costs_a_logarithm(self):
        each = [cost.reads(n, True, False, "pairs") / (2 * n - 1) for n in (64, 256, 1024)]
        assert 0.9 < each[1] - each[0] < 1.1 and 0.9 < each[2] - each[1] < 1.1

    def test_halving_alone_grows_with_the_logarithm_if_new_roots_go_on_top(self):
        def each(k):
            n, reads = 2**k, 0
            parent = list(range(n + 1))
            for gap in [2**j for j in range(k)]:
                for i in range(0, n, 2 * gap):
                    parent[i + gap] = i  # the roots of two equal sets
            parent += range(n + 1, n + n // 2)
            root = 0
            for new in range(n, n + n // 2):
                parent[root] = root = new
                paths = []
                for x in range(new + 1):
                    path = [x]
                    while parent[path[-1]] != path[-1]:
                        path.append(parent[path[-1]])
                    paths.append(path)
                path = max(paths, key=len)
                x = path[0]
                while parent[x] != x:
                    parent[x] = x = parent[parent[x]]
                    reads += 2
            return reads / (n // 2)

        cost_at = [each(k) for k in (2, 4, 6)]
        assert cost_at[2] > cost_at[1] + 1.5 > cost_at[0] + 3

    def test_a_recursive_find_fails_on_a_deep_chain_and_the_loop_does_not(self):
        n = sys.getrecursionlimit() * 3
        made = sets.UnionFind(n)
        made.parent = [*range(1, n), n - 1]
        assert made.find(0) == n - 1
        parent = [*range(1, n), n - 1]

        def find(x):
            if parent[x] != x:
                parent[x] = find(parent[x])
            return parent[x]

        with pytest.raises(RecursionError):
            find(0)

    def test_a_root_read_from_a_tensor_changes_when_the_entry_is_written(self):
        parent = torch.arange(4)
        root = parent[2]
        parent[2] = 3
        assert root.item() == 3

    def test_a_tensor_is_far_slower_than_a_list(self):
        edges = [(i, i + 1) for i in range(0, 200, 2)]
        on_list = min(timing.seconds(list(range(201)), edges) for _ in range(9))
        on_tensor = min(timing.seconds(torch.arange(201), edges) for _ in range(5))
        assert on_tensor > 5 * on_list

    def test_the_timed_loop_joins_the_pairs(self):
        parent = list(range(5))
        timing.seconds(parent, [(0, 1), (2, 3), (0, 2), (3, 1)])
        assert parent == [1, 3, 3, 3, 4]


class TestUnionFindLabels:
    @pytest.mark.parametrize("hook_roots", [True, False])
    def test_labels_are_the_smallest_nodes(self, hook_roots):
        rng = random.Random(2)
        for _ in range(60):
            n, edges = random_graph(rng)
            tensor = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2)
            found, _ = labels.components(tensor, n, hook_roots)
            assert found.tolist() == oracle(n, edges)

    def test_one_edge_a_round_takes_as_many_rounds_as_the_path_is_long(self):
        for n in (5, 33, 100):
            assert labels.components(torch.arange(n).unfold(0, 2, 1), n, False)[1] == n

    def test_one_edge_a_round_takes_the_distance_from_the_smallest_node_and_not_the_longest_path(self):
        for n in (4, 9):
            complete = torch.combinations(torch.arange(n))  # its longest path has n - 1 edges
            assert labels.components(complete, n, False)[1] == 2
            middle = torch.arange(-n, n + 1).abs() * 2 - (torch.arange(-n, n + 1) < 0).long()  # 0 in the middle
            assert labels.components(middle.unfold(0, 2, 1), 2 * n + 1, False)[1] == n + 1

    def test_hooked_roots_need_few_rounds_on_shuffled_paths_stars_and_trees(self):
        generator = torch.Generator().manual_seed(3)
        for n in (100, 1000, 3000):
            shuffled = torch.randperm(n, generator=generator)
            child = torch.arange(1, n)
            for parent in (child - 1, torch.zeros_like(child), (child - 1) // 2):
                edges = shuffled[torch.stack([child, parent], dim=1)]
                found, rounds = labels.components(edges, n)
                assert found.eq(0).all() and rounds <= n.bit_length() + 3

    def test_the_answer_does_not_share_memory_with_the_edges(self):
        edges = torch.tensor([[0, 1]])
        labels.components(edges, 2)
        assert edges.tolist() == [[0, 1]]
