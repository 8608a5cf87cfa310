"""What docs/senior/memory/transformer-activation-memory.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

formula = load_snippet("senior/memory/transformer_activation_memory_formula.py")


def units(layer: nn.Module, x: torch.Tensor, call: Callable[[], object] | None = None) -> float:
    """Bytes that autograd saves for a call, weights left out, in units of the input."""
    kept: list[torch.Tensor] = []
    with saved_tensors_hooks(kept.append, lambda _: None):
        result = call() if call else layer(x)  # noqa: F841, kept alive
    once = {t.untyped_storage()._cdata: t.untyped_storage().nbytes() for t in kept}
    for weight in layer.parameters():
        once.pop(weight.untyped_storage()._cdata, None)
    return sum(once.values()) / x.nbytes


def encoder(width: int = 64, heads: int = 2, drop: float = 0.0, activation: str = "gelu") -> nn.Module:
    return nn.TransformerEncoderLayer(width, heads, 4 * width, drop, activation, batch_first=True, norm_first=True)


def given(batch: int, length: int, width: int = 64) -> torch.Tensor:
    return torch.randn(batch, length, width, requires_grad=True)


class TestTransformerActivationMemory:
    @pytest.mark.parametrize("shape", [(1, 64), (3, 64), (1, 256)])
    @pytest.mark.parametrize(("width", "heads"), [(64, 2), (128, 4)])
    def test_a_fused_block_saves_16_units_whatever_batch_and_length(
        self, shape: tuple[int, int], width: int, heads: int
    ):
        assert units(encoder(width, heads), given(*shape, width)) == pytest.approx(16, abs=0.1)

    @pytest.mark.parametrize(("length", "heads"), [(64, 2), (128, 2), (128, 4)])
    def test_plain_attention_adds_heads_times_length_over_width(self, length: int, heads: int):
        x = given(2, length)
        with sdpa_kernel(SDPBackend.MATH):
            more = units(encoder(64, heads), x) - 16
        assert more == pytest.approx(2 + heads * length / 64, abs=0.1)  # 2: scaled copies of q and k
        block = formula.Block(64, heads, fused=False, drop=0)
        assert units(block, x) == pytest.approx(16 + heads * length / 64, abs=0.1)

    def test_longer_sequences_of_as_many_tokens_save_more_with_scores_only(self):
        split = [(8, 32), (2, 128), (1, 256)]
        fused = [units(encoder(), given(*shape)) for shape in split]
        with sdpa_kernel(SDPBackend.MATH):
            plain = [units(encoder(), given(*shape)) for shape in split]
        assert len(set(fused)) == 1 and plain == sorted(set(plain))

    @pytest.mark.parametrize("width", [64, 128])
    def test_activations_pass_16_bytes_per_weight_at_3h_tokens(self, width: int):
        block = encoder(width)
        fixed = 16 * sum(p.numel() for p in block.parameters())
        assert fixed == pytest.approx(192 * width**2, rel=0.03)
        for tokens, above in ((int(2.8 * width), False), (int(3.3 * width), True)):
            x = given(1, tokens, width)
            assert (units(block, x) * x.nbytes > fixed) is above

    @pytest.mark.parametrize(("length", "heads"), [(32, 4), (128, 2)])
    def test_multihead_attention_saves_scores_unless_weights_are_not_needed(self, length: int, heads: int):
        attention, x = nn.MultiheadAttention(64, heads, batch_first=True), given(2, length)
        default = units(attention, x, lambda: attention(x, x, x))
        assert default == pytest.approx(6 + heads * length / 64, abs=0.1)
        assert units(attention, x, lambda: attention(x, x, x, need_weights=False)) == pytest.approx(5, abs=0.1)

    @pytest.mark.parametrize(("dtype", "size"), [(torch.float32, 4), (torch.bfloat16, 2)])
    @pytest.mark.parametrize("shape", [(1, 96, 64, 2), (2, 48, 32, 1)])
    def test_the_formula_has_34_and_5_in_16_bit_with_dropout(
        self, dtype: torch.dtype, size: int, shape: tuple[int, int, int, int]
    ):
        b, s, h, a = shape
        for drop, masks in ((0.0, 0), (0.1, 1)):
            x = torch.randn(b, s, h, dtype=dtype, requires_grad=True)
            found = formula.saved(formula.Block(h, a, fused=False, drop=drop).to(dtype), x).values()
            total = sum(t.untyped_storage().nbytes() for t in found if t.shape[-1] > 1)
            linear, scores = 16 * size + 2 * masks, size + masks * (1 + size)
            assert total == b * s * h * linear + a * s * s * b * scores

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    def test_dropout_on_a_cpu_keeps_its_mask_in_the_dtype_of_its_input(self, dtype: torch.dtype):
        x, layer = torch.randn(64, 64, dtype=dtype, requires_grad=True), nn.Identity()
        assert units(layer, x, lambda: F.dropout(x, 0.1)) == 1
        assert units(layer, x, lambda: torch.native_dropout(x, 0.1, True)) == 1 / x.itemsize

    @pytest.mark.parametrize("length", [32, 128, 512])
    def test_autocast_saves_9_units_and_24_bytes_per_squared_width(self, length: int):
        x, block = given(1, length), encoder()
        with torch.autocast("cpu", torch.bfloat16):
            found = units(block, x)
        assert found == pytest.approx(9 + 24 * 64**2 / x.nbytes, abs=0.2)

    def test_a_whole_block_in_bfloat16_saves_half_the_bytes(self):
        x, block = given(2, 64), encoder()
        found = units(block, x) * x.nbytes
        half = x.detach().bfloat16().requires_grad_()
        assert units(block.bfloat16(), half) * half.nbytes == pytest.approx(found / 2, rel=0.01)

    @pytest.mark.parametrize("vocabulary", [50, 500])
    def test_cross_entropy_saves_a_tensor_of_the_size_of_the_logits(self, vocabulary: int):
        logits = torch.randn(40, vocabulary, requires_grad=True)
        target = torch.zeros(40, dtype=torch.long)
        saved = units(nn.Identity(), logits, lambda: F.cross_entropy(logits, target))
        assert saved == pytest.approx(1, abs=0.1)

    @pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
    def test_without_gradients_nothing_is_saved(self, context: Callable):
        with context():
            assert units(encoder(), torch.randn(2, 8, 64)) == 0

    @pytest.mark.parametrize(("length", "scores"), [(64, 2), (256, 8)])
    def test_dropout_in_attention_saves_scores_on_a_cpu(self, length: int, scores: int):
        assert units(encoder(drop=0.1), given(1, length)) > 16 + 2 * scores

    def test_with_dropout_the_block_of_the_table_saves_72_units(self):
        found = units(encoder(256, 4, 0.1), given(1, 1024, 256))
        assert found == pytest.approx(72, abs=0.1)

    @pytest.mark.parametrize("batch", [1, 2])
    def test_the_meta_device_takes_the_math_path(self, batch: int):
        block = encoder(256, 4).to("meta")
        x = torch.empty(batch, 1024, 256, device="meta", requires_grad=True)
        assert units(block, x) == pytest.approx(34, abs=0.1)

    @pytest.mark.parametrize("length", [64, 128])
    def test_a_learned_bias_keeps_the_scores(self, length: int):
        q = torch.randn(1, 2, length, 16, requires_grad=True)
        for learned in (False, True):
            bias = torch.zeros(length, length, requires_grad=learned)
            found = units(nn.Identity(), q, lambda bias=bias: F.scaled_dot_product_attention(q, q, q, bias))
            scores = length / 16
            assert (found >= 3 + scores) is learned

    @pytest.mark.parametrize("length", [32, 128])
    def test_frozen_weights_leave_10_units_and_relu_12(self, length: int):
        frozen = encoder().requires_grad_(False)
        assert units(frozen, given(2, length)) == pytest.approx(10, abs=0.1)
        assert units(encoder(activation="relu"), given(2, length)) == pytest.approx(12, abs=0.1)

    @pytest.mark.parametrize(("length", "heads"), [(64, 2), (128, 4)])
    def test_two_masks_together_are_saved_for_each_head_and_one_is_not(self, length: int, heads: int):
        x, attention = given(2, length), nn.MultiheadAttention(64, heads, batch_first=True)
        causal = torch.ones(length, length).triu(1).bool()
        padding = torch.zeros(2, length).bool()
        padding[:, -1] = True
        found = [
            units(attention, x, lambda masks=masks: attention(x, x, x, need_weights=False, **masks))
            for masks in ({"key_padding_mask": padding}, {"key_padding_mask": padding, "attn_mask": causal})
        ]
        assert found == pytest.approx([5, 5 + heads * length / 64], abs=0.2)

    @pytest.mark.parametrize("count", [2, 8])
    def test_chunks_of_the_loss_save_as_much_unless_each_is_checkpointed(self, count: int):
        hidden, head = torch.randn(256, 8, requires_grad=True), nn.Linear(8, 500, bias=False)
        target, logits = torch.zeros(256, dtype=torch.long), torch.empty(256, 500)

        def part(h: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
            return F.cross_entropy(head(h), t, reduction="sum")

        def parts(again: bool) -> list[torch.Tensor]:
            pairs = zip(hidden.chunk(count), target.chunk(count), strict=True)
            return [checkpoint(part, h, t, use_reentrant=False) if again else part(h, t) for h, t in pairs]

        assert units(head, logits, lambda: parts(False)) == pytest.approx(1, abs=0.1)
        assert units(head, logits, lambda: parts(True)) < 0.1

    @pytest.mark.parametrize("inner", [128, 192])
    def test_a_gated_feed_forward_keeps_four_tensors_of_its_width(self, inner: int):
        gate, up, down = nn.Linear(64, inner), nn.Linear(64, inner), nn.Linear(inner, 64)
        layers, x = nn.ModuleList([gate, up, down]), given(2, 32)
        assert units(layers, x, lambda: down(F.silu(gate(x)) * up(x))) == 1 + 4 * inner / 64
