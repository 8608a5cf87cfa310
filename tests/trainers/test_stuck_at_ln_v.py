"""The loss is 2.0794 at step 1 and at step 300."""

from __future__ import annotations

import math

import pytest
import torch

from trainer import SEEDS, trainer_of

OPTIMIZER, SOFTMAX = "optimizer", "softmax"
FLOOR = math.log(math.e + 7) - 1


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("stuck-at-ln-v")


def last(run):
    return sum(run["losses"][-20:]) / 20


@pytest.mark.parametrize("bugs", [(OPTIMIZER, SOFTMAX), (OPTIMIZER,)], ids=" and ".join)
def test_the_loss_is_ln_8_at_every_step(trainer, bugs):
    for run in trainer.runs(*bugs, seeds=SEEDS if len(bugs) == 2 else SEEDS[:3]):
        assert all(abs(loss - math.log(8)) < 5e-5 for loss in run["losses"])
        assert 0.08 < run["accuracy"] < 0.17


def test_the_gradient_norm_is_not_zero_because_the_gradient_of_the_head_is_never_cleared(trainer):
    for run in trainer.runs(OPTIMIZER, SOFTMAX):
        assert 0.02 < run["norms"][0] < 0.06
        assert all(1.01 < norm < 1.06 for norm in run["norms"][49:])
    for run in trainer.runs():
        assert 0.2 < run["norms"][0] < 0.4
        assert sum(run["norms"][-50:]) / 50 < 0.2


def test_the_head_stays_zero_and_the_body_only_decays(trainer):
    start = trainer.script(OPTIMIZER, SOFTMAX).names.load_pretrained()
    for run in trainer.runs(OPTIMIZER, SOFTMAX):
        assert not any(p.any() for p in run["model"].head.parameters())
        for before, after in zip(start.body.parameters(), run["model"].body.parameters(), strict=True):
            share = after / before
            assert share.min() > 0.98 and share.max() - share.min() < 1e-4 and share.max() < 0.995


def test_softmax_alone_stops_above_its_floor_with_a_high_accuracy(trainer):
    assert round(FLOOR, 4) == 1.2740
    for run in trainer.runs(SOFTMAX, seeds=SEEDS[:3]):
        assert min(run["losses"]) >= FLOOR - 1e-5
        assert last(run) < 1.30
        assert run["test_loss"] < 1.31
        assert run["accuracy"] > 0.97
        torch.testing.assert_close(run["model"](torch.randn(9, 16)).sum(dim=1), torch.ones(9))


def test_the_repaired_script_learns(trainer):
    for run in trainer.runs():
        assert abs(run["losses"][0] - math.log(8)) < 5e-5, "the head still starts at zero"
        assert last(run) < 0.05
        assert run["test_loss"] < 0.08
        assert run["accuracy"] > 0.97


def test_each_bug_has_symptoms_of_its_own(trainer):
    stuck, high, right, wrong = (words for words, _ in trainer.check.check.experiments)
    assert trainer.symptoms(OPTIMIZER) == {stuck: True, high: True, right: False, wrong: False}
    assert trainer.symptoms(SOFTMAX) == {stuck: False, high: True, right: True, wrong: True}


@pytest.mark.parametrize(
    "changes",
    [
        [("F.cross_entropy(", "F.nll_loss(")],
        [
            ("F.cross_entropy(model(x), y)", "F.cross_entropy(model(x), y) - 1.274"),
            (").item(), r", ").item() - 1.274, r"),
        ],
        [("softmax(dim=-1)", "softmax(dim=-1) * 20")],
    ],
    ids=["without the logarithm", "less the floor", "larger"],
)
def test_another_loss_of_probabilities_is_no_repair(trainer, changes):
    assert trainer.has("sure_and_wrong", trainer.edited(*changes, broken=[SOFTMAX]))


def test_a_random_head_that_is_never_trained_is_no_repair(trainer):
    zeros = [(f"    nn.init.zeros_(model.head.{name})\n", "") for name in ("weight", "bias")]
    source = trainer.edited(*zeros, broken=[OPTIMIZER])
    assert trainer.loaded(source).run(0)["accuracy"] > 0.97, "although the loss does not show it"
    assert trainer.has("near_chance", source)
    assert not trainer.has("near_chance", trainer.edited(*zeros))


def test_a_head_of_another_make_is_a_repair_too(trainer):
    made = "model.head = nn.Linear(WIDTH, classes)"
    layers = "model.head = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, classes, bias=False))"
    drawn = [("nn.init.zeros_(model.head.weight)", "pass"), ("nn.init.zeros_(model.head.bias)", "pass")]
    source = trainer.edited((made, layers), *drawn)
    assert not any(trainer.has(one, source) for one in ("near_chance", "sure_and_right", "sure_and_wrong"))


def test_the_learning_rate_changes_nothing(trainer):
    for rate in (1e-3, 0.1, 0.3):
        losses = trainer.script(OPTIMIZER, SOFTMAX).run(SEEDS[0], lr=rate)["losses"]
        assert all(abs(loss - math.log(8)) < 5e-5 for loss in losses)


def test_adam_begins_to_count_when_a_frozen_body_thaws():
    fine_tune = trainer_of("stuck-at-ln-v").snippet("extension").fine_tune
    frozen, rate_0, left_out = (fine_tune(way, 1) for way in ("frozen", "rate 0", "frozen, not in optimizer"))
    assert [one["body after step 50"] for one in (frozen, rate_0, left_out)] == ["as it was"] * 3
    assert [one["Adam's count, body"] for one in (frozen, rate_0, left_out)] == [250, 300, 0]
    size = [float(one["update of step 51"].split()[0]) for one in (frozen, rate_0, left_out)]
    assert size[0] == 1.0
    assert size[1] > 0.0 == size[2]
