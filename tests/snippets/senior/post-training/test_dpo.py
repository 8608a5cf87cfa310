"""What docs/senior/post-training/dpo.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/dpo.py")
beta_snippet = load_snippet("senior/post-training/dpo_beta_broken.py")
displacement = load_snippet("senior/post-training/dpo_displacement.py")


def softplus(x):
    return torch.log1p(torch.exp(x))


class TestDpo:
    @pytest.mark.parametrize("beta", [0.1, 1.0])
    @pytest.mark.parametrize("pair", [(0, 1), (3, 2)])
    def test_the_gradient_is_beta_times_sigmoid_times_the_difference(self, beta, pair):
        torch.manual_seed(0)
        log_p, ref = torch.randn(2, 4, dtype=torch.double)
        log_p.requires_grad_()
        value = main.dpo(log_p, ref, *pair, beta=beta)
        a, b = pair
        margin = ((log_p - ref)[a] - (log_p - ref)[b]).detach()
        torch.testing.assert_close(value, softplus(-beta * margin))
        value.backward()
        size = beta * torch.sigmoid(-beta * margin)
        assert log_p.grad[a].item() == pytest.approx(-size.item())
        assert log_p.grad[b].item() == pytest.approx(size.item())

    def test_the_first_loss_is_log_2_and_a_common_shift_changes_nothing(self):
        for seed in (0, 1):
            torch.manual_seed(seed)
            ref, log_p = torch.randn(2, 3, dtype=torch.double)
            assert main.dpo(ref, ref, 0, 1).item() == pytest.approx(math.log(2))
            torch.testing.assert_close(main.dpo(log_p - 5, ref, 0, 1), main.dpo(log_p, ref, 0, 1))

    @pytest.mark.parametrize("third", [2.0, 3.0])
    def test_with_shared_features_both_fall_and_an_answer_in_no_pair_takes_all(self, third):
        features = displacement.SHARED.clone()
        features[2, 1] = third
        curve = displacement.train(features)
        falls = curve.diff(dim=0)[1:, :2]
        assert (falls < 0).all()  # at every step
        assert curve[-1, 0] < 0.02 and curve[-1, 2] > 0.97
        assert (curve[1:, 0] > curve[1:, 1]).all()

    def test_a_third_answer_less_far_in_the_direction_does_not_take_all(self):
        features = displacement.SHARED.clone()
        features[2, 1] = -0.5
        curve = displacement.train(features)
        assert curve[-1, 0] > curve[0, 0] > curve[-1, 2]

    @pytest.mark.parametrize("answers", [3, 10])
    def test_with_a_logit_per_answer_the_chosen_one_rises_at_every_step(self, answers):
        curve = displacement.train(torch.eye(answers).double())
        assert (curve[:, 0].diff() > 0).all() and (curve[:, 1].diff() < 0).all()

    @pytest.mark.parametrize("weight", [0.05, 0.1])
    def test_a_likelihood_term_keeps_the_chosen_answer_and_separates_the_pair_less(self, weight):
        kept, plain = displacement.train(displacement.SHARED, weight)[-1], displacement.train(displacement.SHARED)[-1]
        assert kept[0] > 0.2 and plain[0] < 0.02
        assert 1 < kept[0] / kept[1] < plain[0] / plain[1]

    def test_a_large_likelihood_term_lifts_the_rejected_answer_above_the_chosen_one(self):
        for weight in (0.3, 0.5):
            chosen, rejected, *_ = displacement.train(displacement.SHARED, weight)[-1]
            assert rejected > chosen > 0.25

    @pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
    def test_with_disagreement_the_margin_is_finite_and_without_it_grows_with_steps(self, beta):
        for agree in (0.9, 0.7):
            best = 1 / (1 + (1 / agree - 1) ** (1 / beta))
            assert beta_snippet.probability(agree, beta, 10_000) == pytest.approx(best, abs=1e-3)
        ends = [beta_snippet.probability(1.0, beta, steps) for steps in (100, 1000, 10_000)]
        assert ends == sorted(set(ends)) and ends[-1] > 0.99

    def test_smoothed_labels_have_the_finite_optimum_of_disagreement(self):
        near = [beta_snippet.probability(0.9, beta, 10_000) for beta in (0.5, 1.0, 2.0)]
        assert near == sorted(near, reverse=True)  # a larger beta stays closer to 0.5

    @pytest.mark.parametrize("shared", [1, 4])
    def test_tokens_of_a_shared_prefix_get_no_gradient_and_later_equal_tokens_do(self, shared):
        torch.manual_seed(0)
        prefix = torch.randn(shared, dtype=torch.double, requires_grad=True)  # log-probabilities
        rest = torch.randn(2, 3, dtype=torch.double, requires_grad=True)  # each after its own prefix
        log_p = prefix.sum() + rest.sum(1)
        main.dpo(log_p, torch.zeros(2).double(), 0, 1).backward()
        assert not prefix.grad.any() and rest.grad.all()
        for lengths, cancels in (([5.0, 5.0], True), ([5.0, 9.0], False)):  # averaged over tokens
            prefix.grad = None
            mean = (prefix.sum() + rest.sum(1)) / torch.tensor(lengths)
            main.dpo(mean, torch.zeros(2).double(), 0, 1).backward()
            assert (prefix.grad.abs().max() < 1e-12) == cancels

    def test_with_dropout_a_shared_prefix_leaves_noise(self):
        torch.manual_seed(0)
        layer = torch.nn.Sequential(torch.nn.Dropout(0.1), torch.nn.Linear(20, 5)).double()
        state = torch.randn(2, 20, dtype=torch.double)[:1].expand(2, 20)  # the same prefix for both answers
        for train in (False, True):
            layer.train(train).zero_grad()
            log_p = layer(state).log_softmax(1)[:, 0]
            main.dpo(log_p, torch.zeros(2).double(), 0, 1).backward()
            assert (layer[1].weight.grad.abs().max() > 1e-4) == train

    @pytest.mark.parametrize("harder", [3.0, 10.0])
    def test_with_two_pairs_a_chosen_answer_can_fall_although_each_has_its_own_logit(self, harder):
        logits = torch.zeros(4, dtype=torch.double, requires_grad=True)
        ref = logits.log_softmax(0).detach()
        for _ in range(100):
            log_p = logits.log_softmax(0)
            loss = main.dpo(log_p, ref, 0, 1) + harder * main.dpo(log_p, ref, 2, 3)
            logits = (logits - 0.5 * torch.autograd.grad(loss, logits)[0]).detach().requires_grad_()
        assert logits.softmax(0)[0] < 0.2 < 0.25 < logits.softmax(0)[2]

    @pytest.mark.parametrize("rate", [1.0, 4.0])
    def test_a_model_that_cannot_fit_all_pairs_has_a_finite_optimum_without_disagreement(self, rate):
        weight, features = torch.zeros(1).double().requires_grad_(), torch.tensor([1.0, 2.0, -1.0]).double()
        ends = []
        for _ in range(2):  # three pairs of different prompts, whose differences share one weight
            for _ in range(300):
                loss = softplus(-features * weight).sum()
                weight = (weight - rate / 4 * torch.autograd.grad(loss, weight)[0]).detach().requires_grad_()
            ends.append(weight.item())
        assert ends[0] == pytest.approx(ends[1]) and 0 < ends[0] < 3

    @pytest.mark.parametrize(("beta", "seed"), [(0.1, 3), (0.5, 3), (0.5, 4)])
    def test_if_all_pairs_can_be_fitted_the_loss_falls_and_the_margins_grow_at_every_step(self, beta, seed):
        generator = torch.Generator().manual_seed(seed)
        features = torch.randn(6, 4, 16, dtype=torch.double, generator=generator)  # prompts, answers
        weight = torch.zeros(16, dtype=torch.double, requires_grad=True)
        losses, margins = [], []
        for _ in range(300):
            log_p = (features @ weight).log_softmax(1)
            margin = log_p[:, 0] - log_p[:, 1]
            loss = softplus(-beta * margin).mean()
            weight = (weight - 5 * torch.autograd.grad(loss, weight)[0]).detach().requires_grad_()
            losses.append(loss.item())
            margins.append(margin.min().item())
        assert losses == sorted(losses, reverse=True) and margins == sorted(margins) and margins[-1] > 10

    @pytest.mark.parametrize(("beta", "seed"), [(0.5, 1), (2.0, 2)])
    def test_at_the_optimum_of_reward_minus_beta_kl_all_pairs_have_no_gradient(self, beta, seed):
        torch.manual_seed(seed)
        reward, ref = torch.randn(2, 5, dtype=torch.double)
        ref = ref.log_softmax(0)
        logits = (ref + reward / beta).requires_grad_()
        log_p = logits.log_softmax(0)
        value = (log_p.exp() * (reward - beta * (log_p - ref))).sum()
        assert torch.autograd.grad(value, logits, retain_graph=True)[0].abs().max() < 1e-9
        prefers = (reward[:, None] - reward).sigmoid()
        loss = sum(prefers[a, b] * main.dpo(log_p, ref, a, b, beta) for a in range(5) for b in range(5))
        assert torch.autograd.grad(loss, logits)[0].abs().max() < 1e-9
        implicit = beta * (log_p - ref)
        assert (reward - implicit).std() < 1e-9
