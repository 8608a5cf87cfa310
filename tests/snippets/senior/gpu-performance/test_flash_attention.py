"""What docs/senior/gpu-performance/flash-attention.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

forward = load_snippet("senior/gpu-performance/flash_attention.py")
backward = load_snippet("senior/gpu-performance/flash_attention_backward.py")
traffic = load_snippet("senior/gpu-performance/flash_attention_traffic.py")
broken = load_snippet("senior/gpu-performance/flash_attention_uncorrected_broken.py")


class Largest(TorchDispatchMode):
    """Elements of the largest tensor that any operation returned."""

    size = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(tensor, torch.Tensor) and not func.is_view:
                self.size = max(self.size, tensor.numel())
        return out


def saved_mib(function) -> float:
    """MiB of the different storages that autograd saved during ``function()``."""
    storages = {}

    def pack(tensor):
        storages[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        function()
    return sum(storages.values()) / 2**20


def by_hand(q, k, v):
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


class TestFlashAttention:
    @pytest.mark.parametrize("width", [1, 7, 40, 64])
    @pytest.mark.parametrize("factor", [1, 50])
    def test_tiles_of_any_width_give_the_same_softmax(self, width, factor):
        torch.manual_seed(1)
        q, k, v = factor * torch.randn(2, 3, 40, 8), torch.randn(2, 3, 40, 8), torch.randn(2, 3, 40, 4 * 2)
        torch.testing.assert_close(forward.flash(q, k, v, width), by_hand(q, k, v), atol=1e-5, rtol=1e-4)

    def test_queries_and_keys_may_differ_in_number(self):
        q, k, v = torch.randn(5, 8), torch.randn(33, 8), torch.randn(33, 8)
        torch.testing.assert_close(forward.flash(q, k, v, 10), by_hand(q, k, v), atol=1e-5, rtol=1e-4)

    def test_exponentials_without_the_maximum_overflow_and_with_it_do_not(self):
        q, k, v = 50 * torch.randn(64, 64).abs(), torch.randn(64, 64).abs(), torch.randn(64, 64)
        assert (q @ k.mT / 8).exp().isinf().any()
        assert forward.flash(q, k, v, 16).isfinite().all()

    @pytest.mark.parametrize(("width", "scores"), [(8, 512 * 64), (128, 512 * 128), (512, 512 * 512)])
    def test_no_tensor_is_larger_than_a_tile_or_the_output(self, width, scores):
        q, k, v = torch.randn(3, 512, 64)
        with Largest() as largest:
            forward.flash(q, k, v, width)
        assert largest.size == scores

    @pytest.mark.parametrize(("width", "nan"), [(2, True), (3, False)])
    def test_a_first_tile_of_minus_infinity_is_nan_although_the_query_sees_keys(self, width, nan):
        # The third number of each vector makes the first two scores minus infinity, as a mask would.
        q, k, v = torch.randn(1, 4), torch.randn(6, 4), torch.randn(6, 4)
        q[:, 2], k[:, 2] = 1, torch.tensor([-torch.inf, -torch.inf, 0, 0, 0, 0])
        assert by_hand(q, k, v).isfinite().all()
        assert forward.flash(q, k, v, width).isnan().any() == nan

    def test_it_agrees_with_pytorch(self):
        q, k, v = torch.randn(3, 1, 2, 100, 16)
        expected = F.scaled_dot_product_attention(q, k, v)
        torch.testing.assert_close(forward.flash(q, k, v, 32), expected, atol=1e-5, rtol=1e-4)

    def test_the_two_ways_are_not_bit_identical_but_close(self):
        torch.manual_seed(0)
        q, k, v = torch.randn(3, 256, 64)
        a, b = forward.flash(q, k, v, 16), by_hand(q, k, v)
        assert not torch.equal(a, b) and (a - b).abs().max() < 1e-5


class TestFlashAttentionTraffic:
    @pytest.mark.parametrize("tokens", [1024, 4096])
    def test_traffic_is_quadratic_in_both_and_four_times_less_when_fused(self, tokens):
        for count in (lambda n: traffic.by_hand(n, 64), lambda n: traffic.fused(n, 64, 128)):
            assert count(2 * tokens) / count(tokens) == pytest.approx(4, rel=0.06)
        assert traffic.by_hand(tokens, 64) / traffic.fused(tokens, 64, 128) == pytest.approx(4, rel=0.06)

    def test_a_last_block_that_is_not_full_reads_all_keys_too(self):
        assert traffic.fused(129, 64, 128) - 2 * 129 * 64 == 2 * (2 * 129 * 64)

    def test_keys_and_values_of_a_head_with_4096_tokens_take_1_mib(self):
        assert 2 * 4096 * 64 * torch.bfloat16.itemsize == 2**20

    def test_larger_blocks_of_queries_read_the_keys_less_often(self):
        keys = [traffic.fused(4096, 64, rows) - 2 * 4096 * 64 for rows in (64, 128, 256)]
        assert keys[0] == 2 * keys[1] == 4 * keys[2]

    def test_what_by_hand_adds_is_the_matrix_written_and_read_twice(self):
        assert traffic.by_hand(1000, 64) - 4 * 1000 * 64 == 4 * 1000**2

    def test_the_paper_has_13_percent_more_flops_and_nine_times_less_traffic(self):
        assert round(100 * (75.2 / 66.6 - 1)) == 13 and round(40.3 / 4.4) == 9


class TestFlashAttentionBroken:
    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
    def test_only_scores_that_grow_show_that_the_correction_is_missing(self, order):
        scores, values = [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]
        tiles = [([scores[i]], [values[i]]) for i in order]
        right = broken.attend(tiles, True)
        assert right == f"{torch.tensor(scores).softmax(0)[2]:.2f}"
        assert (broken.attend(tiles, False) == right) == (order[0] == 2)


class TestFlashAttentionBackward:
    @pytest.mark.parametrize("width", [1, 9, 50])
    def test_one_number_per_query_is_enough_for_all_gradients(self, width):
        torch.manual_seed(2)
        q, k, v = (torch.randn(2, n, 6, dtype=torch.float64, requires_grad=True) for n in (20, 50, 50))
        out, grad = by_hand(q, k, v), torch.randn(2, 20, 6, dtype=torch.float64)
        lse = (q @ k.mT / 6**0.5).logsumexp(-1, keepdim=True)
        found = backward.flash_backward(*(t.detach() for t in (q, k, v, out, lse)), grad, width)
        torch.testing.assert_close(found, torch.autograd.grad(out, (q, k, v), grad))

    def test_parts_of_the_keys_merge_exactly_by_their_log_sum_exp(self):
        q, k, v = torch.randn(1, 8), torch.randn(60, 8), torch.randn(60, 8)
        parts = [
            (by_hand(q, a, b), (q @ a.mT / 8**0.5).logsumexp(-1)) for a, b in zip(k.split(25), v.split(25), strict=True)
        ]
        outs, lses = (torch.stack(x) for x in zip(*parts, strict=True))
        torch.testing.assert_close((lses.softmax(0)[..., None] * outs).sum(0), by_hand(q, k, v))

    def test_16_tiles_per_side_skip_120_of_256_under_a_causal_mask(self):
        blocks = torch.ones(2048, 2048, dtype=torch.bool).tril().view(16, 128, 16, 128).any(3).any(1)
        assert (~blocks).sum() == 120 == 16 * 15 // 2 and round(100 * 120 / 256, 1) == 46.9


class TestFlashAttentionInPyTorch:
    @pytest.fixture
    def qkv(self):
        return [torch.randn(1, 4, 512, 64, requires_grad=True) for _ in range(3)]

    def test_on_a_cpu_the_fused_kernel_saves_inputs_output_and_a_number_per_query(self, qkv):
        expected = 4 * 4 * 512 * 64 * 4 + 4 * 512 * 4
        mask = torch.ones(512, 512, dtype=torch.bool).tril()
        assert saved_mib(lambda: F.scaled_dot_product_attention(*qkv)) * 2**20 == expected
        assert saved_mib(lambda: F.scaled_dot_product_attention(*qkv, is_causal=True)) * 2**20 == expected
        assert saved_mib(lambda: F.scaled_dot_product_attention(*qkv, attn_mask=mask)) < 3.1

    def test_on_a_cpu_dropout_and_a_mask_with_a_gradient_save_the_matrix(self, qkv):
        matrix = 4 * 512 * 512 * 4 / 2**20
        bias = torch.zeros(512, 512, requires_grad=True)
        assert saved_mib(lambda: F.scaled_dot_product_attention(*qkv, dropout_p=0.1)) > matrix
        assert saved_mib(lambda: F.scaled_dot_product_attention(*qkv, attn_mask=bias)) > matrix

    def test_multihead_attention_makes_the_matrix_by_default(self):
        attention, x = torch.nn.MultiheadAttention(64, 4, batch_first=True), torch.randn(2, 512, 64, requires_grad=True)
        matrix = 2 * 4 * 512 * 512 * 4 / 2**20
        assert saved_mib(lambda: attention(x, x, x)) > matrix
        assert saved_mib(lambda: attention(x, x, x, need_weights=False)) < matrix / 4

    def test_a_chosen_backend_that_cannot_run_raises_and_warns_why(self, qkv):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            F.scaled_dot_product_attention(*qkv)
            with pytest.raises(RuntimeError, match="No available kernel"):
                F.scaled_dot_product_attention(*qkv, dropout_p=0.1)
        assert any("dropout" in str(warning.message) for warning in caught)

    def test_a_query_that_sees_no_key_gets_zeros_on_a_cpu(self, qkv):
        mask = torch.ones(512, 512, dtype=torch.bool)
        mask[3] = False
        out = F.scaled_dot_product_attention(*qkv, attn_mask=mask)
        assert not out[:, :, 3].any() and out.isfinite().all()
        scores = torch.zeros(2, 5).masked_fill(torch.tensor([[True], [False]]), -torch.inf)
        assert scores[0].softmax(0).isnan().all()
