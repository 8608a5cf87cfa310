"""Every claim of docs/mid/modeling/vae.md, proven beyond the example shown."""

from functools import cache

import pytest
import torch
from torch.distributions import Normal, kl_divergence

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/vae.py")
bound = load_snippet("mid/modeling/vae_bound.py")


@pytest.fixture(scope="module")
def estimates():
    torch.manual_seed(3)
    return {dims: page.gradients(dims) for dims in (1, 10, 60)}


@cache
def linear(reduction, size=1.0, noise=1.0, pixels=32, steps=250):
    """KL per latent dimension of a linear VAE on one strong cause and one of the given size."""
    torch.manual_seed(0)
    directions = torch.linalg.qr(torch.randn(pixels, 2)).Q.T
    images = torch.randn(200, 2) * torch.tensor([4.0, size]) @ directions
    encoder, decoder = torch.nn.Linear(pixels, 4), torch.nn.Linear(2, pixels)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], 3e-2)
    for _ in range(steps):
        mu, log_var = encoder(images).chunk(2, dim=1)
        z = mu + (log_var / 2).exp() * torch.randn_like(mu)
        kl = 0.5 * (mu.square() + log_var.exp() - 1 - log_var).mean(dim=0)
        error = (decoder(z) - images).square()
        error = error.sum(dim=1).mean() / (2 * noise) if reduction == "sum" else error.mean()
        optimizer.zero_grad()
        (error + kl.sum()).backward()
        optimizer.step()
    return kl.sum().item()


class TestVAE:
    def test_all_three_are_unbiased(self, estimates):
        for found in estimates.values():
            for one in found.values():
                error = one.std() / page.SAMPLES**0.5
                assert abs(one.mean() - 2 * page.MU) < 4 * error

    def test_the_noise_of_the_score_function_grows_with_the_dimensions_and_that_of_the_path_does_not(self, estimates):
        path, score, baseline = (
            [found[name].std().item() for found in estimates.values()]
            for name in ("reparameterized", "score function", "with a baseline")
        )
        assert max(path) < 1.05 * min(path)
        assert score[2] > 4 * score[1] > 12 * score[0]
        assert all(low < high for low, high in zip(baseline, score, strict=True))

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_closed_form_of_the_kl(self, seed):
        torch.manual_seed(seed)
        mu, log_var = torch.randn(2, 5).double()
        formula = 0.5 * (mu.square() + log_var.exp() - 1 - log_var)
        assert torch.allclose(formula, kl_divergence(Normal(mu, (log_var / 2).exp()), Normal(0.0, 1.0)))

    @pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (1.0, 0.2), (-2.0, 3.0)])
    def test_the_gap_of_the_bound_is_the_kl_to_the_posterior(self, mean, variance):
        value = bound.elbo(torch.tensor(mean).double(), torch.tensor(variance).double())
        q, posterior = Normal(mean, variance**0.5), Normal(bound.MEAN, bound.VARIANCE**0.5)
        assert (bound.EVIDENCE - value).item() == pytest.approx(kl_divergence(q, posterior).item(), rel=1e-5)

    def test_the_evidence_is_the_density_of_x(self):
        exact = Normal(0.0, (bound.W**2 + bound.NOISE) ** 0.5).log_prob(torch.tensor(bound.X))
        assert exact.item() == pytest.approx(bound.EVIDENCE, abs=1e-6)

    def test_the_sum_over_pixels_keeps_the_code_and_the_mean_collapses(self):
        assert linear("sum", size=3.0) > 1
        assert linear("mean", size=3.0) < 0.05

    def test_a_cause_with_less_variance_than_the_noise_is_dropped(self):
        weak, strong, alone = (linear("sum", size=size) for size in (0.8, 3.0, 0.0))
        assert abs(weak - alone) < 0.1 < strong - alone

    def test_the_mean_of_64_pixels_without_the_half_weighs_the_kl_32_times(self):
        torch.manual_seed(0)
        error = torch.randn(10, 64).double().square()
        assert error.sum(dim=1).mean().item() / 2 == pytest.approx(32 * error.mean().item())

    @pytest.mark.parametrize("probability", [0.3, 0.8])
    def test_the_score_function_works_for_a_discrete_choice(self, probability):
        logit = torch.tensor(probability).logit().double().requires_grad_()
        values = torch.tensor([1.0, 5.0]).double()
        chances = torch.stack([1 - logit.sigmoid(), logit.sigmoid()])
        (true,) = torch.autograd.grad((chances * values).sum(), logit, retain_graph=True)
        slopes = [torch.autograd.grad(chance.log(), logit, retain_graph=True)[0] for chance in chances]
        estimate = sum(chance * value * slope for chance, value, slope in zip(chances, values, slopes, strict=True))
        assert estimate.item() == pytest.approx(true.item())

    def test_the_path_misses_a_jump_and_the_score_function_does_not(self):
        torch.manual_seed(0)
        mu = torch.zeros(200_000).double().requires_grad_()
        z = mu + torch.randn_like(mu)
        path = torch.autograd.grad(((z > 0).double() + 0 * z).sum(), mu)[0].mean()
        score = ((z > 0).double() * (z - mu)).mean()
        assert path == 0
        assert score.item() == pytest.approx(0.3989, abs=0.01)

    def test_a_baseline_that_depends_on_the_sample_is_biased(self):
        torch.manual_seed(0)
        noise = torch.randn(200_000).double()
        z = 2 + noise
        biased = ((z.square() - z) * noise).mean()  # subtracts z itself
        assert biased.item() == pytest.approx(3, abs=0.1)

    @pytest.mark.parametrize("n", [2, 4])
    def test_a_mean_with_the_sample_in_it_shrinks_the_estimate_by_1_over_n(self, n):
        torch.manual_seed(0)
        noise = torch.randn(400_000 // n, n).double()
        value = (2 + noise).square()
        shrunk = ((value - value.mean(dim=1, keepdim=True)) * noise).mean()
        assert shrunk.item() == pytest.approx(4 * (1 - 1 / n), abs=0.05)

    def test_independent_entries_keep_the_bound_below_if_the_posterior_has_none(self):
        precision = torch.tensor([[2.0, 1.5], [1.5, 2.0]]).double()
        posterior = torch.distributions.MultivariateNormal(torch.zeros(2).double(), precision_matrix=precision)
        best = torch.distributions.MultivariateNormal(torch.zeros(2).double(), torch.diag(1 / precision.diag()))
        assert kl_divergence(best, posterior) > 0.3

    def test_rsample_has_a_gradient_and_sample_has_none(self):
        mu = torch.zeros(3, requires_grad=True)
        assert Normal(mu, 1.0).rsample().requires_grad
        assert not Normal(mu, 1.0).sample().requires_grad

    @pytest.mark.parametrize(("frequency", "score_is_better"), [(1.0, False), (3.0, True), (10.0, True)])
    def test_for_a_value_that_swings_within_q_the_score_function_has_the_smaller_variance(
        self, frequency, score_is_better
    ):
        torch.manual_seed(0)
        noise = torch.randn(50_000).double()
        z = 0.3 + noise
        path, score = frequency * (frequency * z).cos(), (frequency * z).sin() * noise
        assert (score.std() < path.std()) == score_is_better
        assert abs(path.mean() - score.mean()) < 4 * (path.var() + score.var()).sqrt() / 50_000**0.5

    @pytest.mark.parametrize(("beta", "is_bound"), [(0.2, False), (0.5, False), (1.0, True), (2.0, True), (4.0, True)])
    def test_from_a_beta_of_1_on_it_is_a_bound_and_above_1_a_loose_one(self, beta, is_bound):
        means = torch.linspace(-2, 2, 81).double()[:, None]
        variances = torch.logspace(-2, 1, 81).double()
        kl = (means.square() + variances - 1 - variances.log()) / 2
        best = (bound.elbo(means, variances) - (beta - 1) * kl).max().item()
        assert (best < bound.EVIDENCE) == is_bound
        assert (bound.EVIDENCE - best > 0.5) == (beta > 1)

    @pytest.mark.parametrize("beta", [1.0, 3.0])
    def test_a_code_that_says_nothing_reaches_log_p_for_every_beta(self, monkeypatch, beta):
        monkeypatch.setattr(bound, "W", 0.0)  # the decoder ignores the code, so the posterior is the prior
        mean, variance = torch.tensor([0.0, 1.0]).double()
        kl = (mean.square() + variance - 1 - variance.log()) / 2
        evidence = Normal(0.0, bound.NOISE**0.5).log_prob(torch.tensor(bound.X).double())
        assert (bound.elbo(mean, variance) - (beta - 1) * kl).item() == pytest.approx(evidence.item())
