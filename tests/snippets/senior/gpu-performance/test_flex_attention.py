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

    def test_eager_mode_asks_the_mask_for_every_pair_and_a_query_without_a_key_is_zero(self, qkv):
        ids = DOCUMENT.clone()
        old = block_mask(lambda b, h, q, k: (ids[q] == ids[k]) & (q != 3))
        ids.zero_()
        expected = F.scaled_dot_product_attention(*qkv)
        expected[:, :, 3] = 0
        torch.testing.assert_close(flex_attention(*qkv, block_mask=old), expected)

    def test_a_block_mask_keeps_the_mask_mod_and_so_the_ids_that_it_captured(self):
        ids = DOCUMENT
        kept = block_mask(lambda b, h, q, k, ids=ids: ids[q] == ids[k])
        ids = torch.zeros(128)
        dense = kept.mask_mod(0, 0, KEYS[:, None], KEYS)
        assert torch.equal(dense, DOCUMENT[:, None] == DOCUMENT) and not torch.equal(dense, ids[:, None] == ids)

    def test_new_closures_over_new_ids_equal_a_dense_mask_and_do_not_compile_again_but_a_length_does(self):
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph)
            return graph.forward

        def masked(ids):
            return lambda b, h, q, k: ids[q] == ids[k]

        compiled = torch.compile(flex_attention, backend=backend, fullgraph=True)
        for length, border in ((64, 20), (64, 50), (96, 70)):
            ids, x = (torch.arange(length) >= border).long(), torch.randn(1, 1, length, 8)
            out = compiled(x, x, x, block_mask=block_mask(masked(ids), length))
            expected = F.scaled_dot_product_attention(x, x, x, attn_mask=ids[:, None] == ids)
            torch.testing.assert_close(out, expected)
        assert len(graphs) == 2


class TestFlexAttentionLimits:
    def test_no_backward_on_a_cpu(self, qkv):
        with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
            flex_attention(qkv[0].clone().requires_grad_(), qkv[1], qkv[2])

    @pytest.mark.parametrize("length", [64, 192])
    def test_another_length_than_the_block_mask_raises(self, length):
        x = torch.zeros(1, 1, length, 8)
        with pytest.raises(ValueError, match="block_mask was created for"):
            flex_attention(x, x, x, block_mask=block_mask(causal))

    def test_fewer_key_heads_need_enable_gqa_and_the_first_eager_call_warns_and_a_score_mod_can_hide(
        self, qkv, monkeypatch
    ):
        def score_mod(score, batch, head, query, key):
            return torch.where(query >= key, score, -torch.inf)

        q, k = qkv[0], qkv[1][:, :1]
        with pytest.raises(ValueError, match="enable_gqa=True"):
            flex_attention(q, k, k)
        monkeypatch.setattr(sys.modules[flex_attention.__module__], "_WARNINGS_SHOWN", set())
        with pytest.warns(UserWarning, match=r"called without torch.compile\(\) - this will use an unfused"):
            out = flex_attention(q, k, k, score_mod=score_mod, enable_gqa=True)
        torch.testing.assert_close(out, F.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True))
