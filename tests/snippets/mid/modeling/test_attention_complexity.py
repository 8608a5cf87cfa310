"""Every claim of docs/mid/modeling/attention-complexity.md, proven beyond the example shown."""

import pytest
import torch
from torch.nn import functional as F
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

curves = load_snippet("mid/modeling/attention_complexity_curves.py")
memory = load_snippet("mid/modeling/attention_complexity_bytes.py")
window = load_snippet("mid/modeling/attention_complexity_window.py")


class TestAttentionComplexity:
    @pytest.mark.parametrize(("t", "d"), [(96, 16), (384, 64), (1, 8), (50, 24)])
    def test_a_layer_costs_4_t_squared_d_plus_24_t_d_squared(self, t, d):
        assert curves.layer_flops(t, d) == (4 * t * t * d, 24 * t * d * d)

    @pytest.mark.parametrize("d", [8, 32])
    def test_both_parts_are_equal_at_six_times_the_width(self, d):
        quadratic, rest = curves.layer_flops(6 * d, d)
        assert quadratic == rest

    @pytest.mark.parametrize("d", [8, 32])
    def test_with_half_the_products_both_parts_are_equal_at_twelve_times_the_width(self, d):
        quadratic, rest = curves.layer_flops(12 * d, d)
        assert quadratic / 2 == rest

    @pytest.mark.parametrize("heads", [1, 4, 16])
    def test_the_number_of_heads_cancels_in_the_products_and_not_in_the_score_bytes(self, heads):
        q = torch.randn(1, heads, 128, 64 // heads, device="meta")
        assert window.flops(window.attend, q, q, q, None) == 4 * 128**2 * 64
        assert (q @ q.mT).nbytes == heads * 128**2 * 4

    @pytest.mark.parametrize("t", [33, 128, 256])
    def test_by_hand_keeps_the_scores_and_the_fused_function_one_number_per_row(self, t):
        inputs = 3 * 8 * t * 64 * 4
        assert memory.kept_bytes(memory.by_hand, t) == inputs + 8 * t * t * 4
        fused = memory.kept_bytes(scaled_dot_product_attention, t)
        assert fused == inputs + inputs / 3 + 8 * t * 4  # and the output, and the log-sum-exp
        dropped = memory.kept_bytes(lambda q, k, v: scaled_dot_product_attention(q, k, v, dropout_p=0.1), t)
        assert dropped >= inputs + 8 * t * t * 4
        q, k, v = torch.randn(3, 1, 8, t, 64)
        torch.testing.assert_close(memory.by_hand(q, k, v), scaled_dot_product_attention(q, k, v))

    @pytest.mark.parametrize("t", [256, 512])
    @pytest.mark.parametrize(
        ("attend", "fused"),
        [
            (lambda q, k, v, bias: scaled_dot_product_attention(q, k, v, is_causal=True), True),
            (lambda q, k, v, bias: scaled_dot_product_attention(q, k, v, bias), True),
            (lambda q, k, v, bias: scaled_dot_product_attention(q, k, v, bias.clone().requires_grad_()), False),
            (lambda q, k, v, bias: scaled_dot_product_attention(q[0], k[0], v[0]), False),
            (lambda q, k, v, bias: scaled_dot_product_attention(q, k, v[..., :32]), False),
        ],
    )
    def test_the_cpu_function_is_fused_only_for_four_dimensions_one_width_and_a_fixed_mask(self, t, attend, fused):
        bias = torch.zeros(t, t)
        kept = memory.kept_bytes(lambda q, k, v: attend(q, k, v, bias), t)
        plain = memory.kept_bytes(scaled_dot_product_attention, t) + bias.nbytes
        assert (kept <= plain) == fused
        assert (kept > 8 * t * t * 4 + 2 * 8 * t * 64 * 4) == (not fused)

    @pytest.mark.parametrize("t", [1, 2, 7, 16, 33])
    @pytest.mark.parametrize("w", [1, 2, 5, 16, 50])
    def test_blocks_compute_what_the_mask_computes(self, t, w):
        q, k, v = torch.randn(3, 2, 3, t, 4, dtype=torch.float64)
        masked = scaled_dot_product_attention(q, k, v, attn_mask=window.band(t, w))
        torch.testing.assert_close(window.window_attention(q, k, v, w), masked, rtol=0, atol=1e-12)
        torch.testing.assert_close(window.attend(q, k, v, window.band(t, w)), masked, rtol=0, atol=1e-12)

    def test_blocks_pass_on_the_gradients_of_the_mask_for_a_layout_with_strides_too(self):
        q, k, v = (torch.randn(1, 11, 2, 4, dtype=torch.float64).transpose(1, 2).requires_grad_() for _ in range(3))
        ours = torch.autograd.grad(window.window_attention(q, k, v, 4).square().sum(), (q, k, v))
        masked = scaled_dot_product_attention(q, k, v, attn_mask=window.band(11, 4))
        torch.testing.assert_close(ours, torch.autograd.grad(masked.square().sum(), (q, k, v)))

    @pytest.mark.parametrize("w", [0, -3])
    def test_a_window_without_tokens_is_refused(self, w):
        with pytest.raises(ValueError, match=f"a window of {w} tokens"):
            window.window_attention(*torch.randn(3, 1, 1, 4, 2), w)

    @pytest.mark.parametrize("w", [16, 32])
    def test_blocks_are_linear_in_the_length_and_a_mask_saves_nothing(self, w):
        def cost(t):
            q = torch.randn(1, 2, t, 8, device="meta")
            return window.flops(window.window_attention, q, q, q, w)

        assert cost(256) == 2 * cost(128) == 4 * 256 * 2 * w * 16
        q = torch.randn(1, 2, 128, 8, device="meta")
        mask = window.band(128, w, "meta")
        assert window.flops(window.attend, q, q, q, mask) == window.flops(window.attend, q, q, q, None)

    @pytest.mark.parametrize("groups", [1, 2, 4])
    def test_fewer_key_heads_save_bytes_and_no_product(self, groups):
        q, k = torch.randn(1, 8, 64, 16, device="meta"), torch.randn(1, groups, 64, 16, device="meta")
        repeated = k.repeat_interleave(8 // groups, dim=1)
        assert window.flops(window.attend, q, repeated, repeated, None) == 4 * 64**2 * 128
        with FlopCounterMode(display=False) as counter:
            scaled_dot_product_attention(q, k, k, enable_gqa=True)
        assert counter.get_total_flops() == 4 * 64**2 * 128
        assert k.nbytes * 8 == q.nbytes * groups

    def test_layers_reach_their_number_times_the_window_less_one(self):
        w, layers, t = 4, 3, 20
        x = torch.randn(1, 1, t, 8, dtype=torch.float64, requires_grad=True)
        y = x
        for _ in range(layers):
            y = window.window_attention(y, y, y, w)
        reach = torch.autograd.grad(y[0, 0, -1].sum(), x)[0][0, 0].abs().amax(dim=1).nonzero()
        assert t - 1 - reach.min() == layers * (w - 1)

    @pytest.mark.parametrize(("b", "t", "d"), [(1, 128, 8), (2, 7, 5)])
    def test_linear_attention_is_weights_from_features_and_linear_in_the_length(self, b, t, d):
        q, k, v = torch.randn(3, b, 2, t, d, dtype=torch.float64)
        weights = (F.elu(q) + 1) @ (F.elu(k) + 1).mT
        expected = weights / weights.sum(dim=-1, keepdim=True) @ v
        torch.testing.assert_close(window.linear_attention(q, k, v), expected)
        assert not torch.allclose(expected, scaled_dot_product_attention(q, k, v))

        def cost(t):
            return window.flops(window.linear_attention, *torch.randn(3, b, 2, t, d, device="meta"))

        assert cost(2 * t) == 2 * cost(t)

    def test_causal_linear_attention_needs_a_state_of_fixed_size(self):
        q, k, v = torch.rand(3, 2, 9, 4, dtype=torch.float64)
        state = torch.zeros(2, 4, 4, dtype=torch.float64)
        outs = []
        for t in range(9):
            state = state + k[:, t, :, None] * v[:, t, None, :]
            outs.append((q[:, t, None] @ state)[:, 0])
        torch.testing.assert_close(torch.stack(outs, dim=1), (q @ k.mT).tril() @ v)

    @pytest.mark.parametrize("causal", [False, True])
    def test_the_counter_counts_matrix_products_on_meta_and_nothing_on_the_cpu(self, causal):
        for device, expected in (("cpu", set()), ("meta", {"bmm"})):
            q = torch.randn(1, 2, 16, 8, device=device)
            with FlopCounterMode(display=False) as counter:
                scaled_dot_product_attention(q, q, q, is_causal=causal)
            assert {str(op).split(".")[-1] for op in counter.get_flop_counts().get("Global", {})} == expected

    def test_comparisons_without_a_cache_add_up_to_a_third_of_the_cube(self):
        n = 2000
        assert sum(t * t for t in range(1, n + 1)) == pytest.approx(n**3 / 3, rel=0.01)
        assert sum(range(1, n + 1)) == pytest.approx(n**2 / 2, rel=0.01)

    @pytest.mark.parametrize("t", [128, 256])
    def test_multihead_attention_stores_the_weights_of_each_head_by_default(self, t):
        heads, x = 4, torch.randn(1, t, 64)
        layer = torch.nn.MultiheadAttention(64, heads, batch_first=True)

        def kept(**options):
            storages = {}

            def pack(one):
                storages[one.untyped_storage().data_ptr()] = one.untyped_storage().nbytes()
                return one

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one):
                layer(x, x, x, **options)
            return sum(storages.values())

        assert kept() - kept(need_weights=False) >= heads * t * t * 4

    def test_half_of_the_comparisons_are_hidden_without_a_cache(self):
        n = 2000
        assert sum(t * (t + 1) // 2 for t in range(1, n + 1)) == pytest.approx(n**3 / 6, rel=0.01)

    @pytest.mark.parametrize(("groups", "parts"), [(8, 8), (2, 5), (1, 4.5)])
    def test_fewer_key_heads_make_the_projections_cheaper(self, groups, parts):
        t, d = 32, 64
        x = torch.randn(t, d, device="meta")
        widths = (d, d * groups // 8, d * groups // 8, d)  # queries, keys, values, output
        layers = [torch.nn.Linear(d, width, bias=False, device="meta") for width in widths]
        assert sum(window.flops(layer, x) for layer in layers) == parts * t * d * d
