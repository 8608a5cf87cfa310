"""What docs/senior/inference/kv-cache.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from warmup.testing import load_snippet

main = load_snippet("senior/inference/kv_cache.py")
broken = load_snippet("senior/inference/kv_cache_broken.py")

ONES, TWICE = [1] * 30, [10] + [1] * 20


def text(seed, length=30):
    return torch.randint(64, (length,), generator=torch.Generator().manual_seed(seed))


def feed(tokens, sizes):
    """Logits of all tokens, read in pieces of these sizes, and the last cache."""
    cache, logits = main.empty, []
    for piece in tokens.split(sizes):
        new, cache = main.model(piece, cache)
        logits.append(new)
    return torch.cat(logits), cache


def passes(bug, sizes, seed=1):
    tokens = text(seed, sum(sizes))
    return torch.allclose(broken.feed(tokens, sizes, bug), broken.feed(tokens, [len(tokens)]))


class TestKvCache:
    @pytest.mark.parametrize("sizes", [[30], ONES, [29, 1], [1, 29], [7, 11, 12], [2] * 15])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_every_feed_gives_the_logits_and_the_cache_of_the_whole_text(self, sizes, seed):
        whole, cache = feed(text(seed), [30])
        logits, other = feed(text(seed), sizes)
        torch.testing.assert_close(logits, whole)
        torch.testing.assert_close(other, cache)

    def test_the_model_is_causal_so_cached_rows_are_final(self):
        tokens = text(3)
        changed = tokens.clone()
        changed[20:] = (changed[20:] + 1) % 64
        (a, cache), (b, other) = feed(tokens, [30]), feed(changed, [30])
        torch.testing.assert_close(a[:20], b[:20])
        torch.testing.assert_close(cache[..., :20, :], other[..., :20, :])
        assert not torch.allclose(cache[..., 20, :], other[..., 20, :])

    @pytest.mark.parametrize("length", [5, 24])
    def test_numbers_per_token_are_two_times_layers_times_heads_times_size(self, length):
        _, cache = feed(text(0, length), [length])
        assert cache.shape == (2, 2, 4, length, 8)
        assert cache.numel() == length * 2 * 2 * 4 * 8

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(
        ("bug", "whole", "ones", "prompt", "chunks"),
        [
            ("none", True, True, True, True),
            ("is_causal=True", True, False, False, False),
            ("no mask", False, True, False, False),
            ("is_causal=T > 1", True, True, True, False),
            ("positions start at 0 again", True, False, False, False),
            ("positions count calls", True, True, False, False),
        ],
    )
    def test_which_feed_finds_which_mistake_with_other_sizes(self, bug, whole, ones, prompt, chunks, seed):
        feeds = [30], ONES, TWICE, [10] * 3
        assert [passes(bug, sizes, seed) for sizes in feeds] == [whole, ones, prompt, chunks]

    def test_each_mistake_passes_at_least_one_feed_and_only_chunks_find_all(self):
        rows = {b: [passes(b, s) for s in broken.FEEDS.values()] for b in broken.BUGS[1:]}
        assert all(any(row) for row in rows.values())
        assert not any(row[-1] for row in rows.values())
        assert all(any(row[k] for row in rows.values()) for k in range(3))

    @pytest.mark.parametrize("keys", [2, 9])
    def test_with_is_causal_a_single_query_sees_only_the_first_key(self, keys):
        torch.manual_seed(0)
        q, k, v = torch.randn(4, 1, 8), torch.randn(4, keys, 8), torch.randn(4, keys, 8)
        out = scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(out, v[:, :1])

    @pytest.mark.parametrize("accepted", [0, 2])
    def test_after_rejected_drafts_the_cache_is_cut_back(self, accepted):
        tokens = text(4, 20)
        _, cache = feed(tokens, [20])
        draft = text(5, 4)
        _, longer = main.model(draft, cache)
        kept = longer[..., : 20 + accepted, :]
        following = text(6, 1)
        got, _ = main.model(following, kept)
        want, _ = feed(torch.cat([tokens, draft[:accepted], following]), [21 + accepted])
        torch.testing.assert_close(got[0], want[-1])

    def test_only_a_later_piece_of_several_tokens_finds_the_mistake_of_the_usual_test(self):
        bug = "is_causal=T > 1"
        assert passes(bug, [10] + [1] * 20) and passes(bug, [30])
        assert not passes(bug, [1] * 10 + [20]) and not passes(bug, [10, 2] + [1] * 18)

    def test_in_a_model_that_sees_both_sides_nothing_can_be_kept(self):
        for seed in (1, 2):
            tokens = text(seed)
            both_sides = broken.feed(tokens, [30], "no mask")
            assert not torch.allclose(broken.feed(tokens, ONES, "no mask"), both_sides)
            assert not torch.allclose(broken.feed(tokens[:20], [20], "no mask"), both_sides[:20])

    def test_the_numbers_of_the_page(self):
        assert sum(range(100, 200)) == 14_950
        assert 100 + 99 == 199  # the last token is not read, because nothing follows it
        token = 2 * 32 * 8 * 128 * 2
        assert token == 131_072
        assert round(token * 8192 / 1e9, 2) == 1.07
        assert round(token * 131_072 / 1e9, 1) == 17.2
        assert round(4 * token * 131_072 / 1e9, 1) == 68.7
        assert token * 131_072 > 2 * 8.03e9 and round(2 * 8.03, 1) == 16.1
