"""What docs/senior/gpu-performance/flex-attention.md claims, proven beyond the example shown."""

import sys

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

from warmup.testing import load_snippet

blocks = load_snippet("senior/gpu-performance/flex_attention_blocks.py")
stale = load_snippet("senior/gpu-performance/flex_attention_stale_broken.py")
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without")
KEYS = torch.arange(128)
DOCUMENT = (KEYS >= 50).long() + (KEYS >= 90).long()


def causal(batch, head, query, key):
    return query >= key


def window(batch, head, query, key):
    return (query >= key) & (query - key < 40)


def documents(batch, head, query, key):
    return DOCUMENT[query] == DOCUMENT[key]


def block_mask(mask_mod, length=128, size=32):
    return create_block_mask(mask_mod, None, None, length, length, "cpu", BLOCK_SIZE=size)


@pytest.fixture
def qkv():
    torch.manual_seed(0)
    return torch.randn(3, 1, 2, 128, 8)


class TestFlexAttention:
    @pytest.mark.parametrize("mask_mod", [causal, window, documents])
    def test_a_mask_mod_equals_the_dense_mask_it_makes_on_a_grid(self, qkv, mask_mod):
        dense = mask_mod(0, 0, KEYS[:, None], KEYS)
        expected = F.scaled_dot_product_attention(*qkv, attn_mask=dense)
        torch.testing.assert_close(flex_attention(*qkv, block_mask=block_mask(mask_mod)), expected)

    @pytest.mark.parametrize("mask_mod", [causal, window, documents])
    @pytest.mark.parametrize("size", [16, 64])
    def test_the_program_finds_the_kinds_of_blocks_that_pytorch_finds(self, mask_mod, size):
        found = block_mask(mask_mod, size=size)
        partial, full = blocks.block_kinds(mask_mod(0, 0, KEYS[:, None], KEYS), size)
        assert found.kv_num_blocks[0, 0].tolist() == partial.sum(1).tolist()
        assert found.full_kv_num_blocks[0, 0].tolist() == full.sum(1).tolist()
        assert torch.equal(found.to_dense()[0, 0].bool(), partial | full)
        assert found.sparsity() == pytest.approx(100 * (1 - (partial | full).float().mean().item()))

    def test_smaller_blocks_skip_more_and_never_more_than_is_hidden(self):
        hidden = 100 * (1 - window(0, 0, KEYS[:, None], KEYS).float().mean().item())
        sparsity = [block_mask(window, size=size).sparsity() for size in (64, 32, 16, 8)]
        assert sparsity == sorted(sparsity) and sparsity[-1] < hidden

    def test_minus_infinity_in_a_score_mod_gives_the_same_output(self, qkv):
        def score_mod(score, batch, head, query, key):
            return torch.where(query >= key, score, -torch.inf)

        torch.testing.assert_close(
            flex_attention(*qkv, score_mod=score_mod), F.scaled_dot_product_attention(*qkv, is_causal=True)
        )

    def test_masks_combine_and_python_and_raises(self):
        both = block_mask(and_masks(documents, causal))
        dense = documents(0, 0, KEYS[:, None], KEYS) & causal(0, 0, KEYS[:, None], KEYS)
        partial, full = blocks.block_kinds(dense, 32)
        assert torch.equal(both.to_dense()[0, 0].bool(), partial | full)
        with pytest.raises(RuntimeError, match="data-dependent control flow"):
            block_mask(lambda b, h, q, k: documents(b, h, q, k) and q >= k)

    def test_a_python_if_on_a_score_raises(self, qkv):
        with pytest.raises(Exception, match="Data-dependent branching"):
            flex_attention(*qkv, score_mod=lambda score, b, h, q, k: score if score > 0 else score - 1)

    @pytest.mark.parametrize(("length", "sparsity"), [(200, -22.88), (256, 25.0), (1024, 43.75)])
    def test_a_length_that_is_no_multiple_makes_blocks_hang_over(self, length, sparsity):
        assert block_mask(causal, length, 128).sparsity() == pytest.approx(sparsity)


class TestFlexAttentionStale:
    @pytest.mark.parametrize("border", [100, 128, 200])
    def test_the_program_lists_what_a_block_mask_lists(self, border):
        ids = (torch.arange(256) >= border).long()
        found = create_block_mask(lambda b, h, q, k: ids[q] == ids[k], None, None, 256, 256, "cpu", BLOCK_SIZE=32)
        visited, full = stale.listed(ids)
        assert found.to_dense()[0, 0].sum() * 32 * 32 == visited.sum()
        assert found.full_kv_num_blocks.sum() * 32 * 32 == full.sum()

    def test_a_mask_for_the_same_documents_loses_and_leaks_nothing(self):
        ids = (torch.arange(256) >= 77).long()
        visited, full = stale.listed(ids)
        same = ids[:, None] == ids
        assert not (same & ~visited).any() and not (~same & full).any()

    def test_eager_mode_ignores_the_list_and_asks_the_mask_for_every_pair(self, qkv):
        ids = DOCUMENT.clone()
        old = block_mask(lambda b, h, q, k: ids[q] == ids[k])
        ids.zero_()
        torch.testing.assert_close(flex_attention(*qkv, block_mask=old), F.scaled_dot_product_attention(*qkv))


class TestFlexAttentionLimits:
    def test_the_first_eager_call_of_a_process_warns(self, qkv, monkeypatch):
        monkeypatch.setattr(sys.modules[flex_attention.__module__], "_WARNINGS_SHOWN", set())
        with pytest.warns(UserWarning, match=r"called without torch.compile\(\) - this will use an unfused"):
            flex_attention(*qkv)

    def test_no_backward_on_a_cpu(self, qkv):
        with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
            flex_attention(qkv[0].clone().requires_grad_(), qkv[1], qkv[2])

    @pytest.mark.parametrize("length", [64, 192])
    def test_another_length_than_the_block_mask_raises(self, length):
        x = torch.zeros(1, 1, length, 8)
        with pytest.raises(ValueError, match="block_mask was created for"):
            flex_attention(x, x, x, block_mask=block_mask(causal))

    def test_a_query_that_sees_no_key_is_zero(self, qkv):
        out = flex_attention(*qkv, block_mask=block_mask(lambda b, h, q, k: (q >= k) & (q != 3)))
        assert not out[:, :, 3].any() and out.isfinite().all()

    def test_fewer_key_heads_need_enable_gqa(self, qkv):
        q, k = qkv[0], qkv[1][:, :1]
        with pytest.raises(ValueError, match="enable_gqa=True"):
            flex_attention(q, k, k)
        expected = F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
        torch.testing.assert_close(flex_attention(q, k, k, enable_gqa=True), expected)
