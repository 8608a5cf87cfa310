"""What docs/senior/post-training/kl-penalty.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

training = load_snippet("senior/post-training/kl_penalty_training_broken.py")

ESTIMATES = {"k1": lambda gap: -gap, "k2": lambda gap: gap**2 / 2, "k3": lambda gap: gap.exp() - 1 - gap}


class Policy:
    """A softmax over ``tokens``, a reference, and the gradient of a sum of terms."""

    def __init__(self, tokens, seed, near=None):
        torch.manual_seed(seed)
        self.logits = torch.randn(tokens, dtype=torch.double, requires_grad=True)
        shift = torch.randn(tokens, dtype=torch.double)
        self.ref = (self.logits.detach() + near * shift if near else shift).log_softmax(0)
        self.old = torch.randn(tokens, dtype=torch.double).log_softmax(0)
        self.log_p = self.logits.log_softmax(0)
        self.p, self.gap = self.log_p.exp(), self.ref - self.log_p

    def gradient(self, terms):
        return torch.autograd.grad(terms.sum(), self.logits, retain_graph=True)[0]

    def reverse(self):
        return self.gradient(-self.p * self.gap)

    def forward(self):
        return self.gradient(self.ref.exp() * self.gap)

    def loss(self, name, samples=None):
        return self.gradient((self.p.detach() if samples is None else samples) * ESTIMATES[name](self.gap))

    def reward(self, name):
        return self.gradient(self.p * ESTIMATES[name](self.gap).detach())


@pytest.fixture(params=[(3, 1), (50, 2)])
def policy(request):
    return Policy(*request.param)


class TestKlPenalty:
    def test_k1_and_k3_have_the_reverse_kl_as_mean_and_k2_has_not(self, policy):
        kl = (policy.p * -policy.gap).sum()
        means = {name: (policy.p * k(policy.gap)).sum() for name, k in ESTIMATES.items()}
        assert torch.allclose(means["k1"], kl) and torch.allclose(means["k3"], kl)
        assert not torch.allclose(means["k2"], kl, rtol=1e-2)

    def test_exactly_k1_in_the_reward_and_k2_in_the_loss_have_the_gradient_of_the_reverse_kl(self, policy):
        right = policy.reverse()
        same = {(name, "loss") for name in ESTIMATES if torch.allclose(policy.loss(name), right)}
        same |= {(name, "reward") for name in ESTIMATES if torch.allclose(policy.reward(name), right)}
        assert same == {("k2", "loss"), ("k1", "reward")}

    def test_k1_in_the_loss_is_zero_and_k3_the_forward_kl_and_k3_in_the_reward_their_difference(self, policy):
        assert policy.loss("k1").abs().max() < 1e-12
        torch.testing.assert_close(policy.loss("k3"), policy.forward())
        torch.testing.assert_close(policy.reward("k3"), policy.reverse() - policy.forward())

    @pytest.mark.parametrize("name", ESTIMATES)
    def test_the_gradient_of_a_mean_is_the_sum_of_both_places(self, policy, name):
        whole = policy.gradient(policy.p * ESTIMATES[name](policy.gap))
        torch.testing.assert_close(whole, policy.loss(name) + policy.reward(name))

    def test_samples_of_k1_can_be_negative_and_those_of_k2_and_k3_not(self, policy):
        assert (-policy.gap).min() < 0
        assert min(ESTIMATES[name](policy.gap).min() for name in ("k2", "k3")) >= 0

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_samples_of_another_policy_the_mean_of_k1_can_be_negative(self, seed):
        policy = Policy(5, seed)
        assert (policy.ref.exp() * -policy.gap).sum() < 0

    @pytest.mark.parametrize(("stop", "ref"), [(0.5, 0.6), (0.8, 0.9), (0.2, 0.4)])
    def test_divided_by_the_length_of_each_answer_the_mean_of_k1_can_be_negative_on_policy(self, stop, ref):
        short, long = math.log(stop / ref), math.log((1 - stop) / (1 - ref))  # of 1 and of 2 tokens, the second equal
        kl, divided = stop * short + (1 - stop) * long, stop * short + (1 - stop) * long / 2
        assert divided < -0.02 and kl > 0.02
        assert stop != 0.5 or (round(divided, 2), round(kl, 2)) == (-0.04, 0.02)

    @pytest.mark.parametrize("keep", [2, 3])
    def test_sampled_with_top_p_the_mean_of_k1_to_a_sharper_reference_is_negative(self, keep):
        log_p = torch.linspace(0, 3, 8).double().log_softmax(0)
        ref = (2 * log_p).log_softmax(0)  # the reference is sharper
        top = log_p.topk(keep)
        samples = top.values.softmax(0)
        assert (log_p.exp() * (log_p - ref)).sum() > 0 > (samples * (log_p - ref)[top.indices]).sum()

    def test_a_ratio_with_gradient_makes_k1_and_k3_right_and_a_constant_one_is_on_policy(self, policy):
        ratio = (policy.log_p - policy.old).exp()
        for name in ESTIMATES:
            on_policy = policy.loss(name)
            assert not torch.allclose(policy.loss(name, policy.old.exp()), on_policy)
            torch.testing.assert_close(policy.loss(name, policy.old.exp() * ratio.detach()), on_policy)
            right = torch.allclose(policy.loss(name, policy.old.exp() * ratio), policy.reverse())
            assert right == (name in {"k1", "k3"})

    def test_near_the_reference_both_directions_agree_and_k3_in_the_reward_is_small(self):
        for near, seed in ((0.01, 0), (0.001, 1)):
            policy = Policy(6, seed, near)
            size = policy.reverse().norm()
            assert (policy.loss("k2") - policy.loss("k3")).norm() < 3 * near * size
            assert policy.reward("k3").norm() < 3 * near * size

    def test_the_spread_of_k3_explodes_for_a_token_that_was_given_up(self):
        def spread(name, rare):
            p = torch.tensor([1 - rare, rare]).double()
            k = ESTIMATES[name]((0.5 / p).log())
            return ((p * (k - (p * k).sum()) ** 2).sum()).sqrt().item()

        assert spread("k3", 0.4) < 0.1 * spread("k1", 0.4)
        assert spread("k3", 0.001) == pytest.approx(15.57, abs=0.01) and spread("k1", 0.001) < 0.23
        assert spread("k3", 1e-5) > 9 * spread("k3", 0.001)

    @pytest.mark.parametrize("seed", [3, 4])
    def test_in_a_sequence_rewards_to_go_are_right_and_k2_per_token_is_not(self, seed):
        torch.manual_seed(seed)
        logits, other = torch.randn(2, 12, dtype=torch.double)
        logits.requires_grad_()

        def split(x):  # the first token, then the second given the first
            return x[:3].log_softmax(0)[:, None].expand(3, 3), x[3:].view(3, 3).log_softmax(1)

        (a, b), (ref_a, ref_b) = split(logits), split(other)
        p, one, two = (a + b).exp(), a - ref_a, b - ref_b

        def gradient(terms):
            return torch.autograd.grad(terms.sum(), logits, retain_graph=True)[0]

        right, samples = gradient(p * (one + two)), p.detach()
        per_token = (a.exp() * one)[:, 0].sum() + (p * two).sum()
        torch.testing.assert_close(per_token, (p * (one + two)).sum())
        torch.testing.assert_close(right, gradient(samples * (a * (one + two).detach() + b * two.detach())))
        torch.testing.assert_close(right, gradient(samples * (one + two) ** 2 / 2))
        assert not torch.allclose(right, gradient(samples * (one**2 + two**2) / 2))
        assert not torch.allclose(right, gradient(samples * (a * one.detach() + b * two.detach())))
        assert not torch.allclose(right, gradient(samples * a * two.detach()))  # later penalties without its own

        torch.manual_seed(seed + 10)
        old_a, old_b = split(torch.randn(12, dtype=torch.double))
        old = (old_a + old_b).exp()
        torch.testing.assert_close(right, gradient(old * (a + b - old_a - old_b).exp() * (one + two)))
        each = (a - old_a).exp() * one + (b - old_b).exp() * two  # a ratio for each token, prefixes are still old
        assert not torch.allclose(right, gradient(old * each))

    def test_trained_with_k1_in_the_loss_a_policy_ends_where_no_penalty_ends(self):
        free = training.train(lambda gap: 0 * gap, "loss")
        torch.testing.assert_close(training.train(ESTIMATES["k1"], "loss"), free)
        best = (training.ref + training.reward / training.BETA).softmax(0)
        for name, place, right in (("k2", "loss", True), ("k1", "reward", True), ("k3", "loss", False)):
            assert torch.allclose(training.train(ESTIMATES[name], place), best, atol=1e-3) == right
        assert training.train(ESTIMATES["k3"], "reward")[3] > 0.99 < free[3]

    @pytest.mark.parametrize("factor", [2.0, 10.0])
    def test_dividing_by_the_spread_divides_beta(self, factor):
        rewards, penalty = torch.tensor([0.0, 1.0, 1.0, 0.0]), torch.tensor([0.1, 0.3, 0.0, 0.2])
        both = rewards * factor - penalty
        assert torch.allclose(both / both.std(), rewards * factor / both.std() - penalty / both.std())
        assert (1 / both.std()) < 1 / (rewards - penalty).std()
