"""NaN at step 30, whatever the learning rate and the seed."""

from __future__ import annotations

import math

import pytest
import torch

from trainer import SEEDS, trainer_of

EMPTY, ROOT = "empty", "root"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("nan-at-step-30")


def first(numbers):
    """The first step whose number is not finite; 0 if all are."""
    return next((step for step, number in enumerate(numbers, 1) if not math.isfinite(number)), 0)


def test_nan_from_step_30_on(trainer):
    for run in trainer.runs(EMPTY, ROOT):
        assert first(run["losses"]) == first(run["norms"]) == 30
        assert all(map(math.isnan, run["losses"][29:] + run["norms"][29:]))
        assert 1.0 < run["losses"][28] < 1.4, "and healthy before"
        assert max(run["norms"][10:29]) < 0.6


@pytest.mark.parametrize("setting", [{"lr": 3e-4}, {"lr": 1e-5, "clip": 0.1}, {"clip": 1e9}], ids=str)
def test_learning_rate_and_clipping_do_not_move_the_step(trainer, setting):
    run = trainer.script(EMPTY, ROOT).run(SEEDS[0], **setting)
    assert first(run["losses"]) == first(run["norms"]) == 30


def test_the_empty_document_alone_makes_the_loss_nan_at_once(trainer):
    for run in trainer.runs(EMPTY, seeds=SEEDS[:3]):
        assert first(run["losses"]) == first(run["norms"]) == 30


def test_the_root_alone_makes_the_norm_nan_a_step_before_the_loss(trainer):
    for run in trainer.runs(ROOT, seeds=SEEDS[:3]):
        assert first(run["norms"]) == 30
        assert first(run["losses"]) == 31
        assert 1.0 < run["losses"][29] < 1.45


def test_without_the_empty_document_it_is_the_one_with_a_single_word(trainer):
    documents = trainer.script(EMPTY, ROOT).names.read_documents()
    assert [number for number, (words, _) in enumerate(documents) if not len(words)] == [945]
    assert [number for number, (words, _) in enumerate(documents) if len(words.unique()) == 1] == [1865]
    kept = "[one for one in read_documents() if len(one[0])]"
    source = trainer.broken.replace("documents = read_documents()", f"documents = {kept}")
    run = trainer.loaded(source).run(SEEDS[0])
    assert (first(run["norms"]), first(run["losses"])) == (59, 60)


@pytest.mark.parametrize(("bug", "named"), [(EMPTY, "LogSoftmaxBackward0"), (ROOT, "PowBackward0")])
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.filterwarnings("ignore:Error detected")
def test_what_anomaly_detection_names(trainer, bug, named):
    with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match=named):
        trainer.script(bug).names.train(SEEDS[0])


def test_a_forward_hook_finds_the_first_nan_in_the_last_layer(trainer):
    names = trainer.script(EMPTY, ROOT).names
    torch.manual_seed(0)
    model, first = names.Classifier(), []
    for name, module in model.named_children():
        module.register_forward_hook(lambda *call, name=name: first.append(name) if call[-1].isnan().any() else None)
    model(torch.tensor([[3, 5], [0, 0]]))
    assert first == ["out"]


def test_the_repaired_script_learns(trainer):
    for run in trainer.runs():
        assert not first(run["losses"] + run["norms"])
        assert sum(run["losses"][-20:]) / 20 < 0.85


def test_each_bug_has_symptoms_of_its_own(trainer):
    for bug, expected in ((EMPTY, [True, True, True, False]), (ROOT, [True, True, False, True])):
        assert list(trainer.symptoms(bug).values()) == [*expected, False, False]


@pytest.mark.parametrize(
    "weights", ["softmax(dim=1)", "masked_fill(~real, 0.0).softmax(dim=1)", "softmax(dim=1) * real"]
)
def test_attention_that_does_not_hide_the_padding_is_no_repair(trainer, weights):
    source = trainer.edited(("scores.masked_fill(~real, -1e9).softmax(dim=1)", f"scores.{weights}"))
    assert not trainer.has("not_learned", source), "although the loss does not show it"
    assert trainer.has("padding_counts", source)


def test_a_spread_without_a_gradient_is_no_repair(trainer):
    source = trainer.edited((" / count + 1e-6).sqrt()", " / count).sqrt().detach()"))
    assert not trainer.has("nan_for_ever", source) and not trainer.has("nan_gradient", source)
    assert trainer.has("wrong_slope", source)


def test_the_empty_document_may_be_handled_where_batches_are_made(trainer):
    collated = "    words, labels = zip(*documents)\n"
    unknown = "    words = [each if len(each) else torch.tensor([1]) for each in words]\n"
    source = trainer.edited((collated, collated + unknown), broken=[EMPTY])
    assert not any(trainer.has(one.__name__, source) for _, one in trainer.check.check.experiments)
    dropped = "    documents = [each for each in documents if len(each[0])]\n"
    assert trainer.has("nan_answer", trainer.edited((collated, dropped + collated), broken=[EMPTY]))


def test_a_loop_that_skips_ends_with_a_model_that_answers_nan():
    snippet = trainer_of("nan-at-step-30").snippet("extension")
    with pytest.raises(snippet.TooManySkipped):
        snippet.train(1, most=0.01)
    model, skipped, loss = snippet.train(1, most=0.05)
    assert skipped == [30, 59] and loss < 0.85
    assert model(torch.zeros(1, 6, dtype=torch.long)).isnan().all()
