"""What docs/mid/autograd/in-place-ops.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

in_place_bytes = load_snippet("mid/autograd/in_place_ops_bytes.py")
unrecorded = load_snippet("mid/autograd/in_place_ops_unrecorded.py")


class TestInPlaceOps:
    @pytest.mark.parametrize(
        ("write", "node"),
        [
            (lambda y: y.add_(1), "AddBackward0"),
            (lambda y: y.exp_(), "ExpBackward0"),
            (lambda y: y.copy_(torch.ones(4)), "CopyBackwards"),
            (lambda y: y[1:].mul_(2), "CopySlices"),
            (lambda y: y.__setitem__(0, 1.0), "CopySlices"),
            (lambda y: y.view(2, 2).sin_(), "CopySlices"),
        ],
    )
    def test_a_write_puts_a_node_on_top_and_raises_the_version(self, write: Callable, node: str):
        w = torch.rand(4, requires_grad=True)
        y = w * 2
        old = y.grad_fn
        write(y)
        assert y.grad_fn.name().split("::")[-1] == node.split("::")[-1] and y._version == 1
        assert old in [edge for edge, _ in y.grad_fn.next_functions] or node == "CopyBackwards"

    @pytest.mark.parametrize("name", ["relu", "exp", "neg", "sin", "square", "log", "sqrt", "tanh", "cos", "abs"])
    def test_the_gradient_is_that_of_the_operation_out_of_place(self, name: str):
        for part in (slice(None), slice(1, 3)):
            w = torch.tensor([0.2, 0.5, 1.5, 2.0]).double().requires_grad_()
            y, z = w * 2, w * 2
            getattr(y[part], name + "_")()
            z = torch.cat([z[: part.start or 0], getattr(z[part], name)(), z[part.stop or 4 :]])
            expected = torch.autograd.grad((z**2).sum(), w)[0]
            assert torch.allclose(torch.autograd.grad((y**2).sum(), w)[0], expected)

    def test_in_place_saves_an_allocation_unless_the_input_is_needed(self):
        for name in ("relu", "exp", "neg", "sigmoid", "tanh", "sqrt"):
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name)()) == (4000, 4000)
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (0, 4000)
        for name in ("sin", "square", "log", "cos", "abs"):
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name)()) == (4000, 8000)
            assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (4000, 8000)

    def test_an_older_view_gets_its_history_from_the_base(self):
        w = torch.ones(4, requires_grad=True)
        y = w * 2
        v, other = y[:2], y.view(2, 2)
        y.mul_(3)
        v.mul_(5)
        assert other.tolist() == [[30, 30], [6, 6]] and v._version == y._version == other._version == 2
        assert torch.autograd.grad(v.sum(), w, retain_graph=True)[0].tolist() == [30, 30, 0, 0]
        assert torch.autograd.grad(other.sum(), w)[0].tolist() == [30, 30, 6, 6]

    def test_a_leaf_refuses_and_no_grad_keeps_it_a_leaf(self):
        w = torch.ones(4, requires_grad=True)
        for write in (lambda: w.add_(1), lambda: w[:2].add_(1), lambda: w.view(2, 2).zero_()):
            with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place"):
                write()
        saved = w.square()
        with torch.no_grad():
            w.add_(1)
        assert w.is_leaf and w.grad_fn is None and w._version == 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            saved.sum().backward()

    def test_several_views_of_one_call_refuse_and_a_slice_does_not(self):
        for views in (lambda h: h.chunk(2), lambda h: h.split(2), lambda h: h.unbind()):
            h = torch.ones(4, requires_grad=True) * 1
            with pytest.raises(RuntimeError, match="function that returns multiple views"):
                views(h)[0].mul_(2)
            h[:2].mul_(2)

    def test_an_unrecorded_write_before_saving_gives_a_wrong_gradient(self):
        assert unrecorded.gradient("y.mul_(10)") == 800
        for write in ("under no_grad()", "y.detach()", "y.data"):
            assert unrecorded.gradient(write) == 80
        y = torch.ones(1, requires_grad=True) * 2
        y.data.mul_(10)
        assert y._version == 0
        y.detach().mul_(10)
        assert y._version == 1

    def test_after_which_layers_a_write_is_fine(self):
        x = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))
        for layer, fine in (
            (nn.Linear(3, 3), True),
            (nn.GELU(), True),
            (nn.LayerNorm(3), True),
            (nn.ReLU(), False),
            (nn.Sigmoid(), False),
            (nn.Tanh(), False),
            (nn.Softmax(-1), False),
        ):
            y = layer(x.clone().requires_grad_() * 1)
            y += 1
            if fine:
                y.sum().backward()
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    y.sum().backward()

    def test_a_buffer_starts_to_require_grad_and_collects_one_node_per_write(self):
        w, buffer, nodes = torch.ones(2, requires_grad=True), torch.zeros(3, 2), 0
        for i in range(3):
            buffer[i] = w * i
        node = buffer.grad_fn
        while node is not None and node.name().endswith("CopySlices"):
            nodes, node = nodes + 1, node.next_functions[0][0]
        assert buffer.requires_grad and nodes == 3
        buffer.sum().backward()
        assert w.grad.tolist() == [3, 3]

    def test_data_may_be_overwritten_and_is_then_other_data(self):
        model = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 1))
        x = torch.tensor([[-1.0, 2.0, -3.0]])
        model(x).sum().backward()
        assert x.tolist() == [[0, 2, 0]]

    def test_leaky_relu_and_elu_save_a_tensor_until_the_backward_pass(self):
        for function in (F.leaky_relu, F.elu):
            assert in_place_bytes.memory(function) == (4000, 8000)
            assert in_place_bytes.memory(lambda h, f=function: f(h, inplace=True)) == (0, 4000)

    def test_without_a_graph_no_write_allocates(self):
        with torch.no_grad():
            for name in ("sin", "square", "log", "relu", "exp"):
                assert in_place_bytes.memory(lambda h, name=name: getattr(h, name + "_")()) == (0, 4000)

    def test_which_writes_are_refused_without_grad_mode(self):
        w = torch.ones(4, requires_grad=True)
        with torch.no_grad():
            for writable in (w, w[:2], w.view(2, 2), (w * 1).chunk(2)[0]):
                writable.add_(1)
            with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
                (w[:1] * 1).expand(4).add_(1)

    @pytest.mark.parametrize("write_base", [False, True])
    @pytest.mark.parametrize("view", [lambda y: y[:2], lambda y: y.view(4), lambda y: y])
    def test_a_hook_on_a_view_does_not_run_after_a_write(self, view: Callable, write_base: bool):
        w, seen = torch.ones(4, requires_grad=True), []
        y = w * 2
        v = view(y)
        v.register_hook(lambda grad: seen.append(grad[0].item()))
        (y if write_base else v).mul_(5)
        v.sum().backward()
        assert seen == ([5] if v is y else []) and w.grad[0] == 10

    @pytest.mark.parametrize(
        ("step", "fine"),
        [
            (lambda b, w: b + w, True),
            (lambda b, w: 2 * b, True),
            (lambda b, w: b * w, False),
            (lambda b, w: b.sin(), False),
        ],
    )
    def test_a_buffer_may_be_read_again_by_what_does_not_save_it(self, step: Callable, fine: bool):
        w, b = torch.ones(2, requires_grad=True), torch.zeros(3, 2)
        b[0] = w
        for i in (1, 2):
            b[i] = step(b[i - 1], w)
        if fine:
            b.sum().backward()
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                b.sum().backward()
