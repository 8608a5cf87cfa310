"""Every claim that docs/mid/modeling/diffusion.md makes, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

steps = load_snippet("mid/modeling/diffusion_steps.py")
training = load_snippet("mid/modeling/diffusion_train.py")


def linear_kept(count: int) -> torch.Tensor:
    return (1 - torch.linspace(1e-4, 0.02, count, dtype=torch.float64)).cumprod(dim=0)


class TestDiffusion:
    @pytest.mark.parametrize(
        "kept", [linear_kept(200), steps.kept_variance(50)[1:], training.kept_variance(20).double()]
    )
    def test_step_by_step_and_closed_form_have_the_same_signal_and_noise(self, kept):
        alpha = kept / torch.cat([torch.ones(1, dtype=torch.float64), kept[:-1]])
        signal, variance = 1.0, 0.0
        for a, k in zip(alpha.tolist(), kept.tolist(), strict=True):
            signal, variance = signal * a**0.5, a * variance + 1 - a
            assert signal == pytest.approx(k**0.5) and variance == pytest.approx(1 - k)

    def test_the_linear_schedule_is_nearly_an_exponential_and_ends_above_zero(self):
        beta = torch.linspace(1e-4, 0.02, 1000, dtype=torch.float64)
        assert linear_kept(1000)[-1].item() == pytest.approx(4.04e-5, rel=0.01)
        ratio = linear_kept(1000)[:500] / (-beta.cumsum(0)).exp()[:500]
        assert (ratio - 1).abs().max() < 0.05

    @pytest.mark.parametrize("count", [10, 1000])
    def test_cosine_without_offset_has_a_squared_cotangent_as_its_snr_and_ends_at_zero(self, count):
        t = torch.arange(1, count, dtype=torch.float64) / count * math.pi / 2
        kept = t.cos() ** 2
        torch.testing.assert_close(kept / (1 - kept), t.tan() ** -2)
        assert math.cos(math.pi / 2) ** 2 < 1e-30

    def test_the_schedule_of_stable_diffusion_leaves_signal(self):
        beta = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
        assert (1 - beta).prod().sqrt().item() == pytest.approx(0.068, abs=5e-4)

    @pytest.mark.parametrize("kept", [0.9, 0.5, 0.01])
    def test_the_best_noise_is_a_score_and_no_guess_is_better(self, kept):
        k = torch.tensor(kept, dtype=torch.float64)
        variance = k * steps.WIDTH**2 + 1 - k

        def log_density(x):
            away = x[:, None] - k.sqrt() * steps.MODES
            return (-away.square().sum(dim=2) / (2 * variance)).logsumexp(dim=1)

        x = torch.randn(50, 2, dtype=torch.float64, requires_grad=True)
        (score,) = torch.autograd.grad(log_density(x).sum(), x)
        torch.testing.assert_close(steps.best_noise(x.detach(), k), -(1 - k).sqrt() * score)

        generator = torch.Generator().manual_seed(1)
        clean = steps.data(20_000, generator)
        noise = torch.randn(20_000, 2, generator=generator, dtype=torch.float64)
        best = steps.best_noise(k.sqrt() * clean + (1 - k).sqrt() * noise, k)
        loss = (best - noise).square().mean()
        for other in (best * 1.05, best * 0.95, best + 0.05, torch.zeros_like(best)):
            assert (other - noise).square().mean() > loss

    def test_the_floor_of_the_loss_is_low_at_most_noise_high_at_least_and_not_monotone_between(self):
        generator = torch.Generator().manual_seed(1)
        clean = steps.data(5000, generator)
        noise = torch.randn(5000, 2, generator=generator, dtype=torch.float64)
        floors = []
        for kept in (0.9999, 0.9, 0.5, 0.001):
            k = torch.tensor(kept, dtype=torch.float64)
            best = steps.best_noise(k.sqrt() * clean + (1 - k).sqrt() * noise, k)
            floors.append((best - noise).square().mean().item())
        assert floors[0] > 0.9 and floors[-1] < 0.01
        assert floors[1] < floors[2]

    def test_one_step_from_noise_gives_the_mean_of_the_data(self):
        kept = steps.kept_variance(1)
        start = torch.randn(500, 2, dtype=torch.float64)
        assert steps.denoise(start, kept)[-1].abs().max() < 0.05

    @pytest.mark.parametrize("seed", [1, 2])
    def test_few_steps_are_too_close_and_many_steps_are_not(self, seed):
        generator = torch.Generator().manual_seed(seed)
        start = torch.randn(1000, 2, generator=generator, dtype=torch.float64)
        true = steps.distance(steps.data(4000, generator))
        five, fifty = (steps.distance(steps.denoise(start, steps.kept_variance(n))[-1]) for n in (5, 50))
        assert five < 0.6 * true and abs(fifty - true) < 0.15 * true
        assert true == pytest.approx(steps.WIDTH * (2 * math.log(2)) ** 0.5, rel=0.1)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_with_five_steps_some_samples_lie_between_the_modes(self, seed):
        generator = torch.Generator().manual_seed(seed)
        start = torch.randn(2000, 2, generator=generator, dtype=torch.float64)
        samples = {n: steps.denoise(start, steps.kept_variance(n))[-1] for n in (5, 50)}
        samples["data"] = steps.data(2000, generator)
        far = {n: torch.cdist(x, steps.MODES).amin(dim=1).gt(0.4).double().mean().item() for n, x in samples.items()}
        assert 0.07 < far[5] < 0.12 and far[50] < 0.005 and far["data"] < 0.005

    def test_at_the_ends_of_the_schedule_one_target_does_not_give_the_others(self):
        clean, other, noise = torch.randn(3, 40, 2, dtype=torch.float64).unbind()
        for kept, first, second in ((0.0, (clean, noise), (other, noise)), (1.0, (clean, noise), (clean, other))):
            signal, sigma = kept**0.5, (1 - kept) ** 0.5
            x = [signal * c + sigma * e for c, e in (first, second)]
            v = [signal * e - sigma * c for c, e in (first, second)]
            assert torch.equal(*x) and not torch.equal(*v)

    @pytest.mark.parametrize("kept", [0.99, 0.5, 0.02])
    def test_targets_follow_from_each_other_and_differ_in_the_weight_of_a_step(self, kept):
        signal, sigma = kept**0.5, (1 - kept) ** 0.5
        clean, noise, guess = torch.randn(3, 40, 2, dtype=torch.float64).unbind()
        x = signal * clean + sigma * noise
        v = signal * noise - sigma * clean
        torch.testing.assert_close(signal * x - sigma * v, clean)
        torch.testing.assert_close(sigma * x + signal * v, noise)
        guessed_clean = (x - sigma * guess) / signal
        snr = kept / (1 - kept)
        torch.testing.assert_close((guess - noise).square().sum(), snr * (guessed_clean - clean).square().sum())

    @pytest.mark.parametrize("condition", [[0], [0, 1]])
    def test_guidance_of_one_is_the_conditional_model_and_more_narrows_and_overshoots(self, condition, monkeypatch):
        best, modes = steps.best_noise, steps.MODES

        def sampled(weight):
            def guided(x, kept):
                without = best(x, kept)
                with monkeypatch.context() as patch:
                    patch.setitem(best.__globals__, "MODES", modes[condition])
                    given = best(x, kept)
                return without + weight * (given - without)

            with monkeypatch.context() as patch:
                patch.setitem(steps.denoise.__globals__, "best_noise", guided)
                return steps.denoise(start, steps.kept_variance(50))[-1]

        start = torch.randn(400, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        none, one, two, four = (sampled(weight)[:, 0] for weight in (0, 1, 2, 4))
        torch.testing.assert_close(none, steps.denoise(start, steps.kept_variance(50))[-1][:, 0])
        assert one.mean() == pytest.approx(1, abs=0.02)
        assert one.mean() + 0.03 < two.mean() and two.mean() + 0.03 < four.mean()
        assert two.std() < 0.8 * one.std() and four.std() < 0.9 * two.std()

    def test_training_brings_samples_near_all_modes_and_less_so_without_the_step_as_an_input(self, monkeypatch):
        torch.set_num_threads(1)

        class Blind(training.Denoiser):
            def forward(self, x, t):
                return super().forward(x, torch.zeros_like(t))

        kept, found = training.kept_variance(20), []
        for build in (training.Denoiser, Blind):
            monkeypatch.setitem(training.train.__globals__, "Denoiser", build)
            torch.manual_seed(5)
            found.append(training.summary(training.sample(training.train(kept, updates=700), kept, 500)))
        untrained, _ = training.summary(training.sample(training.Denoiser(), kept, 500))
        (near, rarest), (blind, _) = found
        assert untrained + 0.15 < blind < near - 0.2 and rarest > 0.15

    def test_summary_counts_points_and_modes(self):
        near, rarest = training.summary(torch.cat([training.MODES, training.MODES + 0.6]))
        assert near == 0.5 and rarest == 0.25
        near, rarest = training.summary(training.MODES[:3].repeat(2, 1) + 0.3)
        assert near == 1 and rarest == 0
