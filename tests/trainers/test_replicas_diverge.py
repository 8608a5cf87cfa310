"""Two replicas that should be equal are 7 apart at step 0 and 24 apart at step 200."""

from __future__ import annotations

import pytest
from torch import nn

from trainer import SEEDS, trainer_of

START, CLIPPING, SHARD = "start", "clipping", "shard"
BUGS = (START, CLIPPING, SHARD)


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("replicas-diverge")


def test_the_replicas_start_apart_and_drift_further_apart(trainer):
    for run in trainer.runs(*BUGS):
        distances, (a, b) = run["distances"], run["errors"]
        assert 6.5 < distances[0] < 8
        assert 14 < distances[50] < 25
        assert 18 < distances[200] < 32
        assert 1.2 < a < 3.5
        assert 3 < b < 20
        first, second = run["losses"][0]
        assert 0 < abs(first - second) < 0.1 * first, "other models, the same examples"


def test_without_the_broadcast_the_distance_is_constant(trainer):
    for run in trainer.runs(START, seeds=SEEDS[:3]):
        assert all(abs(each - run["distances"][0]) < 1e-2 for each in run["distances"])
        assert run["distances"][0] > 6.5
        assert all(0.8 < error < 2 for error in run["errors"])


def test_clipping_on_one_rank_makes_the_distance_grow_from_step_1_on(trainer):
    for run in trainer.runs(CLIPPING, seeds=SEEDS[:3]):
        assert run["distances"][0] == 0.0
        assert 0.1 < run["distances"][1] < 0.6
        assert 15 < run["distances"][200] < 35
        assert min(run["errors"]) > 1.2
        assert run["norms"][0] > 15


def test_the_same_examples_give_equal_losses_and_a_larger_error(trainer):
    repaired = [run["errors"][0] for run in trainer.runs()]
    same = trainer.runs(SHARD)
    for run, error in zip(same, repaired, strict=True):
        assert set(run["distances"]) == {0.0}
        assert all(a == b for a, b in run["losses"])
        assert run["errors"][0] == run["errors"][1] > 1.05 * error
    assert sum(run["errors"][0] for run in same) / 5 > 1.2 * sum(repaired) / 5


def test_the_repaired_replicas_are_equal_and_learn(trainer):
    for run in trainer.runs():
        assert set(run["distances"]) == {0.0}
        assert run["errors"][0] == run["errors"][1] < 1.4
        assert all(a != b for a, b in run["losses"]), "each rank has its own examples"
    assert sum(run["errors"][0] for run in trainer.runs()) / 5 < 1.05


def test_the_logging_branch_changes_the_gradients_of_rank_0_alone(trainer):
    names = trainer.script(CLIPPING).names
    ranks = [names.Replica(0, rank) for rank in range(2)]
    ranks[1].model.load_state_dict(ranks[0].model.state_dict())
    for rank in ranks:
        rank.backward()
    names.all_reduce(ranks)
    a, b = (nn.utils.parameters_to_vector(p.grad for p in rank.model.parameters()) for rank in ranks)
    assert a.equal(b), "the all-reduce gives both the same bits"
    before = a.norm().item()
    assert nn.utils.clip_grad_norm_(ranks[0].model.parameters(), names.MAX_NORM).item() == pytest.approx(before)
    a = nn.utils.parameters_to_vector(p.grad for p in ranks[0].model.parameters())
    assert a.norm().item() == pytest.approx(names.MAX_NORM, rel=1e-4)
    assert before > 15


@pytest.mark.parametrize(("old", "new"), [("momentum=0.9", "momentum=0.0"), ("16, 0.01", "16, 0.001")])
def test_momentum_and_learning_rate_are_not_why_the_distance_grows(trainer, old, new):
    source = trainer.variant(BUGS)
    assert old in source
    distances = trainer.loaded(source.replace(old, new)).run(0)["distances"]
    assert 9 < distances[200] < 12


def test_the_examples_may_be_dealt_out_where_the_ranks_are_made(trainer):
    made = "replicas = [Replica(seed, rank) for rank in range(WORLD)]"
    dealt = "    for rank, replica in enumerate(replicas):\n        replica.data.manual_seed(1000 * seed + rank)"
    assert not trainer.has("same_loss", trainer.edited((made, f"{made}\n{dealt}"), broken=[SHARD]))


def test_examples_dealt_out_in_turn_are_a_repair_too(trainer):
    dealt = [
        (f"randn(BATCH, {n}, generator=self.data)", f"randn(2 * BATCH, {n}, generator=self.data)[self.rank::2]")
        for n in (8, 1)
    ]
    own = ("self.data = ", "self.rank = rank\n        self.data = ")
    source = trainer.edited(own, *dealt, broken=[SHARD])
    assert not any(trainer.has(one, source) for one in ("same_loss", "unequal", "not_learned"))


def test_no_clipping_on_any_rank_is_no_repair(trainer):
    source = trainer.edited((", MAX_NORM)", ', float("inf"))'))
    assert not any(trainer.has(one, source) for one in ("drifts", "unequal"))
    assert trainer.has("moves_far", source)


def test_each_bug_has_symptoms_of_its_own(trainer):
    found = {bug: list(trainer.symptoms(bug).values()) for bug in BUGS}
    apart, drifts, same, far, unequal, high = range(6)
    assert [found[bug][apart] for bug in BUGS] == [True, False, False]
    assert [found[bug][drifts] for bug in BUGS] == [False, True, False]
    assert [found[bug][same] for bug in BUGS] == [False, False, True]
    assert [found[bug][unequal] for bug in (CLIPPING, SHARD)] == [True, False]
    assert [found[bug][far] for bug in BUGS] == [False, True, False]
    assert [found[bug][high] for bug in BUGS] == [False, True, False]
