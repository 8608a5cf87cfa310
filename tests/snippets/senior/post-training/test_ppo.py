"""What docs/senior/post-training/ppo.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/ppo.py")
trade = load_snippet("senior/post-training/ppo_lambda.py")
broken = load_snippet("senior/post-training/ppo_ratio_broken.py")


@pytest.fixture(params=[(6, 0), (30, 1)])
def rollout(request):
    steps, seed = request.param
    torch.manual_seed(seed)
    values = torch.randn(steps + 1, dtype=torch.double)
    values[-1] = 0
    return torch.randn(steps, dtype=torch.double), values


def push(ratio, advantage, loss=main.ppo_loss):
    ratio = torch.tensor(ratio, dtype=torch.double, requires_grad=True)
    return -torch.autograd.grad(loss(ratio, advantage), ratio)[0].item()


class TestPpo:
    @pytest.mark.parametrize("gamma", [1.0, 0.9])
    def test_lambda_1_is_the_return_minus_the_value_and_lambda_0_one_td_error(self, rollout, gamma):
        rewards, values = rollout
        back, returns = 0.0, []
        for reward in reversed(rewards.tolist()):
            back = reward + gamma * back
            returns.insert(0, back)
        torch.testing.assert_close(main.gae(rewards, values, gamma, 1.0), torch.tensor(returns).double() - values[:-1])
        torch.testing.assert_close(main.gae(rewards, values, gamma, 0.0), rewards + gamma * values[1:] - values[:-1])

    @pytest.mark.parametrize("lam", [0.3, 0.95])
    def test_gae_sums_td_errors_weighted_by_powers_of_gamma_times_lambda(self, rollout, lam):
        rewards, values = rollout
        errors = rewards + 0.99 * values[1:] - values[:-1]
        found = main.gae(rewards, values, 0.99, lam)
        for t in range(len(rewards)):
            powers = (0.99 * lam) ** torch.arange(len(rewards) - t).double()
            assert found[t].item() == pytest.approx((powers * errors[t:]).sum().item())
        lists = trade.gae(rewards.tolist(), values.tolist(), lam)
        assert main.gae(rewards, values, 1.0, lam).tolist() == pytest.approx(lists)

    @pytest.mark.parametrize("rewards", [[0, 0, 1], [1, 0, 2, 0]])
    def test_whole_number_rewards_are_not_rounded(self, rewards):
        values = torch.full((len(rewards) + 1,), 0.25)
        whole = main.gae(torch.tensor(rewards), values)
        torch.testing.assert_close(whole, main.gae(torch.tensor(rewards).float(), values))

    def test_a_cut_answer_with_a_last_value_is_the_rollout_that_would_have_earned_it(self, rollout):
        rewards, values = rollout
        cut = values.clone()
        cut[-1] = 2.0
        earned = rewards.clone()
        earned[-1] += 2.0
        torch.testing.assert_close(main.gae(rewards, cut), main.gae(earned, values))

    @pytest.mark.parametrize("size", [1.0, 3.0])
    def test_the_push_is_zero_in_two_corners_and_with_a_clamp_alone_in_four(self, size):
        def clamp(ratio, advantage):
            return -ratio.clamp(0.8, 1.2) * advantage

        corners = [(0.5, size), (1.5, size), (0.5, -size), (1.5, -size)]
        assert [push(*corner) for corner in corners] == [size, 0, 0, -size]
        assert [push(*corner, clamp) for corner in corners] == [0, 0, 0, 0]
        for ratio in (0.9, 1.0, 1.1):
            assert push(ratio, size) == size and push(ratio, -size) == -size

    def test_at_ratio_one_the_gradient_is_the_policy_gradient_at_any_clip(self):
        for advantage in (2.0, -0.5):
            log_p = torch.tensor(-1.3, requires_grad=True)
            main.ppo_loss((log_p - log_p.detach()).exp(), advantage, clip=0.01).backward()
            assert log_p.grad.item() == -advantage

    @pytest.mark.parametrize("ratio", [2.0, 10.0])
    def test_with_a_negative_advantage_the_push_on_the_log_probability_grows_with_the_ratio(self, ratio):
        log_p = torch.tensor(ratio).log().requires_grad_()
        main.ppo_loss(log_p.exp(), -1.0).backward()
        assert log_p.grad.item() == pytest.approx(ratio)

    @pytest.mark.parametrize(("lam", "steps", "known"), [(0.9, 20, 0.3), (0.5, 5, 0.0), (0.95, 50, 1.0)])
    def test_the_signal_is_what_is_known_plus_the_rest_times_a_power_of_lambda(self, lam, steps, known):
        assert trade.signal(lam, steps, known) == pytest.approx(known + (1 - known) * lam ** (steps - 1))

    @pytest.mark.parametrize(("lam", "steps"), [(0.0, 10), (0.9, 10), (1.0, 25)])
    def test_the_noise_is_that_of_the_advantages_of_unit_rewards(self, lam, steps):
        columns = []
        for t in range(steps):
            rewards = [float(s == t) for s in range(steps)]
            columns.append(trade.gae(rewards, [0.0] * (steps + 1), lam)[0])
        assert trade.noise(lam, steps) == pytest.approx(sum(c * c for c in columns) ** 0.5)

    @pytest.mark.parametrize("lam", [0.5, 0.9, 1.0])
    def test_with_all_known_every_lambda_sees_all_and_zero_has_the_least_noise(self, lam):
        assert trade.signal(lam, 50, 1.0) == pytest.approx(trade.signal(0.0, 50, 1.0)) == 1
        assert trade.noise(lam, 50) > trade.noise(0.0, 50) == 1

    def test_a_discount_hides_late_rewards_with_lambda_one(self):
        for steps in (50, 200):
            rewards = torch.zeros(steps).double()
            rewards[-1] = 1
            found = main.gae(rewards, torch.zeros(steps + 1).double(), gamma=0.95, lam=1.0)[0]
            assert found.item() == pytest.approx(0.95 ** (steps - 1))

    def test_a_constant_error_of_the_values_is_in_the_last_td_error_or_in_all_returns(self, rollout):
        rewards, values = rollout
        off = values.clone()
        off[:-1] += 3.0
        for lam in (0.0, 1.0):
            shift = main.gae(rewards, off, 1.0, lam) - main.gae(rewards, values, 1.0, lam)
            expected = torch.full_like(shift, -3.0)
            if lam == 0:
                expected[:-1] = 0
            torch.testing.assert_close(shift, expected)
            normalized = [main.gae(rewards, v, 1.0, lam) for v in (values, off)]
            normalized = [(a - a.mean()) / a.std() for a in normalized]
            assert torch.allclose(*normalized) == (lam == 1)

    def test_dropout_moves_the_ratio_off_one_without_a_step(self):
        torch.manual_seed(0)
        for train in (False, True):
            policy = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(50, 4)).train(train)
            states = torch.randn(8, 50)
            ratio = (policy(states).log_softmax(1) - policy(states).log_softmax(1)).exp()
            assert torch.allclose(ratio, torch.ones_like(ratio)) != train

    def test_normalized_per_part_an_advantage_can_change_its_sign(self):
        for batch in (torch.tensor([1.0, 2, 3, 8, 9, 10]), torch.tensor([0.0, 1, 5, 6])):
            part = batch[: len(batch) // 2]
            whole, alone = batch - batch.mean(), part - part.mean()
            assert whole[len(part) - 1] < 0 < alone[-1]

    @pytest.mark.parametrize("start", [0.1, 0.02])
    def test_alone_the_clip_stops_the_ratio_and_with_a_neighbor_it_goes_on(self, start):
        (alone,) = broken.ratios([start], 50)
        assert broken.ratios([start], 200) == [alone] and alone > 1.2
        first, second = broken.ratios([start, 0.8], 50)
        assert first > 2 * alone and second < 1.2
        assert broken.ratios([start, 0.8], 100)[0] > first
