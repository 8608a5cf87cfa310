"""What docs/mid/debugging/train-val-gap.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

gap = load_snippet("mid/debugging/train_val_gap.py")
gap_curves = load_snippet("mid/debugging/train_val_gap_curves.py")
gap_domain = load_snippet("mid/debugging/train_val_gap_domain.py")


class TestTrainValGap:
    @pytest.fixture(autouse=True)
    def one_thread(self, monkeypatch):
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        monkeypatch.setattr(gap, "SEEDS", 4)
        yield
        torch.set_num_threads(threads)

    def test_the_slice_separates_a_shift_from_overfitting(self):
        for offset in (0.9, -1.0):
            shifted = gap.fit(1500, offset=offset, steps=130)[-1].mean((1, 2))
            assert shifted[1] - shifted[0] < 0.15 < 0.3 < shifted[2] - shifted[1]
        for count in (30, 150):
            train, held_out, validation = gap.fit(count, steps=130)[-1].mean((1, 2))
            assert held_out - train > 0.3 and abs(validation - held_out) < 0.2

    def test_the_drawn_curves_show_the_same(self):
        for count, offset, low in ((30, 0.0, False), (1000, 1.0, True)):
            train, held_out, validation = gap_curves.curves(count, offset)[-1]
            assert validation - train > 0.3
            assert (held_out - train < (validation - train) / 3) == low

    def test_decay_helps_against_overfitting_and_not_against_a_shift(self):
        plain = gap.fit(300, decays=(0.0, 3.0, 30.0))
        assert gap.best(plain).mean() < gap.best(plain[:, :, :1]).mean() - 0.02
        assert plain[:, 2].amin(0).mean(1).argmin() == 1
        shifted = gap.fit(800, offset=1.0, decays=(0.0, 3.0))
        stop, cured = gap.best(shifted[:, :, :1]).mean(), gap.best(gap.fit(800, 1.0, 1.0)).mean()
        assert gap.best(shifted).mean() - cured > 0.7 * (stop - cured) > 0.05

    def test_more_data_beats_decay_where_there_is_too_little_and_not_where_there_is_a_shift(self):
        few, more = gap.fit(30, decays=(0.0, 10.0)), gap.best(gap.fit(240)).mean()
        assert more < gap.best(few).mean() - 0.03 < gap.best(few[:, :, :1]).mean() - 0.03
        shifted = [gap.best(gap.fit(count, 1.0, steps=100)).mean() for count in (250, 2000)]
        assert abs(shifted[0] - shifted[1]) < 0.05

    @pytest.mark.parametrize("seed", [1, 2])
    def test_a_classifier_finds_a_shift_of_inputs_that_the_means_do_not_show(self, seed):
        torch.manual_seed(seed)
        for shift, features in (("feature 3 has an offset", {3}), ("correlation of 0 and 1 is gone", {0, 1})):
            old, new = gap_domain.sets(shift, 1000)
            accuracy, feature = gap_domain.domain_accuracy(old, new)
            assert accuracy > 0.58 and feature in features
            assert ((new.mean(0) - old.mean(0)).abs().max() > 0.5) == (features == {3})
        assert abs(gap_domain.domain_accuracy(*gap_domain.sets("nothing", 1000))[0] - 0.5) < 0.06

    @pytest.mark.parametrize(("mean", "spread"), [(50_000, 10_000), (-20_000, 5_000)])
    def test_a_large_feature_hides_a_shift_from_the_classifier_until_both_sets_are_standardized(self, mean, spread):
        torch.manual_seed(0)
        old, new = gap_domain.sets("feature 3 has an offset", 1000)
        for x in (old, new):
            x[:, 7] = x[:, 7] * spread + mean
        assert abs(gap_domain.domain_accuracy(old, new)[0] - 0.5) < 0.06
        both = torch.cat([old, new])
        old, new = ((x - both.mean(0)) / both.std(0) for x in (old, new))
        accuracy, feature = gap_domain.domain_accuracy(old, new)
        assert accuracy > 0.58 and feature == 3

    def test_models_of_different_decays_do_not_touch_each_other(self):
        together, alone = gap.fit(40, decays=(0.0, 10.0), steps=20), gap.fit(40, decays=(10.0,), steps=20)
        torch.testing.assert_close(together[:, :, 1:], alone, rtol=1e-3, atol=1e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_validation_code_without_the_scaling_looks_like_overfitting_until_it_measures_training_too(self, seed):
        torch.manual_seed(seed)
        x = 3 * torch.randn(6000, 20) + 1
        target = ((x - 1) @ torch.rand(20, 1) + 6 * torch.randn(6000, 1) > 0).float()
        parts = {"train": slice(4000), "slice": slice(4000, 5000), "valid": slice(5000, None)}
        scaled = (x - x[:4000].mean(dim=0)) / x[:4000].std(dim=0)
        model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

        def losses(inputs: torch.Tensor) -> dict[str, float]:
            with torch.no_grad():
                each = F.binary_cross_entropy_with_logits(model(inputs), target, reduction="none")
            return {name: each[part].mean().item() for name, part in parts.items()}

        for step in range(300):
            if step == 20:
                early = losses(x)
            optimizer.zero_grad()
            F.binary_cross_entropy_with_logits(model(scaled[:4000]), target[:4000]).backward()
            optimizer.step()
        right, broken = losses(scaled), losses(x)
        assert all(abs(right[name] - right["train"]) < 0.15 for name in parts)  # there is no overfitting
        for name in parts:
            assert broken[name] > max(early[name], right["train"] + 0.1)
