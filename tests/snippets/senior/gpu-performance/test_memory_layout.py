"""What docs/senior/gpu-performance/memory-layout.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

layout = load_snippet("senior/gpu-performance/memory_layout.py")
lost = load_snippet("senior/gpu-performance/memory_layout_lost.py")
copying = load_snippet("senior/gpu-performance/memory_layout_copies.py")


def is_last(tensor: torch.Tensor) -> bool:
    return tensor.is_contiguous(memory_format=torch.channels_last)


def copied(function) -> int:
    with copying.Copies() as copies:
        function()
    return copies.bytes


def copies_in_kernels(function) -> int:
    """Calls of ``aten::copy_``, also those that no dispatch mode sees."""
    with torch.profiler.profile() as run, torch.no_grad():
        function()
    return sum(event.name == "aten::copy_" for event in run.events())


@pytest.fixture
def pair():
    x = torch.randn(2, 8, 6, 6)
    return x, x.to(memory_format=torch.channels_last)


class TestMemoryLayout:
    @pytest.mark.parametrize(("dtype", "lines"), [(torch.float32, 4), (torch.float64, 8), (torch.bfloat16, 2)])
    def test_neighbors_share_lines_of_64_bytes(self, dtype, lines):
        x = torch.zeros(64, 64, dtype=dtype)
        assert layout.lines(x[0]) == lines and layout.lines(x[:, 0]) == 64

    def test_a_view_that_starts_in_the_middle_of_a_line_touches_one_more(self):
        x = torch.zeros(64)
        assert layout.lines(x[:16]) == 1 and layout.lines(x[8:24]) == 2

    def test_the_whole_tensor_has_the_same_number_of_lines_in_both_layouts(self, pair):
        assert layout.lines(pair[0]) == layout.lines(pair[1]) == 2 * 8 * 6 * 6 * 4 // 64

    def test_a_broadcast_dimension_touches_nothing_new(self):
        assert layout.lines(torch.zeros(16).expand(100, 16)) == 1

    def test_shape_values_and_indexing_stay(self, pair):
        x, y = pair
        assert torch.equal(x, y) and x.shape == y.shape and x[1, 2, 3, 4] == y[1, 2, 3, 4]
        assert y.stride() == (288, 1, 48, 8)

    def test_the_state_dict_keeps_its_keys_and_values(self):
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
        before = {key: value.clone() for key, value in model.state_dict().items()}
        after = model.to(memory_format=torch.channels_last).state_dict()
        assert before.keys() == after.keys() and all(torch.equal(before[key], after[key]) for key in before)
        assert is_last(model[0].weight)

    def test_input_or_weight_is_enough_for_a_convolution_to_return_channels_last(self, pair):
        x, y = pair
        plain = nn.Conv2d(8, 8, 3, padding=1)
        last = nn.Conv2d(8, 8, 3, padding=1).to(memory_format=torch.channels_last)
        assert not is_last(plain(x)) and is_last(plain(y)) and is_last(last(x)) and is_last(last(y))
        torch.testing.assert_close(plain(x), plain(y))

    def test_both_layouts_are_true_at_once_for_one_channel_or_one_pixel(self):
        for shape in ((4, 1, 5, 5), (4, 5, 1, 1)):
            assert torch.zeros(shape).is_contiguous() and is_last(torch.zeros(shape))


class TestMemoryLayoutLost:
    @pytest.mark.parametrize("operation", [torch.add, torch.mul, torch.maximum])
    def test_an_elementwise_result_takes_the_order_of_the_first_operand(self, pair, operation):
        x, y = pair
        assert is_last(operation(y, x)) and not is_last(operation(x, y))
        assert torch.equal(operation(x, y), operation(y, x))

    def test_a_bias_per_channel_does_not_decide_and_a_position_embedding_does(self, pair):
        y = pair[1]
        assert is_last(torch.zeros(8, 1, 1) + y) and is_last(torch.tensor(1.0) + y)
        assert not is_last(torch.zeros(1, 8, 6, 6) + y) and not is_last(torch.zeros(8, 6, 6) + y)

    @pytest.mark.parametrize("select", [lambda mask, x: torch.where(mask, x, -x), lambda mask, x: mask * x])
    def test_a_contiguous_mask_decides(self, pair, select):
        assert not is_last(select(pair[0] > 0, pair[1]))
        assert is_last(select(pair[1] > 0, pair[1]))

    def test_the_next_channels_last_convolution_restores_the_layout(self):
        last = nn.Conv2d(8, 8, 3, padding=1).to(memory_format=torch.channels_last)
        model = nn.Sequential(lost.AddPosition(True), nn.GELU(), last, nn.ReLU())
        x = torch.randn(1, 8, 6, 6).to(memory_format=torch.channels_last)
        assert list(lost.layouts(model, x).values()) == ["contiguous", "contiguous", "channels_last", "channels_last"]

    @pytest.mark.parametrize(
        "keep",
        [
            nn.ReLU(),
            nn.GELU(),
            nn.BatchNorm2d(8),
            nn.GroupNorm(4, 8),
            nn.MaxPool2d(2),
            nn.AvgPool2d(2),
            nn.AdaptiveAvgPool2d(3),
            nn.Upsample(scale_factor=2),
            nn.ZeroPad2d(1),
            nn.PixelShuffle(2),
            nn.Dropout(),
            nn.ConvTranspose2d(8, 8, 2, 2),
        ],
    )
    def test_most_layers_of_a_cnn_keep_it(self, pair, keep):
        assert is_last(keep(pair[1])) and not is_last(keep(pair[0]))

    @pytest.mark.parametrize(
        "lose",
        [
            lambda x, y: y.softmax(1),
            lambda x, y: y.cumsum(1),
            lambda x, y: F.instance_norm(y),
            lambda x, y: torch.cat([y, x], 1),
            lambda x, y: y.contiguous(),
        ],
    )
    def test_some_return_contiguous(self, pair, lose):
        assert not is_last(lose(*pair)) and lose(*pair).is_contiguous()

    def test_a_slice_of_channels_is_neither(self, pair):
        half = pair[1][:, :4]
        assert not is_last(half) and not half.is_contiguous()

    def test_the_tool_names_the_module_that_loses_it_and_leaves_no_hooks(self):
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Softmax(1), nn.Flatten(), nn.Linear(128, 2))
        model = model.to(memory_format=torch.channels_last)
        found = lost.layouts(model, torch.randn(1, 3, 6, 6))
        assert found == {"0": "channels_last", "1": "channels_last", "2": "contiguous"}
        assert not any(module._forward_hooks for module in model.modules())

    def test_it_says_neither_for_a_view_with_gaps_and_follows_nested_modules(self):
        class Half(nn.Module):
            def forward(self, x):
                return x[:, ::2]

        found = lost.layouts(nn.Sequential(nn.Sequential(nn.Identity(), Half())), torch.zeros(2, 4, 3, 3))
        assert found == {"0.0": "contiguous", "0.1": "neither"}

    def test_the_hooks_go_even_if_the_model_raises(self):
        model = nn.Sequential(nn.Conv2d(3, 8, 3))
        with pytest.raises(RuntimeError):
            lost.layouts(model, torch.zeros(1, 4, 6, 6))
        assert not model[0]._forward_hooks


class TestMemoryLayoutCopies:
    def test_reshape_after_transpose_copies_everything_and_view_raises(self):
        x = torch.zeros(2, 3, 5, 4)
        assert copied(lambda: x.transpose(1, 2)) == 0
        assert copied(lambda: x.transpose(1, 2).reshape(2, 5, 12)) == x.nbytes
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            x.transpose(1, 2).view(2, 5, 12)

    @pytest.mark.parametrize("shape", [(6, 4), (3, 6, 4)])
    def test_a_transposed_operand_is_not_copied_not_even_inside_the_kernel(self, shape):
        x, w = torch.zeros(shape), torch.zeros(5, 4)
        assert copied(lambda: x @ w.T) == 0 and copies_in_kernels(lambda: x @ w.T) == 0

    def test_an_operand_without_stride_1_is_copied_inside_the_kernel_where_the_mode_sees_nothing(self):
        x, w = torch.zeros(6, 8)[:, ::2], torch.zeros(5, 4)
        assert copied(lambda: x @ w.T) == 0 and copies_in_kernels(lambda: x @ w.T) >= 1

    def test_a_batched_product_copies_heads_that_are_a_transposed_view(self):
        heads = torch.zeros(2, 5, 3, 4).transpose(1, 2)
        assert copied(lambda: heads @ heads.mT) == 2 * heads.nbytes
        one = heads.contiguous()
        assert copied(lambda: one @ one.mT) == 0

    @pytest.mark.parametrize("shape", [(1, 16, 4, 8), (2, 1, 4, 8), (2, 16, 1, 8)])
    def test_it_copies_nothing_if_batch_or_tokens_or_heads_are_one(self, shape):
        heads = torch.randn(shape).transpose(1, 2)
        assert copied(lambda: heads @ heads.mT) == 0

    def test_attention_by_hand_returns_heads_that_reshape_copies_and_the_fused_kernel_may_not(self):
        q = torch.randn(2, 5, 3, 4).transpose(1, 2)  # as view(batch, tokens, heads, width).transpose(1, 2)
        by_hand, fused = (q @ q.mT / 2).softmax(-1) @ q, F.scaled_dot_product_attention(q, q, q)
        torch.testing.assert_close(by_hand, fused)
        for out, size in ((by_hand, q.nbytes), (fused, 0)):
            assert copied(lambda out=out: out.transpose(1, 2).reshape(2, 5, 12)) == size

    def test_one_token_needs_no_copy(self):
        assert copied(lambda: torch.zeros(2, 3, 1, 4).transpose(1, 2).reshape(2, 1, 12)) == 0

    def test_a_channels_last_convolution_converts_a_contiguous_input_in_each_call(self, pair):
        convolution = nn.Conv2d(8, 8, 3).to(memory_format=torch.channels_last)
        contiguous, last = (copies_in_kernels(lambda x=x: convolution(x)) for x in pair)
        assert contiguous > last

    def test_contiguous_copies_only_what_is_not(self, pair):
        x, y = pair
        assert copied(x.contiguous) == 0 and copied(y.contiguous) == x.nbytes
        assert copied(lambda: y.contiguous(memory_format=torch.channels_last)) == 0

    def test_flattening_a_channels_last_image_copies_and_view_raises(self, pair):
        assert copied(lambda: pair[1].flatten(1)) == pair[0].nbytes
        with pytest.raises(RuntimeError):
            pair[1].view(2, -1)

    def test_sums_in_two_layouts_are_close_but_need_not_be_equal(self):
        torch.manual_seed(0)
        x = torch.randn(1000, 1000)
        torch.testing.assert_close(x.sum(0), x.T.contiguous().sum(1), atol=1e-3, rtol=1e-3)

    def test_5_d_data_have_their_own_format(self):
        x = torch.zeros(1, 2, 3, 3, 3).to(memory_format=torch.channels_last_3d)
        assert x.is_contiguous(memory_format=torch.channels_last_3d) and x.stride(1) == 1
        with pytest.raises(RuntimeError):
            torch.zeros(1, 2, 3, 3, 3).to(memory_format=torch.channels_last)
