"""What docs/senior/inference/speculative-decoding.md claims, proven beyond the example shown."""

import random
from fractions import Fraction

import pytest

from warmup.testing import load_snippet

main = load_snippet("senior/inference/speculative_decoding.py")
texts = load_snippet("senior/inference/speculative_decoding_texts.py")
batch = load_snippet("senior/inference/speculative_decoding_batch_broken.py")


def distribution(draw, size):
    weights = [draw.randint(1, 50) for _ in range(size)]
    return [Fraction(w, sum(weights)) for w in weights]


def parts(p, q):
    ratio = [min(Fraction(1), a / b) for a, b in zip(p, q, strict=True)]
    return ratio, texts.residual(p, q)


def variation(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


class TestRule:
    @pytest.mark.parametrize("size", [2, 7, 40])
    def test_ratio_and_residual_give_the_target_and_drawing_from_it_does_not(self, size):
        draw = random.Random(size)
        p, q = distribution(draw, size), distribution(draw, size)
        ratio, rest = parts(p, q)
        assert main.emitted(p, q, ratio, rest) == p
        assert main.emitted(p, q, ratio, p) != p

    @pytest.mark.parametrize("size", [3, 20])
    def test_acceptance_is_one_minus_total_variation(self, size):
        draw = random.Random(size)
        p, q = distribution(draw, size), distribution(draw, size)
        accepted = sum(b * a for b, a in zip(q, parts(p, q)[0], strict=True))
        assert accepted == 1 - variation(p, q)

    def test_the_second_rule_gives_what_is_proposed_too_rarely_too_rarely(self):
        draw = random.Random(9)
        for _ in range(20):
            p, q = distribution(draw, 6), distribution(draw, 6)
            out = main.emitted(p, q, parts(p, q)[0], p)
            for a, b, got in zip(p, q, out, strict=True):
                if b >= a:
                    assert got >= a  # what the draft proposes often enough comes too often
            assert any(got < a for a, got in zip(p, out, strict=True))

    def test_a_copied_token_is_accepted_with_probability_p(self):
        p, q = [Fraction(1, 5), Fraction(4, 5)], [Fraction(1), Fraction(0)]
        assert 1 - variation(p, q) == p[0]

    def test_a_different_q_in_the_test_is_not_exact(self):
        p, q = main.P, main.Q
        sharp = [b * b / sum(x * x for x in q) for b in q]  # what was sampled from
        assert main.emitted(p, sharp, *parts(p, q)) != p
        assert main.emitted(p, sharp, *parts(p, sharp)) == p

    def test_p_before_the_filter_gives_tokens_that_the_filter_removes(self):
        p, q = main.P, main.Q
        filtered = [x / (p[0] + p[1]) for x in p[:2]] + [Fraction(0)]  # top-k of 2
        assert main.emitted(p, q, *parts(p, q))[2] > 0
        assert main.emitted(filtered, q, *parts(filtered, q)) == filtered

    def test_near_temperature_zero_it_is_agreement_of_the_best_tokens(self):
        def overlap(p, q, power):
            p, q = ([x**power / sum(y**power for y in t) for x in t] for t in (p, q))
            return 1 - variation(p, q)

        assert overlap([0.5, 0.3, 0.2], [0.6, 0.1, 0.3], 50) > 0.999
        assert overlap([0.5, 0.3, 0.2], [0.3, 0.5, 0.2], 50) < 0.001

    @pytest.mark.parametrize("draft", [[5, 7, 9, 4], [1, 8, 9, 4]])
    def test_greedy_checks_count_only_up_to_the_first_difference(self, draft):
        best = [5, 8, 9, 4]
        same = [a == b for a, b in zip(draft, best, strict=True)]
        right = next(i for i, agree in enumerate(same) if not agree)
        p = [[Fraction(int(x == b)) for x in range(10)] for b in best]  # temperature zero
        accepted = 0
        while p[accepted][draft[accepted]] == 1:
            accepted += 1
        assert accepted == right < sum(same)


class TestTexts:
    @pytest.mark.parametrize(("length", "before", "drafts"), [(2, 1, 4), (4, 2, 1), (3, 2, 2)])
    def test_texts_of_any_length_have_the_chances_of_the_target(self, length, before, drafts):
        chances = texts.texts(length, before, drafts, texts.residual)
        assert len(chances) == 3**length and sum(chances.values()) == 1
        assert all(chance == texts.target(text, before) for text, chance in chances.items())

    def test_the_wrong_rule_is_off_with_any_number_of_drafts(self):
        for before in (0, 2):
            off = []
            for drafts in (1, 3):
                chances = texts.texts(3, before, drafts, lambda p, q: p)
                off.append(sum(abs(c - texts.target(t, before)) for t, c in chances.items()) / 2)
            assert min(off) > 0.05

    def test_in_long_texts_the_formula_with_the_mean_acceptance_is_only_near(self):
        steps, starts = [list(texts.step(s, 4, texts.residual)) for s in range(3)], [1.0, 0.0, 0.0]
        for _ in range(60):  # how often a step starts after each token
            ends = [(text, starts[s] * float(chance)) for s in range(3) for text, chance in steps[s]]
            starts = [sum(share for text, share in ends if text[-1] == x) for x in range(3)]
        assert sum(share for _, share in ends) == pytest.approx(1)
        tested = sum(min(len(text), 4) * share for text, share in ends)
        accepted = sum((len(text) - 1) * share for text, share in ends) / tested
        assert round(sum(len(text) * share for text, share in ends), 2) == 2.40
        assert round(sum(accepted**k for k in range(5)), 2) == 2.36


class TestBatch:
    @pytest.mark.parametrize("accepted", [0.6, 0.8])
    def test_it_loses_in_a_large_batch_with_short_context_and_not_with_long_caches(self, accepted):
        assert batch.speed(accepted, 4, 300, 100) < 1 < batch.speed(accepted, 4, 64, 100)
        most = max(n for n in range(1, 512) if batch.fits(n, 2000))
        assert batch.speed(accepted, 4, most, 2000) == pytest.approx(batch.speed(accepted, 4, 1, 2000))

    def test_eight_drafts_are_3_1_and_the_best_length_falls_with_the_batch(self):
        best = [max(range(9), key=lambda k, n=n: batch.speed(0.8, k, n, 100)) for n in (1, 64, 128, 256)]
        assert best == sorted(best, reverse=True) and best[-1] in (1, 2) and best[0] == 8
        assert round(batch.speed(0.8, 8, 1, 100), 1) == 3.1

    @pytest.mark.parametrize(("accepted", "drafts"), [(0.5, 3), (0.9, 6)])
    def test_in_memory_bound_steps_the_speed_is_the_formula(self, accepted, drafts):
        emitted = (1 - accepted ** (drafts + 1)) / (1 - accepted)
        assert batch.speed(accepted, drafts, 1, 500) == pytest.approx(emitted / (1 + drafts * batch.DRAFT))

    def test_at_batch_256_and_context_100_the_check_takes_3_6_steps(self):
        assert round(batch.step(256, 5, 100) / batch.step(256, 1, 100), 1) == 3.6
        assert round(sum(0.8**k for k in range(5)), 1) == 3.4

    def test_a_poor_draft_is_slower_at_batch_one_too(self):
        assert batch.speed(0.0, 4, 1, 500) == pytest.approx(1 / 1.2)
        assert round(batch.speed(0.15, 4, 1, 500), 2) == 0.98 < 1 < batch.speed(0.2, 4, 1, 500)

    def test_with_eight_drafts_math_limits_long_contexts_from_about_60_requests(self):
        for n, bound in ((55, True), (65, False)):
            assert (batch.step(n, 9, 2000) == batch.step(n, 1, 2000)) is bound
        most = max(n for n in range(1, 512) if batch.fits(n, 2000))
        assert batch.step(most, 5, 2000) == batch.step(most, 1, 2000)

    def test_it_never_saves_math(self, monkeypatch):
        monkeypatch.setattr(batch, "DRAFT", 0)  # as free as n-grams
        assert batch.speed(1.0, 4, 512, 100) == pytest.approx(1)
        assert batch.speed(0.9, 4, 512, 100) < 0.9
