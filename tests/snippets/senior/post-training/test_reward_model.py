"""What docs/senior/post-training/reward-model.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/reward_model.py")
budget = load_snippet("senior/post-training/reward_model_budget.py")

COUNTS = (16, 64, 1024)


def heavy(*size):
    return torch.randn(size) / torch.randn(3, *size).norm(dim=0)


@pytest.fixture(scope="module")
def drawn():
    torch.manual_seed(3)
    quality, normal = torch.randn(2, 1500, 1024)
    return quality, normal, heavy(1500, 1024), heavy(1500, 1024)


def qualities(quality, score):
    return [main.best_of(n, quality, score)[1] for n in COUNTS]


def accuracy(quality, score):
    return ((quality[:, :512] > quality[:, 512:]) == (score[:, :512] > score[:, 512:])).double().mean().item()


class TestRewardModel:
    def test_with_normal_errors_quality_rises_and_with_a_heavy_tail_it_turns(self, drawn):
        quality, normal, tail, _ = drawn
        light, other = qualities(quality, quality + normal), qualities(quality, quality + tail)
        assert light == sorted(light) and light[2] > light[0] + 0.8
        assert other[2] < other[1] - 0.4 and main.best_of(1024, quality, quality + tail)[0] > 7

    def test_the_model_with_the_heavy_tail_has_the_same_variance_and_ranks_more_pairs_right(self, drawn):
        quality, normal, tail, _ = drawn
        assert tail.var().item() == pytest.approx(1, abs=0.15)
        assert accuracy(quality, quality + normal) == pytest.approx(0.75, abs=0.005)
        assert accuracy(quality, quality + tail) == pytest.approx(0.79, abs=0.005)

    def test_by_a_grid_the_same_means(self):
        for freedom, expected in ((None, (1.25, 1.66, 2.30)), (3, (1.24, 1.32, 0.65)), (5, (1.21, 1.41, 1.17))):
            assert [budget.quality(n, freedom) for n in COUNTS] == pytest.approx(expected, abs=0.01)

    def test_half_of_a_score_is_quality_if_both_are_equally_spread(self, drawn):
        quality, normal, tail, other = drawn
        for n in COUNTS:
            for q, e in ((quality, normal), (tail, other)):
                score, mean = main.best_of(n, q, q + e)
                assert mean == pytest.approx(score / 2, abs=0.06 * score)

    def test_five_degrees_turn_later_and_fall_slower(self):
        peak = {f: max(range(13), key=lambda k, f=f: budget.quality(2**k, f)) for f in (3, 5)}
        assert peak[3] <= 6 < peak[5]
        assert budget.quality(1024, 5) > 1.1 > 0.7 > budget.quality(1024, 3)

    @pytest.mark.parametrize("cap", [2.5, 3.0])
    def test_a_cap_on_the_score_keeps_quality_from_falling(self, drawn, cap):
        quality, _, tail, _ = drawn
        capped = qualities(quality, (quality + tail).clamp(max=cap))
        assert capped[2] == pytest.approx(1.3, abs=0.1) and qualities(quality, quality + tail)[2] < 0.75

    def test_the_minimum_of_two_models_helps_and_the_mean_still_turns(self, drawn):
        quality, _, tail, other = drawn
        least = qualities(quality, quality + torch.minimum(tail, other))
        mean = qualities(quality, quality + (tail + other) / 2)
        assert least == sorted(least) and least[2] == pytest.approx(2.6, abs=0.1)
        assert mean[1] == pytest.approx(1.7, abs=0.1) and mean[2] == pytest.approx(1.2, abs=0.1)

    def test_the_minimum_and_a_cap_need_scores_that_are_centered_per_prompt(self, drawn):
        quality, _, tail, other = drawn
        one, moved = quality + tail, quality + other + 20 * torch.randn(len(quality), 1)
        assert qualities(quality, torch.minimum(one, moved))[2] < 1.2
        assert qualities(quality, moved.clamp(max=3))[2] < 0.6
        one, moved = (x - x.mean(1, keepdim=True) for x in (one, moved))
        assert qualities(quality, torch.minimum(one, moved))[2] == pytest.approx(2.6, abs=0.1)
        assert qualities(quality, moved.clamp(max=3))[2] == pytest.approx(1.3, abs=0.1)

    def test_two_models_with_the_same_errors_are_one(self, drawn):
        quality, _, tail, _ = drawn
        both = torch.stack([quality + tail, quality + tail])
        assert qualities(quality, both.min(0).values) == qualities(quality, quality + tail)

    def test_people_prefer_the_policy_less_although_its_score_rises(self, drawn):
        quality, _, tail, _ = drawn
        score, wins = quality + tail, []
        for n in (16, 1000):
            best = score[:, :n].argmax(1, keepdim=True)
            wins.append((quality.gather(1, best) > quality[:, -1:]).double().mean().item())
        assert wins[0] > 0.78 and 0.55 < wins[1] < 0.72

    def test_a_small_kl_gains_little_from_normal_errors(self):
        e = torch.linspace(-12, 12, 4801, dtype=torch.double)
        p = (-e.square() / 2).exp()
        p = p / p.sum()
        for tilt in (0.1 * e, e, e.sin(), 5.0 * (e > 3), 20.0 * (e > 6)):
            q = p * tilt.exp()
            q = q / q.sum()
            assert 0 < q @ e <= (2 * torch.xlogy(q, q / p).sum()).sqrt() + 1e-6

    @pytest.mark.parametrize("far", [1e5, 1e7])
    def test_a_small_kl_gains_any_error_from_a_heavy_tail(self, far):
        # Student's t of 3 degrees and variance 1 has the density 2 / pi / (1 + e**2)**2.
        tail = 2 / (3 * math.pi) * (1 + far**2) ** -1.5  # at most the probability of e > far
        share = 10 / far  # of the answers are from e > far, the others are as at the start
        assert share * far == pytest.approx(10) and share * math.log(1 / tail) < 0.01

    @pytest.mark.parametrize("shift", [3.0, 100.0])
    def test_a_constant_per_prompt_changes_neither_loss_nor_gradient(self, shift):
        torch.manual_seed(0)
        reward = torch.randn(5, 2, dtype=torch.double, requires_grad=True)
        found = []
        for offset in (0, shift * torch.randn(5, 1, dtype=torch.double)):
            moved = reward + offset
            loss = -F.logsigmoid(moved[:, 0] - moved[:, 1]).sum()
            found.append((loss, *torch.autograd.grad(loss, reward)))
        torch.testing.assert_close(found[0], found[1])
        torch.testing.assert_close(found[0][1].sum(1), torch.zeros(5, dtype=torch.double))

    def test_a_pair_keeps_its_mean_until_the_sum_is_penalized(self):
        for penalty, mean in ((0.0, 7.0), (0.1, 0.0)):
            reward = torch.tensor([7.0, 7.0]).requires_grad_()
            for _ in range(300):
                loss = -F.logsigmoid(reward[0] - reward[1]) + penalty * reward.sum().square()
                reward = (reward - 0.5 * torch.autograd.grad(loss, reward)[0]).detach().requires_grad_()
            assert reward.mean().item() == pytest.approx(mean, abs=1e-3) and reward[0] > reward[1] + 3

    @pytest.mark.parametrize("shift", [0.7, 1.5])
    def test_shared_weights_move_means_but_what_belongs_to_the_prompt_stays(self, shift):
        torch.manual_seed(0)
        prompt, answers = torch.randn(50, 1, 8).double().expand(-1, 2, -1), torch.randn(50, 2, 8).double()
        answers[:, 0] += shift
        x, start = torch.cat([prompt, answers], 2), torch.randn(16).double()
        weight = start.clone().requires_grad_()
        for _ in range(100):
            reward = x @ weight
            loss = -F.logsigmoid(reward[:, 0] - reward[:, 1]).mean()
            weight = (weight - 0.5 * torch.autograd.grad(loss, weight)[0]).detach().requires_grad_()
        moved = weight.detach() - start
        assert (x @ moved).mean(1).abs().mean() > 1 and moved[:8].abs().max() < 1e-9

    def test_with_a_quarter_of_the_labels_flipped_the_best_loss_is_0_56_at_a_margin_of_log_3(self):
        margin = torch.linspace(-4, 8, 12_001, dtype=torch.double)
        loss = -0.75 * F.logsigmoid(margin) - 0.25 * F.logsigmoid(-margin)
        assert loss.min().item() == pytest.approx(0.562, abs=1e-3)
        assert margin[loss.argmin()].item() == pytest.approx(math.log(3), abs=1e-3)
        assert loss[margin.abs().argmin()].item() == pytest.approx(math.log(2))

    @pytest.mark.parametrize("n", [8, 100])
    def test_the_kl_is_the_formula_for_many_answers_and_less_for_few(self, n):
        for answers, abs_ in ((10**6, 0.01), (50, None), (2, None)):
            p = torch.full((answers,), 1 / answers, dtype=torch.double)
            q = budget.best_of_n(n, p)
            assert q.sum().item() == pytest.approx(1)
            value = budget.kl(q, p)
            assert value <= min(budget.bound(n), math.log(answers)) + 1e-6
            if abs_:
                assert value == pytest.approx(budget.bound(n), abs=abs_)
        assert budget.bound(1024) == pytest.approx(5.9, abs=0.05)

    def test_a_sum_that_rounding_lets_step_down_gives_no_negative_probability(self):
        p = torch.tensor([0.5, 0.5, -2e-16], dtype=torch.double)
        assert p.cumsum(0).diff().min() < 0
        for n in (4, 1024):
            q = budget.best_of_n(n, p)
            assert q.min() == 0 and math.isfinite(budget.kl(q, p))
