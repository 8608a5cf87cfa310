"""What docs/junior/autograd/computation-graph.md claims, proven beyond the example shown."""

import warnings
import weakref

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

computation_graph = load_snippet("junior/autograd/computation_graph_frozen.py")
what_autograd_does = load_snippet("junior/autograd/what_autograd_does_nodes.py")


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def nodes(tensor: torch.Tensor) -> list[str]:
    """The names of all nodes behind ``tensor``, each once; AccumulateGrad without its namespace."""
    found, queue = {}, [tensor.grad_fn]
    while queue:
        node = queue.pop()
        if node is not None and node not in found:
            found[node] = node.name().split("::")[-1]
            queue.extend(parent for parent, _ in node.next_functions)
    return sorted(found.values())


class TestComputationGraph:
    def test_draw_prints_one_line_per_edge_down_to_the_leaves(self, capsys):
        a, b, data = leaf(1.0), leaf(2.0), torch.ones(1, dtype=torch.float64)
        computation_graph.draw((a.exp() * b + data * a).sum().grad_fn, {a: "a", b: "b"})
        assert capsys.readouterr().out.splitlines() == [
            "SumBackward0",
            "  AddBackward0",
            "    MulBackward0",
            "      ExpBackward0",
            "        AccumulateGrad of a",
            "      AccumulateGrad of b",
            "    MulBackward0",
            "      None",
            "      AccumulateGrad of a (again)",
        ]

    def test_draw_takes_one_line_per_edge_in_a_deep_graph_and_names_no_leaf_that_it_does_not_know(self, capsys):
        x = leaf(1.0, 2.0)
        for _ in range(40):
            x = x + x.exp()  # a tree of 2 ** 40 paths
        computation_graph.draw(x.grad_fn, {})
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == 1 + 3 * 40 and sum("AccumulateGrad of (2,)" in line for line in printed) == 2
        chain = leaf(1.0)
        for _ in range(1500):
            chain = chain + 1
        computation_graph.draw(chain.grad_fn, {})
        assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * 1500
        computation_graph.draw(None, {})
        assert capsys.readouterr().out == "None\n"

    def test_the_nodes_of_the_picture_keep_what_it_says(self):
        x, w, b = torch.tensor(3.0), torch.tensor(0.5, requires_grad=True), torch.tensor(-1.0, requires_grad=True)
        product = w * x
        total = product + b
        y = torch.exp(total)
        kept = [what_autograd_does.kept(result.grad_fn) for result in (product, total, y)]
        assert kept == ["other=3.0", "alpha=1", f"result={y.item()}"]

    def test_no_node_is_made_in_no_grad_mode_or_for_a_result_without_gradient(self):
        w = leaf(1.5, 2.5)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                assert (w * 2).grad_fn is None and nn.Linear(2, 1).double()(w).grad_fn is None
        assert (w * 2).grad_fn is not None

    def test_indices_and_masks_have_no_edge(self):
        w, index = torch.randn(5, 3, requires_grad=True), torch.tensor([0, 1, 2])
        results = {
            "embedding": (nn.functional.embedding(index, w), 1),
            "index": (w[index], 1),
            "index_select": (w.index_select(0, index), 1),
            "gather": (w.gather(0, index.expand(1, 3)), 1),
            "masked_fill": (w.masked_fill(w > 0, 0.0), 1),
            "where": (torch.where(w > 0, w, torch.zeros(5, 3)), 2),
        }
        for name, (result, edges) in results.items():
            assert len(result.grad_fn.next_functions) == edges, name

    def test_a_layer_with_a_frozen_weight_leaves_a_node_while_its_bias_trains(self):
        layer, x = nn.Linear(2, 2), torch.ones(1, 2)
        layer.weight.requires_grad_(False)
        assert layer(x).grad_fn is not None
        layer.bias.requires_grad_(False)
        assert layer(x).grad_fn is None and layer(x.clone().requires_grad_()).grad_fn is not None

    def test_a_number_has_an_edge_to_none(self):
        w = torch.ones(2, requires_grad=True)
        for result in (3 * w, w + 1):
            assert [parent is None for parent, _ in result.grad_fn.next_functions] == [False, True]

    def test_a_compiled_graph_is_one_node(self):
        def double_sine(w):
            return ((2 * w).sin() + 1).sum()

        w = torch.ones(2, requires_grad=True)
        compiled = torch.compile(double_sine, backend="aot_eager")
        assert len(nodes(compiled(w))) < len(nodes(double_sine(w)))
        assert [name for name in nodes(compiled(w)) if "AccumulateGrad" not in name] == ["CompiledFunctionBackward"]

    def test_a_compiled_graph_is_more_than_one_node_with_another_backend_or_a_returned_view(self):
        def exponential(w):
            result = (2 * w).exp()
            return result, result.view(-1)

        w = torch.ones(2, requires_grad=True)
        for backend, expected in (("eager", "ExpBackward0"), ("aot_eager", "CompiledFunctionBackward")):
            result, view = torch.compile(exponential, backend=backend)(w)
            assert result.grad_fn.name() == expected and view.grad_fn.name() == "ViewBackward0"

    @pytest.mark.parametrize("learned", [True, False])
    def test_a_cut_by_item_is_a_plain_number_and_no_tensor_without_a_node(self, learned):
        layer, scale = nn.Linear(2, 2), nn.Parameter(torch.tensor(2.0))
        factor = scale if learned else scale.item()
        hidden = layer(torch.ones(1, 2))
        result = hidden * factor
        assert hidden.grad_fn is not None and result.grad_fn is not None
        result.sum().backward()
        assert (scale.grad is not None) is learned and isinstance(factor, float) is not learned

    @pytest.mark.parametrize("cause", ["frozen", "unused", "replaced", "cut", "ignored", None])
    def test_five_causes_leave_a_parameter_without_a_gradient(self, cause):
        first, last = nn.Linear(2, 2), nn.Linear(2, 1)
        parameter, x = first.weight, torch.ones(1, 2)
        parameter.requires_grad_(cause != "frozen")
        if cause == "replaced":
            first.weight = nn.Parameter(torch.ones(2, 2))
        hidden = x if cause == "unused" else first(x)
        hidden = hidden.detach() if cause == "cut" else hidden
        loss = last(x if cause == "ignored" else hidden).sum()
        loss.backward()
        assert (parameter.grad is None) == (cause is not None)
        assert last.weight.grad is not None

    def test_a_node_is_made_only_where_an_input_requires_grad(self):
        x = torch.randn(4, 3)
        model = nn.Sequential(nn.Linear(3, 3, bias=False), nn.ReLU(), nn.Linear(3, 1, bias=False))
        operations = ["MmBackward0", "MmBackward0", "ReluBackward0"]
        assert nodes(model(x)) == ["AccumulateGrad"] * 2 + operations + ["TBackward0"] * 2
        model[0].requires_grad_(False)
        assert nodes(model(x)) == ["AccumulateGrad", "MmBackward0", "TBackward0"]
        model[2].requires_grad_(False)
        assert nodes(model(x)) == [] and not model(x).requires_grad
        assert nodes(model(x.requires_grad_())) == ["AccumulateGrad"] + operations  # one input is enough

    def test_freezing_the_head_removes_only_its_leaf(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
        full = nodes(model(torch.ones(1, 3)))
        model[2].requires_grad_(False)
        assert [full.count("AccumulateGrad"), nodes(model(torch.ones(1, 3))).count("AccumulateGrad")] == [4, 2]

    def test_there_is_one_edge_per_differentiable_input(self):
        w, data = leaf(1.0), torch.ones(1, dtype=torch.float64)
        for result in (w + data, torch.addcmul(data, w, w), torch.cat([w, data, w, data])):
            edges = [node for node, _ in result.grad_fn.next_functions]
            assert len(edges) == {"AddBackward0": 2, "AddcmulBackward0": 3, "CatBackward0": 4}[result.grad_fn.name()]
            assert all(node is None or node.variable is w for node in edges) and None in edges

    def test_a_tensor_used_twice_is_one_node_and_its_gradients_add(self):
        w = leaf(3.0)
        shared = w.exp()
        loss = (shared * shared).sum()
        first, second = (node for node, _ in loss.grad_fn.next_functions[0][0].next_functions)
        assert first is second is not None
        assert nodes(loss).count("ExpBackward0") == 1

    def test_the_graph_records_the_branch_and_the_rounds_that_ran(self):
        def program(x):
            for _ in range(int(x.item())):
                x = x.sin() if x > 0 else x.cos()
            return x

        for start in (1.0, 4.0):
            assert len(nodes(program(leaf(start)[0]))) == 2 + int(start)  # with the index and the leaf
        assert "CosBackward0" in nodes(program(leaf(4.0)[0])) and "CosBackward0" not in nodes(program(leaf(1.0)[0]))

    def test_each_forward_pass_builds_new_nodes(self):
        w = leaf(2.0)
        first, second = w * 2, w * 2
        assert first.grad_fn is not second.grad_fn
        assert first.grad_fn.next_functions[0][0] is second.grad_fn.next_functions[0][0]  # the leaf's, both times

    @pytest.mark.parametrize("factor", [3.0, -7.0])
    def test_a_value_from_before_the_switch_is_a_constant(self, factor):
        w = torch.tensor(2.0)
        cached = factor * w
        w.requires_grad_()
        with pytest.raises(RuntimeError, match="does not require grad"):
            cached.backward()
        (cached + w).backward()
        assert w.grad.item() == 1
        w.grad = None
        (factor * w + w).backward()
        assert w.grad.item() == factor + 1

    def test_a_cache_of_features_keeps_an_unfrozen_backbone_untrained(self):
        backbone, head, x = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1), torch.randn(5, 3)
        cache = backbone(x)
        backbone.requires_grad_(True)
        head(cache).sum().backward()
        assert backbone.weight.grad is None and head.weight.grad is not None
        head(backbone(x)).sum().backward()
        assert backbone.weight.grad is not None

    def test_integers_booleans_and_unchanged_tensors_have_no_node(self):
        w = leaf(1.5, 2.5)
        for result in (w.int(), w.bool(), w == 1, w.isnan(), w.argsort(), w.sort().indices, w.min(dim=0).indices):
            assert result.grad_fn is None and not result.requires_grad
        for same in (w.to(torch.float64), w.double(), w.contiguous(), w.to("cpu")):
            assert same is w
        assert w.sort().values.grad_fn is not None
        for flat in (w.round(), w.floor(), w.sign()):
            assert flat.grad_fn(torch.ones_like(flat)).count_nonzero() == 0

    def test_the_loss_keeps_the_graph_alive_and_the_leaf_does_not(self):
        class Box:
            def __init__(self, tensor):
                self.tensor = tensor

        boxes, w = weakref.WeakSet(), leaf(1.0, 2.0)

        def pack(tensor):
            box = Box(tensor.detach())
            boxes.add(box)
            return box

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda box: box.tensor):
            loss = w.exp().sin().sum()
        assert len(boxes) == 2
        history = [loss]
        del loss
        assert len(boxes) == 2
        history.clear()
        assert len(boxes) == 0 and w.requires_grad

    def test_backward_frees_the_kept_tensors_and_leaves_the_nodes(self):
        w = leaf(1.0, 2.0)
        loss = w.exp().sum()
        before = nodes(loss)
        loss.backward()
        assert nodes(loss) == before
        with pytest.raises(RuntimeError, match="a second time"):
            loss.backward()
        retained = w.exp().sum()
        retained.backward(retain_graph=True)
        retained.backward()

    def test_without_kept_tensors_a_second_backward_adds_the_gradient_again(self):
        w = leaf(1.0, 2.0)
        loss = (w + 1).sum()
        loss.backward()
        loss.backward()
        assert w.grad.tolist() == [2.0, 2.0]

    def test_a_copy_to_another_dtype_or_device_is_not_a_leaf(self):
        w = torch.ones(2, requires_grad=True)
        copy = w.to(torch.float64)
        assert not copy.is_leaf and w.is_leaf and torch.ones(2).is_leaf
        assert not w.to("meta").is_leaf
        copy.sum().backward()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert copy.grad is None
        assert w.grad is not None
