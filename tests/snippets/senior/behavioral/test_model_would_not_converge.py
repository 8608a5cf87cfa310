"""What docs/senior/behavioral/model-would-not-converge.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("senior/behavioral/model_would_not_converge.py")
FAILS = {
    "none": set(),
    "norm of one number": {"inputs_matter"},
    "optimizer has a copy": {"weights_change", "one_batch"},
    "labels shuffled": {"nearest_row"},
    "rate 1e-6": {"one_batch"},
    "scaled in training only": {"same_rows"},
}


@pytest.fixture(scope="module")
def other_seed():
    """The same jobs from another seed than the page's."""
    job, kept = page.Job.__init__, page.Job.__init__.__defaults__
    page.trained.cache_clear()
    job.__defaults__ = (3,)
    yield
    job.__defaults__ = kept
    page.trained.cache_clear()


@pytest.mark.usefixtures("other_seed")
class TestModelWouldNotConverge:
    @pytest.mark.parametrize("fault", page.FAULTS)
    def test_each_fault_has_its_own_fingerprint_and_the_first_loss_sees_none(self, fault):
        assert {check.__name__ for check in page.CHECKS if not check(fault)} == FAILS[fault]
        assert len(set(map(frozenset, FAILS.values()))) == len(page.FAULTS)

    def test_the_plateau_is_log_2_and_the_topic_is_right_and_the_bit_a_coin_toss(self):
        job = page.trained("norm of one number")
        text, number, y = job.draw(2000)
        answer = job.model(text / 5, number).argmax(dim=1)
        assert job.loss((text, number, y)).item() == pytest.approx(math.log(2), abs=0.1)
        assert (answer // 2 == y // 2).float().mean() > 0.95
        assert (answer == y).float().mean().item() == pytest.approx(0.5, abs=0.06)

    def test_without_the_norm_the_loss_goes_to_zero(self):
        assert sum(page.trained("none").losses[-50:]) / 50 < 0.05

    def test_the_label_of_the_nearest_row_is_right_far_more_often_than_half_of_the_time(self):
        text, number, y = page.Job("norm of one number").draw(512)
        x = torch.cat([text / 5, 5 * number], dim=1)
        nearest = torch.cdist(x, x).fill_diagonal_(math.inf).argmin(dim=1)
        assert (y[nearest] == y).float().mean() > 0.9

    def test_a_larger_model_stays_at_the_plateau(self):
        job = page.Job("norm of one number")
        job.model.text, job.model.out = nn.Linear(16, 256), nn.Linear(512, 8)
        job.model.number[1] = nn.Linear(1, 256)
        job.optimizer = torch.optim.AdamW(job.model.parameters(), lr=3e-3)
        losses = job.train(150).losses[-30:]
        assert sum(losses) / 30 == pytest.approx(math.log(2), abs=0.1)

    @pytest.mark.parametrize("name", ["BatchNorm1d", "RMSNorm"])
    def test_a_batch_norm_keeps_the_number_and_an_rms_norm_its_sign_which_is_enough_here(self, name):
        job = page.Job("none")
        job.model.number[0] = getattr(nn, name)(1)
        job.optimizer = torch.optim.AdamW(job.model.parameters(), lr=1e-2)
        losses = job.train(100).losses[-20:]
        assert sum(losses) / 20 < 0.1


class TestModelWouldNotConvergeNorm:
    @pytest.mark.parametrize("size", [1, 1000])
    def test_a_layer_norm_over_one_number_gives_its_bias(self, size):
        norm = nn.LayerNorm(1)
        nn.init.constant_(norm.bias, 0.25)
        x = size * torch.randn(64, 1, generator=torch.Generator().manual_seed(0))
        exact = norm.double()(x.double())
        assert torch.allclose(exact, torch.full_like(exact, 0.25), atol=1e-6)

    @pytest.mark.parametrize("scale", [1, 50])
    def test_over_two_numbers_only_which_one_is_larger_is_left(self, scale):
        x = scale * torch.randn(64, 2, generator=torch.Generator().manual_seed(0))
        x = x[(x[:, 0] - x[:, 1]).abs() > 0.3 * scale]
        larger = torch.where(x[:, :1] > x[:, 1:], torch.tensor([1.0, -1.0]), torch.tensor([-1.0, 1.0]))
        assert torch.allclose(nn.LayerNorm(2)(x), larger, atol=1e-3)

    def test_an_rms_norm_over_one_number_leaves_the_sign(self):
        x = torch.tensor([[-300.0], [-0.2], [0.5], [7.0]])
        assert torch.allclose(nn.RMSNorm(1)(x), x.sign(), atol=1e-3)


class TestModelWouldNotConvergeChecks:
    @pytest.mark.parametrize(("decay", "changes"), [(0.01, True), (0.0, False)])
    def test_adamw_changes_a_weight_whose_gradient_is_zero_by_its_decay(self, decay, changes):
        weight = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.AdamW([weight], lr=0.1, weight_decay=decay)
        weight.grad = torch.zeros(3)
        optimizer.step()
        assert torch.equal(weight, torch.ones(3)) is not changes

    @pytest.mark.parametrize("gradient", [1e-6, 1.0])
    def test_adam_scales_a_tiny_gradient_up_to_a_full_step(self, gradient):
        weight = nn.Parameter(torch.ones(3))
        weight.grad = torch.full((3,), gradient)
        torch.optim.Adam([weight], lr=0.1).step()
        assert torch.allclose(weight, torch.full((3,), 0.9), atol=2e-3)

    def test_sgd_without_decay_does_not_change_it(self):
        weight = nn.Parameter(torch.ones(3))
        weight.grad = torch.zeros(3)
        torch.optim.SGD([weight], lr=0.1).step()
        assert torch.equal(weight, torch.ones(3))

    def test_shuffling_one_of_two_equal_inputs_may_change_nothing(self):
        torch.manual_seed(0)
        x = torch.randn(256, 1)
        both, y = torch.cat([x, x], dim=1), (x[:, 0] > 0).long()
        model = nn.Linear(2, 2)
        with torch.no_grad():
            model.weight[:, 1] = 0  # it has learned to use the first one
        shuffled = both.clone()
        shuffled[:, 1] = both[torch.randperm(256), 1]
        losses = [F.cross_entropy(model(inputs), y).item() for inputs in (both, shuffled)]
        assert losses[0] == pytest.approx(losses[1], abs=1e-6)
        assert F.cross_entropy(model(both[torch.randperm(256)]), y).item() > losses[0] + 0.01

    @pytest.mark.parametrize("share", [0.9, 0.6])
    def test_without_inputs_the_best_loss_is_the_entropy_of_the_labels(self, share):
        y = (torch.arange(1000) >= 1000 * share).long()
        entropy = -sum(p * math.log(p) for p in (share, 1 - share))
        logits = torch.tensor([share, 1 - share]).log().expand(1000, 2)
        assert F.cross_entropy(logits, y).item() == pytest.approx(entropy, abs=1e-4)
        assert entropy < math.log(2)


def without_zero_grad(job, steps, rows=None):
    for _ in range(steps):
        loss = job.loss(rows or job.draw(64))
        loss.backward()
        job.optimizer.step()
        job.losses.append(loss.item())
    return job


class TestModelWouldNotConvergeExcluded:
    @pytest.mark.parametrize("seed", [0, 3])
    def test_one_batch_goes_to_zero_at_a_rate_that_is_too_high_for_the_run(self, seed):
        ends = {}
        for rate in (1.0, 0.1):
            one, run = page.Job("none", seed), page.Job("none", seed)
            for job in (one, run):
                job.optimizer.param_groups[0]["lr"] = rate
            rows = one.draw(16)
            assert one.train(60, rows).loss(rows).item() < 0.1
            ends[rate] = sum(run.train(150).losses[-50:]) / 50
        assert ends[1.0] > max(5 * ends[0.1], 0.3)

    @pytest.mark.parametrize("seed", [0, 3])
    def test_gradients_that_are_never_zeroed_pass_all_six_checks_and_the_loss_is_high(self, seed, monkeypatch):
        monkeypatch.setattr(page.Job, "train", without_zero_grad)
        job, kept = page.Job.__init__, page.Job.__init__.__defaults__
        page.trained.cache_clear()
        monkeypatch.setattr(job, "__defaults__", (seed,))
        assert all(check("none") for check in page.CHECKS)
        assert sum(page.trained("none").losses[-50:]) / 50 > 0.3
        monkeypatch.setattr(job, "__defaults__", kept)
        page.trained.cache_clear()

    @pytest.mark.parametrize(("classes", "same"), [(8, True), (2, False)])
    def test_15_percent_wrong_labels_give_a_loss_near_log_2_with_eight_classes(self, classes, same):
        others = classes - 1
        loss = -(0.85 * math.log(0.85) + 0.15 * math.log(0.15 / others))
        assert (abs(loss - math.log(2)) < 0.03) is same
        assert not same or loss == pytest.approx(0.71, abs=0.005)

    def test_with_dropout_the_code_paths_agree_only_in_eval_mode(self):
        job = page.Job("none")
        job.model.out = nn.Sequential(nn.Dropout(0.2), job.model.out)
        rows = job.draw(512)
        assert abs(job.loss(rows).item() - job.loss(rows, training=False).item()) > 1e-4
        job.model.eval()
        assert job.loss(rows).item() == job.loss(rows, training=False).item()

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_sgd_the_gradient_of_the_norms_weight_is_rounding(self, seed):
        job = page.Job("norm of one number", seed)
        job.optimizer = torch.optim.SGD(job.model.parameters(), 0.1)
        before = job.model.number[1].weight.detach().clone()
        job.train(10)
        assert job.model.number[0].weight.grad.abs().item() < 1e-6
        assert not torch.equal(before, job.model.number[1].weight)
