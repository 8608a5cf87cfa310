"""What docs/senior/distributed/ring-attention.md claims, proven beyond the example shown."""

import itertools

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

ring = load_snippet("senior/distributed/ring_attention.py")
sent = load_snippet("senior/distributed/ring_attention_bytes.py").sent
schedule = load_snippet("senior/distributed/ring_attention_schedule.py")
MIB = 2**20


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, allowed: torch.Tensor):
    """A normalized output and the log-sum-exp of its scores; 0 and -inf if nothing is allowed."""
    scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
    return scores.softmax(1).nan_to_num() @ v, scores.logsumexp(1)


def merge(parts: list[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    weights = torch.stack([lse for _, lse in parts]).softmax(0)
    return sum(weight[:, None] * out for weight, (out, _) in zip(weights, parts, strict=True))


class TestRing:
    @pytest.mark.parametrize(("tokens", "ranks"), [(64, 2), (24, 8), (30, 3), (8, 1)])
    def test_the_ring_is_exact_and_so_are_its_gradients(self, tokens, ranks):
        q, k, v = (x.requires_grad_() for x in random(3, tokens, 5))
        whole = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out = ring.ring_attention(q, k, v, ranks)
        torch.testing.assert_close(out, whole)
        weight = random(tokens, 5)
        expected = torch.autograd.grad((whole * weight).sum(), (q, k, v))
        torch.testing.assert_close(torch.autograd.grad((out * weight).sum(), (q, k, v)), expected)

    @pytest.mark.parametrize("zigzag", [False, True])
    def test_the_order_of_the_blocks_does_not_matter(self, zigzag):
        q, k, v = random(3, 24, 4)
        whole = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        at = schedule.layout(24, 3, zigzag)
        for mine, order in itertools.product(at, itertools.permutations(at)):
            parts = [attend(q[mine], k[block], v[block], block <= mine[:, None]) for block in order]
            torch.testing.assert_close(merge(parts), whole[mine])

    @pytest.mark.parametrize("sizes", [(1, 4), (2, 30), (7, 7)])
    def test_averaged_parts_are_wrong_unless_the_blocks_weigh_the_same(self, sizes):
        q, (k, v) = torch.zeros(1, 4, dtype=torch.float64), random(2, sum(sizes), 4)
        seen = torch.ones(1, 1, dtype=torch.bool)
        parts = [attend(q, *x, seen) for x in zip(k.split(sizes), v.split(sizes), strict=True)]
        whole = F.scaled_dot_product_attention(q, k, v)
        torch.testing.assert_close(merge(parts), whole)
        averaged = (parts[0][0] + parts[1][0]) / 2
        assert torch.allclose(averaged, whole) is (sizes[0] == sizes[1])

    def test_one_query_goes_to_the_parts_of_the_cache(self):
        q, (k, v) = random(1, 4), random(2, 30, 4)
        parts = [attend(q, *x, torch.ones(1, 1, dtype=torch.bool)) for x in zip(k.split(11), v.split(11), strict=True)]
        torch.testing.assert_close(merge(parts), F.scaled_dot_product_attention(q, k, v))

    @pytest.mark.parametrize("ranks", [2, 4])
    def test_labels_are_shifted_before_the_cut(self, ranks):
        tokens = torch.arange(8)
        right = [shard.tolist() for shard in tokens.roll(-1).chunk(ranks)]
        late = [shard.roll(-1).tolist() for shard in tokens.chunk(ranks)]
        wrong = [r for r in range(ranks) if right[r] != late[r]]
        assert wrong == list(range(ranks)) and all(a[:-1] == b[:-1] for a, b in zip(right, late, strict=True))

    @pytest.mark.parametrize(("ranks", "ignored"), [(2, 0), (4, 0), (4, 5)])
    def test_gradients_of_a_loss_divided_by_the_global_count_are_summed_not_averaged(self, ranks, ignored):
        x, weight = random(24, 3), random(3, 7).requires_grad_()
        labels = torch.arange(24) % 7
        labels[:ignored] = -100  # then shards have different counts
        (whole,) = torch.autograd.grad(F.cross_entropy(x @ weight, labels), weight)
        grads = []
        for part, label in zip(x.chunk(ranks), labels.chunk(ranks), strict=True):
            loss = F.cross_entropy(part @ weight, label, reduction="sum") / (labels != -100).sum()
            grads += torch.autograd.grad(loss, weight)
        torch.testing.assert_close(sum(grads), whole)
        torch.testing.assert_close(ranks * torch.stack(grads).mean(0), whole)  # what DDP averages


class TestSchedule:
    @pytest.mark.parametrize(("tokens", "ranks"), [(64, 4), (96, 8), (240, 6)])
    def test_all_pairs_are_computed_once_whatever_the_layout(self, tokens, ranks):
        for zigzag in (False, True):
            at = schedule.layout(tokens, ranks, zigzag)
            assert torch.equal(torch.cat(at).sort().values, torch.arange(tokens))
            assert schedule.work(at).sum() == tokens * (tokens + 1) // 2

    @pytest.mark.parametrize("ranks", [2, 4, 16])
    def test_contiguous_shards_take_nearly_twice_the_time_of_balanced_work(self, ranks):
        tokens = 64 * ranks
        contiguous, zigzag = (schedule.work(schedule.layout(tokens, ranks, z)) for z in (False, True))
        assert len(set(zigzag.sum(1).tolist())) == 1
        assert (contiguous[0, 1:] == 0).all() and (contiguous[-1] > 0).all()
        ratio = contiguous.max(0).values.sum() / zigzag.max(0).values.sum()
        assert ratio.item() == pytest.approx(2 - 1 / ranks, rel=0.02)

    def test_striped_shards_are_nearly_balanced(self):
        work = schedule.work([torch.arange(r, 256, 4) for r in range(4)])
        assert work.sum(1).max() / work.sum(1).min() < 1.03
        assert work.max(0).values.sum() / schedule.work(schedule.layout(256, 4, True)).max(0).values.sum() < 1.03

    def test_without_a_causal_mask_contiguous_shards_are_balanced(self):
        at = schedule.layout(64, 4, False)
        assert {len(queries) * len(keys) for queries in at for keys in at} == {256}

    def test_packed_documents_unbalance_zigzag_unless_each_is_cut_so(self):
        lengths = [24, 24, 16]
        document = torch.arange(3).repeat_interleave(torch.tensor(lengths))

        def pairs(at):
            return [
                int(((at_k <= q[:, None]) & (document[at_k] == document[q][:, None])).sum())
                for q in at
                for at_k in [torch.cat(at)]
            ]

        whole = pairs(schedule.layout(64, 4, True))
        assert max(whole) > 2 * min(whole)
        cut = [[x + start for x in schedule.layout(n, 4, True)] for n, start in zip(lengths, (0, 24, 48), strict=True)]
        assert len(set(pairs([torch.cat(parts) for parts in zip(*cut, strict=True)]))) == 1

    @pytest.mark.parametrize("ranks", [4, 8])
    def test_zigzag_halves_the_pairs_of_a_block_that_came_from_another_rank(self, ranks):
        at = schedule.layout(16 * ranks, ranks, True)
        assert (schedule.work(at)[:, 1:] == 16 * 16 // 2).all()


class TestBytes:
    @pytest.mark.parametrize(("ranks", "kv_heads"), [(2, 8), (8, 8), (4, 32)])
    def test_the_messages_of_a_ring_and_of_ulysses_add_up(self, ranks, kv_heads):
        tokens, counted = 64 * ranks, {"ring": 0, "ulysses": 0, "tensor": 0}
        for _ in range(ranks - 1):  # rank 0 sends a block of keys and of values in every step
            counted["ring"] += 2 * tokens // ranks * kv_heads * 128 * 2
        for heads, tensors in ((32, 2), (kv_heads, 2)):  # q and output, k and v
            away = heads - heads // ranks  # heads that rank 0 gives to others
            counted["ulysses"] += tensors * tokens // ranks * away * 128 * 2
        for _ in range(4):  # all-gather, reduce-scatter, twice, of (tokens, 4096)
            counted["tensor"] += (ranks - 1) * tokens // ranks * 4096 * 2
        expected = [counted[name] / MIB for name in ("ring", "ulysses", "tensor")]
        assert list(sent(ranks, kv_heads, tokens).values()) == pytest.approx(expected)

    def test_ulysses_sends_less_with_more_ranks_and_a_ring_does_not(self):
        rings, swaps = zip(*(list(sent(ranks, 8).values())[:2] for ranks in (2, 4, 8)), strict=True)
        assert swaps[0] > swaps[1] > swaps[2] and rings[0] < rings[1] < rings[2] < 512

    @pytest.mark.parametrize(("heads", "kv_heads"), [(32, 8), (32, 32)])
    def test_flops_per_byte_of_a_step_are_tokens_per_rank_times_heads_per_kv_head(self, heads, kv_heads):
        b, d = 128, 64
        flops = heads * (2 * b * b * d + 2 * b * b * d)  # scores, and weights times values
        moved = 2 * b * kv_heads * d * 2
        assert flops == 4 * b * b * heads * d and flops / moved == b * heads / kv_heads
        pairs = schedule.work(schedule.layout(4 * b, 4, True))[:, 1:]  # zigzag: of blocks from another rank
        assert (4 * pairs * heads * d / moved == b * heads / kv_heads / 2).all()
