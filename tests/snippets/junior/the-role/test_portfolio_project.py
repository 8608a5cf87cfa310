"""What docs/junior/the-role/portfolio-project.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

portfolio = load_snippet("junior/the-role/portfolio_project_harness.py")
checks = load_snippet("junior/the-role/portfolio_project_checks.py")


class TestPortfolioProject:
    @pytest.mark.parametrize(("n", "p"), [(450, 0.95), (2000, 0.6)])
    def test_the_bootstrap_agrees_with_the_standard_error(self, n, p):
        values = (torch.arange(n) < round(p * n)).double()
        mean, low, high = portfolio.interval(values)
        error = math.sqrt(p * (1 - p) / n)
        assert mean == pytest.approx(p, abs=1 / n)
        assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.12)
        assert low < mean < high

    def test_the_interval_covers_the_truth_about_95_times_in_100(self):
        torch.manual_seed(0)
        samples = (torch.rand(200, 300) < 0.8).double()
        inside = [low <= 0.8 <= high for _, low, high in (portfolio.interval(row, resamples=300) for row in samples)]
        assert 0.9 < sum(inside) / len(inside) < 0.99

    def test_the_interval_is_deterministic(self):
        values = torch.rand(100, dtype=torch.float64)
        assert portfolio.interval(values) == portfolio.interval(values)
        assert portfolio.interval(values, seed=1) != portfolio.interval(values)

    def test_pairs_are_sharper_than_two_separate_intervals(self):
        torch.manual_seed(0)
        old = (torch.rand(400) < 0.9).double()
        new = old.clone()
        new[:8] = 1.0
        _, low, high = portfolio.interval(new - old)
        widths = [ends[2] - ends[1] for ends in (portfolio.interval(old), portfolio.interval(new))]
        assert high - low < min(widths) / 2

    @pytest.mark.parametrize("mended", [4, 5])
    def test_the_bootstrap_claims_a_gain_from_few_images_and_the_sign_test_does_not(self, mended):
        gain = torch.cat([torch.ones(mended), torch.zeros(450 - mended)]).double()
        assert portfolio.interval(gain)[1] > 0
        assert 2 * 0.5**mended > 0.05

    @pytest.mark.parametrize(("mended", "broken", "share"), [(4, 0, 0.8), (9, 2, 1.0)])
    def test_the_bootstrap_claims_a_gain_with_most_seeds_where_a_coin_is_as_one_sided(self, mended, broken, share):
        gain = torch.cat([torch.ones(mended), -torch.ones(broken), torch.zeros(450 - mended - broken)]).double()
        above = [portfolio.interval(gain, seed=seed)[1] > 0 for seed in range(20)]
        assert sum(above) >= share * len(above)
        n = mended + broken
        p = 2 * sum(math.comb(n, k) for k in range(broken + 1)) / 2**n
        assert 1 / p == pytest.approx(8 if broken == 0 else 15, abs=0.5)

    def test_the_bootstrap_and_the_sign_test_agree_when_more_images_differ(self):
        for mended, broken in ((12, 6), (30, 8)):
            gain = torch.cat([torch.ones(mended), -torch.ones(broken), torch.zeros(400)]).double()
            n = mended + broken
            p = 2 * sum(math.comb(n, k) for k in range(broken + 1)) / 2**n
            assert (portfolio.interval(gain)[1] > 0) is (p < 0.05)

    def test_the_untuned_baseline_gains_by_longer_training_as_well(self):
        accuracies = []
        for steps in (80, 800):
            torch.manual_seed(0)
            rows = portfolio.TRAINING
            model = portfolio.train(portfolio.build(0), portfolio.X[rows], portfolio.Y[rows], 0.01, steps)
            right = model(portfolio.X).argmax(dim=1) == portfolio.Y
            accuracies.append(right[portfolio.TEST].double().mean().item())
        assert accuracies[1] > accuracies[0] + 0.015

    def test_no_difference_gives_an_interval_of_zero(self):
        assert portfolio.interval(torch.zeros(50, dtype=torch.float64)) == (0.0, 0.0, 0.0)

    def test_training_learns_and_returns_a_model_in_eval_mode(self):
        torch.manual_seed(0)
        x = torch.randn(60, 4)
        y = (x[:, 0] > 0).long()
        model = portfolio.train(nn.Linear(4, 2), x, y, 0.05)
        assert not model.training
        assert (model(x).argmax(dim=1) == y).float().mean() > 0.95

    def test_training_validation_and_test_digits_are_disjoint(self):
        parts = portfolio.TEST, portfolio.VALIDATION, portfolio.TRAINING
        assert [int(part.sum()) for part in parts] == [450, 350, 997]
        assert (sum(part.int() for part in parts) == 1).all()

    def test_the_gain_over_an_untuned_baseline_vanishes_with_a_tuned_one(self):
        rate, network = portfolio.tuned(64, (0.01,))
        assert rate == 0.01
        _, untuned = portfolio.tuned(0, (0.01,))
        rate, tuned = portfolio.tuned(0, (0.01, 0.3))
        assert rate == 0.3
        assert portfolio.interval(network - untuned)[1] > 0
        mean, low, high = portfolio.interval(network - tuned)
        assert low <= 0 <= high and abs(mean) < 0.01

    @pytest.fixture
    def batches(self):
        torch.manual_seed(3)
        return [(torch.randn(8, 20), torch.randint(5, (8,))) for _ in range(10)]

    def test_resuming_is_exact_with_the_optimizer_and_not_without(self, batches):
        straight = checks.make(0)
        checks.train(*straight, batches)
        assert checks.same(straight[0], checks.resumed(batches, with_optimizer=True))
        assert not checks.same(straight[0], checks.resumed(batches, with_optimizer=False))

    def test_plain_sgd_has_no_state_to_forget(self):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert all(not any(v is not None for v in s.values()) for s in optimizer.state_dict()["state"].values())

    @pytest.mark.parametrize("seed", range(5))
    def test_the_untrained_loss_is_near_the_logarithm_of_the_classes(self, seed):
        model, _ = checks.make(seed)
        loss = F.cross_entropy(model(torch.randn(200, 20)), torch.randint(5, (200,)))
        assert loss.item() == pytest.approx(math.log(5), abs=0.15)

    def test_one_batch_is_memorized_and_a_model_without_gradients_does_not(self, batches):
        model, optimizer = checks.make(0)
        assert checks.train(model, optimizer, batches[:1] * 150) < 0.01
        model, _ = checks.make(0)
        other = torch.optim.AdamW(checks.make(1)[0].parameters())
        assert checks.train(model, other, batches[:1] * 150) > 1.0

    @pytest.mark.parametrize("seed", [0, 1])
    def test_an_optimizer_with_the_old_head_memorizes_one_batch_and_one_with_another_model_does_not(self, seed):
        x, y = torch.randn(16, 20), torch.randint(5, (16,))
        model, optimizer = checks.make(seed)
        model[2] = nn.Linear(64, 5)
        head = model[2].weight.detach().clone()
        assert checks.train(model, checks.make(seed + 1)[1], [(x, y)] * 300) > 1.0
        assert checks.train(model, optimizer, [(x, y)] * 300) < 0.05
        assert torch.equal(model[2].weight, head)

    @pytest.mark.parametrize("bug", ["plain list", "detached"])
    def test_a_head_alone_memorizes_one_batch(self, bug):
        torch.manual_seed(0)
        x, y = torch.randn(16, 20), torch.randint(5, (16,))
        body, head = nn.Linear(20, 64), nn.Linear(64, 5)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = [body] if bug == "plain list" else nn.ModuleList([body])
                self.head = head

            def forward(self, x):
                hidden = self.body[0](x).relu()
                return self.head(hidden if bug == "plain list" else hidden.detach())

        model, before = Net(), body.weight.detach().clone()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        assert checks.train(model, optimizer, [(x, y)] * 300) < 0.05
        assert torch.equal(body.weight, before)

    @pytest.mark.parametrize("seed", range(5))
    def test_the_untrained_loss_shows_large_logits_and_no_softmax_and_no_shifted_labels(self, seed):
        model, _ = checks.make(seed)
        x, y = torch.randn(200, 20), torch.randint(5, (200,))
        for logits, labels in ((model(x).softmax(dim=1), y), (model(x), (y + 1) % 5)):
            assert F.cross_entropy(logits, labels).item() == pytest.approx(math.log(5), abs=0.15)
        assert F.cross_entropy(model(100 * x), y) > 5

    @pytest.mark.parametrize("dropout", [False, True])
    def test_with_dropout_resuming_is_not_exact_without_the_random_state(self, dropout, batches, monkeypatch):
        make = checks.make

        def with_dropout(seed):
            model, _ = make(seed)
            model.insert(2, nn.Dropout(0.5 if dropout else 0.0))
            return model, torch.optim.AdamW(model.parameters(), lr=0.01)

        monkeypatch.setattr(checks, "make", with_dropout)
        straight = checks.make(0)
        checks.train(*straight, batches)
        assert checks.same(straight[0], checks.resumed(batches, with_optimizer=True)) is not dropout

    def test_same_notices_one_changed_weight(self):
        left, right = checks.make(0)[0], checks.make(0)[0]
        assert checks.same(left, right)
        with torch.no_grad():
            right[2].bias[4] += 1e-4
        assert not checks.same(left, right)
