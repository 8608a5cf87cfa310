"""Accuracy is 0.1000 after every epoch."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

from trainer import SEEDS, trainer_of

SHUFFLE, BROADCAST = "shuffle", "broadcast"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("exactly-chance")


def test_the_accuracy_is_a_tenth_and_the_loss_stays_above_ln_10(trainer):
    for run in trainer.runs(SHUFFLE, BROADCAST):
        assert all(abs(one - 0.1) < 1e-6 for one in run["accuracies"])
        assert all(math.log(10) - 0.01 < loss < 2.36 for loss in run["losses"])


@pytest.mark.parametrize("bugs", [(SHUFFLE, BROADCAST), (BROADCAST,)], ids=" and ".join)
def test_the_accuracy_is_a_tenth_of_right_and_of_wrong_answers(trainer, bugs):
    labels = torch.arange(10).repeat(7)
    for said in (labels, (labels + 1) % 10):
        found = trainer.script(*bugs).names.accuracy(lambda x, said=said: F.one_hot(said, 10), None, labels)
        assert found == pytest.approx(0.1)


def test_two_permutations_alone_scatter_around_a_tenth(trainer):
    for run in trainer.runs(SHUFFLE):
        assert all(math.log(10) - 0.01 < loss < 2.36 for loss in run["losses"])
        assert all(0.02 < one < 0.3 for one in run["accuracies"])
        assert len(set(run["accuracies"])) > 3


def test_the_broadcast_alone_learns_and_reports_a_tenth(trainer):
    for run in trainer.runs(BROADCAST):
        assert run["losses"][-1] < 0.02
        assert all(abs(one - 0.1) < 1e-6 for one in run["accuracies"])


def test_the_repaired_script_learns(trainer):
    for run in trainer.runs():
        assert run["losses"][-1] < 0.02
        assert run["accuracies"][-1] > 0.96


def test_each_bug_has_symptoms_of_its_own(trainer):
    assert list(trainer.symptoms(SHUFFLE).values()) == [False, True, True, False, False]
    assert list(trainer.symptoms(BROADCAST).values()) == [True, False, True, True, False]


def test_no_shuffle_at_all_is_no_repair(trainer):
    source = trainer.edited(("return x[order], y[order]", "return x, y"))
    assert not trainer.has("few_are_right", source), "although the accuracy does not show it"
    assert trainer.has("same_batches", source)


@pytest.mark.parametrize("setting", [{"width": 512}, {"lr": 0.002}, {"lr": 0.2}], ids=str)
def test_width_and_learning_rate_change_nothing(trainer, setting):
    run = trainer.script(SHUFFLE, BROADCAST).run(SEEDS[0], **setting)
    assert all(abs(one - 0.1) < 1e-6 for one in run["accuracies"])
    assert run["losses"][-1] > 2.29


@pytest.mark.parametrize("bug", [SHUFFLE, BROADCAST])
def test_a_hundred_pictures_are_learned_by_heart_unless_two_permutations_shuffle_them(trainer, bug):
    script = trainer.script(bug).names

    def loss_after(shuffle):
        torch.manual_seed(0)
        x, y = script.draw(100, torch.randn(10, 64))
        model = script.build(64)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
        for _ in range(100):
            x_now, y_now = script.shuffled(x, y) if shuffle else (x, y)
            loss = F.cross_entropy(model(x_now), y_now)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()

    assert loss_after(shuffle=False) < 0.05
    assert (loss_after(shuffle=True) < 0.05) == (bug == BROADCAST)


def test_the_interval_is_about_one_model_and_models_differ_by_more_than_guesses(trainer):
    snippet = trainer.snippet("extension")
    low, high = snippet.interval(0.154, 500)
    assert 0.1 < low < 0.154 < high < 0.2
    few, many = torch.tensor([snippet.without_labels(seed) for seed in range(20, 32)]).T
    inside = [snippet.interval(one, 500) for one in few.tolist()]
    assert sum(low <= true <= high for (low, high), true in zip(inside, many.tolist(), strict=True)) >= 9
    assert (many - 0.1).abs().max() > 0.02, "which 20,000 independent guesses do not reach"
