"""What docs/senior/gpu-performance/roofline-mfu.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

recompute = load_snippet("senior/gpu-performance/roofline_mfu_recompute.py")
roofline = load_snippet("senior/gpu-performance/roofline_mfu_roofline.py")


def counted(function) -> int:
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as count:
        function()
    return count.get_total_flops()


def transformer(width: int, layers: int, classes: int) -> tuple[nn.ModuleList, nn.Module, int]:
    with torch.device("meta"):
        blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 2, 4 * width, 0, batch_first=True) for _ in range(layers)
        )
        head = nn.Linear(width, classes, bias=False)
    return blocks, head, sum(p.numel() for p in (*blocks.parameters(), *head.parameters()))


def tokens(*shape: int, needs_grad: bool = True) -> torch.Tensor:
    return torch.empty(shape, device="meta", requires_grad=needs_grad)


class TestRooflineMfu:
    @pytest.mark.parametrize(("width", "layers", "length", "batch"), [(256, 2, 512, 1), (512, 1, 64, 4)])
    def test_6n_and_12ldt_together_are_the_count(self, width, layers, length, batch):
        blocks, head, n = transformer(width, layers, 1000)
        per_token = recompute.executed(blocks, head, tokens(batch, length, width), False) / (batch * length)
        assert recompute.model_flops(n, layers, width, length) == pytest.approx(per_token, rel=0.01)
        assert 6 * n < 0.99 * per_token

    @pytest.mark.parametrize(("into", "out"), [(8, 8), (16, 4)])
    def test_a_matrix_costs_two_flops_forward_and_four_backward(self, into, out):
        layer = nn.Linear(into, out, device="meta")
        x, n = tokens(3, into), into * out
        assert counted(lambda: layer(x)) == 2 * n * 3
        assert counted(lambda: layer(x).sum().backward()) == 6 * n * 3

    def test_a_frozen_matrix_costs_four_or_two_if_nothing_below_it_is_trained(self):
        layer, last = nn.Linear(8, 8, device="meta").requires_grad_(False), nn.Linear(8, 8, device="meta")
        assert counted(lambda: layer(tokens(3, 8)).sum().backward()) == 4 * 64 * 3
        x = tokens(3, 8, needs_grad=False)
        assert counted(lambda: last(layer(x)).sum().backward()) == (2 + 4) * 64 * 3

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize(("heads", "length", "size"), [(2, 16, 8), (4, 64, 4)])
    def test_attention_costs_12_times_width_times_length_per_token_causal_or_not(self, heads, length, size, causal):
        q, k, v = (tokens(1, heads, length, size) for _ in range(3))
        flops = counted(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward())
        assert flops == 12 * heads * size * length * length

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("operation", ["flash", "efficient", "cudnn"])
    @pytest.mark.parametrize(("heads", "length", "size"), [(2, 64, 16), (4, 128, 8)])
    def test_fused_attention_counts_14_with_the_scores_computed_again(self, causal, operation, heads, length, size):
        q, k, v = (tokens(1, heads, length, size) for _ in range(3))
        call = getattr(torch.ops.aten, f"_scaled_dot_product_{operation}_attention")
        more = {"flash": (), "efficient": (None, True), "cudnn": (None, True)}[operation]
        flops = counted(lambda: call(q, k, v, *more, 0.0, causal)[0].sum().backward())
        assert flops == 14 * heads * size * length * length

    def test_of_a_mixture_of_experts_only_what_a_token_passes_through_counts(self):
        experts = [nn.Linear(8, 8, device="meta") for _ in range(4)]
        flops = counted(lambda: sum(e(tokens(5, 8)).sum() for e in experts).backward())
        assert flops / (4 * 5) == 6 * 64 == 6 * 4 * 64 / 4

    @pytest.mark.parametrize("length", [1024, 8192])
    def test_6n_misses_less_of_a_wider_model(self, length):
        def share(width: int) -> float:
            return 12 * 12 * width**2 * 6 / recompute.model_flops(12 * 12 * width**2, 12, width, length)

        assert share(768) < share(1536) < share(4096)

    def test_a_table_of_inputs_in_n_makes_6n_too_high(self):
        d, layers, length, vocabulary = 768, 12, 1024, 50304
        n = layers * 12 * d**2 + vocabulary * d
        per_token = recompute.model_flops(n, layers, d, length)
        assert round(6 * n / per_token, 2) == 0.87 and round(6 * (n + vocabulary * d) / per_token, 2) == 1.14

    @pytest.mark.parametrize(("width", "layers", "length"), [(64, 2, 16), (128, 1, 256)])
    def test_recomputation_lowers_mfu_and_leaves_the_counted_share_alone(self, width, layers, length):
        blocks, head, n = transformer(width, layers, 100)
        shares = []
        for again in (False, True):
            per_token = recompute.executed(blocks, head, tokens(1, length, width), again) / length
            rate = 400e12 / per_token
            model = recompute.mfu(recompute.model_flops(n, layers, width, length), rate, 989e12)
            shares.append((rate, recompute.mfu(per_token, rate, 989e12), model))
        (fast, hfu, before), (slow, same, after) = shares
        assert hfu == pytest.approx(same) and slow < 0.9 * fast
        assert after / before == pytest.approx(slow / fast)

    @pytest.mark.parametrize("wrong", [(0, 1, 1), (1, -1, 1), (1, 1, 0)])
    def test_mfu_refuses_what_cannot_be(self, wrong):
        with pytest.raises(ValueError, match="positive"):
            recompute.mfu(*wrong)

    def test_40_percent_of_an_h100_is_about_8200_tokens_per_second_for_7b(self):
        flops = recompute.model_flops(7_000_000_000, 32, 4096, 4096)
        assert round(flops / 1e9, 1) == 48.4 and round(12 * 32 * 4096**2 / 1e9, 1) == 6.4
        assert round(0.4 * 989e12 / flops, -2) == 8200
        assert recompute.mfu(flops, 0.4 * 989e12 / flops, 989e12) == pytest.approx(0.4)

    def test_the_ridges(self):
        assert round(roofline.PEAK / roofline.BANDWIDTH) == 295 and round(312e12 / 2039e9) == 153

    @pytest.mark.parametrize("n", [1, 8, 64])
    @pytest.mark.parametrize("width", [2048, 8192])
    def test_a_linear_layer_does_about_n_flops_per_byte(self, n, width):
        x = roofline.intensity(F.linear, roofline.given(n, width), roofline.given(width, width))
        assert 0.9 * n < x < n

    @pytest.mark.parametrize("n", [64, 4096, 2**20])
    @pytest.mark.parametrize("width", [128, 512])
    def test_a_square_layer_stays_below_half_its_width_so_a_narrow_one_is_memory_bound_with_any_batch(self, n, width):
        x = roofline.intensity(F.linear, roofline.given(n, width), roofline.given(width, width))
        assert x < width / 2 and roofline.attainable(x) < roofline.PEAK
        wide = roofline.intensity(F.linear, roofline.given(4096, 4096), roofline.given(4096, 4096))
        assert roofline.attainable(wide) == roofline.PEAK

    def test_the_roof_is_the_lower_of_two_lines(self):
        ridge = roofline.PEAK / roofline.BANDWIDTH
        assert roofline.attainable(ridge / 2) == pytest.approx(roofline.PEAK / 2)
        assert roofline.attainable(2 * ridge) == roofline.PEAK
        assert roofline.attainable(1) == roofline.BANDWIDTH

    @pytest.mark.parametrize("shape", [(64, 64), (1000,)])
    def test_an_addition_does_one_flop_for_six_bytes(self, shape):
        assert roofline.intensity(torch.add, roofline.given(*shape), roofline.given(*shape)) == 1 / 6
