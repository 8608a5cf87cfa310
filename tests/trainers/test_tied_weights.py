"""1.85 before saving, 4.54 after loading."""

from __future__ import annotations

import math

import pytest
import torch

from trainer import SEEDS, trainer_of

COPY, ASSIGN = "copy", "assign"


@pytest.fixture(scope="module")
def trainer():
    return trainer_of("tied-weights")


def size(model):
    return sum(parameter.numel() for parameter in model.parameters())


def tied(model):
    return model.head.weight is model.embedding.weight


def test_the_loaded_model_is_worse_than_a_uniform_guess(trainer):
    for run in trainer.runs(COPY, ASSIGN):
        assert run["before"] < 2.3
        assert run["after"] > math.log(40) + 0.1
        assert size(run["model"]) == 6752
        assert sum(run["losses"][-20:]) / 20 < 2.3, "training is fine"


def test_the_copy_alone_is_visible_before_saving(trainer):
    for run in trainer.runs(COPY, seeds=SEEDS[:3]):
        assert run["before"] < 2.3 and run["after"] > math.log(40) + 0.1
        assert size(run["model"]) == size(run["loaded"]) == 6752
        assert not tied(run["model"]) and not tied(run["loaded"])


def test_the_assignment_alone_is_visible_only_after_loading(trainer):
    for run in trainer.runs(ASSIGN, seeds=SEEDS[:3]):
        assert run["before"] < 2.3 and run["after"] > math.log(40) + 0.1
        assert (size(run["model"]), size(run["loaded"])) == (5472, 6752)
        assert tied(run["model"]) and not tied(run["loaded"])


def test_the_repaired_script_has_the_same_loss_to_the_last_digit(trainer):
    for run in trainer.runs():
        assert run["before"] == run["after"] < 2.3
        assert size(run["model"]) == size(run["loaded"]) == 5472
        assert tied(run["model"]) and tied(run["loaded"])


def test_each_bug_has_symptoms_of_its_own(trainer):
    other, poor, large, grows = (words for words, _ in trainer.check.check.experiments)
    assert trainer.symptoms(COPY) == {other: True, poor: False, large: True, grows: False}
    assert trainer.symptoms(ASSIGN) == {other: True, poor: False, large: False, grows: True}


def test_a_model_without_a_head_is_a_repair_too(trainer):
    source = trainer.edited(
        ("        self.head = nn.Linear(WIDTH, TOKENS, bias=False)\n", ""),
        ("        self.head.weight = self.embedding.weight\n", ""),
        (
            "self.head(x + self.back(F.gelu(self.hidden(x))))",
            "(x + self.back(self.hidden(x))) @ self.embedding.weight.T",
        ),
        ('    del state["head.weight"]\n', ""),
        broken=[ASSIGN],
    )
    assert not any(trainer.has(one, source) for one in ("other_loss", "too_large", "grows"))


def test_the_loss_before_saving_hardly_tells_that_the_tie_is_missing(trainer):
    for copied, right in zip(trainer.runs(COPY, ASSIGN), trainer.runs(), strict=True):
        assert -0.1 < copied["before"] - right["before"] < 0.05


def test_only_the_head_differs_after_loading_and_its_key_is_what_strict_would_have_named(trainer):
    script, run = trainer.script(COPY, ASSIGN), trainer.runs(COPY, ASSIGN)[0]
    saved, loaded = run["model"].state_dict(), run["loaded"].state_dict()
    assert [name for name in saved if not torch.equal(saved[name], loaded[name])] == ["head.weight"]
    del saved["head.weight"]
    with pytest.raises(RuntimeError, match='Missing key.*"head.weight"'):
        script.names.LanguageModel().load_state_dict(saved)
    assert script.names.LanguageModel().load_state_dict(saved, strict=False).missing_keys == ["head.weight"]


def test_two_copies_whose_gradients_are_added_stay_one_parameter():
    snippet = trainer_of("tied-weights").snippet("extension")
    torch.manual_seed(5)
    start = snippet.script["LanguageModel"]()
    right = snippet.train(snippet.separate(start), reduce=True, steps=20)
    wrong = snippet.train(snippet.separate(start), reduce=False, steps=20)
    tied_model = snippet.train(start, reduce=False, steps=20)
    assert torch.equal(right.embedding.weight, right.head.weight)
    torch.testing.assert_close(right.embedding.weight, tied_model.embedding.weight, atol=1e-3, rtol=0)
    assert not torch.allclose(wrong.embedding.weight, wrong.head.weight, atol=0.01)
