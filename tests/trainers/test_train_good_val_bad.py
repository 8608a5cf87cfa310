"""Training accuracy is 100%, validation accuracy 14%."""

from __future__ import annotations

import copy

import pytest
import torch

from trainer import SEEDS, trainer_of

MODE, SCALE = "mode", "scale"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("train-good-val-bad")


def test_training_is_perfect_and_validation_at_chance_with_a_rising_loss(trainer):
    for run in trainer.runs(MODE, SCALE):
        first, *_, last = run["epochs"]
        assert last[0] < 0.1 and last[1] > 0.99
        assert all(epoch[3] < 0.22 for epoch in run["epochs"])
        assert 2.2 < first[2] < 2.8 and last[2] > first[2] + 0.4


def test_the_missing_eval_hides_the_scale(trainer):
    for both, mode in zip(trainer.runs(MODE, SCALE, seeds=(0, 1, 2)), trainer.runs(MODE, seeds=(0, 1, 2)), strict=True):
        for one, other in zip(both["epochs"], mode["epochs"], strict=True):
            assert one == pytest.approx(other, abs=0.01)


def test_the_scale_alone_leaves_a_loss_far_above_that_of_training(trainer):
    for run in trainer.runs(SCALE, seeds=SEEDS[:3]):
        assert run["epochs"][-1][0] < 0.1
        assert 0.6 < run["epochs"][-1][2] < 2.5
        assert run["epochs"][-1][3] < 0.95


def test_the_repaired_script_generalizes(trainer):
    for run in trainer.runs():
        assert run["epochs"][-1][2] < 0.1
        assert run["epochs"][0][3] > 0.95
        assert run["epochs"][-1][3] > 0.98


def test_each_bug_has_symptoms_of_its_own(trainer):
    few, gap, companions, inputs = (words for words, _ in trainer.check.check.experiments)
    assert trainer.symptoms(MODE) == {few: True, gap: True, companions: True, inputs: False}
    assert trainer.symptoms(SCALE) == {few: True, gap: True, companions: False, inputs: True}


def test_to_forget_train_after_eval_is_noticed(trainer):
    script = trainer.loaded(trainer.fixed.replace("    model.train()\n", ""))
    companions = trainer.check.check.experiments[2][1]
    assert companions(script)


def test_layers_without_statistics_of_the_batch_are_a_repair_too(trainer):
    layers = [("nn.BatchNorm2d(16)", "nn.GroupNorm(4, 16)"), ("nn.BatchNorm1d(64)", "nn.LayerNorm(64)")]
    source = trainer.edited(*layers, broken=[MODE])
    assert not any(trainer.has(one, source) for one in ("companions", "other_inputs"))


def test_validation_that_records_gradients_is_in_the_right_mode_all_the_same(trainer):
    source = trainer.edited(("@torch.no_grad()\n", ""))
    assert not any(trainer.has(one, source) for one in ("companions", "other_inputs"))


def test_batch_norm_without_running_statistics_is_no_repair(trainer):
    shuffled = ("    model.eval()\n", "    model.eval()\n    x, y = x[(order := torch.randperm(len(x)))], y[order]\n")
    source = trainer.edited(
        shuffled, ("(16)", "(16, track_running_stats=False)"), ("(64)", "(64, track_running_stats=False)")
    )
    assert trainer.loaded(source).run(0)["epochs"][-1][3] > 0.95, "although the accuracy does not show it"
    assert trainer.has("companions", source)


def test_the_training_set_is_at_chance_too_and_a_shuffled_validation_set_is_not(trainer):
    script, run = trainer.script(MODE, SCALE), trainer.runs(MODE, SCALE)[0]
    x, y = run["sets"]["validation"]
    rows = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    assert script.names.validate(copy.deepcopy(run["model"]), *run["sets"]["train"])[1] < 0.22
    assert script.names.validate(copy.deepcopy(run["model"]), x[rows], y[rows])[1] > 0.98


def test_what_enters_the_network(trainer):
    sets = trainer.runs(MODE, SCALE)[0]["sets"]
    x, seen = sets["train"][0], sets["validation"][0]
    assert abs(x.mean()) < 1e-3 and abs(x.std() - 1) < 1e-3
    assert abs(seen.mean() - 0.50) < 0.02 and abs(seen.std() - 0.33) < 0.02


@pytest.mark.parametrize("setting", [{"dropout": 0.6}, {"decay": 1.0}, {"dropout": 0.6, "decay": 1.0}], ids=str)
def test_regularization_does_not_help(trainer, setting):
    assert trainer.script(MODE, SCALE).run(SEEDS[0], **setting)["epochs"][-1][3] < 0.2


def test_validation_has_overwritten_the_statistics_so_eval_mode_afterwards_looks_right(trainer):
    run = trainer.runs(MODE, SCALE)[0]
    assert trainer.script().names.validate(copy.deepcopy(run["model"]), *run["sets"]["validation"])[1] > 0.9


def test_with_batches_of_two_batch_norm_in_eval_mode_is_better():
    fine_tune = trainer_of("train-good-val-bad").snippet("extension").fine_tune
    assert fine_tune("batch norm in eval mode", 5) > fine_tune("train mode", 5) + 0.2
