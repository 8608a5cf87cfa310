"""What docs/mid/tensors/view-vs-reshape.md claims, proven beyond the example shown."""

import itertools
import math

import pytest
import torch

from warmup.testing import load_snippet

cells = load_snippet("mid/tensors/storage_and_strides_cells.py")
rule = load_snippet("mid/tensors/view_vs_reshape_rule.py")


def storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def view_or_none(x: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
    try:
        return x.view(shape)
    except RuntimeError:
        return None


def shapes_of(count: int, dimensions: int) -> list[tuple[int, ...]]:
    divisors = [size for size in range(1, count + 1) if count % size == 0]
    return [shape for shape in itertools.product(divisors, repeat=dimensions) if math.prod(shape) == count]


LAYOUTS = [
    *(torch.arange(24).reshape(2, 3, 4).permute(order) for order in itertools.permutations(range(3))),
    torch.arange(24).reshape(2, 3, 4)[..., ::2],
    torch.arange(24).reshape(2, 3, 4)[:, :2],
    torch.arange(24).reshape(2, 3, 4)[:, 1:],
    torch.arange(4).reshape(2, 1, 2).expand(2, 3, 2),
    torch.zeros(1, dtype=torch.int64).expand(2, 6),
    torch.arange(24).reshape(2, 3, 4)[:, :1],
    torch.arange(16).as_strided((4, 4), (1, 1)),
    torch.tensor(3),
]


class TestViewVsReshape:
    @pytest.mark.parametrize("x", LAYOUTS)
    def test_the_rule_is_torchs_for_every_shape_of_up_to_four_dimensions(self, x):
        for shape in itertools.chain.from_iterable(shapes_of(x.numel(), n) for n in range(5)):
            view = view_or_none(x, shape)
            expected = rule.view_strides(x, shape)
            assert (view is None) == (expected is None), shape
            if view is not None:
                kept = [d for d, size in enumerate(shape) if size > 1]
                assert [view.stride(d) for d in kept] == [expected[d] for d in kept]
                assert view.data_ptr() == x.data_ptr()
            reshaped = x.reshape(shape)
            assert (reshaped.data_ptr() != x.data_ptr()) == (view is None)
            if x.is_contiguous():
                assert view is not None

    def test_the_rule_refuses_what_has_no_such_view(self):
        for x, shape in ((torch.zeros(0), (0,)), (torch.zeros(6), (4,))):
            with pytest.raises(ValueError, match="no view of shape"):
                rule.view_strides(x, shape)

    @pytest.mark.parametrize("x", LAYOUTS)
    def test_view_to_one_dimension_works_exactly_if_the_positions_have_one_step(self, x):
        read = cells.positions(x).flatten().tolist()
        assert (view_or_none(x, (-1,)) is not None) == (len({b - a for a, b in itertools.pairwise(read)}) <= 1)

    @pytest.mark.parametrize("x", LAYOUTS)
    def test_contiguous_returns_the_tensor_itself_or_a_copy(self, x):
        made = x.contiguous()
        assert (made is x) == x.is_contiguous() == (storage(made) == storage(x))
        read = cells.positions(x).flatten().tolist()
        assert x.is_contiguous() == (read == list(range(x.storage_offset(), x.storage_offset() + x.numel())))

    def test_a_dimension_of_any_stride_can_be_split(self):
        for x in (torch.zeros(6, 4)[:, 1], torch.zeros(1).expand(6), torch.zeros(3, 6)[::2].T):
            view = x.view(2, 3, *x.shape[1:])
            assert view.stride()[:2] == (3 * x.stride(0), x.stride(0))

    @pytest.mark.parametrize(("tokens", "heads", "size"), [(2, 3, 4), (5, 2, 2), (7, 8, 3)])
    def test_a_reshape_without_the_transpose_mixes_tokens(self, tokens, heads, size):
        x = torch.randn(2, tokens, heads * size)
        split = x.view(2, tokens, heads, size).transpose(1, 2)
        with pytest.raises(RuntimeError, match=r"Use \.reshape\(\.\.\.\) instead"):
            split.view(x.shape)
        assert not torch.equal(split.reshape(x.shape), x)
        back = split.transpose(1, 2)
        assert torch.equal(back.reshape(x.shape), x) and back.reshape(x.shape).data_ptr() == x.data_ptr()

    def test_with_one_token_or_one_head_the_bug_is_invisible(self):
        for tokens, heads in ((1, 4), (4, 1)):
            x = torch.randn(1, tokens, heads * 2)
            assert torch.equal(x.view(1, tokens, heads, 2).transpose(1, 2).reshape(x.shape), x)

    def test_a_write_through_reshape_arrives_only_through_a_view(self):
        fresh, transposed = torch.zeros(2, 3), torch.zeros(2, 3).T
        for x in (fresh, transposed):
            x.reshape(-1)[0] = 1
        assert fresh.sum() == 1 and transposed.sum() == 0

    def test_clone_preserves_the_strides_of_a_tensor_without_gaps(self):
        x = torch.zeros(2, 3, 4).transpose(0, 1)
        assert x.clone().stride() == (x + 0).stride() == x.stride()
        assert x.clone(memory_format=torch.contiguous_format).is_contiguous()
        assert torch.zeros(4, 4)[:, :2].clone().is_contiguous()
        assert torch.zeros(3, 1).expand(3, 4).clone().is_contiguous()

    def test_clone_closes_gaps_and_keeps_the_order_of_the_dimensions(self):
        for x in (torch.zeros(4, 6)[:, ::2].T, torch.zeros(5, 4)[:, 1:].T):
            columns = (1, x.shape[0])
            assert x.clone().stride() == (x + 0).stride() == columns and x.contiguous().is_contiguous()

    def test_an_elementwise_operation_takes_the_layout_of_its_first_operand(self):
        a, b = torch.zeros(2, 3).T, torch.zeros(3, 2)
        assert (a.exp().stride(), (a + b).stride(), (b + a).stride()) == ((1, 3), (1, 3), (2, 1))

    def test_a_tensor_without_elements_has_every_view(self):
        for count, works in ((0, True), (3, False)):
            assert (view_or_none(torch.zeros(count, 2, 4).transpose(1, 2), (-1,)) is not None) == works

    def test_channels_last_does_not_merge_channels_and_pixels(self):
        x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
        assert view_or_none(x, (2, -1)) is None
        assert view_or_none(x[:, :1], (2, -1)) is not None
        flat = x.flatten(1)
        assert torch.equal(flat, x.contiguous().view(2, -1)) and storage(flat) != storage(x)
        pooled = x.mean((2, 3), keepdim=True)
        assert pooled.view(2, -1).shape == (2, 3)
        adaptive = torch.nn.AdaptiveAvgPool2d(1)(x)
        assert adaptive.view(2, -1).shape == (2, 3)

    @pytest.mark.parametrize(
        "x", [torch.zeros(2, 1, 6), torch.zeros(6, 1, 2).transpose(0, 2), torch.zeros(2, 1, 12)[..., ::2]]
    )
    def test_which_operations_are_views(self, x):
        for made in (
            x.transpose(0, 2),
            x.permute(1, 2, 0),
            x.squeeze(1),
            x.unflatten(x.dim() - 1, (-1, 2)),
            x.expand(2, *x.shape),
        ):
            assert storage(made) == storage(x)
        assert storage(x.repeat(1, 1, 1)) != storage(x)
        assert (storage(x.flatten()) != storage(x)) == (view_or_none(x, (-1,)) is None)

    def test_the_gradient_of_a_copying_reshape_has_the_old_shape(self):
        for x in (torch.randn(3, 4), torch.randn(4, 3).T):
            x.requires_grad_()
            weight = torch.arange(12.0)
            (x.reshape(-1) * weight).sum().backward()
            assert torch.equal(x.grad, weight.view(3, 4))
