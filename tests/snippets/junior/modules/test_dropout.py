"""What docs/junior/modules/dropout.md claims, proven beyond the example shown."""

import inspect

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

dropout_average = load_snippet("junior/modules/dropout_average.py")
no_factor_broken = load_snippet("junior/modules/dropout_no_factor_broken.py")
dropout_unscaled_broken = load_snippet("junior/modules/dropout_unscaled_broken.py")


class TestDropout:
    @pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 0.75])
    def test_the_mean_stays_and_the_variance_grows(self, p):
        y = F.dropout(torch.full((200_000,), 3.0), p, training=True)
        assert (y == 0).float().mean().item() == pytest.approx(p, abs=0.01)
        torch.testing.assert_close(y.unique(), torch.tensor([0.0, 3 / (1 - p)] if p else [3.0]))
        assert y.mean().item() == pytest.approx(3, rel=0.03)
        assert y.var().item() == pytest.approx(9 * p / (1 - p), rel=0.05, abs=1e-9)

    def test_evaluation_is_the_identity(self):
        x = torch.randn(3, 4, 5)
        assert torch.equal(F.dropout(x, 0.9, training=False), x)

    def test_every_forward_pass_and_every_element_draws_anew(self):
        x = torch.ones(50, 40)
        first, second = (F.dropout(x, 0.5, training=True) for _ in range(2))
        assert not torch.equal(first, second)
        assert len(first.unique(dim=0)) == 50  # no two samples share a mask

    def test_the_backward_pass_uses_the_same_mask_and_factor(self):
        x = torch.randn(1000, requires_grad=True)
        y = F.dropout(x, 0.75, training=True)
        y.sum().backward()
        torch.testing.assert_close(x.grad, torch.where(y == 0, 0.0, 4.0))

    def test_p_is_the_probability_to_drop(self):
        x = torch.ones(3)
        assert torch.equal(F.dropout(x, 0.0), x) and not F.dropout(x, 1.0).any()

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_evaluation_is_the_mean_of_a_linear_layer_only(self, p):
        x, linear = torch.randn(6), nn.Linear(6, 1)
        with torch.no_grad():
            mean = dropout_average.mean_over_masks(linear, x, p)
            torch.testing.assert_close(mean, linear(x))
            mean = dropout_average.mean_over_masks(lambda h: linear(h).square(), x, p)
            assert mean > linear(x).square() + 1e-3

    @pytest.mark.parametrize("p", [0.3, 0.5])
    def test_the_exact_mean_is_what_many_passes_converge_to(self, p):
        x = torch.tensor([1.0, -1.0, 2.0])
        exact = dropout_average.mean_over_masks(lambda h: h.sum().relu(), x, p)
        sampled = F.dropout(x.expand(100_000, 3), p).sum(1).relu().mean()
        torch.testing.assert_close(exact, sampled, rtol=0.03, atol=0)

    def test_a_wrong_factor_costs_accuracy_and_more_so_with_three_layers(self):
        evaluate, scales = dropout_unscaled_broken.evaluate, dropout_unscaled_broken.SCALES
        assert scales == {"in training": (2, 1), "at test time": (1, 0.5), "nowhere": (1, 1), "both": (2, 0.5)}
        lost = {}
        for hidden in (1, 3):
            results = {name: evaluate(hidden, *pair, seed=1) for name, pair in scales.items()}
            right, test_time, nowhere, both = (accuracy for _, accuracy, _ in results.values())
            assert right > 0.95 and abs(right - test_time) < 0.03
            assert nowhere < right and both < right - 0.02
            assert results["both"][0] > results["in training"][0] + 0.05
            lost[hidden] = right - nowhere, right - both
        assert results["nowhere"][2] > nowhere + 0.05  # more confident than right
        assert lost[3][0] > lost[1][0] + 0.01 and lost[3][1] > lost[1][1] + 0.01

    def test_on_linearly_separable_classes_a_wrong_factor_costs_less(self, monkeypatch):
        evaluate, scales = dropout_unscaled_broken.evaluate, dropout_unscaled_broken.SCALES
        circle = evaluate(3, *scales["in training"])[1] - evaluate(3, *scales["both"])[1]
        monkeypatch.setattr(dropout_unscaled_broken, "outside", lambda x: (x[:, 0] + x[:, 1] > 0.3).long())
        line = evaluate(3, *scales["in training"])[1] - evaluate(3, *scales["both"])[1]
        assert circle > 0.1 and line < circle / 2

    @pytest.mark.parametrize("p", [0.25, 0.8])
    def test_for_a_linear_model_it_is_an_l2_penalty_scaled_by_the_inputs(self, p):
        x, weight, target = torch.randn(6), torch.randn(6), 0.7
        expected = dropout_average.mean_over_masks(lambda h: (h @ weight - target).square(), x, p)
        penalty = p / (1 - p) * (weight.square() * x.square()).sum()
        torch.testing.assert_close(expected, (x @ weight - target).square() + penalty, rtol=1e-4, atol=1e-4)

    def test_a_transformer_layer_starts_at_a_tenth(self):
        assert inspect.signature(nn.TransformerEncoderLayer).parameters["dropout"].default == 0.1

    def test_dropout2d_reads_an_unbatched_image_as_samples(self):
        with pytest.warns(UserWarning, match="interpreted as shape .N, C, L."):
            rows = nn.Dropout2d(0.5)(torch.ones(8, 50, 6))
        assert (rows == rows[..., :1]).all() and len(rows[..., 0].unique(dim=0)) == 8

    def test_train_mode_with_batch_norm_in_eval_mode_switches_every_dropout_on(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(4, 4, num_layers=2, dropout=0.5, batch_first=True)
                self.attention = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True)
                self.norm = nn.BatchNorm1d(4)

            def parts(self, x):
                h = self.lstm(x)[0]
                return h, self.attention(x, x, x)[0], self.norm(x.mT)

        model, x = Model().eval(), torch.randn(2, 6, 4)
        assert not any(isinstance(module, nn.Dropout) for module in model.modules())
        assert all(map(torch.equal, model.parts(x), model.parts(x)))
        model.train()
        model.norm.eval()
        repeats = [torch.equal(*pair) for pair in zip(model.parts(x), model.parts(x), strict=True)]
        assert repeats == [False, False, True] and not model.norm.running_mean.any()

    def test_its_dropout_drops_and_scales_like_the_built_in_one(self):
        layer, x = dropout_unscaled_broken.Dropout(0.8, 5.0, 1.0), torch.ones(100_000)
        y = layer(x)
        assert y.unique().tolist() == [0.0, 5.0] and y.mean().item() == pytest.approx(1, abs=0.03)
        assert torch.equal(layer.eval()(x), x)

    @pytest.mark.parametrize("p", [0.3, 0.75])
    def test_batch_norm_behind_dropout_is_too_small_in_evaluation(self, p):
        x, batch_norm = torch.randn(2000, 3), nn.BatchNorm1d(3, momentum=1.0)
        model = nn.Sequential(nn.Dropout(p), batch_norm)
        assert model(x).std().item() == pytest.approx(1, abs=0.01)
        assert model.eval()(x).std().item() == pytest.approx((1 - p) ** 0.5, rel=0.05)
        after = nn.Sequential(nn.BatchNorm1d(3, momentum=1.0), nn.Dropout(p))
        after(x)
        assert after.eval()(x).std().item() == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize("mean", [0.0, 3.0])
    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_the_factor_of_the_spread_is_the_square_root_of_1_minus_p_at_mean_zero_and_smaller_elsewhere(self, mean, p):
        layer, x = nn.BatchNorm1d(16, momentum=None), torch.randn(2000, 16) + mean
        for _ in range(20):
            layer(F.dropout(x, p))
        spread = layer.eval()(x).std().item()
        assert spread == pytest.approx((1 / (1 + p / (1 - p) * (1 + mean**2))) ** 0.5, rel=0.03)
        assert (spread < 0.8 * (1 - p) ** 0.5) is (mean > 0)

    @pytest.mark.parametrize("residual", [True, False])
    def test_a_dropped_unit_has_a_gradient_through_its_other_uses_only(self, residual):
        x = torch.randn(100, requires_grad=True)
        y = F.dropout(x, 0.5)
        (y + x if residual else y).sum().backward()
        assert torch.equal(x.grad[y == 0], torch.full_like(x.grad[y == 0], float(residual)))

    def test_dropout2d_drops_whole_channels_of_a_sample(self):
        x = torch.ones(100, 6, 4, 4)
        channels = nn.Dropout2d(0.5)(x).flatten(2)
        assert (channels == channels[..., :1]).all()
        assert 0.4 < (channels[..., 0] == 0).float().mean() < 0.6 and len(channels[..., 0].unique(dim=0)) > 10
        assert nn.Dropout(0.5)(x).flatten(2).std(dim=2).all()

    def test_the_mean_of_many_passes_is_close_to_eval_mode(self):
        model, x = nn.Sequential(nn.Linear(2, 50), nn.Dropout(0.5), nn.ReLU(), nn.Linear(50, 1)), torch.randn(4, 2)
        with torch.no_grad():
            mean = torch.stack([model(x) for _ in range(2000)]).mean(0)
            torch.testing.assert_close(mean, model.eval()(x), atol=0.1, rtol=0)

    @pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")
    @pytest.mark.parametrize("p", [0.3, 0.8])
    def test_an_exported_model_keeps_the_layer_until_it_is_decomposed(self, p):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.Dropout(p)).eval(), torch.ones(2, 3)
        exported = torch.export.export(model, (x,))
        left = [node.args[1:] for node in exported.graph.nodes if "dropout" in str(node.target)]
        assert left == [(p, False)]
        removed = exported.run_decompositions()
        assert not any("dropout" in str(node.target) for node in removed.graph.nodes)
        torch.testing.assert_close(removed.module()(x), model(x))

    @pytest.mark.parametrize(("p", "layers"), [(0.5, 3), (0.5, 1), (0.75, 2)])
    def test_without_the_factor_every_layer_is_off_by_one_over_keep(self, p, layers):
        torch.manual_seed(1)
        for layer, expected in ((no_factor_broken.dropout, 1.0), (no_factor_broken.no_factor, (1 - p) ** layers)):
            h = torch.ones(400_000)
            for _ in range(layers):
                h = layer(h, p)
            assert h.mean().item() == pytest.approx(expected, rel=0.03)

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_with_dropout_the_training_loss_can_be_above_the_validation_loss(self, p):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for x in torch.randn(300, 64, 2):
            optimizer.zero_grad()
            F.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
            optimizer.step()
        x, held_out = torch.randn(2, 4000, 2)
        with torch.no_grad():
            train = F.cross_entropy(model(x), (x.sum(1) > 0).long())
            model.eval()
            same, other = (F.cross_entropy(model(data), (data.sum(1) > 0).long()) for data in (x, held_out))
        assert train > 1.1 * other and abs(same - other) < 0.3 * other

    @pytest.mark.parametrize("keep", [True, False])
    def test_a_checkpoint_draws_the_same_mask_again_unless_told_not_to(self, keep):
        x = torch.ones(1000, requires_grad=True)
        y = checkpoint(lambda t: F.dropout(t, 0.5) * t, x, use_reentrant=False, preserve_rng_state=keep)
        y.sum().backward()
        assert torch.equal(x.grad != 0, y != 0) is keep
