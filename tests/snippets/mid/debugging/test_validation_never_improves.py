"""What docs/mid/debugging/validation-never-improves.md claims, proven beyond the example shown."""

import copy
import functools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

validation = load_snippet("mid/debugging/validation_never_improves.py")


def fitted(x: torch.Tensor, y: torch.Tensor, momentum: float = 0.1, steps: int = 80) -> nn.Module:
    """The model of the page on validation that never improves, in train mode."""
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64, momentum=momentum), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


@torch.no_grad()
def measured(model: nn.Module, x: torch.Tensor, y: torch.Tensor, batch: int = 150) -> tuple[float, float]:
    """Accuracy and loss, batch by batch, in the mode that the model is in."""
    logits = torch.cat([model(part) for part in x.split(batch)])
    return (logits.argmax(1) == y).float().mean().item(), F.cross_entropy(logits, y).item()


@functools.cache
def two_classes() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Inputs, labels and shuffled labels."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(900, 20, generator=generator)
    y = (x[:, 0] > 0).long()
    return x, y, y[torch.randperm(900, generator=generator)]


class TestValidationNeverImproves:
    @pytest.mark.parametrize(
        ("fault", "high"),
        [
            ("none", ["train", "held out", "validation"]),
            ("train mode", []),
            ("labels shuffled", ["train"]),
            ("8 samples", ["train"]),
            ("not normalized", ["train", "held out"]),
            ("labels of other rows", ["train", "held out"]),
            ("leak", ["train", "held out", "validation"]),
        ],
    )
    def test_two_measurements_separate_evaluation_model_and_data(self, fault, high):
        found = validation.run(fault, seed=1)
        curve = found.pop("curve")
        assert found.pop("loss")[-1] < 0.1
        assert [name for name, (accuracy,) in found.items() if accuracy > 0.8] == high
        assert (max(curve) > 0.8) is ("validation" in high)

    def test_with_shuffled_labels_the_loss_rises_and_the_accuracy_stays_at_chance(self):
        x, _, shuffled = two_classes()
        for steps, low, high in ((1, 0.6, 0.8), (80, 1.5, 5)):
            accuracy, loss = measured(fitted(x[:300], shuffled[:300], steps=steps).eval(), x[600:], shuffled[600:])
            assert 0.4 < accuracy < 0.6 and low < loss < high

    @pytest.mark.parametrize("samples", [300, 600])
    def test_more_samples_do_not_help_if_the_labels_are_shuffled(self, samples):
        x, _, shuffled = two_classes()
        model = fitted(x[:samples], shuffled[:samples]).eval()
        assert measured(model, x[:samples], shuffled[:samples])[0] > 0.8
        assert 0.4 < measured(model, x[600:], shuffled[600:])[0] < 0.6

    def test_train_mode_hurts_small_batches_and_hardly_large_shuffled_ones(self):
        x, y, _ = two_classes()
        model = fitted(x[:300], y[:300])
        small, large = (measured(model, x[600:], y[600:], batch)[0] for batch in (2, 150))
        correct = measured(model.eval(), x[600:], y[600:])[0]
        assert abs(large - correct) <= 0.02 and 0.1 < correct - small < 0.3

    @pytest.mark.parametrize(("momentum", "late"), [(0.1, False), (0.01, True)])
    def test_running_statistics_that_lag_make_eval_low_on_the_training_set(self, momentum, late):
        x, y, _ = two_classes()
        x, y = 3 * x[:300] + 5, y[:300]
        model = fitted(x, y, momentum)
        assert measured(copy.deepcopy(model), x, y)[0] > 0.95
        accuracy = measured(model.eval(), x, y)[0]
        assert accuracy < 0.8 if late else accuracy > 0.95

    @pytest.mark.parametrize(("scale", "mean"), [(3, 5), (10, -20)])
    def test_inputs_that_are_not_normalized_make_eval_low_and_train_mode_high(self, scale, mean):
        x, y, _ = two_classes()
        model = fitted(x[:300], y[:300])
        raw = scale * x[:300] + mean
        assert measured(copy.deepcopy(model), raw, y[:300], 300)[0] > 0.95
        assert measured(model.eval(), raw, y[:300], 300)[0] < 0.8
        assert measured(model, x[:300], y[:300], 300)[0] > 0.95

    @pytest.mark.parametrize("users", [600, 1000])
    def test_a_label_in_a_training_feature_leaves_validation_at_chance(self, users):
        generator = torch.Generator().manual_seed(0)
        user, y = torch.randint(users, (900,), generator=generator), torch.randint(2, (900,), generator=generator)
        count, total = torch.zeros(users), torch.zeros(users)
        count.index_add_(0, user[:300], torch.ones(300))
        total.index_add_(0, user[:300], y[:300].float())
        mean = torch.where(count > 0, total / count.clamp(min=1), 0.5)[user] * 2 - 1
        x = torch.cat((mean[:, None], torch.randn(900, 19, generator=generator)), dim=1)
        model = fitted(x[:300], y[:300]).eval()
        assert measured(model, x[:300], y[:300])[0] > 0.95
        assert 0.4 < measured(model, x[300:], y[300:])[0] < 0.7

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_functional_dropout_reads_no_flag(self, p):
        class Net(nn.Linear):
            def forward(self, x):
                return F.dropout(super().forward(x), p)

        model, x = Net(8, 8).eval(), torch.randn(32, 8)
        assert not any(module.training for module in model.modules())
        assert not torch.equal(model(x), model(x))

    @pytest.mark.parametrize("by_group", [False, True])
    def test_a_slice_of_the_same_groups_is_high_and_whole_groups_are_not(self, by_group):
        generator = torch.Generator().manual_seed(0)
        group = torch.arange(40).repeat_interleave(20)
        x = (3 * torch.randn(40, 20, generator=generator))[group] + torch.randn(800, 20, generator=generator)
        y = torch.randint(2, (40,), generator=generator)[group]
        order = torch.arange(800) if by_group else torch.randperm(800, generator=generator)
        train, held_out = order[:600], order[600:]
        accuracy = measured(fitted(x[train], y[train]).eval(), x[held_out], y[held_out])[0]
        assert accuracy < 0.75 if by_group else accuracy > 0.95

    def test_a_missing_class_shifts_the_indices_after_it_by_one(self):
        train, val = ({c: i for i, c in enumerate(sorted(names))} for names in ("dcba", "dca"))
        assert [train[c] - val[c] for c in sorted(val)] == [0, 1, 1]

    @pytest.mark.parametrize("layer", [nn.Dropout(0.5), nn.BatchNorm1d(3)])
    def test_a_layer_reads_its_own_flag(self, layer):
        model = nn.Sequential(nn.Linear(3, 3), layer).eval()
        x = torch.randn(4, 3)
        expected = model(x)
        layer.train()
        assert not model.training and any(module.training for module in model.modules())
        assert not torch.allclose(model(x), expected)

    @pytest.mark.parametrize(
        ("norm", "hidden"), [(nn.BatchNorm1d(64), True), (nn.LayerNorm(64), False), (nn.Identity(), False)]
    )
    def test_train_mode_hides_a_missing_normalization_only_if_there_is_batch_norm(self, norm, hidden):
        x, y, _ = two_classes()
        x, y = x[:300], y[:300]
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(20, 64), copy.deepcopy(norm), nn.ReLU(), nn.Linear(64, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(80):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        assert measured(copy.deepcopy(model).eval(), x, y, 300)[0] > 0.95
        raw = 3 * x + 5
        assert measured(copy.deepcopy(model).eval(), raw, y, 300)[0] < 0.8
        assert (measured(model, raw, y, 300)[0] > 0.95) is hidden
