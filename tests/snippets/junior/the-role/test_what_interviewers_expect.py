"""What docs/junior/the-role/what-interviewers-expect.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

expect = load_snippet("junior/the-role/what_interviewers_expect_self_test.py")


class TestWhatInterviewersExpect:
    TRUTH = "nyynnnynyn"

    def test_the_truth_of_the_ten_statements(self):
        assert "".join("yn"[not probe()] for _, _, probe in expect.PROBES) == self.TRUTH

    def test_the_right_answers_score_full_marks(self):
        assert expect.scorecard(self.TRUTH)[-3:] == ["junior  4 of 4", "mid     3 of 3", "senior  3 of 3"]

    def test_saying_yes_to_everything_scores_four_of_ten(self):
        assert expect.scorecard("y" * 10)[-3:] == ["junior  2 of 4", "mid     1 of 3", "senior  1 of 3"]

    def test_without_answers_there_is_no_score(self):
        assert len(expect.scorecard("")) == 10

    @pytest.mark.parametrize("answers", ["yn", "nyynnnnyy", "nyynnnnyxx"])
    def test_a_wrong_number_of_answers_and_other_letters_are_refused(self, answers):
        with pytest.raises(ValueError, match="10 letters"):
            expect.scorecard(answers)

    def test_upper_case_counts_as_well(self):
        assert expect.scorecard(self.TRUTH.upper()) == expect.scorecard(self.TRUTH)

    def test_a_second_backward_on_the_same_loss_raises(self):
        loss = expect.loss(expect.make(), expect.ALL)
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()

    @pytest.mark.parametrize(
        ("layer", "changes"),
        [(nn.BatchNorm1d(8), True), (nn.BatchNorm1d(8, track_running_stats=False), False), (nn.Dropout(), False)],
    )
    def test_validating_in_train_mode_changes_a_model_with_running_statistics_only(self, layer, changes):
        assert expect.changes(expect.make(layer), expect.validate) is changes

    def test_spectral_norm_changes_in_train_mode_as_well(self):
        layer = nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8))
        assert expect.changes(expect.make(layer), expect.validate)
        assert not expect.changes(expect.make(layer).eval(), expect.validate)

    @pytest.mark.parametrize(("p", "holds"), [(0.5, False), (0.0, True)])
    def test_dropout_breaks_the_halves_in_train_mode(self, p, holds):
        model = expect.make(nn.Dropout(p))
        whole = expect.gradient(model, expect.ALL).clone()
        model.zero_grad()
        halves = expect.gradient(model, expect.LEFT, expect.RIGHT) / 2
        assert torch.allclose(halves, whole, atol=1e-6) is holds

    @pytest.mark.parametrize(("weights", "holds"), [((1.0, 1.0, 1.0), True), ((1.0, 2.0, 9.0), False)])
    def test_class_weights_break_the_halves(self, weights, holds, monkeypatch):
        weight = torch.tensor(weights)
        monkeypatch.setattr(
            expect, "loss", lambda model, rows: F.cross_entropy(model(expect.X[rows]), expect.Y[rows], weight=weight)
        )
        assert expect.halves_are_the_whole() is holds

    def test_a_second_backward_raises_only_if_the_graph_saved_a_tensor(self):
        weight = torch.ones(3, requires_grad=True)
        total = (weight + 1).sum()
        total.backward()
        total.backward()
        assert torch.equal(weight.grad, torch.full((3,), 2.0))

    def test_layers_that_treat_each_sample_alone_keep_the_halves(self):
        assert expect.halves_are_the_whole(nn.LayerNorm(8)) and expect.halves_are_the_whole(nn.GELU())

    @pytest.mark.parametrize("ignored", [[0, 1, 7], [0, 6], []])
    def test_ignored_targets_break_the_halves_if_their_number_differs(self, ignored, monkeypatch):
        targets = expect.Y.clone()
        targets[ignored] = -100  # the default of ignore_index
        monkeypatch.setattr(expect, "Y", targets)
        assert expect.halves_are_the_whole() is (ignored != [0, 1, 7])

    def test_adamw_moves_a_weight_without_gradient_by_weight_decay_alone(self):
        model = expect.make()
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        before = model[0].weight.detach().clone()
        torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.0).step()
        assert torch.equal(model[0].weight, before)
        torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.5).step()
        torch.testing.assert_close(model[0].weight, before * 0.95)

    def test_the_mean_of_batch_losses_is_right_when_sizes_agree(self):
        halves = expect.mean_of_losses(expect.LEFT, expect.RIGHT)
        torch.testing.assert_close(halves, expect.loss(expect.make(), expect.ALL))

    def test_in_eval_mode_batch_norm_no_longer_breaks_the_halves(self):
        halves = expect.gradient(expect.make(nn.BatchNorm1d(8)).eval(), expect.LEFT, expect.RIGHT) / 2
        whole = expect.gradient(expect.make(nn.BatchNorm1d(8)).eval(), expect.ALL)
        torch.testing.assert_close(halves, whole)

    def test_the_step_uses_the_slope_and_validation_records_nothing(self):
        model = expect.make()
        expect.step(model, 0.25)
        assert all((parameter.grad == 0.25).all() for parameter in model.parameters())
        assert not any(output.requires_grad for output in expect.validate(model))

    def test_copies_of_a_state_dict_are_a_snapshot(self):
        model = expect.make()
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        assert not expect.snapshot(model)
        assert any(not torch.equal(kept[name], value) for name, value in model.state_dict().items())
        model.state_dict = lambda: {name: value.detach().clone() for name, value in model.named_parameters()}
        assert expect.snapshot(model)

    def test_validating_in_eval_mode_changes_nothing(self):
        assert not expect.changes(expect.make(nn.BatchNorm1d(8)).eval(), expect.validate)
