"""The loss falls below the entropy of the data."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from trainer import SEEDS, trainer_of

MASK, NORM = "mask", "norm"
ENTROPY = math.log(8)


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("too-good-to-be-true")


def last(run):
    return sum(run["losses"][-20:]) / 20


def by_position(run):
    torch.manual_seed(100)
    ids = torch.randint(8, (500, 17))
    with torch.no_grad():
        return F.cross_entropy(run["model"](ids[:, :-1]).mT, ids[:, 1:], reduction="none").mean(dim=0)


def moved(names, at, edit=None):
    """By how much another token at a place moves the logits of an untrained model at each place."""
    torch.manual_seed(0)
    model = names.Model()
    if edit:
        edit(model)
    ids = torch.randint(8, (4, 16))
    other = ids.clone()
    other[:, at] = (other[:, at] + 1) % 8
    with torch.no_grad():
        return (model(ids) - model(other)).abs().amax(dim=(0, 2))


@pytest.mark.parametrize("bugs", [(MASK, NORM), (MASK,)], ids=" and ".join)
def test_the_loss_ends_a_little_above_a_sixteenth_of_the_entropy(trainer, bugs):
    for run in trainer.runs(*bugs, seeds=SEEDS if len(bugs) == 2 else SEEDS[:3]):
        assert ENTROPY / 16 < last(run) < 0.19


def test_only_the_last_position_cannot_see_its_answer(trainer):
    for run in trainer.runs(MASK, NORM):
        losses = by_position(run)
        assert losses[:-1].max() < 0.3
        assert losses[-1] > 2.0


def test_the_norm_alone_looks_like_learning(trainer):
    for run in trainer.runs(NORM, seeds=SEEDS[:3]):
        assert 1.3 < last(run) < 1.8
        assert last(run) < sum(run["losses"][60:80]) / 20 - 0.05, "it still falls"
        losses = by_position(run)
        assert losses[:4].max() < 1.6 < 2.0 < losses[-1]


def test_the_repaired_script_stays_at_the_entropy(trainer):
    for run in trainer.runs():
        assert abs(last(run) - ENTROPY) < 0.008
        assert (by_position(run) - ENTROPY).abs().max() < 0.1


def test_changing_one_token_shows_which_leak_it_is(trainer):
    for at in (1, 7, 15):
        before = {bugs: moved(trainer.script(*bugs).names, at)[:at] for bugs in [(), (MASK,), (NORM,)]}
        assert before[()].max() == 0
        assert before[(MASK,)][-1] > 1e-3
        assert before[(MASK,)][:-1].sum() == 0
        assert before[(NORM,)].min() > 1e-4


def test_without_norms_or_with_attention_switched_off_the_other_leak_is_left(trainer):
    def no_norms(model):
        model.norm = model.block.norm1 = model.block.norm2 = nn.Identity()

    def no_attention(model):
        nn.init.zeros_(model.block.out.weight)

    assert moved(trainer.script(NORM).names, 9, no_norms)[:9].max() == 0
    assert moved(trainer.script(MASK).names, 9, no_norms)[8] > 1e-3
    assert moved(trainer.script(MASK).names, 9, no_attention)[:9].max() == 0
    assert moved(trainer.script(NORM).names, 9, no_attention)[:9].min() > 1e-4


def test_a_lower_learning_rate_is_slower_and_leaks_as_well(trainer):
    assert last(trainer.script(MASK, NORM).run(0, rate=1e-3)) < 1.6
    assert abs(last(trainer.script().run(0, rate=1e-3)) - ENTROPY) < 0.02


def test_each_bug_has_symptoms_of_its_own(trainer):
    found = {bug: list(trainer.symptoms(bug).values()) for bug in (MASK, NORM)}
    too_good, high, one_before, far_before, forgets = range(5)
    assert all(one[too_good] and one[one_before] and not one[high] and not one[forgets] for one in found.values())
    assert [found[bug][far_before] for bug in (MASK, NORM)] == [False, True]


def test_a_norm_over_the_batch_or_none_is_no_repair(trainer):
    batch = trainer.edited(("torch.var_mean(x, dim=-1,", "torch.var_mean(x, dim=0,"))
    none = trainer.edited(("(x - mean) / (var + 1e-5).sqrt()", "x"))
    assert not any(trainer.has(one, source) for one in ("one_before", "far_before") for source in (batch, none))
    assert trainer.has("companions", batch)
    assert trainer.has("grows_with_embedding", none)
    assert not any(trainer.has(one, trainer.fixed) for one in ("companions", "grows_with_embedding"))


def test_the_gradient_tells_how_far_the_future_reaches_back(trainer):
    extension = trainer.snippet("extension")
    for bugs, expected in [((), []), ((MASK,), [1]), ((NORM,), list(range(1, 8)))]:
        torch.manual_seed(0)
        model = trainer.script(*bugs).names.Model()
        found = extension.leaks(lambda x, model=model: model.head(model.norm(model.block(x))), torch.randn(4, 8, 32))
        assert found == expected
    assert extension.leaks(extension.batch_norm(True), torch.randn(4, 8, 16)) == list(range(1, 8))
    assert extension.leaks(extension.batch_norm(False), torch.randn(4, 8, 16)) == []


def test_through_a_norm_the_gradient_of_a_plain_sum_can_be_zero():
    x = torch.randn(4, 8, 16, dtype=torch.float64, requires_grad=True)
    norm = nn.LayerNorm(16).double()
    mixed = norm(x.flip(1))  # each place gets another one's values
    (plain,) = torch.autograd.grad(mixed[0, 0].sum(), x, retain_graph=True)
    (weighted,) = torch.autograd.grad((mixed[0, 0] * torch.randn(16)).sum(), x)
    assert plain.abs().max() < 1e-12
    assert weighted[0, 7].abs().max() > 1e-2
