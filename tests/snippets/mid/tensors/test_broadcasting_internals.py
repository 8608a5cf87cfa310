"""What docs/mid/tensors/broadcasting-internals.md claims, proven beyond the example shown."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.profiler import profile

from warmup.testing import load_snippet

backward = load_snippet("mid/tensors/broadcasting_internals_backward.py")
function = load_snippet("mid/tensors/broadcasting_internals_function.py")


def storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


BROADCAST = [
    ((3, 1), (4,)),
    ((4,), (3, 1)),
    ((2, 3, 4), (3, 1)),
    ((), (2, 2)),
    ((5,), (5,)),
    ((1, 1), (1,)),
    ((1, 3), (0, 3)),
]


def allocated(operation) -> int:
    """Bytes that the operations inside allocate, those that they free again included."""
    with profile(profile_memory=True, use_kineto=False) as found:
        kept = operation()
    assert kept is not None
    return sum(max(0, event.self_cpu_memory_usage) for event in found.key_averages())


class TestBroadcastingInternals:
    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_stretched_dimensions_have_stride_zero_and_no_new_memory(self, left, right):
        a, b = torch.zeros(left), torch.zeros(right)
        for x, stretched in zip((a, b), torch.broadcast_tensors(a, b), strict=True):
            extra = stretched.dim() - x.dim()
            for d, size in enumerate(stretched.shape):
                if d < extra or x.shape[d - extra] != size:
                    assert stretched.stride(d) == 0 or size == 1
                else:
                    assert size == 1 or stretched.stride(d) == x.stride(d - extra)
            assert storage(stretched) == storage(x)

    @pytest.mark.parametrize("operation", [torch.add, torch.mul, torch.maximum, torch.pow, torch.lt])
    def test_an_elementwise_operation_allocates_its_result_only(self, operation):
        a, b = torch.rand(300, 1), torch.rand(300)
        assert allocated(lambda: operation(a, b)) == operation(a, b).nbytes

    def test_another_dtype_is_converted_unstretched(self):
        a, b = torch.rand(300, 1), torch.ones(300, dtype=torch.int64)
        assert allocated(lambda: a + b) <= 300 * 300 * 4 + 300 * 4

    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_the_gradient_is_the_sum_over_the_stretched_dimensions(self, left, right):
        a = torch.rand(left, dtype=torch.float64, requires_grad=True)
        b = torch.rand(right, dtype=torch.float64, requires_grad=True)
        for operation in (torch.add, torch.mul, torch.atan2):
            y = operation(a, b)
            weight = torch.rand_like(y)
            wide = [x.detach().expand(y.shape).clone().requires_grad_() for x in (a, b)]
            full = torch.autograd.grad((operation(*wide) * weight).sum(), wide)
            found = torch.autograd.grad((y * weight).sum(), (a, b))
            for x, gradient, summed in zip((a, b), full, found, strict=True):
                torch.testing.assert_close(backward.unbroadcast(gradient, x.shape), summed)
                torch.testing.assert_close(gradient.sum_to_size(x.shape), summed)

    def test_the_function_refuses_shapes_that_do_not_broadcast(self):
        for shape in ((2,), (3, 4, 1), (1, 3, 4)):
            with pytest.raises(ValueError, match="does not broadcast"):
                backward.unbroadcast(torch.zeros(3, 4), shape)

    def test_an_empty_list_of_dimensions_sums_over_all(self):
        x = torch.ones(3, 4)
        assert x.sum(dim=[]).shape == x.mean(dim=[]).shape == ()
        assert x.any(dim=[]).shape == x.all(dim=[]).shape == np.sum(x.numpy(), axis=()).shape == (3, 4)

    def test_the_backward_of_a_sum_is_a_view_with_stride_zero(self):
        seen = []
        x = torch.ones(3, 4, requires_grad=True) * 1
        x.register_hook(lambda g: seen.append((g.shape, g.stride(), g.untyped_storage().nbytes())))
        x.sum(1, keepdim=True).sum().backward()
        assert seen[0][0] == (3, 4) and seen[0][1][1] == 0 and seen[0][2] < 3 * 4 * 4

    @pytest.mark.parametrize("rows", [3, 50])
    def test_the_gradient_of_a_bias_sums_over_the_rows(self, rows):
        layer = nn.Linear(2, 3)
        layer(torch.randn(rows, 2)).sum().backward()
        assert layer.bias.grad.tolist() == [rows] * 3
        layer.zero_grad()
        layer(torch.randn(rows, 2)).mean(0).sum().backward()
        torch.testing.assert_close(layer.bias.grad, torch.ones(3))

    def test_autograd_saves_the_operands_unstretched(self):
        saved = []
        a, b = torch.rand(1000, 1, requires_grad=True), torch.rand(1000, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.nbytes), lambda t: t):
            y = a * b
        assert saved == [4000, 4000] and y.nbytes == 4_000_000
        for operation in (torch.div, torch.atan2, torch.maximum, torch.add):
            saved.clear()
            with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.nbytes), lambda t: t):
                operation(a, b)
            assert saved in ([], [4000, 4000])

    @pytest.mark.parametrize(("left", "right", "copies"), [(2, 3, True), (1, 1, False)])
    def test_a_batched_matmul_saves_stretched_copies(self, left, right, copies):
        saved = []
        a, b = torch.rand(left, 1, 8, 8, requires_grad=True), torch.rand(1, right, 8, 8, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t), lambda t: t):
            a @ b
        sizes = sorted(t.untyped_storage().nbytes() for t in saved)
        assert sizes == ([left * right * 256] * 2 if copies else [256, 256])

    @pytest.mark.parametrize(("n", "features"), [(100, 16), (50, 32)])
    def test_all_pairs_need_the_features_of_every_pair(self, n, features):
        points = torch.randn(n, features)
        assert allocated(lambda: points[:, None] - points[None]) == n * n * features * 4
        squares = allocated(lambda: (points[:, None] - points[None]).square().sum(-1))
        assert squares == 2 * n * n * features * 4 + n * n * 4
        norms = points.square().sum(1)
        assert allocated(lambda: norms[:, None] + norms - 2 * points @ points.T) < n * n * features * 4

    def test_the_expanded_square_can_be_negative_for_near_points(self):
        p = 1000 + torch.rand(50, 8, generator=torch.Generator().manual_seed(0))
        norms = p.square().sum(1)
        by_product = norms[:, None] + norms - 2 * p @ p.T
        exact = (p[:, None] - p[None]).square().sum(-1)
        assert by_product.min() < 0 <= exact.min() and (by_product - exact).abs().max() > 0.1
        assert by_product.sqrt().isnan().any() and not by_product.clamp_min(0).sqrt().isnan().any()

    @pytest.mark.parametrize("scale", [0, 1000])
    def test_the_gradient_of_a_clamped_root_is_nan_and_that_of_cdist_is_finite(self, scale):
        p = scale + torch.rand(50, 8, generator=torch.Generator().manual_seed(0))
        p.requires_grad_()
        norms = p.square().sum(1)
        squared = norms[:, None] + norms - 2 * p @ p.T
        clamped = squared.clamp_min(0).sqrt()
        gradients = [torch.autograd.grad(distance.sum(), p)[0] for distance in (clamped, torch.cdist(p, p))]
        assert clamped.isfinite().all() and gradients[0].isnan().any() and gradients[1].isfinite().all()
        if not scale:
            assert torch.equal(gradients[0].isnan().any(1), (squared == 0).any(1))

    @pytest.mark.parametrize("shape", [(300, 1), (1, 300)])
    def test_what_writes_a_stretched_tensor_out(self, shape):
        x = torch.zeros(shape).expand(300, 300)
        for view in (x.T, x[:, ::2], x.float(), x[5]):
            assert storage(view) == storage(x)
        for written in (
            x.clone(),
            x.reshape(-1),
            x.contiguous(),
            x.double(),
            torch.zeros(shape).repeat(300 // shape[0], 300 // shape[1]),
        ):
            assert written.untyped_storage().nbytes() == 300 * 300 * written.element_size()
        with pytest.raises(RuntimeError, match="must match the existing size"):
            torch.zeros(2).expand(4)
        assert torch.zeros(2).repeat(2).shape == (4,)

    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_the_engine_sums_the_gradient_of_a_custom_function(self, left, right):
        a, b = torch.rand(left, requires_grad=True), torch.rand(right, requires_grad=True)
        found = torch.autograd.grad(function.Product.apply(a, b).sin().sum(), (a, b))
        torch.testing.assert_close(found, torch.autograd.grad((a * b).sin().sum(), (a, b)))

    def test_the_engine_refuses_a_gradient_that_does_not_fit(self):
        class Wrong(function.Product):
            @staticmethod
            def backward(ctx, gradient):
                a, b = ctx.saved_tensors
                return (gradient * b).sum(), gradient * a

        a, b = torch.rand(3, 1, requires_grad=True), torch.rand(4, requires_grad=True)
        with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0"):
            Wrong.apply(a, b).sum().backward()
