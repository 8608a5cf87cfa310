"""1 ms per step at first, 20 ms at step 60; counted in nodes of the graph, which are the same on every machine."""

from __future__ import annotations

import pytest
import torch

from trainer import SEEDS, trainer_of

STATE = "state"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("slower-each-step")


def watched(trainer, source, seeds=SEEDS):
    script = trainer.loaded(source)
    return [trainer.check.watched(script, seed) for seed in seeds]


def last(run):
    return sum(run["losses"][-10:]) / 10


def test_backward_goes_through_54_nodes_more_with_every_step(trainer):
    for run in watched(trainer, trainer.variant([STATE])):
        assert run["nodes"] == [85 + 54 * step for step in range(60)]
        assert run["nodes"][-1] == 3271


def test_the_loss_shows_nothing(trainer):
    pairs = zip(watched(trainer, trainer.broken), watched(trainer, trainer.fixed), strict=True)
    for broken, fixed in pairs:
        assert last(broken) < 0.08
        assert abs(last(broken) - last(fixed)) < 0.02


def test_the_repaired_script_learns_with_a_graph_that_stays_as_it_is(trainer):
    for run in watched(trainer, trainer.fixed):
        assert set(run["nodes"]) == {85}
        assert last(run) < 0.08 < 0.12 < sum(run["losses"][:10]) / 10


def test_without_retain_graph_alone_the_error_comes_back_at_step_2(trainer):
    script = trainer.loaded(trainer.broken.replace("retain_graph=True", ""))
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        script.run(0)
    assert all(trainer.check.check.outcome(one, script)[0] for _, one in trainer.check.check.experiments)


def test_with_the_state_detached_retain_graph_changes_nothing(trainer):
    source = trainer.broken.replace("model(window, state)", "model(window, state.detach())")
    assert "retain_graph=True" in source
    for run, fixed in zip(watched(trainer, source), watched(trainer, trainer.fixed), strict=True):
        assert set(run["nodes"]) == {85}
        assert run["losses"] == fixed["losses"]


@pytest.mark.parametrize(
    ("before", "update"),
    [
        ("for p in model.parameters():", "with torch.no_grad(): p -= RATE * p.grad"),
        ("for p in [0]:", "torch.optim.SGD(model.parameters(), lr=RATE).step()"),
    ],
    ids=["no_grad", "torch.optim"],
)
def test_without_p_data_the_broken_script_stops_at_step_2(trainer, before, update):
    def edited(source):
        return source.replace("for p in model.parameters():", before).replace("p.data -= RATE * p.grad", update)

    calls = []
    script = trainer.loaded(edited(trainer.broken))
    step = script.names.Network.forward
    script.names.Network.forward = lambda *inputs: (calls.append(1), step(*inputs))[1]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        script.run(0)
    assert len(calls) == 2
    assert trainer.loaded(edited(trainer.fixed)).run(0)["losses"] == pytest.approx(
        trainer.script().run(0)["losses"], rel=1e-3
    )


def test_a_loss_in_a_list_makes_no_step_longer(trainer):
    source = trainer.fixed.replace("losses.append(loss.item())", "losses.append(loss)")
    (run,) = watched(trainer, source, seeds=(0,))
    assert set(run["nodes"]) == {85}
    assert run["losses"][0].grad_fn is not None


def test_a_state_that_starts_anew_in_each_window_is_no_repair(trainer):
    script = trainer.loaded(trainer.fixed.replace("state.detach()", "torch.zeros(WIDTH)"))
    found = [trainer.check.check.outcome(one, script)[0] for _, one in trainer.check.check.experiments]
    assert found == [False, False, False, True]


def test_the_bug_has_its_own_symptom(trainer):
    assert list(trainer.symptoms(STATE).values()) == [True, True, False, False]


def test_the_state_may_be_given_by_its_name(trainer):
    source = trainer.edited(("model(window, state.detach())", "model(window, state=state.detach())"))
    assert not any(trainer.has(one, source) for one in ("slower", "uneven", "not_learned", "state_is_lost"))


@pytest.mark.parametrize("windows", [2, 10])
def test_to_detach_now_and_then_is_no_repair(trainer, windows):
    now = f"state.detach() if start % ({windows} * WINDOW) == 0 else state"
    source = trainer.edited(("model(window, state)", f"model(window, {now})"), broken=[STATE])
    assert not trainer.has("slower", source), "although the last steps are no slower than the first"
    assert trainer.has("uneven", source)


def test_a_gradient_reaches_exactly_so_many_windows(trainer):
    extension = trainer.snippet("extension")
    for windows in (1, 2, 3):
        assert extension.train(windows)["reached"] == [min(windows, step) for step in range(1, 61)]


def test_two_windows_give_the_gradient_of_both_with_the_present_weights(trainer):
    """What the extension computes at step 2 is the gradient of one forward pass over twelve values."""
    names = trainer.script().names
    torch.manual_seed(0)
    model, stream = names.Network(), names.signal(13)
    whole, _ = model(stream[:12], torch.zeros(32))
    torch.nn.functional.mse_loss(whole[6:], stream[7:13]).backward()
    _, state = model(stream[:6], torch.zeros(32))
    output, _ = model(stream[6:12], state)
    kept = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    torch.nn.functional.mse_loss(output, stream[7:13]).backward()
    for a, b in zip(kept, model.parameters(), strict=True):
        torch.testing.assert_close(a, b.grad)


def test_a_detach_at_every_second_step_raises_at_the_second_backward(trainer):
    source = trainer.broken.replace("retain_graph=True", "").replace(
        "model(window, state)", "model(window, state.detach() if start // WINDOW % 2 == 0 else state)"
    )
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        trainer.loaded(source).run(0)
