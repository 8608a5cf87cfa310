"""Every claim of docs/mid/post-training/pass-at-k.md, proven beyond the example shown."""

from itertools import combinations, product
from math import comb, prod

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/post-training/pass_at_k.py")
spread = load_snippet("mid/post-training/pass_at_k_spread.py")
floats = load_snippet("mid/post-training/pass_at_k_product.py")


def binomial(n, p):
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


class TestPassAtK:
    @pytest.mark.parametrize(("n", "c", "k"), [(6, 2, 3), (7, 1, 4), (5, 4, 2), (4, 0, 2), (5, 5, 5)])
    def test_the_estimate_is_the_share_of_k_subsets_with_a_right_sample(self, n, c, k):
        hits = [any(i < c for i in chosen) for chosen in combinations(range(n), k)]
        assert page.pass_at_k(n, c, k) == pytest.approx(sum(hits) / len(hits))

    @pytest.mark.parametrize(("n", "c", "k"), [(6, 2, 3), (4, 1, 2), (3, 0, 2), (3, 3, 2)])
    def test_the_plug_in_is_the_same_share_with_replacement(self, n, c, k):
        hits = [any(i < c for i in chosen) for chosen in product(range(n), repeat=k)]
        assert page.plug_in(n, c, k) == pytest.approx(sum(hits) / len(hits))

    @pytest.mark.parametrize("p", [0.0, 0.01, 0.3, 0.5, 0.99, 1.0])
    @pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 2), (5, 5), (40, 30)])
    def test_the_mean_is_the_true_value_for_every_rate_n_and_k(self, p, n, k):
        assert page.mean(page.pass_at_k, n, k, p) == pytest.approx(1 - (1 - p) ** k, abs=1e-12)

    @pytest.mark.parametrize("p", [0.01, 0.3, 0.9])
    @pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 2), (12, 6)])
    def test_the_plug_in_is_too_low_on_average_and_the_gap_shrinks_with_n(self, p, n, k):
        gaps = [1 - (1 - p) ** k - page.mean(page.plug_in, m, k, p) for m in (n, 4 * n)]
        assert gaps[0] > gaps[1] > 0

    @pytest.mark.parametrize(("n", "k"), [(6, 2), (10, 10), (30, 4)])
    def test_for_every_count_the_plug_in_is_not_above_the_share_of_subsets(self, n, k):
        pairs = [(page.plug_in(n, c, k), page.pass_at_k(n, c, k)) for c in range(n + 1)]
        assert all(low <= fair + 1e-15 for low, fair in pairs)
        assert all(low < fair for low, fair in pairs[1:-1])

    @pytest.mark.parametrize(("n", "c"), [(5, 2), (9, 9), (7, 0)])
    def test_for_k_of_one_both_are_the_measured_rate(self, n, c):
        assert page.pass_at_k(n, c, 1) == pytest.approx(c / n)
        assert page.plug_in(n, c, 1) == pytest.approx(c / n)

    def test_the_table_for_two_samples_of_rate_one_half(self):
        assert binomial(2, 0.5) == [0.25, 0.5, 0.25]
        assert [page.pass_at_k(2, c, 2) for c in range(3)] == [0, 1, 1]
        assert [page.plug_in(2, c, 2) for c in range(3)] == [0, 0.75, 1]
        assert page.mean(page.pass_at_k, 2, 2, 0.5) == 0.75
        assert page.mean(page.plug_in, 2, 2, 0.5) == 0.625

    @pytest.mark.parametrize(("p", "k"), [(0.05, 10), (0.2, 5)])
    def test_k_samples_are_unbiased_too_and_more_samples_spread_less(self, p, k):
        deviations = []
        for n in (k, 2 * k, 20 * k):
            mean, deviation = spread.moments([page.pass_at_k(n, c, k) for c in range(n + 1)], n, p)
            assert mean == pytest.approx(1 - (1 - p) ** k)
            deviations.append(deviation)
        assert deviations[0] > deviations[1] > 2 * deviations[2]
        assert {page.pass_at_k(k, c, k) for c in range(k + 1)} == {0.0, 1.0}

    @pytest.mark.parametrize("rates", [[0, 1], [0.1, 0.5, 0.9], [0, 0, 0.3]])
    def test_the_mean_rate_of_different_problems_gives_too_high_a_value(self, rates):
        k = 10
        apart = sum(1 - (1 - p) ** k for p in rates) / len(rates)
        assert 1 - (1 - sum(rates) / len(rates)) ** k > apart

    @pytest.mark.parametrize(("n", "c", "k"), [(10, 3, 5), (200, 0, 100), (200, 150, 100), (1500, 3, 700), (4, 4, 1)])
    def test_the_product_equals_the_binomials(self, n, c, k):
        assert floats.pass_at_k(n, c, k) == pytest.approx(page.pass_at_k(n, c, k), abs=1e-12)

    @pytest.mark.parametrize(("n", "c", "k"), [(10, 3, 5), (200, 3, 100), (50, 0, 5), (10, 9, 3)])
    def test_the_product_of_c_factors_is_the_same(self, n, c, k):
        assert 1 - prod(1 - k / i for i in range(n - c + 1, n + 1)) == pytest.approx(floats.pass_at_k(n, c, k))

    def test_the_binomial_overflows_a_float_but_not_pythons_division(self):
        with pytest.raises(OverflowError):
            float(comb(2000, 1000))
        assert torch.tensor(2000.0).lgamma().exp().isinf()
        assert 0 < page.pass_at_k(2000, 1, 1000) < 1

    def test_fewer_samples_than_k_divide_by_zero(self):
        with pytest.raises(ZeroDivisionError):
            page.pass_at_k(5, 1, 6)
        assert floats.pass_at_k(5, 0, 6) == 1.0

    @pytest.mark.parametrize(("n", "k"), [(1, 2), (3, 5), (4, 4)])
    def test_no_function_of_fewer_than_k_samples_is_unbiased(self, n, k):
        rates = torch.linspace(0, 1, 40, dtype=torch.double)
        chances = torch.tensor([binomial(n, p) for p in rates.tolist()], dtype=torch.double)
        target = 1 - (1 - rates) ** k
        fit = torch.linalg.lstsq(chances, target[:, None]).solution
        error = (chances @ fit)[:, 0].sub(target).abs().max()
        assert (error < 1e-10) == (n >= k)

    @pytest.mark.parametrize("p", [0.1, 0.2, 0.5])
    def test_stopping_at_the_first_right_sample_makes_the_measured_rate_too_high(self, p):
        mean = sum(p * (1 - p) ** (n - 1) / n for n in range(1, 2000))
        assert mean > 1.3 * p

    @pytest.mark.parametrize(("n", "k"), [(10, 5), (4, 4)])
    def test_equal_samples_of_greedy_decoding_give_zero_or_one(self, n, k):
        assert [page.pass_at_k(n, c, k) for c in (0, n)] == [0, 1]

    def test_a_checker_with_one_percent_of_errors_passes_63_percent_of_the_unsolvable_at_100(self):
        assert round(1 - 0.99**100, 2) == 0.63

    @pytest.mark.parametrize("p", [0.2, 0.7])
    @pytest.mark.parametrize(("n", "k"), [(4, 4), (10, 4), (8, 2)])
    def test_all_k_right_has_an_unbiased_estimate_of_the_same_form(self, p, n, k):
        chance = binomial(n, p)
        assert sum(chance[c] * comb(c, k) / comb(n, k) for c in range(n + 1)) == pytest.approx(p**k)

    def test_a_rate_of_0_7_passes_four_of_four_in_24_percent(self):
        assert round(0.7**4, 2) == 0.24

    def test_a_majority_of_many_votes_is_wrong_where_a_wrong_answer_is_more_frequent(self):
        right = sum(q for c, q in enumerate(binomial(101, 0.3)) if c > 50)
        assert right < 0.001
        assert 1 - 0.7**101 > 0.999

    def test_three_votes_can_beat_one_where_a_wrong_answer_is_more_frequent(self):
        chances = [0.35, 0.4, *[0.025] * 10]  # the right answer, the frequent wrong one, and ten rare ones
        right = 0.0
        for votes in product(range(12), repeat=3):
            most = max(map(votes.count, votes))
            winners = {vote for vote in votes if votes.count(vote) == most}
            right += prod(chances[vote] for vote in votes) * (0 in winners) / len(winners)
        assert 0.37 < right < 0.38
