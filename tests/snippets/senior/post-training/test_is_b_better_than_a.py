"""What docs/senior/post-training/is-b-better-than-a.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/is_b_better_than_a.py")
width = load_snippet("senior/post-training/is_b_better_than_a_width.py")
clusters = load_snippet("senior/post-training/is_b_better_than_a_clusters_broken.py")


def results(wins, losses, both, n):
    """Right answers of A and B: ``both`` questions are right for both, the rest wrong for both."""
    a, b = torch.zeros(2, n, dtype=torch.bool)
    a[:both] = b[:both] = True
    b[both : both + wins] = True
    a[both + wins : both + wins + losses] = True
    return a, b


class TestIsBBetter:
    @pytest.mark.parametrize(("n", "both"), [(500, 300), (2000, 900)])
    def test_the_p_depends_on_wins_and_losses_and_not_on_the_questions_that_both_have(self, n, both):
        for wins, losses, p in ((10, 0, 2 / 1024), (15, 5, 0.041), (30, 20, 0.203)):
            assert main.compare(*results(wins, losses, both, n))[2] == pytest.approx(p, abs=5e-4)
            assert main.compare(*results(losses, wins, both, n))[2] == pytest.approx(p, abs=5e-4)

    def test_equal_wins_and_losses_have_p_1_and_no_lead(self):
        for k in (0, 7):
            lead, _, p = main.compare(*results(k, k, 50, 100))
            assert lead == 0 and p == 1

    @pytest.mark.parametrize(("wins", "losses", "n"), [(15, 5, 500), (60, 50, 1000)])
    def test_the_half_width_is_that_of_m_tosses(self, wins, losses, n):
        lead, half, _ = main.compare(*results(wins, losses, n // 2, n))
        assert lead == pytest.approx((wins - losses) / n)
        assert half == pytest.approx(1.96 * math.sqrt(wins + losses) / n, rel=0.04)
        assert half == pytest.approx(width.paired(wins + losses, wins - losses, n), rel=2e-3)

    def test_a_lead_of_ten_is_clear_up_to_26_differing_questions_on_any_number_of_questions(self):
        for n in (500, 5000):
            clear = [d for d in range(10, 60) if width.paired(d, 10, n) < 10 / n]
            assert clear == list(range(10, clear[-1] + 1)) and clear[-1] in (25, 26)

    def test_unpaired_is_5_6_points_and_is_reached_by_independent_models(self):
        flat = width.unpaired(0.70, 0.72, 500)
        assert flat == pytest.approx(0.056, abs=5e-4)
        differ = 0.70 * 0.28 + 0.30 * 0.72
        assert differ == pytest.approx(0.41, abs=5e-3)
        assert width.paired(500 * differ, 10, 500) == pytest.approx(flat, rel=1e-3)

    def test_questions_for_80_percent_power(self):
        torch.manual_seed(0)
        for differ, lead in ((0.1, 0.03), (0.4, 0.05)):
            n = round(width.questions(differ, lead))
            draw = torch.rand(3000, n)
            wins, losses = (draw < (differ + lead) / 2).sum(1), (draw > 1 - (differ - lead) / 2).sum(1)
            clear = (wins - losses).abs() > 1.96 * (wins + losses - (wins - losses) ** 2 / n).sqrt()
            assert clear.double().mean().item() == pytest.approx(0.8, abs=0.03)
        assert width.questions(0.1, 0.01) == pytest.approx(7840, rel=2e-3)

    @pytest.mark.parametrize(("spread", "questions"), [(1, 10), (2, 5)])
    def test_by_question_a_cluster_gives_false_alarms_and_by_passage_it_does_not(self, spread, questions):
        one, other = clusters.alarms(spread, runs=1000, questions=questions)
        assert one > 0.15 and other == pytest.approx(0.05, abs=0.025)

    def test_without_a_spread_or_with_one_question_per_passage_counting_questions_is_right(self):
        for spread, questions in ((0, 5), (2, 1)):
            one, _ = clusters.alarms(spread, runs=1000, questions=questions)
            assert one == pytest.approx(0.05, abs=0.02)

    @pytest.mark.parametrize(("spread", "questions"), [(2, 5), (1, 10)])
    def test_passages_that_are_equally_hard_for_both_models_give_no_false_alarms(self, spread, questions):
        draw = torch.Generator().manual_seed(0)
        skill = 1 + spread * torch.randn(1000, 100, 1, generator=draw)
        right = (torch.rand(2, 1000, 100, questions, generator=draw) < skill.sigmoid()).double()
        lead = (right[1] - right[0]).flatten(1)
        alarm = lead.mean(1).abs() > 1.96 * lead.std(1) / lead.shape[1] ** 0.5
        assert alarm.double().mean().item() == pytest.approx(0.05, abs=0.02)

    def test_by_the_exact_p_a_lead_of_ten_is_clear_up_to_20_differing_questions(self):
        for n in (500, 2000):
            ps = {m: main.compare(*results(m // 2 + 5, m // 2 - 5, 300, n))[2] for m in range(10, 60, 2)}
            assert max(m for m, p in ps.items() if p < 0.05) == 20

    def test_with_few_passages_1_96_is_too_small_and_2_09_is_right(self):
        _, other = clusters.alarms(1, runs=4000, passages=20)
        assert 0.055 < other < 0.09
        t = torch.randn(100_000, 20, generator=torch.Generator().manual_seed(0), dtype=torch.double)
        t = (t.mean(1) / t.std(1) * 20**0.5).abs()
        assert (t > 1.96).double().mean().item() == pytest.approx(0.065, abs=5e-3)
        assert (t > 2.09).double().mean().item() == pytest.approx(0.05, abs=5e-3)

    def test_overlapping_intervals_and_a_clear_paired_lead(self):
        a, b = results(15, 5, 345, 500)
        each = [1.96 * (x.double().mean() * (1 - x.double().mean()) / 500).sqrt() for x in (a, b)]
        lead, half, _ = main.compare(a, b)
        assert lead < sum(each) and lead - half > 0

    @pytest.mark.parametrize(("rate", "share"), [(0.7, 0.42), (0.5, 0.5)])
    def test_two_runs_of_one_sampled_model_differ_and_half_are_two_points_apart(self, rate, share):
        draw = torch.Generator().manual_seed(0)
        one, other = (torch.rand(2000, 500, generator=draw) < rate for _ in range(2))
        assert (one != other).double().mean().item() == pytest.approx(share, abs=0.01)
        far = (one.sum(1) - other.sum(1)).abs() >= 10
        assert far.double().mean().item() == pytest.approx(0.54, abs=0.05)

    def test_several_answers_per_question_remove_the_noise_of_sampling_only(self):
        draw = torch.Generator().manual_seed(0)
        rate = torch.rand(1000, 200, 1, generator=draw)
        spreads = [(torch.rand(1000, 200, k, generator=draw) < rate).double().mean((1, 2)).std() for k in (1, 10)]
        floor = rate.mean((1, 2)).std()
        assert spreads[0] > 1.5 * floor and spreads[1] < 1.2 * floor

    @pytest.mark.parametrize("error", [0.1, 0.25])
    def test_a_judge_that_errs_at_random_shrinks_a_lead(self, error):
        a, b = 0.6, 0.7
        judged = [p * (1 - error) + (1 - p) * error for p in (a, b)]
        assert judged[1] - judged[0] == pytest.approx((b - a) * (1 - 2 * error))

    def test_among_ten_equal_checkpoints_two_or_three_pairs_look_different(self):
        draw = torch.Generator().manual_seed(0)
        right = (torch.rand(300, 10, 500, generator=draw) < 0.7).double()
        pairs, found = math.comb(10, 2), 0
        for i in range(10):
            for j in range(i):
                lead = right[:, i] - right[:, j]
                found += (lead.mean(1).abs() > 1.96 * lead.std(1) / 500**0.5).sum().item()
        assert pairs == 45 and 1.8 < found / 300 < 3

    def test_wilson_for_all_right(self):
        z, n = 1.96, 20
        low = (1 + z * z / (2 * n) - z * z / (2 * n)) / (1 + z * z / n)
        assert low == pytest.approx(0.84, abs=5e-3)
