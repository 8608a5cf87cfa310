"""What docs/senior/post-training/grpo.md claims, proven beyond the example shown."""

import itertools
import math

import pytest
import torch

from warmup.testing import load_snippet

loss = load_snippet("senior/post-training/grpo.py")
length = load_snippet("senior/post-training/grpo_length.py")
groups = load_snippet("senior/post-training/grpo_groups.py")


def geometric(go_on, longest=20000):
    """Lengths, their probabilities, and the derivative of log P by the logit to go on."""
    lengths = torch.arange(1, longest, dtype=torch.double)
    return lengths, (1 - go_on) * go_on ** (lengths - 1), (lengths - 1) * (1 - go_on) - go_on


class TestGrpo:
    @pytest.mark.parametrize(("rewards", "lengths"), [([1.0, 0, 0], [3, 5, 1]), ([0.2, 0.9, 1, 0.4], [6, 2, 2, 7])])
    def test_at_ratio_one_each_token_gets_its_advantage_over_the_divisor(self, rewards, lengths):
        rewards, lengths = torch.tensor([rewards]), torch.tensor([lengths])
        mask = torch.arange(8) < lengths[..., None]
        advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        for divisor in (lengths, 8, lengths.float().mean()):
            log_p = torch.zeros(*mask.shape, requires_grad=True)
            value = loss.grpo(log_p, log_p.detach(), rewards, mask, divisor)
            value.backward()
            push = -(advantage / divisor)[..., None] * mask / rewards.numel()
            torch.testing.assert_close(log_p.grad, push)
        assert loss.grpo(log_p, log_p.detach(), rewards, mask, lengths).abs() < 1e-6  # and yet a gradient

    def test_a_group_with_equal_rewards_has_no_gradient(self):
        for reward in (0.0, 1.0):
            log_p = torch.randn(1, 8, 5, requires_grad=True)
            mask = torch.ones(1, 8, 5, dtype=torch.bool)
            loss.grpo(log_p, log_p.detach(), torch.full((1, 8), reward), mask, 5).backward()
            assert not log_p.grad.any()

    @pytest.mark.parametrize(
        ("advantage", "ratio", "moves"), [(1, 1.5, False), (1, 0.5, True), (-1, 1.5, True), (-1, 0.5, False)]
    )
    def test_the_clip_stops_two_of_four_directions(self, advantage, ratio, moves):
        rewards = torch.tensor([[advantage, -advantage]]).double()
        log_p = torch.tensor([[[ratio], [1.0]]]).double().log().requires_grad_()
        loss.grpo(log_p, torch.zeros(1, 2, 1), rewards, torch.ones(1, 2, 1), 1).backward()
        assert bool(log_p.grad[0, 0, 0]) == moves

    @pytest.mark.parametrize("go_on", [0.5, 0.9, 0.99])
    def test_divided_by_length_the_mean_derivative_points_to_stopping_and_undivided_it_is_zero(self, go_on):
        lengths, chance, derivative = geometric(go_on)
        assert abs((chance * derivative).sum()) < 1e-9
        pull = (chance * derivative / lengths).sum().item()
        assert pull == pytest.approx((1 - go_on) * (1 + math.log(1 - go_on) / go_on)) and pull < -0.03

    @pytest.mark.parametrize("steps", [30, 60])
    def test_only_the_answers_own_length_drives_right_and_wrong_apart(self, steps):
        wrong, right = length.train("answer", steps=steps)[-1]
        assert wrong > 50 and right < 2
        for divisor in ("batch", "constant"):
            assert all(8 < tokens < 12.5 for tokens in length.train(divisor, steps=steps)[-1])
        assert length.train("answer", knows=False, steps=steps)[-1][0] < 14

    def test_answers_start_with_ten_tokens(self):
        assert length.train("answer", steps=1)[0] == pytest.approx([10, 10])

    @pytest.mark.parametrize("worse", [1.0, 0.5, 0.01])
    def test_divided_by_the_spread_a_small_difference_is_a_full_advantage(self, worse):
        rewards = torch.tensor([1.0, 1, 1, 1 - worse]).double()
        advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        assert torch.allclose(advantage, torch.tensor([0.5, 0.5, 0.5, -1.5]).double(), atol=0.04)
        pair = rewards[2:]
        assert (pair - pair.mean()).div(pair.std()).tolist() == pytest.approx([0.7071, -0.7071], abs=1e-3)

    @pytest.mark.parametrize(("size", "p"), [(2, 0.3), (4, 0.6), (5, 0.1)])
    def test_the_own_reward_in_the_mean_scales_the_gradient_by_g_minus_one_over_g(self, size, p):
        own = others = 0.0
        for outcome in itertools.product([0, 1], repeat=size):
            chance = math.prod(p if r else 1 - p for r in outcome)
            mean = sum(outcome) / size
            for r in outcome:
                score = (r - p) / size  # of the logit of success
                own += chance * (r - mean) * score
                others += chance * (r - (sum(outcome) - r) / (size - 1)) * score
        assert own == pytest.approx((size - 1) / size * others)

    @pytest.mark.parametrize("p", [0.01, 0.3, 0.99])
    @pytest.mark.parametrize("size", [2, 8])
    def test_pulls_and_silent_groups_are_those_of_an_enumeration(self, size, p):
        silent = plain = divided = 0.0
        for outcome in itertools.product([0.0, 1.0], repeat=size):
            chance = math.prod(p if r else 1 - p for r in outcome)
            mean = sum(outcome) / size
            std = (sum((r - mean) ** 2 for r in outcome) / size) ** 0.5
            silent += chance * (std == 0)
            pull = chance * sum((r - mean) * (r - p) for r in outcome) / size
            plain += pull
            divided += pull / std if std else 0
        assert groups.pulls(p, size) == pytest.approx((silent, plain, divided))
        assert silent == pytest.approx(p**size + (1 - p) ** size)

    def test_the_spread_favors_a_hard_prompt_by_half_in_groups_of_8_and_threefold_in_groups_of_64(self):
        for size, low, high in ((8, 1.4, 1.6), (64, 3.0, 3.5), (512, 4.5, 5.1)):
            _, plain, divided = groups.pulls(0.01, size)
            _, half, divided_half = groups.pulls(0.5, size)
            assert low < divided / divided_half / (plain / half) < high

    @pytest.mark.parametrize(("go_on", "cap"), [(0.9, 20), (0.99, 100)])
    def test_cut_answers_that_count_as_wrong_push_to_stop_without_any_divisor(self, go_on, cap):
        lengths, chance, derivative = geometric(go_on)
        fits = (lengths < cap).double()
        assert (chance * (fits - (chance * fits).sum()) * derivative).sum() < -0.1

    @pytest.mark.parametrize(("short", "long"), [(0.2, 0.5), (0.5, 0.6), (0.5, 0.3)])
    def test_without_divisor_the_longer_answer_is_favored_exactly_if_it_is_right_more_often(self, short, long):
        pull = sum(
            0.5 * (rate if r else 1 - rate) * (r - (short + long) / 2) * score
            for rate, score in ((long, 0.5), (short, -0.5))
            for r in (0, 1)
        )
        assert (pull > 0) == (long > short)

    @pytest.mark.parametrize("slope", [0.1, 0.2])
    def test_if_longer_is_right_more_often_right_answers_grow_with_a_constant_and_can_shrink_with_their_length(
        self, slope
    ):
        lengths, chance, derivative = geometric(0.9)
        bonus = slope * (lengths / 50).clamp(max=1)
        rates = {"will be right": 0.7 + bonus, "will be wrong": 0.1 + bonus}  # half of the answers each
        mean = sum((chance * rate).sum() / 2 for rate in rates.values())
        push = {kind: chance * (rate - mean) * derivative for kind, rate in rates.items()}
        assert all(each.sum() > 0.01 for each in push.values())
        assert (push["will be right"] / lengths).sum() < -0.03 and (push["will be wrong"] / lengths).sum() > 0.03

    def test_divided_by_the_tokens_of_the_group_a_wrong_answer_still_gains_by_going_on(self):
        pulls = []
        for size in (1, 2, 4, 8):  # lengths 1 and 2, as likely; the score to go on is -1/2 and 1/2
            lengths = torch.tensor(list(itertools.product([1.0, 2.0], repeat=size)))
            pulls.append(-((lengths[:, 0] - 1.5) / lengths.mean(1)).mean().item())  # the advantage is negative
        assert pulls == sorted(pulls, reverse=True) and pulls[-1] > 0.005
        assert pulls[0] == pytest.approx(0.125) and pulls[-1] < pulls[0] / 5

    @pytest.mark.parametrize("divisor", [10, 1000])
    def test_adam_hardly_sees_the_size_of_a_constant_divisor_and_clipping_does(self, divisor):
        steps, clipped = [], []
        for scale in (1, divisor):
            weight = torch.zeros(3, dtype=torch.double, requires_grad=True)
            optimizer = torch.optim.AdamW([weight], lr=0.01)
            for _ in range(5):
                optimizer.zero_grad()
                ((weight - torch.tensor([1.0, 2, 3])) ** 2).sum().div(scale).backward()
                optimizer.step()
            steps.append(weight.detach().clone())
            clipped.append(torch.nn.utils.clip_grad_norm_([weight], 1.0) > 1)
        torch.testing.assert_close(*steps, rtol=1e-4, atol=0)
        assert clipped == [True, False]
