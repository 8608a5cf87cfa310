"""What docs/senior/memory/checkpoint-cost.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

segments = load_snippet("senior/memory/checkpoint_cost_segments.py")
last = load_snippet("senior/memory/checkpoint_cost_last.py")


def block(width: int, drop: float = 0.0, first: bool = True) -> nn.Module:
    return nn.TransformerEncoderLayer(width, 2, 4 * width, drop, "gelu", batch_first=True, norm_first=first)


def cost(run: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> float:
    """FLOPs of a step in units of its forward pass."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        y = run(x)
        forward = counter.get_total_flops()
        y.sum().backward()
    return counter.get_total_flops() / forward


def again(layer: nn.Module, **options: bool) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: checkpoint(layer, x, use_reentrant=False, **options)


def given(length: int, width: int) -> torch.Tensor:
    return torch.randn(1, length, width, requires_grad=True)


class TestCheckpointCost:
    @pytest.mark.parametrize(("length", "width"), [(16, 32), (32, 32), (64, 32), (8, 64), (256, 16)])
    def test_a_pre_norm_block_costs_what_the_formula_says(self, length: int, width: int):
        layer, x = block(width), given(length, width)
        h, s = width, length
        extra = (8 * h**2 + 2 * s * h) / (3 * (12 * h**2 + 2 * s * h))
        assert cost(layer, x) == 3
        assert cost(again(layer), x) == pytest.approx(3 * (1 + extra))
        assert 2 / 9 < extra < 1 / 3

    @pytest.mark.parametrize("width", [16, 32])
    def test_after_dropout_or_a_norm_at_the_end_it_is_a_third(self, width: int):
        for layer in (block(width, drop=0.1), block(width, first=False)):
            assert cost(layer, given(16, width)) == 3
            assert cost(again(layer), given(16, width)) == 4

    @pytest.mark.parametrize("width", [16, 32])
    def test_without_early_stop_it_is_a_third(self, width: int):
        x = given(16, width)
        assert cost(again(block(width), early_stop=False), x) == 4
        assert cost(lambda x: checkpoint(block(width), x, use_reentrant=True), x) == 4

    @pytest.mark.parametrize("count", [2, 4])
    def test_a_segment_skips_one_down_projection(self, count: int):
        h, s = 16, 16
        layers = nn.Sequential(*(block(h) for _ in range(count)))
        each = 24 * h**2 + 4 * s * h
        assert cost(again(layers), given(s, h)) == pytest.approx(4 - 8 * h**2 / (count * each))

    @pytest.mark.parametrize(("count", "best"), [(8, 1), (36, 2)])
    def test_the_best_segment_is_the_root_of_a_sixteenth(self, count: int, best: int):
        blocks, x = [block(8) for _ in range(count)], torch.randn(1, 64, 8)
        found = {k: segments.peak(blocks, x, k) for k in (1, 2, 4)}
        assert min(found, key=found.__getitem__) == best
        for k, peak in found.items():
            assert abs(peak - (count / k + 16 * k)) < 8 + k

    def test_the_square_root_of_the_number_of_blocks_is_worse(self):
        blocks, x = [block(8) for _ in range(9)], torch.randn(1, 64, 8)
        assert segments.peak(blocks, x, 3) > 1.5 * segments.peak(blocks, x, 1)

    def test_one_segment_is_no_better_than_none(self):
        blocks, x = [block(8) for _ in range(6)], torch.randn(1, 64, 8)
        assert segments.peak(blocks, x, 6) == pytest.approx(segments.peak(blocks, x, 0), abs=2)

    @pytest.mark.parametrize("width", [16, 32])
    def test_a_linear_layer_has_to_be_run_again_only_if_something_behind_it_is_saved(self, width: int):
        x = given(8, width)
        assert cost(again(nn.Linear(width, width)), x) == 3
        assert cost(again(nn.Sequential(nn.Linear(width, width), nn.GELU())), x) == 4

    def test_the_last_segment_of_checkpoint_sequential_is_not_checkpointed(self):
        for segment_count in (2, 4):
            layers = nn.Sequential(*(nn.GELU() for _ in range(8)))
            kept: list[torch.Tensor] = []
            with saved_tensors_hooks(kept.append, lambda _: None):
                checkpoint_sequential(layers, segment_count, given(4, 4), use_reentrant=False)
            last = 8 // segment_count
            distinct = {t.untyped_storage().data_ptr() for t in kept}
            assert len(distinct) == segment_count - 1 + last

    @pytest.mark.parametrize("length", [16, 64])
    def test_fused_attention_on_a_cpu_counts_no_flops(self, length: int):
        q = torch.randn(1, 2, length, 8)
        for backend, counted in ((SDPBackend.FLASH_ATTENTION, False), (SDPBackend.MATH, True)):
            with sdpa_kernel(backend), FlopCounterMode(display=False) as counter:
                F.scaled_dot_product_attention(q, q, q)
            assert (counter.get_total_flops() > 0) is counted

    @pytest.mark.parametrize(("drop", "share"), [(0.1, 0.4), (0.0, 0.3)])
    def test_frozen_weights_make_the_second_run_a_larger_share(self, drop: float, share: float):
        extras = []
        for trained in (True, False):
            layer, x = block(32, drop).requires_grad_(trained), given(16, 32)
            extras.append(cost(again(layer), x) / cost(layer, x) - 1)
        assert extras[0] < share < extras[1] <= 0.5

    @pytest.mark.parametrize("drop", [0.1, 0.0])
    def test_a_lora_block_of_the_page_costs_47_percent_more(self, drop: float):
        class Lora(nn.Module):
            def __init__(self, base: nn.Linear) -> None:
                super().__init__()
                self.base, self.down = base, nn.Linear(base.in_features, 8, bias=False)
                self.up = nn.Linear(8, base.out_features, bias=False)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.base(x) + self.up(self.down(x))

        with torch.device("meta"):
            layer = nn.TransformerEncoderLayer(1024, 16, 4096, drop, "gelu", batch_first=True, norm_first=True)
            layer.requires_grad_(False)
            layer.linear1, layer.linear2 = Lora(layer.linear1), Lora(layer.linear2)
            x = torch.empty(1, 1024, 1024, requires_grad=True)
        assert cost(again(layer), x) / cost(layer, x) == pytest.approx(1.47, abs=0.01)

    @pytest.mark.parametrize("width", [48, 96])
    def test_a_gated_feed_forward_skips_a_smaller_part(self, width: int):
        class Gated(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.attention = nn.Linear(width, 4 * width)  # as many weights as q, k, v and output
                self.gate, self.up = (nn.Linear(width, width * 8 // 3) for _ in range(2))
                self.down = nn.Linear(width * 8 // 3, width)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                x = x + sum(self.attention(x).sin().chunk(4, -1))
                return x + self.down(F.silu(self.gate(x)) * self.up(x))

        assert cost(again(Gated()), given(4, width)) / 3 == pytest.approx(1 + 7 / 27)

    @pytest.mark.parametrize("width", [16, 32])
    def test_gelu_with_the_layer_behind_it_frees_one_tensor_and_runs_no_matmul(self, width: int):
        def saved(layer: nn.Module, again: bool) -> int:
            kept, x = [], given(8, width)
            with saved_tensors_hooks(kept.append, lambda _: None):
                checkpoint(layer, x, use_reentrant=False) if again else layer(x)
            return sum(t.numel() == x.numel() for t in {t.data_ptr(): t for t in kept}.values())

        pair = nn.Sequential(nn.GELU(), nn.Linear(width, width))
        assert (saved(pair, False), saved(pair, True), cost(again(pair), given(8, width))) == (2, 1, 3)
        for single in (nn.GELU(), nn.LayerNorm(width)):
            assert saved(single, False) == saved(single, True) == 1

    @pytest.mark.parametrize("width", [8, 16])
    @pytest.mark.parametrize("count", [3, 6])
    def test_the_last_block_lowers_the_peak_only_if_the_loss_is_the_peak(self, width: int, count: int):
        for vocabulary, gain in ((0, 0), (64 * width, 15)):
            found = [last.peak(set(range(n)), vocabulary, width, count) for n in (count - 1, count)]
            assert found[0] - found[1] == pytest.approx(gain, abs=1)

    @pytest.mark.parametrize("checkpointed", [1, 3])
    def test_the_first_blocks_are_the_better_ones_by_one_block(self, checkpointed: int):
        first = last.peak(set(range(checkpointed)), 0, count=5)
        assert last.peak(set(range(5 - checkpointed, 5)), 0, count=5) - first == pytest.approx(15, abs=1)
