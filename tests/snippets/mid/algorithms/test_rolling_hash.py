"""Every claim of docs/mid/algorithms/rolling-hash.md, proven beyond the example shown."""

import math
import random
from itertools import product

import pytest
import torch

from warmup.testing import load_snippet

story = load_snippet("mid/algorithms/rolling_hash.py")
broken = load_snippet("mid/algorithms/rolling_hash_broken.py")
search = load_snippet("mid/algorithms/rolling_hash_search.py")
tensors = load_snippet("mid/algorithms/rolling_hash_torch.py")
collisions = load_snippet("mid/algorithms/rolling_hash_collisions.py")
cost = load_snippet("mid/algorithms/rolling_hash_cost.py")

LARGEST = 2**31 - 1


def oracle(pattern: list[int], tokens: list[int]) -> list[int]:
    return [i for i in range(len(tokens) - len(pattern) + 1) if tokens[i : i + len(pattern)] == pattern]


def exact(tokens: list[int], k: int, base: int, mod: int) -> list[int]:
    """Each window's hash in Python's integers, which do not overflow."""
    return [
        sum(t * base ** (k - 1 - j) for j, t in enumerate(tokens[i : i + k])) % mod for i in range(len(tokens) - k + 1)
    ]


class TestRollingHashOfTheStory:
    @pytest.mark.parametrize("highest", [2, 10, 50_000])
    def test_rolling_gives_the_polynomial_of_each_window(self, highest):
        rng = random.Random(highest)
        tokens = [rng.randrange(highest) for _ in range(40)]
        for k in (1, 2, 7, 40):
            assert list(story.window_hashes(tokens, k)) == exact(tokens, k, story.BASE, story.MOD)

    def test_leading_zeros_add_nothing_until_tokens_are_shifted_by_one(self):
        for a, b in (([0, 5], [0, 0, 5]), ([3], [0, 3])):
            one, two = (next(story.window_hashes(t, len(t))) for t in (a, b))
            assert one == two
            one, two = (next(story.window_hashes([x + 1 for x in t], len(t))) for t in (a, b))
            assert one != two

    @pytest.mark.parametrize("k", [2, 8, 9, 12])
    def test_without_a_modulus_only_the_last_eight_tokens_count(self, k):
        for place in range(k):
            a = torch.full((k,), 5)
            b = a.clone()
            b[place] = 6
            assert torch.equal(broken.window_hashes(a, k), broken.window_hashes(b, k)) is (place < k - 8)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_float32_rounds_nearly_all_hashes_of_32_bits(self, seed):
        tokens = torch.randint(256, (3003,), generator=torch.Generator().manual_seed(seed))
        right = broken.window_hashes(tokens, 4)
        assert (right.float().long() != right).float().mean() > 0.95
        assert (right.double().long() == right).all()

    def test_the_sign_of_the_remainder(self):
        for a, b in ((-7, 5), (-1, 3)):
            assert a % b == (torch.tensor(a) % b).item() == math.fmod(a, b) + b  # fmod as in C

    @pytest.mark.parametrize("k", [2, 5])
    def test_in_a_text_of_equal_tokens_each_window_is_a_candidate(self, k):
        hashes = list(story.window_hashes([4] * 30, k))
        assert len(hashes) == 31 - k and len(set(hashes)) == 1


class TestRollingHash:
    def test_finds_what_a_comparison_of_each_window_finds(self):
        rng = random.Random(0)
        for _ in range(300):
            tokens = [rng.randrange(3) for _ in range(rng.randrange(0, 30))]
            pattern = [rng.randrange(3) for _ in range(rng.randrange(1, 5))]
            assert search.find_all(pattern, tokens) == oracle(pattern, tokens)

    @pytest.mark.parametrize(
        ("pattern", "tokens"),
        [
            ([1], []),
            ([1, 2], [1]),
            ([1, 2], [1, 2]),
            ([5, 5], [5] * 9),
            ([0], [0, 0]),
            ([-1, 2**70], [2**70, -1, 2**70]),
            ([0, 5], [0, 0, 5]),
        ],
    )
    def test_edges_overlaps_negative_and_huge_tokens(self, pattern, tokens):
        assert search.find_all(pattern, tokens) == oracle(pattern, tokens)

    def test_a_collision_does_not_become_a_match(self):
        base = 1000
        for pattern, tokens in (([1, 0], [0, base]), ([0, base], [1, 0]), ([search.MOD], [0])):
            assert search.find_all(pattern, tokens, base) == []
        assert search.find_all([1, 0], [0, base, 1, 0], base) == [2]

    @pytest.mark.parametrize("kind", [torch.tensor, tuple, lambda t: list(torch.tensor(t)), lambda t: bytes(t)])
    def test_tokens_of_any_kind_are_hashed_as_integers_of_python(self, kind):
        rng = random.Random(4)
        tokens = [rng.randrange(3) for _ in range(60)]
        for k in (1, 2, 5):
            assert search.find_all(kind(tokens[7 : 7 + k]), kind(tokens)) == oracle(tokens[7 : 7 + k], tokens)
            assert search.find_all(tokens[7 : 7 + k], kind(tokens)) == oracle(tokens[7 : 7 + k], tokens)

    def test_refuses_floats_and_rows(self):
        for tokens in ([1.0, 2.0], torch.ones(3), torch.ones(2, 3, dtype=torch.int64)):
            with pytest.raises(TypeError):
                search.find_all([1], tokens)

    @pytest.mark.parametrize("k", [6, 9])
    def test_a_rolling_hash_of_a_tensors_elements_overflows_and_that_of_its_list_does_not(self, k):
        tokens = torch.randint(50_000, (20,)).repeat(2)
        wrapped, right = cost.rolled(tokens, k), cost.rolled(tokens.tolist(), k)
        assert int(wrapped[0]) != int(wrapped[20]) and right[0] == right[20]

    def test_refuses_an_empty_pattern(self):
        with pytest.raises(ValueError, match="empty"):
            search.find_all([], [1, 2])

    def test_the_base_is_drawn_from_the_range_that_the_modulus_allows(self, monkeypatch):
        drawn = []
        monkeypatch.setattr(search.random, "randrange", lambda low, high: drawn.append((low, high)) or low)
        assert search.find_all([1, 2], [3, 1, 2]) == [1]
        assert drawn == [(2**20, search.MOD)]

    def test_rolled_and_recomputed_are_the_polynomial(self):
        rng = random.Random(1)
        for _ in range(40):
            tokens = [rng.randrange(10**6) for _ in range(rng.randrange(1, 30))]
            k = rng.randrange(1, len(tokens) + 1)
            truth = exact(tokens, k, cost.BASE, cost.MOD)
            assert cost.rolled(tokens, k) == cost.recomputed(tokens, k) == truth

    def test_rolling_does_not_grow_with_the_window_and_recomputing_does(self):
        rolled = [cost.milliseconds(cost.rolled, 600, k) for k in (8, 100)]
        recomputed = [cost.milliseconds(cost.recomputed, 600, k) for k in (8, 100)]
        assert recomputed[1] / recomputed[0] > 2.5 * rolled[1] / rolled[0]

    def test_a_random_base_fails_for_at_most_k_minus_1_bases_modulo_a_prime(self):
        rng = random.Random(3)
        for prime in (101, 251):
            for k in (2, 5, 9):
                roots = [rng.randrange(1, prime) for _ in range(k - 1)]
                worst = [1]  # the product of B - r over the roots
                for r in roots:
                    worst = [(a - r * b) % prime for a, b in zip([*worst, 0], [0, *worst], strict=True)]
                for a in (worst, [rng.randrange(prime) for _ in range(k)]):
                    b = [rng.randrange(prime) for _ in range(k)] if a is not worst else [0] * k
                    equal = sum(exact(a, k, base, prime) == exact(b, k, base, prime) for base in range(prime))
                    assert equal <= k - 1 or a == b
                    assert a is not worst or equal == len(set(roots))

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("shared", [10, 80])
    def test_equal_minima_estimate_the_jaccard_similarity(self, seed, shared):
        rng, mod = random.Random(seed), 2**31 - 1
        grams = [rng.randrange(mod) for _ in range(100)]
        functions = [(rng.randrange(1, mod), rng.randrange(mod)) for _ in range(400)]
        half = (100 + shared) // 2
        first, second = (
            [min((a * x + b) % mod for x in document) for a, b in functions]
            for document in (grams[:half], grams[100 - half :])
        )
        assert abs(sum(a == b for a, b in zip(first, second, strict=True)) / 400 - shared / 100) < 0.1

    def test_two_arrays_that_anybody_can_make_collide(self):
        for base in (3, 131_071):
            assert exact([1, 0], 2, base, 2**61 - 1) == exact([0, base], 2, base, 2**61 - 1)


class TestRollingHashTensors:
    def test_equals_the_polynomial_for_all_lengths_and_the_largest_tokens(self):
        for n in (1, 2, 7, 16, 33):
            tokens = torch.randint(LARGEST, (n,))
            tokens[0] = LARGEST - 1
            for k in range(1, n + 1):
                for base in (1, tensors.BASE, LARGEST - 1):
                    found = tensors.window_hashes(tokens, k, base)
                    assert found.tolist() == exact(tokens.tolist(), k, base, LARGEST)

    def test_small_integers_are_hashed_as_int64(self):
        tokens = torch.randint(200, (30,))
        for dtype in (torch.uint8, torch.int16, torch.int32):
            assert torch.equal(tensors.window_hashes(tokens.to(dtype), 7), tensors.window_hashes(tokens, 7))

    def test_rows_of_a_batch_and_strided_rows_are_separate(self):
        tokens = torch.randint(100, (9, 4, 3)).permute(1, 2, 0)
        found = tensors.window_hashes(tokens, 5)
        assert found.shape == (4, 3, 5)
        for i, j in product(range(4), range(3)):
            assert torch.equal(found[i, j], tensors.window_hashes(tokens[i, j].clone(), 5))

    def test_a_modulus_above_31_bits_overflows(self):
        tokens = torch.randint(2**31 - 1, (40,))
        mod = 2**61 - 1
        assert tensors.window_hashes(tokens, 9, 2**40 + 1, mod).tolist() != exact(tokens.tolist(), 9, 2**40 + 1, mod)

    def test_jaccard_is_that_of_the_sets_of_k_grams(self):
        for _ in range(30):
            a, b = torch.randint(3, (20,)), torch.randint(3, (15,))
            for k in (1, 3, 8, 15):
                sets = [{tuple(w) for w in tokens.unfold(0, k, 1).tolist()} for tokens in (a, b)]
                truth = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
                assert tensors.jaccard(a, b, k) == pytest.approx(truth)

    def test_thue_morse_collides_modulo_a_power_of_two_and_not_when_it_is_shorter_or_the_modulus_is_prime(self):
        def value(tokens, base, mod):
            h = 0
            for token in tokens:
                h = (h * base + token) % mod
            return h

        rng = random.Random(2)
        word = [i.bit_count() % 2 for i in range(1024)]
        for base in (1, 3, 2**61 - 1, *(rng.randrange(1, 2**64, 2) for _ in range(20))):
            flipped = [1 - t for t in word]
            assert value(word, base, 2**64) == value(flipped, base, 2**64)
            if 1 < base < 2**61 - 1:
                assert value(word, base, 2**61 - 1) != value(flipped, base, 2**61 - 1)
        for n in (64, 512):
            assert value(word[:n], 3, 2**64) != value([1 - t for t in word[:n]], 3, 2**64)


class TestRollingHashCollisions:
    def test_counts_the_pairs(self):
        windows = torch.tensor([[0, 1], [1, 1], [2, 1], [0, 2]])
        assert collisions.colliding_pairs(windows, 1, 5) == 1  # hashes 1, 2, 3, 2
        assert collisions.colliding_pairs(windows, 1, 1) == 6

    @pytest.mark.parametrize("k", [3, 12])
    def test_there_are_about_n_squared_over_two_m(self, k):
        windows = torch.randint(30_000, (20_000, k))
        n = len(windows)
        assert len({tuple(window) for window in windows.tolist()}) == n
        for mod in (65_521, 1_048_573):
            expected = n * (n - 1) / 2 / mod
            found = collisions.colliding_pairs(windows, 31_337, mod)
            assert abs(found - expected) < 6 * expected**0.5

    def test_two_hashes_collide_as_rarely_as_one_of_twice_the_bits(self):
        windows, mod = torch.randint(30_000, (20_000, 6)), 1021
        both = torch.zeros(20_000, dtype=torch.int64)
        for base in (torch.randperm(mod - 2)[:2] + 2).tolist():
            h = torch.zeros(20_000, dtype=torch.int64)
            for column in windows.T:
                h = (h * base + column) % mod
            both = both * mod + h
        counts = both.unique(return_counts=True)[1]
        expected = 20_000**2 / 2 / mod**2
        assert abs((counts * (counts - 1) // 2).sum().item() - expected) < 6 * expected**0.5

    def test_a_million_windows_at_31_bits(self):
        assert 225 < 10**12 / 2 / LARGEST < 240
