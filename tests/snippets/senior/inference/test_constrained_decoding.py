"""What docs/senior/inference/constrained-decoding.md claims, proven beyond the example shown."""

import random
from fractions import Fraction
from itertools import product

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/inference/constrained_decoding.py")
boundary = load_snippet("senior/inference/constrained_decoding_boundary_broken.py")


def model(monkeypatch, seed, valid=None, depth=3):
    """A random model of texts over three tokens, with a random half of them valid."""
    draw = random.Random(seed)
    following = {
        text: {t: draw.randint(1, 40) for t in "abc"} for n in range(depth) for text in product("abc", repeat=n)
    }
    texts = list(product("abc", repeat=depth))
    chosen = valid or sorted(draw.sample(texts, len(texts) // 2))
    monkeypatch.setattr(main, "NEXT", following)
    monkeypatch.setattr(main, "VALID", chosen)
    plain = [main.probability(text, mask=False) for text in chosen]
    masked = [main.probability(text, mask=True) for text in chosen]
    return plain, masked


class TestMask:
    @pytest.mark.parametrize("seed", range(6))
    def test_it_is_a_distribution_that_is_not_the_conditional_one(self, monkeypatch, seed):
        plain, masked = model(monkeypatch, seed)
        assert sum(masked) == 1
        assert masked != [p / sum(plain) for p in plain]

    @pytest.mark.parametrize("seed", range(6))
    def test_no_valid_text_loses_and_the_change_is_bounded_by_the_invalid_share(self, monkeypatch, seed):
        plain, masked = model(monkeypatch, seed)
        assert all(m >= p for m, p in zip(masked, plain, strict=True))
        moved = sum(abs(m - p / sum(plain)) for m, p in zip(masked, plain, strict=True)) / 2
        assert 0 < moved <= 1 - sum(plain)

    def test_here_the_bound_is_59_4_and_58_5_percent_move(self):
        plain, masked = ([main.probability(t, mask=m) for t in main.VALID] for m in (False, True))
        moved = sum(abs(m - p / sum(plain)) for m, p in zip(masked, plain, strict=True)) / 2
        assert (round(float(1 - sum(plain)), 3), round(float(moved), 3)) == (0.594, 0.585)
        assert round(float(1 / sum(plain)), 1) == 2.5

    def test_if_all_texts_are_valid_nothing_changes(self, monkeypatch):
        plain, masked = model(monkeypatch, 3, valid=list(product("abc", repeat=3)))
        assert plain == masked

    @pytest.mark.parametrize("seed", [1, 2])
    def test_if_each_beginning_ends_validly_with_the_same_chance_the_mask_is_exact(self, monkeypatch, seed):
        draw = random.Random(seed)
        following = {(): {t: draw.randint(1, 40) for t in "abc"}}
        for t in "abc":
            a = draw.randint(1, 29)
            following[(t,)] = {"a": a, "b": 30 - a, "c": 70}  # valid: a and b, 30 percent each time
        monkeypatch.setattr(main, "NEXT", following)
        monkeypatch.setattr(main, "VALID", [(t, end) for t in "abc" for end in "ab"])
        plain, masked = ([main.probability(t, mask=m) for t in main.VALID] for m in (False, True))
        assert masked == [p / sum(plain) for p in plain]

    def test_half_valid_samples_are_not_enough(self, monkeypatch):
        following = {(): {"a": 50, "b": 50}, ("a",): {"x": 1, "y": 99}, ("b",): {"x": 99, "y": 1}}
        monkeypatch.setattr(main, "NEXT", following)
        monkeypatch.setattr(main, "VALID", [("a", "x"), ("b", "x")])
        plain, masked = ([main.probability(t, mask=m) for t in main.VALID] for m in (False, True))
        assert sum(plain) == Fraction(1, 2)
        assert masked[0] == Fraction(1, 2) and plain[0] / sum(plain) == Fraction(1, 100)

    @pytest.mark.parametrize("seed", [4, 5])
    def test_weights_of_the_allowed_shares_correct_it(self, monkeypatch, seed):
        plain, masked = model(monkeypatch, seed)
        weights = []
        for text in main.VALID:
            weight = Fraction(1)
            for i in range(len(text)):
                allowed = {v[i] for v in main.VALID if v[:i] == text[:i]}
                chances = main.NEXT[text[:i]]
                weight *= Fraction(sum(chances[t] for t in allowed), sum(chances.values()))
            weights.append(weight)
        weighted = [m * w for m, w in zip(masked, weights, strict=True)]
        assert weighted == plain

    def test_greedy_with_the_mask_says_the_hague(self):
        assert max(main.NEXT[()], key=main.NEXT[()].get) == "The"
        assert main.probability(("The", "Hague"), mask=True) == Fraction(60, 100)


class TestFilters:
    @pytest.mark.parametrize("kept", [1, 2, 3])
    def test_a_mask_after_top_k_may_leave_nothing_and_a_mask_before_it_leaves_a_token(self, kept):
        logits = torch.tensor([6.0, 5.0, 4.0, 3.0, 2.0])
        valid = torch.tensor([False, False, False, True, True])

        def top(x):
            return x.masked_fill(x < x.topk(kept).values.min(), -torch.inf)

        assert top(logits).masked_fill(~valid, -torch.inf).softmax(0).isnan().all()
        first = top(logits.masked_fill(~valid, -torch.inf)).softmax(0)
        assert first.sum() == pytest.approx(1) and not first[~valid].any()

    @pytest.mark.parametrize(("chances", "p"), [([86, 9, 5], 0.9), ([78, 9, 8, 5], 0.8)])
    def test_top_p_after_the_mask_can_cut_a_token_that_it_kept_without_the_mask(self, chances, p):
        plain = torch.tensor(chances, dtype=torch.float64) / 100  # likeliest first, the last one invalid

        def top_p(x):
            kept = torch.where(x.cumsum(0) - x < p, x, 0)
            return kept / kept.sum()

        before, masked = top_p(plain), plain.clone()
        masked[-1] = 0
        after = top_p(masked / masked.sum())
        assert before[-1] == 0  # all plain samples are valid
        lost = (before > 0) & (after == 0)
        assert lost.any() and torch.equal(lost, torch.tensor(chances) == 9)

    def test_min_p_after_the_mask_can_lower_a_valid_token(self):
        plain = torch.tensor([30, 16, 14, 14, 14, 12.0])  # only the likeliest is invalid

        def min_p(x):
            kept = torch.where(x >= 0.5 * x.max(), x, 0)
            return kept / kept.sum()

        before, after = min_p(plain), min_p(plain * (torch.arange(6) > 0))
        assert after[1] < before[1]
        given_valid = torch.where(torch.arange(6) > 0, before, 0) / (1 - before[0])
        assert (after - given_valid).abs().sum() / 2 > before[0]  # more than the invalid share

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_top_k_after_the_mask_lowers_no_valid_token(self, k):
        draw = torch.Generator().manual_seed(k)
        for _ in range(20):
            plain, valid = torch.rand(6, generator=draw), torch.rand(6, generator=draw) < 0.6

            def top(x):
                kept = torch.where(x >= x.topk(k).values.min(), x, 0)
                return kept / kept.sum()

            if valid.sum() >= k:
                assert (top(plain * valid)[valid] >= top(plain)[valid] - 1e-6).all()


class TestBoundary:
    def test_a_forced_space_leaves_a_guess_and_healing_repairs_it(self):
        forced = boundary.outcomes("ok: ", " ")
        assert forced["ok: true"] == forced["ok: false"] == Fraction(1, 2)
        healed = boundary.outcomes("ok:", ":", " ")
        assert healed["ok: true"] > Fraction(85, 100) and sum(healed.values()) == 1

    @pytest.mark.parametrize(("yes", "no"), [(10, 90), (50, 50)])
    def test_the_guess_does_not_depend_on_what_was_trained(self, monkeypatch, yes, no):
        pairs = {(":", " true"): yes, (":", " false"): no}
        monkeypatch.setattr(boundary, "PAIRS", boundary.Counter(pairs))
        assert boundary.outcomes("ok: ", " ")["ok: true"] == Fraction(1, 2)
        assert abs(boundary.outcomes("ok:", ":", " ")["ok: true"] - Fraction(yes, 100)) < 0.02

    def test_training_saw_one_of_several_spellings(self):
        def spellings(text):
            if not text:
                return [[]]
            return [[t, *r] for t in boundary.VOCABULARY if text.startswith(t) for r in spellings(text[len(t) :])]

        assert len(spellings("ok: true")) == 2
        assert boundary.tokens("ok: true") in spellings("ok: true")
        assert boundary.PAIRS[" ", "true"] == 0

    def test_a_byte_level_token_may_hold_part_of_a_character(self):
        halves = "é".encode()
        assert len(halves) == 2
        with pytest.raises(UnicodeDecodeError):
            halves[:1].decode()

    def test_the_valid_texts_of_any_mask_are_all_that_comes_out(self):
        for start in ("", "ok", "ok:"):
            last = boundary.tokens(start)[-1] if start else ""
            assert set(boundary.outcomes(start, last)) == boundary.VALID
