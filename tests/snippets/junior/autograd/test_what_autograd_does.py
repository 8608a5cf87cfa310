"""What docs/junior/autograd/what-autograd-does.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

what_autograd_does = load_snippet("junior/autograd/what_autograd_does_nodes.py")
what_autograd_does_points = load_snippet("junior/autograd/what_autograd_does_points_broken.py")
what_autograd_does_function = load_snippet("junior/autograd/what_autograd_does_function.py")


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


class TestWhatAutogradDoes:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_gradients_of_the_example_are_those_derived_by_hand(self, seed):
        torch.manual_seed(seed)
        x, y = (torch.randn(5, requires_grad=True) for _ in range(2))
        (x**2 + 3 * y + x * y).sum().backward()
        torch.testing.assert_close(x.grad, 2 * x.detach() + y.detach())
        torch.testing.assert_close(y.grad, 3 + x.detach())

    def test_the_picture_shows_the_gradient_on_each_edge(self):
        x, y = leaf(2.0, 3.0), leaf(1.0, 4.0)
        square, triple, product = x**2, 3 * y, x * y
        for part in (square, triple, product):
            part.retain_grad()
        (square + triple + product).sum().backward()
        assert all(part.grad.tolist() == [1.0, 1.0] for part in (square, triple, product))
        one = torch.ones(2, dtype=torch.float64)
        x, y = leaf(2.0, 3.0), leaf(1.0, 4.0)
        assert (x**2).grad_fn(one).tolist() == [4.0, 6.0]
        assert [gradient.tolist() for gradient in (x * y).grad_fn(one)] == [[1.0, 4.0], [2.0, 3.0]]
        assert (3 * y).grad_fn(one)[0].tolist() == [3.0, 3.0]

    def test_a_composite_function_leaves_the_nodes_of_its_parts(self):
        left, right = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
        assert "MmBackward0" in nodes(torch.tensordot(left, right, 1))
        for result in (torch.tensordot(left, right, 1), torch.randn(2, 3, 4, requires_grad=True) @ right):
            assert not any("Tensordot" in name or "Matmul" in name for name in nodes(result))

    @pytest.mark.parametrize("at", [(1.0, 2.0), (-3.0, 0.0, 0.5)])
    def test_a_function_by_hand_agrees_with_autograd_and_gradcheck_finds_the_forgotten_gradient(self, at):
        right, forgetful = what_autograd_does_function.Cube.apply, what_autograd_does_function.Forgetful.apply
        x = leaf(*at)
        for scale in (1.0, 5.0):
            (expected,) = torch.autograd.grad((scale * x**3).sum(), x)
            torch.testing.assert_close(torch.autograd.grad((scale * right(x)).sum(), x)[0], expected)
            same = torch.allclose(torch.autograd.grad((scale * forgetful(x)).sum(), x)[0], expected)
            assert same == (scale == 1)
        assert torch.autograd.gradcheck(right, (x,))
        assert not torch.autograd.gradcheck(forgetful, (x,), raise_exception=False)

    def test_the_square_root_divides_the_zero_that_arrives_by_zero(self):
        x, arrived = torch.tensor(0.0, requires_grad=True), []
        root = torch.sqrt(x**2)
        root.register_hook(arrived.append)
        (root * torch.sign(x)).backward()
        assert [gradient.item() for gradient in arrived] == [0] and x.grad.isnan()
        assert torch.sqrt(leaf(0.0)).grad_fn(torch.zeros(1, dtype=torch.float64)).isnan().all()

    def test_nothing_is_differentiated_in_the_forward_pass(self):
        x = leaf(2.0)
        total = (x**2).sum()
        assert x.grad is None and total.grad_fn is not None

    def test_a_node_keeps_what_its_backward_needs(self):
        kept, x, y = what_autograd_does.kept, leaf(5.0), leaf(7.0)
        assert kept((4 * y).grad_fn) == "other=4"
        assert kept((x * y).grad_fn) == "other=[7.0], self=[5.0]"
        assert kept((x - y).grad_fn) == "alpha=1" and kept((-x).grad_fn) == ""
        assert kept((x**3).grad_fn) == "exponent=3, self=[5.0]"
        assert kept(x.exp().grad_fn) == f"result={x.exp().tolist()}"

    def test_no_tensor_is_kept_by_a_sum_an_addition_or_a_constant_factor(self):
        seen, x, y = [], leaf(1.0, 2.0), leaf(3.0, 4.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda saved: seen.append(saved) or saved, lambda saved: saved):
            (3 * y + (x + y)).sum()
            assert all(saved.numel() == 1 for saved in seen)  # the factor
            x * y
        assert [saved.numel() for saved in seen[-2:]] == [2, 2]

    def test_a_product_keeps_only_the_factor_that_somebody_needs(self):
        x, data = leaf(2.0), torch.tensor([5.0], dtype=torch.float64)
        assert what_autograd_does.kept((x * data).grad_fn) == "other=[5.0]"

    @pytest.mark.parametrize("operation", [lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x @ y])
    def test_a_node_turns_output_gradients_into_input_gradients(self, operation):
        x, y = leaf(1.0, 2.0, 3.0), leaf(4.0, 5.0, 6.0)
        result = operation(x, y)
        weights = torch.full_like(result, 0.5)
        expected = torch.autograd.grad(result, (x, y), weights, retain_graph=True)
        returned = result.grad_fn(weights)
        for got, want in zip(returned, expected, strict=True):
            torch.testing.assert_close(got, want)

    def test_no_node_runs_before_everything_that_used_its_output(self):
        order, x = [], leaf(2.0)
        shared = x.exp()
        branches = {"shared": shared, "first": shared * 2, "second": (shared * 3).sin()}
        for name, tensor in branches.items():
            tensor.grad_fn.register_prehook(lambda _, name=name: order.append(name))
        (branches["first"] + branches["second"]).backward()
        assert order[-1] == "shared" and len(order) == 3

    @pytest.mark.parametrize("at", [-2.0, 1.0, 4.0])
    def test_a_constant_factor_hides_half_of_the_gradient(self, at):
        run = what_autograd_does_points.value_and_gradient
        assert run(lambda x: x * x, at) == (at * at, 2 * at)
        for program in (lambda x: x * x.item(), lambda x: x * x.detach(), lambda x: x * x.round()):
            assert run(program, at) == (at * at, at)

    def test_round_has_a_node_and_no_slope(self):
        rounded = leaf(1.2, 2.7).round()
        assert rounded.grad_fn is not None
        assert rounded.grad_fn(torch.ones_like(rounded)).tolist() == [0.0, 0.0]

    def test_two_programs_for_x_differ_only_where_a_node_has_no_derivative(self):
        run = what_autograd_does_points.value_and_gradient
        difference, root = lambda x: torch.relu(x) - torch.relu(-x), lambda x: torch.sqrt(x**2) * torch.sign(x)
        for at in (-2.0, 3.0):
            assert run(difference, at) == (at, 1.0) and run(root, at) == (at, 1.0)
        assert run(difference, 0.0) == (0.0, 0.0)
        assert run(root, 0.0)[0] == 0 and run(root, 0.0)[1] != run(root, 0.0)[1]
        assert run(torch.relu, 0.0) == (0.0, 0.0) and run(torch.sqrt, 0.0) == (0.0, float("inf"))

    @pytest.mark.parametrize("shape", [(2,), (1, 3), (2, 2)])
    def test_backward_needs_weights_for_more_than_one_value(self, shape):
        x = torch.randn(shape, requires_grad=True)
        with pytest.raises(RuntimeError, match="only for scalar outputs"):
            (x * 2).backward()
        weights = torch.randn(shape)
        (x**2).backward(weights)
        vector = x.grad.clone()
        x.grad = None
        ((x**2) * weights).sum().backward()
        torch.testing.assert_close(x.grad, vector)

    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    def test_backward_needs_no_weights_for_one_value_of_any_shape(self, shape):
        x = torch.full(shape, 3.0, requires_grad=True)
        (x**2).backward()
        assert x.grad.item() == 6.0

    def test_gradcheck_catches_a_gradient_that_the_value_hides(self):
        check, x = torch.autograd.gradcheck, leaf(2.0, 3.0)
        assert check(lambda x: x * x, (x,))
        for wrong in (lambda x: x * x.detach(), lambda x: x + x.detach()):
            assert not check(wrong, (x,), raise_exception=False)

    def test_gradcheck_checks_at_the_values_that_it_gets(self):
        for program in (lambda x: torch.relu(x) - torch.relu(-x), lambda x: torch.sqrt(x**2) * torch.sign(x)):
            for at in (3.0, 0.0):
                x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
                assert torch.autograd.gradcheck(program, (x,), raise_exception=False) == (at == 3.0)

    def test_gradcheck_checks_only_inputs_that_require_grad(self):
        x, y = torch.ones(2, dtype=torch.float64, requires_grad=True), torch.ones(2, dtype=torch.float64)
        for requires_grad in (False, True):
            inputs = (x, y.clone().requires_grad_(requires_grad))
            passed = torch.autograd.gradcheck(lambda x, y: x * y * y.detach(), inputs, raise_exception=False)
            assert passed == (not requires_grad)

    def test_a_use_off_the_path_of_the_result_is_not_waited_for(self):
        x = leaf(2.0, 3.0)
        hidden = x**2
        unused = hidden.exp()
        hidden.sum().backward()
        assert x.grad.tolist() == [4.0, 6.0] and unused.grad_fn is not None

    def test_a_constant_factor_is_kept_as_a_number_that_no_hook_sees(self):
        seen, y = [], leaf(2.0, 3.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: seen.append(tensor), lambda _: None):
            node = (3 * y).grad_fn
        assert seen == [] and float(node._saved_other) == 3.0 and node._saved_self is None

    @pytest.mark.filterwarnings("ignore:Input #0")
    def test_gradcheck_fails_a_right_gradient_in_float32(self):
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        assert not torch.autograd.gradcheck(lambda x: x**3, (x,), raise_exception=False)

    def test_an_accuracy_in_the_loss_has_no_gradient(self):
        logits, labels = torch.randn(6, 3, requires_grad=True), torch.tensor([0, 1, 2, 0, 1, 2])
        accuracy = (logits.argmax(1) == labels).float().mean()
        with pytest.raises(RuntimeError, match="does not require grad"):
            accuracy.backward()
        (alone,) = torch.autograd.grad(nn.functional.cross_entropy(logits, labels), logits)
        (both,) = torch.autograd.grad(nn.functional.cross_entropy(logits, labels) - accuracy, logits)
        assert torch.equal(alone, both)

    @pytest.mark.parametrize("at", [3.0, 2.7])
    def test_gradcheck_finds_a_factor_made_constant_and_not_round_whose_slope_is_right(self, at):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        found = [
            torch.autograd.gradcheck(f, (x,), raise_exception=False)
            for f in (lambda x: x * x.item(), lambda x: x * x.detach(), lambda x: x * x.round())
        ]
        assert found == [False, False, True]
