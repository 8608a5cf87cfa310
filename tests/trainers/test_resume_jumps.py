"""After resuming, the loss is five times higher."""

from __future__ import annotations

import io

import pytest

from trainer import SEEDS, trainer_of

MOMENTS, SCHEDULE, ORDER = "moments", "schedule", "order"
BUGS = (MOMENTS, SCHEDULE, ORDER)


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("resume-jumps")


def after(run, what="losses"):
    """The losses or rates of steps 241 to 300, of the uninterrupted run and of the resumed one."""
    return getattr(run["whole"], what)[-60:], getattr(run["resumed"], what)


def jumps(run):
    """The loss after resuming as a multiple of the uninterrupted one: in the next ten steps and in the last ten."""
    whole, resumed = after(run)
    return sum(resumed[:10]) / sum(whole[:10]), sum(resumed[-10:]) / sum(whole[-10:])


def first_difference(run):
    whole, resumed = after(run)
    assert len(resumed) == len(whole) == 60
    return next((step for step, (a, b) in enumerate(zip(whole, resumed, strict=True), 241) if a != b), None)


def test_after_resuming_the_loss_is_several_times_higher_and_stays_higher(trainer):
    for run in trainer.runs(*BUGS):
        soon, late = jumps(run)
        assert 2.5 < soon < 9
        assert 1.3 < late < 4
        assert sum(run["whole"].losses[-10:]) / 10 < 0.002
        assert run["resumed"].rates[-1] == pytest.approx(0.0245, abs=1e-4)


@pytest.mark.parametrize(
    ("bugs", "step"),
    [
        (BUGS, 241),
        ((ORDER,), 241),
        ((MOMENTS, SCHEDULE), 242),
        ((MOMENTS,), 242),
        ((SCHEDULE,), 243),
        ((), None),
    ],
)
def test_the_first_step_that_differs_tells_which_state_was_lost(trainer, bugs, step):
    assert {first_difference(run) for run in trainer.runs(*bugs)} == {step}


def test_an_optimizer_that_starts_anew_jumps_and_heals(trainer):
    for run in trainer.runs(MOMENTS):
        soon, late = jumps(run)
        assert 1.5 < soon < 3.5
        assert 0.8 < late < 1.25
        whole, resumed = after(run, "rates")
        assert whole[1:] == resumed[1:]
        assert resumed[0] == pytest.approx(whole[0], abs=2e-4), "of the new group, by chance almost the same"


def test_a_schedule_that_starts_anew_shows_more_at_the_end(trainer):
    for run in trainer.runs(SCHEDULE):
        soon, late = jumps(run)
        assert 1.02 < soon < 2
        assert 1.1 < late < 4
        whole, resumed = after(run, "rates")
        assert whole[0] == resumed[0]
        assert all(later > 2 * early for early, later in zip(whole[4:], resumed[4:], strict=True))


def test_another_order_of_the_data_makes_no_jump(trainer):
    for run in trainer.runs(ORDER):
        assert all(0.8 < jump < 1.25 for jump in jumps(run))
        whole, resumed = after(run, "rates")
        assert whole == resumed


def test_the_resumed_run_draws_the_rows_of_the_first_steps(trainer):
    for bugs, repeats in ((BUGS, True), ((ORDER,), True), ((), False)):
        names, file = trainer.script(*bugs).names, io.BytesIO()
        whole, resumed = names.Run(0), names.Run(0)
        start = whole.order.get_state()
        whole.train(until=20)
        whole.save(file)
        file.seek(0)
        resumed.train(until=3)
        resumed.load(file)
        assert resumed.order.get_state().equal(start) == repeats
        assert resumed.order.get_state().equal(whole.order.get_state()) != repeats


def test_the_repaired_script_is_equal_to_the_last_bit(trainer):
    for run in trainer.runs():
        assert run["resumed"].losses == run["whole"].losses[-60:]
        assert run["resumed"].rates == run["whole"].rates[-60:]
        assert run["whole"].rates[-1] < 2e-4
        for a, b in zip(run["whole"].model.parameters(), run["resumed"].model.parameters(), strict=True):
            assert a.equal(b)


def test_a_lower_rate_after_resuming_hides_the_jump(trainer):
    lower = "resumed.schedule.base_lrs = [PEAK / 10]\n    resumed.train(until=STEPS)"
    script = trainer.loaded(trainer.variant(BUGS).replace("resumed.train(until=STEPS)", lower))
    for seed in SEEDS[:3]:
        soon, late = jumps(script.run(seed))
        assert 1.5 < soon < 3
        assert 0.85 < late < 1.3
        assert first_difference(script.run(seed)) == 241


def test_weights_only_changes_nothing(trainer):
    script = trainer.loaded(trainer.variant(BUGS).replace("weights_only=True", "weights_only=False"))
    assert script.run(0)["resumed"].losses == trainer.script(*BUGS).run(0)["resumed"].losses


def test_each_bug_has_symptoms_of_its_own(trainer):
    words = [words for words, _ in trainer.check.check.experiments]
    found = {bug: list(trainer.symptoms(bug).values()) for bug in BUGS}
    learned, soon, late, rates, first, some, steps = range(len(words))
    assert not any(one[learned] for one in found.values())
    assert [found[bug][soon] for bug in (MOMENTS, ORDER)] == [True, False]
    assert [found[bug][late] for bug in BUGS] == [False, True, False]
    assert [found[bug][rates] for bug in BUGS] == [False, True, False]
    assert [found[bug][first] for bug in BUGS] == [False, False, True]
    assert all(one[some] and not one[steps] for one in found.values())


def test_a_run_that_starts_again_is_not_resumed(trainer):
    source = trainer.edited(("    resumed.load(file)\n", ""))
    assert not trainer.has("some_differs", source)
    assert trainer.has("other_steps", source)


def test_dropout_needs_the_state_of_the_global_generator(trainer):
    extension = trainer.snippet("extension")
    assert extension.first_difference(extension.Dropped) == 241
    assert extension.first_difference(extension.WithGlobalState) is None
