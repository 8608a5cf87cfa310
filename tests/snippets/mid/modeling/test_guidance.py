"""Every claim of docs/mid/modeling/guidance.md, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/guidance.py")


def log_density(x, noise, classes):
    variance = page.SPREAD**2 + noise**2
    return (-(x[:, None] - page.CLASSES[classes]).square() / (2 * variance)).logsumexp(dim=1)


@pytest.fixture(scope="module")
def samples():
    torch.manual_seed(5)
    return {w: page.sample(w, 4000, 300) for w in (0, 0.5, 2, 5)}


class TestGuidance:
    @pytest.mark.parametrize("noise", [0.0, 0.5, 3.0])
    def test_the_scores_are_the_gradients_of_the_log_densities(self, noise):
        x = torch.linspace(-3, 3, 13, dtype=torch.double, requires_grad=True)
        expected = [torch.autograd.grad(log_density(x, noise, which).sum(), x)[0] for which in ([1], [0, 1])]
        for found, gradient in zip(page.scores(x.detach(), noise), expected, strict=True):
            assert torch.allclose(found, gradient)

    def test_without_guidance_it_samples_the_class(self, samples):
        assert samples[0].mean().item() == pytest.approx(1, abs=0.05)
        assert samples[0].std().item() == pytest.approx(page.SPREAD, abs=0.03)

    def test_with_more_guidance_samples_move_past_the_class_and_spread_less(self, samples):
        means, spreads = zip(*((x.mean(), x.std()) for x in samples.values()), strict=True)
        assert all(b > a + 0.1 for a, b in zip(means, means[1:], strict=False))
        assert all(b < a for a, b in zip(spreads, spreads[1:], strict=False))

    @pytest.mark.parametrize(
        ("left", "right", "w", "low", "high"),
        [(1.0, 1.0, 3, -0.02, 0.02), (2.0, 2.0, 3, -0.02, 0.02), (1.0, 2.0, 7, 0.2, 0.5), (1.0, 5.0, 15, 0.9, 2.0)],
    )
    def test_between_two_other_classes_samples_pile_up_at_the_center_or_past_it_if_one_is_nearer(
        self, monkeypatch, left, right, w, low, high
    ):
        torch.manual_seed(0)
        monkeypatch.setattr(page, "CLASSES", torch.tensor([-left, 0.0, right]).double())

        def scores(x, noise):
            variance = page.SPREAD**2 + noise**2
            each = (page.CLASSES - x[:, None]) / variance
            weight = (-each.square() * variance / 2).softmax(dim=1)
            return each[:, 1], (weight * each).sum(dim=1)

        monkeypatch.setattr(page, "scores", scores)
        plain, guided = (page.sample(v, 2000, 100) for v in (0, w))
        assert plain.std().item() == pytest.approx(page.SPREAD, abs=0.05)
        assert low < guided.mean() < high and guided.std() < 0.1

    @pytest.mark.parametrize("place", [0.0, 0.5])
    def test_of_a_class_around_a_narrower_one_guided_samples_spread_more(self, monkeypatch, place):
        torch.manual_seed(0)
        places, widths = torch.tensor([place, 0.0]).double(), torch.tensor([0.5, 2.0]).double()

        def scores(x, noise):
            variance = widths**2 + noise**2
            off = places - x[:, None]
            weight = (-off.square() / (2 * variance) - variance.log() / 2).softmax(dim=1)
            return (off / variance)[:, 1], (weight * off / variance).sum(dim=1)

        monkeypatch.setattr(page, "scores", scores)
        spreads = [page.sample(w, 2000, 100).std().item() for w in (0, 1, 3)]
        assert spreads[0] == pytest.approx(2, abs=0.15)
        assert spreads[2] > spreads[1] + 0.4 > spreads[0] + 0.6

    def test_they_are_not_the_tilted_density(self, samples):
        for w in (0.5, 2, 5):
            mean = (page.tilted(w) * page.GRID).sum()
            assert samples[w].mean() > mean + 0.1

    @pytest.mark.parametrize("w", [1, 3])
    def test_the_guided_score_is_that_of_the_tilted_density_at_zero_noise_and_not_at_more(self, w):
        x = page.GRID[1200:2400:100]
        step = page.GRID[1] - page.GRID[0]
        for noise, same in ((0.0, True), (1.0, False)):
            one, every = page.scores(x, noise)
            guided = (1 + w) * one - w * every
            if noise:
                kernel = (-(x[:, None] - page.GRID).square() / (2 * noise**2)).exp() * page.tilted(w)
                actual = (kernel * (page.GRID - x[:, None])).sum(dim=1) / kernel.sum(dim=1) / noise**2
            else:
                actual = torch.gradient(page.tilted(w).log(), spacing=step.item())[0][1200:2400:100]
            assert ((guided - actual).abs().max() < 1e-3) == same

    def test_at_much_noise_the_guided_push_at_the_class_points_beyond_it(self):
        one, every = page.scores(torch.ones(1).double(), 3.0)
        assert one == 0 and (one - every) > 0

    @pytest.mark.parametrize(("w", "seed"), [(0.7, 0), (6.5, 1)])
    def test_the_two_conventions_differ_by_one(self, w, seed):
        torch.manual_seed(seed)
        one, every = torch.randn(2, 8).double()
        s = 1 + w
        assert torch.allclose((1 + w) * one - w * every, every + s * (one - every))

    def test_a_negative_prompt_pushes_away_from_what_it_names(self):
        x = torch.zeros(1, dtype=torch.double)
        other = (page.CLASSES[0] - x) / page.SPREAD**2
        one, every = page.scores(x, 0.0)
        assert (one - other) > (one - every) > 0

    def test_if_prompt_and_data_are_independent_guidance_changes_nothing(self):
        every = page.scores(torch.linspace(-2, 2, 9).double(), 0.4)[1]
        assert torch.allclose((1 + 5) * every - 5 * every, every)

    def test_far_from_the_other_class_both_predictions_agree(self):
        near, far = (page.scores(torch.tensor([x]).double(), 0.1) for x in (0.1, 2.5))
        assert (near[0] - near[1]).abs() > 0.1
        assert (far[0] - far[1]).abs() < 1e-4

    def test_the_gradient_of_an_exact_classifier_gives_the_same_formula(self):
        x = torch.linspace(-2, 2, 9, dtype=torch.double, requires_grad=True)
        classifier = log_density(x, 0.8, [1]) - log_density(x, 0.8, [0, 1])
        gradient = torch.autograd.grad(classifier.sum(), x)[0]
        one, every = page.scores(x.detach(), 0.8)
        assert torch.allclose(one + 3 * gradient, (1 + 3) * one - 3 * every)

    def test_langevin_steps_at_zero_noise_move_towards_the_tilted_density(self):
        torch.manual_seed(0)
        w, x, h = 3, page.sample(3, 4000), 0.02
        before = x.mean().item()
        for _ in range(400):
            one, every = page.scores(x, 0.0)
            x = x + h * ((1 + w) * one - w * every) + (2 * h) ** 0.5 * torch.randn_like(x)
        mean = (page.tilted(w) * page.GRID).sum().item()
        assert abs(x.mean().item() - mean) < 0.1 < before - mean

    def test_a_token_is_drawn_from_its_tilted_distribution_and_a_text_is_not(self):
        torch.manual_seed(1)
        a, b = (2 * torch.randn(2, 3).double()).log_softmax(dim=-1)  # of the first token, with and without the prompt
        one, every = (2 * torch.randn(2, 3, 3).double()).log_softmax(dim=-1)  # of the second, given the first
        w = 2
        stepwise = ((1 + w) * a - w * b).softmax(dim=0)[:, None] * ((1 + w) * one - w * every).softmax(dim=-1)
        joint = ((1 + w) * (a[:, None] + one) - w * (b[:, None] + every)).flatten().softmax(dim=0).view(3, 3)
        assert (stepwise - joint).abs().max() > 0.01

    @pytest.mark.parametrize(("w", "low", "high"), [(0, -0.2, 0.2), (1, -2.5, -1.2), (3, -7, -4)])
    def test_with_the_predictions_swapped_guidance_leaves_the_data_on_the_other_side(self, monkeypatch, w, low, high):
        torch.manual_seed(0)
        scores = page.scores
        monkeypatch.setattr(page, "scores", lambda x, noise: scores(x, noise)[::-1])
        assert low < page.sample(w, 2000).mean() < high

    def test_with_more_guidance_more_samples_are_in_the_class_until_all_are(self, samples):
        share = [(x > 0).double().mean().item() for x in samples.values()]
        assert share == sorted(share)
        assert share[0] < 0.98 < 0.999 < share[-1]
