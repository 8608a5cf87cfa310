"""What docs/junior/the-role/dl-vs-ml-engineer.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

dl_vs_ml = load_snippet("junior/the-role/dl_vs_ml_engineer_tuned.py")


class TestDlVsMlEngineer:
    @pytest.mark.parametrize("splits", [range(10, 12), range(20, 22)])
    def test_tuned_logistic_regression_ties_on_the_table_for_other_splits_too(self, splits):
        found = dl_vs_ml.compare(*dl_vs_ml.load()["table"], True, splits)
        gains = torch.tensor(found["network"]) - torch.tensor(found["linear"])
        assert gains.mean().abs() < 2 and min(found["linear"]) > 90

    @pytest.mark.parametrize("splits", [range(10, 12)])
    def test_the_network_wins_by_ten_points_on_moved_digits_for_other_splits_too(self, splits):
        found = dl_vs_ml.compare(*dl_vs_ml.load()["moved digits"], False, splits)
        assert all(deep > shallow + 10 for deep, shallow in zip(found["network"], found["linear"], strict=True))

    @pytest.mark.parametrize("seed", [0, 1])
    def test_weights_of_the_table_can_have_the_opposite_sign_of_the_correlation(self, seed):
        torch.manual_seed(seed)
        x, y = dl_vs_ml.load()["table"]
        x = ((x - x.mean(0)) / x.std(0)).float()
        model = dl_vs_ml.build("linear", 30, 2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
        for _ in range(200):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        weight = model.weight[1] - model.weight[0]
        correlation = (x * (y - y.float().mean()).unsqueeze(1)).mean(0)
        clear = (weight.abs() > 0.5) & (correlation.abs() > 0.1)
        assert ((weight * correlation < 0) & clear).any()
        assert (model(x).argmax(dim=1) == y).float().mean() > 0.95

    @pytest.mark.parametrize("steps", [50, 200])
    def test_longer_training_does_not_help_the_linear_model_on_moved_digits(self, steps):
        torch.manual_seed(0)
        x, y = dl_vs_ml.load()["moved digits"]
        rows = torch.randperm(len(y))
        assert dl_vs_ml.score("linear", x[rows], y[rows], False, steps) < 65

    @pytest.mark.parametrize("half", [slice(400), slice(400, 800)])
    def test_a_single_pixel_says_less_about_a_moved_digit(self, half):
        found = {}
        for name in ("digits", "moved digits"):
            x, y = (of[half] for of in dl_vs_ml.load()[name])
            counts = F.one_hot(x.long(), 17).flatten(1).T.double() @ F.one_hot(y).double()
            # Accuracy of the best rule that reads one pixel, for each pixel.
            found[name] = counts.amax(1).view(-1, 17).sum(1) / len(y)
        assert found["digits"].max() > found["moved digits"].max() > 0.12
        assert found["digits"].median() > found["moved digits"].median()

    def test_moving_changes_no_pixel_but_its_place(self):
        images = torch.rand(5, 64) + 0.1
        moved = dl_vs_ml.moved(images)
        assert moved.shape == (5, 100)
        for before, after in zip(images, moved, strict=True):
            assert torch.equal(before.sort().values, after[after > 0].sort().values)

    @pytest.mark.parametrize("flip", [False, True])
    def test_a_linear_model_cannot_represent_the_sign_of_a_product(self, flip):
        torch.manual_seed(0)
        x = torch.randn(400, 2)
        y = ((x.prod(dim=1) > 0) ^ flip).long()
        assert dl_vs_ml.score("network", x, y, False, 100) > 90
        assert dl_vs_ml.score("linear", x, y, False, 100) < 75

    @pytest.mark.parametrize("per_column", [False, True])
    def test_neither_scaling_nor_training_looks_at_the_test_rows(self, per_column, monkeypatch):
        monkeypatch.setattr(dl_vs_ml, "RATES", (0.03,))
        models = []
        build = dl_vs_ml.build
        monkeypatch.setattr(dl_vs_ml, "build", lambda *shape: models.append(build(*shape)) or models[-1])
        x, y = torch.randn(40, 3), torch.tensor([0, 1] * 20)
        shifted = x.clone()
        shifted[20:] += 1000
        for features in (x, shifted):
            torch.manual_seed(1)
            dl_vs_ml.score("linear", features, y, per_column)
        assert torch.equal(models[0].weight, models[1].weight)
