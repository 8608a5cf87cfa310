"""Every claim that docs/mid/modeling/graph-neural-network.md makes, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

GraphConv = load_snippet("mid/modeling/graph_neural_network_layer.py").GraphConv
task = load_snippet("mid/modeling/graph_neural_network_task.py")
depth = load_snippet("mid/modeling/graph_neural_network_depth.py")


def random_edges(n: int, count: int, seed: int = 1) -> torch.Tensor:
    """Directed edges among all nodes but the last, repeated ones and self-loops included."""
    return torch.randint(n - 1, (2, count), generator=torch.Generator().manual_seed(seed))


def normalized(edges: torch.Tensor, n: int) -> torch.Tensor:
    a = torch.eye(n, dtype=torch.float64)
    for source, target in edges.T.tolist():
        a[target, source] += 1
    d = a.sum(dim=1).rsqrt().diag()
    return d @ a @ d


def both_ways(edges: torch.Tensor) -> torch.Tensor:
    return torch.cat([edges, edges.flip(0)], dim=1)


class TestGraphNeuralNetwork:
    @pytest.mark.parametrize(("n", "count"), [(1, 0), (5, 0), (7, 30), (40, 25), (30, 300)])
    @pytest.mark.parametrize("undirected", [False, True])
    @pytest.mark.parametrize(
        ("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 0.1)]
    )
    def test_the_layer_is_the_dense_formula_with_isolated_nodes_and_directed_edges(
        self, n, count, undirected, dtype, tolerance
    ):
        edges = random_edges(n, count) if count else torch.empty(2, 0, dtype=torch.long)
        edges = both_ways(edges) if undirected else edges
        layer = GraphConv(3, 4).to(dtype)
        torch.nn.init.normal_(layer.bias)
        x = torch.randn(n, 3, dtype=dtype)
        out = layer(x, edges)
        assert out.dtype == dtype
        dense = normalized(edges, n) @ x.double() @ layer.linear.weight.double().T + layer.bias.double()
        torch.testing.assert_close(out.double(), dense, rtol=tolerance, atol=tolerance)
        out.sum().backward()
        assert all(torch.isfinite(p.grad).all() for p in layer.parameters())

    def test_gradients_are_those_of_the_formula(self):
        layer = GraphConv(3, 2).double()
        edges = random_edges(6, 9)
        x = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: layer(x, edges), x)

    @pytest.mark.parametrize(
        "edges", [torch.zeros(3, 2, dtype=torch.long), torch.tensor([[0], [4]]), torch.tensor([[-1], [0]])]
    )
    def test_bad_edges_are_refused(self, edges):
        with pytest.raises(ValueError, match="edge"):
            GraphConv(2, 2)(torch.randn(4, 2), edges)

    def test_a_permutation_of_the_nodes_permutes_the_output(self):
        layer, x, edges = GraphConv(3, 4), torch.randn(9, 3), random_edges(9, 20)
        order = torch.randperm(9)
        place = order.argsort()
        torch.testing.assert_close(layer(x[order], place[edges]), layer(x, edges)[order])

    def test_a_node_reads_itself_and_its_senders_and_nothing_else(self):
        edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
        layer = GraphConv(1, 1)
        jacobian = torch.autograd.functional.jacobian(lambda x: layer(x, edges), torch.randn(4, 1)).squeeze()
        assert (jacobian != 0).tolist() == (normalized(edges, 4) != 0).tolist()
        assert jacobian.diagonal().all() and jacobian[1, 0] != 0 and jacobian[0, 1] == 0

    @pytest.mark.parametrize("seed", range(5))
    def test_eigenvalues_of_an_undirected_graph_lie_above_minus_one_and_up_to_one(self, seed):
        values = torch.linalg.eigvalsh(normalized(both_ways(random_edges(20, 30, seed)), 20))
        assert values.min() > -1 and values.max() == pytest.approx(1)

    @pytest.mark.parametrize("k", [4, 16, 64])
    def test_length_does_not_grow_in_an_undirected_graph_and_grows_where_one_node_only_sends(self, k):
        edges = torch.stack([torch.zeros(k, dtype=torch.long), torch.arange(1, k + 1)])
        sends = torch.eye(k + 1, dtype=torch.float64)[:, 0]
        assert normalized(edges, k + 1)[1:, 0].tolist() == pytest.approx([0.5**0.5] * k)
        assert (normalized(edges, k + 1) @ sends).norm() >= (k / 2) ** 0.5
        undirected = normalized(both_ways(edges), k + 1)
        assert torch.linalg.matrix_norm(torch.matrix_power(undirected, 30), 2) == pytest.approx(1)

    def test_equal_features_look_the_same_in_a_pair_a_triangle_a_ring_and_a_complete_graph(self):
        def complete(n):
            return (1 - torch.eye(n)).nonzero().T

        ring = both_ways(torch.stack([torch.arange(6), (torch.arange(6) + 1) % 6]))
        triangles = torch.cat([complete(3), complete(3) + 3], dim=1)
        layer = GraphConv(2, 3)
        graphs = ((2, complete(2)), (3, complete(3)), (4, complete(4)), (6, ring), (6, triangles))
        for n, edges in graphs:
            torch.testing.assert_close(
                layer(torch.ones(n, 2), edges), layer(torch.ones(2, 2), complete(2))[:1].expand(n, 3)
            )
        sums = [torch.zeros(n).index_add(0, e[1], torch.ones(e.shape[1])).tolist() for n, e in graphs]
        assert sums == [[1.0] * 2, [2.0] * 3, [3.0] * 4, [2.0] * 6, [2.0] * 6]

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_the_layer_runs_under_autocast_and_returns_float32_for_float32(self, dtype):
        layer, x, edges = GraphConv(3, 4), torch.randn(9, 3), random_edges(9, 20)
        with torch.autocast("cpu", dtype):
            out = layer(x, edges)
        assert out.dtype == torch.float32
        torch.testing.assert_close(out, layer(x, edges), rtol=0.05, atol=0.05)
        out.sum().backward()

    def test_a_batch_is_one_graph_without_edges_between_its_parts(self):
        layer, sizes = GraphConv(3, 4), (5, 1, 8)
        xs = [torch.randn(n, 3) for n in sizes]
        edges = [random_edges(n, 2 * n) if n > 1 else torch.empty(2, 0, dtype=torch.long) for n in sizes]
        starts = (0, 5, 6)
        whole = layer(torch.cat(xs), torch.cat([e + start for e, start in zip(edges, starts, strict=True)], dim=1))
        alone = [layer(x, e) for x, e in zip(xs, edges, strict=True)]
        torch.testing.assert_close(whole, torch.cat(alone))
        member = torch.arange(3).repeat_interleave(torch.tensor(sizes))
        pooled = torch.zeros(3, 4).index_add(0, member, whole)
        torch.testing.assert_close(pooled, torch.stack([part.sum(dim=0) for part in alone]))

    def test_swapped_rows_show_on_a_directed_graph_and_not_on_an_undirected_one(self):
        layer, x, edges = GraphConv(3, 4), torch.randn(9, 3), random_edges(9, 12)
        assert not torch.allclose(layer(x, edges), layer(x, edges.flip(0)))
        edges = both_ways(edges)
        torch.testing.assert_close(layer(x, edges), layer(x, edges.flip(0)))

    @pytest.mark.parametrize("directed", [[[0, 1], [1, 2]], [[0, 1, 1], [1, 0, 2]]])
    def test_an_edge_that_was_there_both_ways_counts_twice_unless_it_is_removed(self, directed):
        edges = torch.tensor(directed)
        layer, x = GraphConv(3, 4), torch.randn(3, 3)
        path = both_ways(torch.tensor([[0, 1], [1, 2]]))
        torch.testing.assert_close(layer(x, both_ways(edges).unique(dim=1)), layer(x, path))
        assert torch.allclose(layer(x, both_ways(edges)), layer(x, path)) is (len(directed[0]) == 2)

    @pytest.mark.parametrize(("inputs", "outputs"), [(6, 2), (2, 6)])
    def test_the_weights_may_come_before_or_after_the_sum(self, inputs, outputs):
        layer, edges = GraphConv(inputs, outputs).double(), random_edges(9, 20)
        x = torch.randn(9, inputs, dtype=torch.float64)
        torch.testing.assert_close(layer(x, edges), layer.linear(task.spread(x, edges).double()) + layer.bias)

    def test_a_count_of_ones_stalls_in_bfloat16_and_the_layer_does_not_count_so(self):
        target = torch.zeros(1000, dtype=torch.long)
        ones = torch.ones(1000, dtype=torch.bfloat16)
        assert torch.zeros(1, dtype=torch.bfloat16).index_add(0, target, ones).item() == 256
        edges = torch.stack([torch.arange(1, 1001), target])
        layer = GraphConv(1, 1).bfloat16()
        x = torch.zeros(1001, 1, dtype=torch.bfloat16)
        x[1] = 1.0
        expected = layer.linear.weight.item() / 1001**0.5
        assert layer(x, edges)[0].item() == pytest.approx(expected, rel=0.01)

    @pytest.mark.parametrize("isolated", [1, 4])
    def test_one_isolated_node_fills_the_dense_formula_without_self_loops_with_nan(self, isolated):
        a = torch.ones(6, 6) - torch.eye(6)
        a[isolated] = a[:, isolated] = 0
        scale = a.sum(dim=1).rsqrt().diag()
        assert (scale @ a @ scale @ torch.ones(6)).isnan().all()

    def test_the_edges_decide_the_task_from_another_seed_too(self):
        torch.set_num_threads(1)
        none, mixed, true, votes = task.accuracies(7)
        assert max(none, mixed) < 0.62 < 0.85 < min(true, votes)

    def test_weights_of_a_name_that_no_label_uses_get_no_gradient_without_edges(self):
        edges, group = task.communities(0)
        model = task.Net(len(group))
        model(torch.eye(len(group)), edges[:, :0])[:20].sum().backward()
        assert (model.a.weight.grad[:, 20:] == 0).all()
        model(torch.eye(len(group)), edges)[:20].sum().backward()
        assert (model.a.weight.grad[:, 20:] != 0).any()

    def test_the_difference_within_a_group_falls_before_that_between_groups_and_both_fall(self):
        between, within = depth.differences(rounds=60).T
        assert (within[:30].diff() < 0).all() and (between.diff() < 0).all()
        assert within[2] < 0.15 * within[0] and between[2] > 0.7 * between[0]
        assert between[-1] < 0.01 * between[0]

    def test_unique_sorts_the_edges_so_weights_no_longer_fit(self):
        edges, weights = torch.tensor([[2, 0, 1], [1, 0, 0]]), torch.tensor([2.0, 0.0, 1.0])  # the weight is the sender
        assert torch.equal(weights, edges[0].float())
        once, inverse = edges.unique(dim=1, return_inverse=True)
        assert not torch.equal(weights, once[0].float())
        moved = torch.zeros(once.shape[1]).index_add(0, inverse, weights)
        assert torch.equal(moved, once[0].float())
