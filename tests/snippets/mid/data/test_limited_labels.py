"""What docs/mid/data/limited-labels.md claims, proven beyond the example shown."""

import pytest
import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

from warmup.testing import load_snippet


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


limited = load_snippet("mid/data/limited_labels.py")


def clusters(per_class: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Ten classes around the corners of a simplex, in 65 dimensions, the last one constant."""
    y = torch.arange(10).repeat(per_class)
    x = F.one_hot(y, 64).double() + noise * torch.randn(len(y), 64, dtype=torch.float64, generator=seeded())
    return F.pad(x, (0, 1), value=1.0), y


class TestLimitedLabels:
    @pytest.mark.parametrize(("per_class", "seed"), [(1, 0), (3, 1)])
    def test_a_draw_has_as_many_labels_of_each_class(self, per_class, seed):
        _, y = clusters(20, 0.1)
        target = limited.draw(y, per_class, seed)
        rows, classes = target.nonzero().T
        assert torch.equal(y[rows], classes) and classes.bincount().tolist() == [per_class] * 10
        assert target.sum() == 10 * per_class and torch.equal(target, limited.draw(y, per_class, seed))
        assert not torch.equal(target, limited.draw(y, per_class, seed + 2))

    def test_runs_that_are_fitted_at_once_do_not_see_each_other(self):
        x, y = clusters(6, 0.3)
        target = torch.stack([limited.draw(y, per_class, per_class) for per_class in (2, 3)], dim=1)
        together = limited.fit(x, target, 1e-2)
        for run in range(2):
            torch.testing.assert_close(together[:, run], limited.fit(x, target[:, run : run + 1], 1e-2)[:, 0])

    def test_rows_without_a_target_are_left_out(self):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        used = target.sum(dim=(1, 2)) > 0
        torch.testing.assert_close(limited.fit(x, target, 1e-2), limited.fit(x[used], target[used], 1e-2))

    def test_the_decay_decides_how_many_guesses_pass_a_threshold(self):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        passed = {}
        for decay in (1e-1, 1e-4):
            weights = limited.fit(x, target, decay)
            passed[decay] = [limited.with_guesses(x, target, weights, t).sum().item() for t in (0.0, 0.7, 1.1)]
        assert passed[1e-1] == [60, 20, 20] and passed[1e-4][0] == 60 and passed[1e-4][1] > 30

    @pytest.mark.parametrize("threshold", [0.0, 0.5])
    def test_labels_stay_as_they_are_and_guesses_are_those_of_the_model(self, threshold):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        weights = limited.fit(x, target, 1e-3)
        both, labeled = limited.with_guesses(x, target, weights, threshold), target.sum(dim=(1, 2)) > 0
        assert torch.equal(both[labeled], target[labeled])
        guessed = both.sum(dim=(1, 2)) > 0
        guess = (x @ weights.flatten(1)).argmax(dim=1)
        assert torch.equal(both[guessed & ~labeled, 0].argmax(dim=1), guess[guessed & ~labeled])

    @pytest.mark.parametrize("seed", [0, 1])
    def test_in_clear_clusters_pseudo_labels_help(self, seed):
        x, y = clusters(20, 0.2)
        target = limited.draw(y, 1, seed)[:, None]
        first = limited.fit(x, target, 1e-2)
        second = limited.fit(x, limited.with_guesses(x, target, first, 0.0), 1e-2)
        before, after = (((x @ w.flatten(1)).argmax(dim=1) == y).double().mean() for w in (first, second))
        assert after > before + 0.02

    @pytest.mark.parametrize("threshold", [0.0, 0.5])
    def test_training_mostly_confirms_wrong_guesses_and_gives_them_a_higher_loss(self, threshold):
        pixels, digits = limited.load_digits(return_X_y=True)
        rows = torch.randperm(len(digits), generator=seeded(0))[:450]
        x, y = F.pad(torch.tensor(pixels)[rows] / 16, (0, 1), value=1.0), torch.tensor(digits)[rows]
        few = torch.stack([limited.draw(y, 3, seed) for seed in range(5)], dim=1)
        first = limited.fit(x, few, 1e-3)
        target = limited.with_guesses(x, few, first, threshold)
        second = limited.fit(x, target, 1e-3)
        before, after = ((x @ w.flatten(1)).view_as(target).softmax(dim=2) for w in (first, second))
        for run in range(5):
            new = (few[:, run].sum(dim=1) == 0) & (target[:, run].sum(dim=1) > 0)
            guess = target[new, run].argmax(dim=1)
            wrong = guess != y[new]
            p, q = (of[new, run].gather(1, guess[:, None])[:, 0] for of in (before, after))
            assert 0.7 < (q > p)[wrong].double().mean() < 1
            assert (-q.log()).mean() < (-p.log()).mean(), "the loss on the guesses falls"
            loss = -q.log()
            higher = (loss[wrong][:, None] > loss[~wrong]).double().mean()
            assert 0.6 < higher < 0.95

    @pytest.mark.parametrize("seed", [0, 1])
    def test_soft_pseudo_labels_of_the_model_itself_have_no_gradient(self, seed):
        logits = torch.randn(4, 10, generator=seeded(seed), requires_grad=True)
        F.cross_entropy(logits, logits.detach().softmax(dim=1)).backward()
        assert logits.grad.abs().max() < 1e-6
        hard = logits.detach().requires_grad_()
        F.cross_entropy(hard, hard.detach().argmax(dim=1)).backward()
        assert hard.grad.abs().max() > 1e-3
        other_view = (logits + torch.randn(4, 10, generator=seeded(2))).detach().requires_grad_()
        F.cross_entropy(other_view, logits.detach().softmax(dim=1)).backward()
        assert other_view.grad.abs().max() > 1e-3

    def test_tuned_for_each_draw_pseudo_labels_gain_nothing_in_one_of_five_draws_and_less_in_the_others(self):
        pixels, digits = load_digits(return_X_y=True)
        x, y = F.pad(torch.tensor(pixels) / 16, (0, 1), value=1.0), torch.tensor(digits)
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
        pool, val, test, _ = order.split([450, 200, 700, 447])
        few = torch.stack([limited.draw(y[pool], 3, seed) for seed in range(5)], dim=1)
        found = {"few": [], "pseudo": []}
        for decay in (1e-4, 1e-3, 1e-2, 1e-1):
            found["few"].append(first := limited.fit(x[pool], few, decay))
            for threshold in (0.3, 0.5, 0.7) if decay < 0.1 else ():
                weights = first
                for _ in range(2):
                    weights = limited.fit(x[pool], limited.with_guesses(x[pool], few, weights, threshold), decay)
                found["pseudo"].append(weights)
        chosen = {}
        for name, grid in found.items():
            guesses = torch.stack([(x @ w.flatten(1)).view(-1, 5, 10).argmax(dim=2) for w in grid])
            right = 100 * (guesses == y[:, None]).double()
            best = right[:, val].mean(dim=1).argmax(dim=0, keepdim=True)  # of each draw
            chosen[name] = right[:, test].mean(dim=1).gather(0, best)[0]
        gains = (chosen["pseudo"] - chosen["few"]).sort().values
        assert abs(gains[0]) < 1 and gains[1] > 1.5 and gains[-1] < 5

    @pytest.mark.parametrize("rare", [range(5), range(5, 10)])
    def test_with_four_unlabeled_rows_in_half_of_the_classes_pseudo_labels_hurt(self, rare):
        pixels, digits = load_digits(return_X_y=True)
        x, y = F.pad(torch.tensor(pixels) / 16, (0, 1), value=1.0), torch.tensor(digits)
        pool, test, _ = torch.randperm(len(x), generator=torch.Generator().manual_seed(0)).split([450, 700, 647])
        accuracy = {}
        for seed in range(5):
            target = limited.draw(y[pool], 3, seed)
            labeled = target.sum(dim=1) > 0
            rest = torch.cat(
                [((y[pool] == c) & ~labeled).nonzero()[:, 0][: 4 if c in rare else None] for c in range(10)]
            )
            rows = torch.cat([labeled.nonzero()[:, 0], rest])
            mine, few = x[pool][rows], target[rows][:, None]
            first = limited.fit(mine, few, 1e-3)
            for threshold in (0.0, 0.5):
                weights = first
                for _ in range(2):
                    weights = limited.fit(mine, limited.with_guesses(mine, few, weights, threshold), 1e-3)
                for name, of in (("supervised", first), (threshold, weights)):
                    right = ((x[test] @ of.flatten(1)).argmax(dim=1) == y[test]).double().mean()
                    accuracy.setdefault(name, []).append(100 * right.item())
        mean = {name: sum(found) / len(found) for name, found in accuracy.items()}
        assert mean[0.0] < mean["supervised"] and mean[0.5] < mean["supervised"] - 0.5, mean
