"""Perfect with batch size 1, an error with 4, a coin toss with 10."""

from __future__ import annotations

import pytest
import torch

from trainer import SEEDS, trainer_of

VIEW, MASK = "view", "mask"
ERROR = r"The size of tensor a \(10\) must match the size of tensor b \(4\) at non-singleton dimension 1"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("batch-one-only")


def apart(script, model):
    """How far the logits of ten sequences are from those of each alone."""
    torch.manual_seed(9)
    x, _ = script.names.draw(10)
    with torch.no_grad():
        return (model(x) - torch.cat([model(row.unsqueeze(0)) for row in x])).abs().max()


def test_batches_of_one_are_perfect_of_four_an_error_of_ten_a_coin_toss(trainer):
    script = trainer.script(VIEW, MASK)
    for seed in SEEDS:
        assert script.run(seed, 1)["accuracy"] > 0.96
        with pytest.raises(RuntimeError, match=ERROR):
            script.run(seed, 4)
        ten = script.run(seed, 10)
        assert 0.3 < ten["accuracy"] < 0.75
        assert 0.6 < sum(ten["losses"][-20:]) / 20 < 0.75
    assert apart(script, ten["model"]) > 0.01


def test_with_batches_of_one_nothing_is_wrong(trainer):
    right = trainer.script().run(SEEDS[0], 1)["losses"]
    for bugs in ((VIEW, MASK), (VIEW,), (MASK,)):
        assert trainer.script(*bugs).run(SEEDS[0], 1)["losses"] == pytest.approx(right, abs=1e-3)


def test_the_view_alone_runs_and_is_poor_with_four_and_ten(trainer):
    for seed in SEEDS[:3]:
        for batch in (4, 10):
            run = trainer.script(VIEW).run(seed, batch)
            assert 0.3 < run["accuracy"] < 0.85
            assert apart(trainer.script(VIEW), run["model"]) > 0.01


def test_the_mask_alone_fails_with_four_and_hides_behind_a_perfect_accuracy_with_ten(trainer):
    for seed in SEEDS[:3]:
        with pytest.raises(RuntimeError, match=ERROR):
            trainer.script(MASK).run(seed, 4)
        run = trainer.script(MASK).run(seed, 10)
        assert run["accuracy"] > 0.96
        assert apart(trainer.script(MASK), run["model"]) > 1e-3


def test_the_repaired_script_is_right_with_each_batch_size(trainer):
    script = trainer.script()
    for seed in SEEDS:
        for batch in (1, 4, 10) if seed in SEEDS[:3] else (10,):
            assert script.run(seed, batch)["accuracy"] > 0.96
        assert apart(script, script.run(seed, 10)["model"]) < 1e-4


def test_each_bug_has_symptoms_of_its_own(trainer):
    assert list(trainer.symptoms(VIEW).values()) == [False, True, True, False, False]
    assert list(trainer.symptoms(MASK).values()) == [True, False, False, True, False]


@pytest.mark.parametrize("masked", ["scores + bias[:, :, None]", "scores"])
def test_a_mask_that_hides_nothing_is_no_repair(trainer, masked):
    source = trainer.edited(("scores + bias[:, None, :]", masked))
    assert not any(trainer.has(one, source) for one in ("error_with_four", "gradient_to_others", "other_numbers"))
    assert trainer.has("end_is_read", source)


def test_packed_sequences_are_a_repair_too(trainer):
    packed = (
        "length = (tokens != PAD).sum(dim=1)\n        x = nn.utils.rnn.pack_padded_sequence(x, length, True, False)"
    )
    mean = "(nn.utils.rnn.pad_packed_sequence(states)[0].sum(dim=0) / length[:, None])"
    source = trainer.edited(
        ("states, _ =", f"{packed}\n        states, _ ="), ("x.transpose(0, 1)", "x"), ("states.mean(dim=0)", mean)
    )
    assert not any(trainer.has(one, source) for one in ("gradient_to_others", "other_numbers", "end_is_read"))


@pytest.mark.parametrize("rate", [1e-3, 0.05])
def test_the_learning_rate_is_not_the_cause(trainer, rate):
    assert 0.3 < trainer.script(VIEW, MASK).run(SEEDS[0], 10, lr=rate)["accuracy"] < 0.75


@pytest.mark.parametrize("bugs", [(), (VIEW,), (MASK,), (VIEW, MASK)], ids=str)
def test_company_and_order_find_both_in_a_new_model(trainer, bugs):
    snippet, names = trainer.snippet("extension"), trainer.script(*bugs).names
    torch.manual_seed(1)
    model, (x, _) = names.Classifier().eval(), names.draw(10)
    assert snippet.same_in_company(model, x) == (not bugs)
    assert snippet.same_in_any_order(model, x) == (not bugs)
