"""10 MB more with every epoch: the bytes of live tensors, each storage counted once."""

from __future__ import annotations

import gc

import pytest
import torch

from trainer import SEEDS, trainer_of

GRAPHS, MONITOR = "graphs", "monitor"
ACTIVATION = 1024 * 128 * 4 / 1e6  # MB


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("memory-grows")


@pytest.fixture(autouse=True, scope="module")
def few_objects():
    """What exists before these tests need not be looked at again and again."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def growth(run):
    """Megabytes per epoch, which are the same for each one after the first."""
    sizes = run["megabytes"]
    steps = [b - a for a, b in zip(sizes, sizes[1:], strict=False)]
    assert max(steps) - min(steps) < 0.01
    return sum(steps) / len(steps)


def near(activations):
    return pytest.approx(activations * ACTIVATION, abs=0.05)


def test_every_epoch_leaves_20_activations(trainer):
    for run in trainer.runs(GRAPHS, MONITOR):
        assert growth(run) == near(20) == pytest.approx(10.5, abs=0.1)


@pytest.mark.parametrize(("bug", "activations", "megabytes"), [(GRAPHS, 8, 4.2), (MONITOR, 16, 8.4)])
def test_each_bug_alone_leaves_its_own_and_the_sum_is_less(trainer, bug, activations, megabytes):
    for run in trainer.runs(bug, seeds=SEEDS[:2]):
        assert growth(run) == near(activations) == pytest.approx(megabytes, abs=0.1)


@pytest.mark.parametrize(
    ("bugs", "training", "validation"), [((GRAPHS, MONITOR), 2, 4), ((GRAPHS,), 0, 4), ((MONITOR,), 2, 2)], ids=str
)
def test_the_growth_per_batch_tells_the_holders_apart(trainer, bugs, training, validation):
    script = trainer.script(*bugs)
    base = growth(script.run(0, batches=2, validation=2))
    assert growth(script.run(0, batches=4, validation=2)) - base == near(2 * training)
    assert growth(script.run(0, batches=2, validation=4)) - base == near(2 * validation)


def test_the_repaired_script_grows_by_nothing_and_learns(trainer):
    for run in trainer.runs():
        assert abs(growth(run)) < 0.01
        assert run["megabytes"][-1] < 0.4
        assert run["curve"][-1].item() < 0.45
        assert run["curve"][-1].grad_fn is None


def test_errors_and_means_are_those_of_the_broken_script(trainer):
    for broken, fixed in zip(trainer.runs(GRAPHS, MONITOR), trainer.runs(), strict=True):
        assert [one.item() for one in broken["curve"]] == pytest.approx([one.item() for one in fixed["curve"]])
        assert broken["means"] == pytest.approx(fixed["means"], abs=1e-6)
        assert broken["curve"][-1].grad_fn is not None


def test_collecting_garbage_changes_nothing(trainer):
    source = trainer.broken.replace("curve.append(", "del loss; gc.collect(); curve.append(")
    assert growth(trainer.loaded(source).run(0)) == near(20)


def test_a_number_instead_of_the_result_repairs_validation_as_well(trainer):
    source = trainer.variant([GRAPHS]).replace("return total / len(x)", "return total.item() / len(x)")
    script = trainer.loaded(source)
    assert not any(trainer.check.check.outcome(one, script)[0] for _, one in trainer.check.check.experiments)


def test_each_bug_has_symptoms_of_its_own(trainer):
    assert list(trainer.symptoms(GRAPHS).values()) == [True, False, True, False, False]
    assert list(trainer.symptoms(MONITOR).values()) == [True, True, True, False, False]


def test_a_monitor_that_watches_nothing_is_no_repair(trainer):
    script = trainer.loaded(trainer.fixed.replace("self.seen[name].append(output.detach().mean())", "pass"))
    assert trainer.check.check.outcome(trainer.check.does_not_watch, script)[0]


def test_a_monitor_of_the_last_batches_is_no_repair(trainer):
    last = ("self.seen[name] = []", "import collections; self.seen[name] = collections.deque(maxlen=4)")
    assert trainer.has("does_not_watch", trainer.edited(last, broken=[MONITOR]))


def test_a_curve_of_the_last_epoch_is_no_repair(trainer):
    last = ("curve.append(validate(model, x[held:], y[held:]))", "curve = [validate(model, x[held:], y[held:])]")
    with pytest.raises(AssertionError, match="expected 5 validation errors"):
        trainer.has("not_learned", trainer.edited(last, broken=[GRAPHS]))


def test_monitors_that_are_never_removed_are_called_ever_more_often(trainer):
    extension = trainer.snippet("extension")
    for script, activations in ((extension.broken, 24), (extension.fixed, 0)):
        sizes, calls = extension.epochs(script["Monitor"])
        assert calls == [6, 12, 18, 24]
        assert sizes[-1] == pytest.approx(activations * ACTIVATION, abs=0.1)
    assert extension.epochs(extension.Removable)[1] == [6, 6, 6, 6]


def test_detach_shares_the_storage():
    x = torch.ones(3, requires_grad=True) * 2
    assert x.detach().untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert x.detach().mean().untyped_storage().nbytes() == 4
