"""What docs/senior/inference/paged-kv-cache.md claims, proven beyond the example shown."""

import random

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/inference/paged_kv_cache.py")
allocator = load_snippet("senior/inference/paged_kv_cache_allocator.py")
forked = load_snippet("senior/inference/paged_kv_cache_fork_broken.py")


def attention(q, k, v):
    return (q @ k.T / len(q) ** 0.5).softmax(-1) @ v


def filled(pool, rows):
    one = allocator.Sequence(pool)
    for k, v in rows:
        one.append(k, v)
    return one


def rows(n, seed=0):
    return torch.randn(n, 2, 8, dtype=torch.double, generator=torch.Generator().manual_seed(seed))


class TestPagedKvCache:
    @pytest.mark.parametrize("block", [2048, 256, 64, 16, 1])
    def test_every_row_adds_up_to_the_pool(self, block):
        count, tokens, blocks = main.fill(block)
        needs = [a + b for a, b in zip(main.PROMPTS, main.ANSWERS, strict=True)][: count + 1]
        assert tokens == sum(needs[:count]) <= blocks * block <= main.POOL
        assert blocks == sum(-(-n // block) for n in needs[:count])
        assert (blocks + -(-needs[count] // block)) * block > main.POOL

    def test_requests_stay_within_their_limit_and_answers_are_about_200(self):
        assert max(a + b for a, b in zip(main.PROMPTS, main.ANSWERS, strict=True)) <= main.LIMIT
        assert 180 < sum(main.ANSWERS) / 2000 < 220
        assert min(main.PROMPTS) >= 20 and max(main.PROMPTS) <= 600

    def test_the_numbers_of_the_page(self):
        fits = {block: main.fill(block) for block in (2048, 256, 16, 1)}
        assert [fits[b][0] for b in (2048, 16, 1)] == [32, 128, 131]
        empty = {b: (blocks * b - tokens) / main.POOL for b, (_, tokens, blocks) in fits.items()}
        assert round(empty[2048], 2) == 0.73 and round(empty[256], 2) == 0.20 and round(empty[16], 3) == 0.015
        assert 7 < empty[16] * main.POOL / 128 < 9
        assert round(fits[1][2] / fits[16][2]) == 16 == round(fits[16][2] / fits[256][2])
        assert round(main.POOL * 131_072 / 1e9, 1) == 8.6

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_small_blocks_fit_more_than_three_times_a_reservation_for_other_requests(self, seed):
        draw = random.Random(seed)
        prompts = [draw.randint(20, 600) for _ in range(2000)]
        answers = [min(1400, int(draw.expovariate(1 / 200)) + 1) for _ in range(2000)]
        counts = [main.fill(block, prompts, answers)[0] for block in (2048, 256, 64, 16, 1)]
        assert counts == sorted(counts) and counts[3] > 3 * counts[0]
        assert counts[4] - counts[3] < 0.05 * counts[3]

    def test_if_all_requests_use_their_limit_paging_gains_nothing(self):
        for block in (2048, 16):
            assert main.fill(block, [1048] * 100, [1000] * 100)[0] == 32
        count, tokens, blocks = main.fill(256, [10] * 2000, [10] * 2000)
        assert round(tokens / (blocks * 256), 2) == 0.08

    @pytest.mark.parametrize("n", [1, 4, 5, 23])
    def test_attention_through_scattered_blocks_is_attention(self, n):
        pool = allocator.Pool(40, 8)
        random.Random(n).shuffle(pool.free)
        pairs, others = rows(n), [allocator.Sequence(pool) for _ in range(2)]
        one = allocator.Sequence(pool)
        for k, v in pairs:
            one.append(k, v)
            for other in others:
                other.append(*rows(1, seed=9)[0])
        q = torch.ones(8, dtype=torch.double)
        torch.testing.assert_close(one.attend(q), attention(q, pairs[:, 0], pairs[:, 1]))
        assert len(one.table) == -(-n // allocator.BLOCK)

    @pytest.mark.parametrize(("n", "taken"), [(5, 1), (8, 1), (7, 1)])
    def test_a_fork_takes_nothing_its_first_token_one_block_and_the_parent_stays(self, n, taken):
        pool = allocator.Pool(20, 8)
        pairs, new = rows(n), rows(2, seed=5)
        one = filled(pool, pairs)
        free = len(pool.free)
        child = one.fork()
        assert len(pool.free) == free
        child.append(*new[0])
        assert free - len(pool.free) == taken
        one.append(*new[1])  # the parent is alone in its last block now, or takes a new one
        q = torch.ones(8, dtype=torch.double)
        for sequence, last in ((child, new[0]), (one, new[1])):
            both = torch.cat([pairs, last[None]])
            torch.testing.assert_close(sequence.attend(q), attention(q, both[:, 0], both[:, 1]))
        assert one.table[: n // 4] == child.table[: n // 4]  # full blocks stay shared

    def test_when_all_are_closed_every_block_is_free_in_any_order(self):
        for order in ((0, 1, 2), (2, 0, 1)):
            pool = allocator.Pool(20, 8)
            one = filled(pool, rows(6))
            child = one.fork()
            child.append(*rows(1)[0])
            family = [one, child, child.fork()]
            assert len(pool.free) + sum(users > 0 for users in pool.users) == 20
            for k in order:
                family[k].close()
            assert sorted(pool.free) == list(range(20)) and not any(pool.users)

    def test_a_lost_request_is_seen_in_the_tables_of_open_requests_not_in_the_counts(self):
        pool = allocator.Pool(20, 8)
        one, lost = filled(pool, rows(6)), filled(pool, rows(9))
        child = one.fork()
        assert len(pool.free) + len({b for s in (one, child, lost) for b in s.table}) == 20
        del lost  # without close
        assert len(pool.free) + sum(users > 0 for users in pool.users) == 20
        assert len(pool.free) + len({b for s in (one, child) for b in s.table}) == 17

    @pytest.mark.parametrize("n", [4, 6, 11])
    def test_if_only_full_blocks_are_shared_nothing_is_copied(self, n):
        pool, pairs, new = allocator.Pool(20, 8), rows(n), rows(1, seed=5)
        one = filled(pool, pairs)
        child = allocator.Sequence(pool, one.table[: n // 4], n // 4 * 4).fork()  # as a prefix cache does
        before, table = pool.kv[:, one.table].clone(), list(child.table)
        for k, v in torch.cat([pairs[child.length :], new]):
            child.append(k, v)
        assert torch.equal(pool.kv[:, one.table], before) and child.table[: n // 4] == table
        q, both = torch.ones(8, dtype=torch.double), torch.cat([pairs, new])
        torch.testing.assert_close(child.attend(q), attention(q, both[:, 0], both[:, 1]))

    def test_without_a_free_block_taking_raises_and_a_closed_request_helps(self):
        pool = allocator.Pool(2, 8)
        one, other = filled(pool, rows(4)), filled(pool, rows(4))
        with pytest.raises(RuntimeError, match="no free block"):
            one.append(*rows(1)[0])
        other.close()
        one.append(*rows(1)[0])
        assert one.length == 5

    @pytest.mark.parametrize("n", [6, 8])
    def test_closing_one_of_two_forks_frees_only_what_they_do_not_share(self, n):
        pool = allocator.Pool(8, 8)
        one = filled(pool, rows(n))
        child = one.fork()
        child.append(*rows(1)[0])
        assert len(pool.free) == 8 - 3  # two of the parent, one of the child alone
        child.close()
        assert len(pool.free) == 8 - 2
        one.close()
        assert len(pool.free) == 8

    def test_without_the_length_garbage_is_read(self):
        pool = allocator.Pool(4, 8)
        pairs = rows(6)
        one = filled(pool, pairs)
        q = torch.ones(8, dtype=torch.double)
        wanted = attention(q, pairs[:, 0], pairs[:, 1])
        one.length = 8
        assert not torch.allclose(one.attend(q), wanted, atol=100)

    def test_without_the_copy_both_answers_have_the_second_word(self):
        wrong, right = forked.sample(copy=False), forked.sample(copy=True)
        assert wrong["first"] == wrong["second"] == right["second"]
        assert right["first"].endswith("blue") and right["second"].endswith("gray")
