"""What docs/junior/modules/batch-norm.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

batch_norm_axes = load_snippet("junior/modules/batch_norm_axes.py")
batch_norm_by_hand = load_snippet("junior/modules/batch_norm_by_hand.py")
batch_norm_depth = load_snippet("junior/modules/batch_norm_depth.py")
batch_norm_lag = load_snippet("junior/modules/batch_norm_lag.py")


class TestBatchNorm:
    SHAPES = [((5, 3), nn.BatchNorm1d), ((2, 3, 4), nn.BatchNorm1d), ((2, 3, 4, 5), nn.BatchNorm2d)]

    @staticmethod
    def pair(layer, **options):
        by_hand, built_in = batch_norm_by_hand.BatchNorm(3, **options), layer(3, **options)
        with torch.no_grad():
            for name, parameter in by_hand.named_parameters():
                parameter.copy_(torch.tensor([0.5, -2.0, 3.0]))
                built_in.get_parameter(name).copy_(parameter)
        return by_hand, built_in

    @pytest.mark.parametrize(("shape", "layer"), SHAPES)
    @pytest.mark.parametrize("options", [{}, {"momentum": 0.7, "eps": 0.5}])
    def test_by_hand_equals_the_layer_in_both_modes_and_in_the_gradient(self, shape, layer, options):
        by_hand, built_in = self.pair(layer, **options)
        for mode in (True, True, True, False):
            x = torch.randn(shape) * 3 + 5
            inputs, outputs = [], []
            for module in (by_hand.train(mode), built_in.train(mode)):
                inputs.append(x.clone().requires_grad_())
                module.zero_grad()
                outputs.append(module(inputs[-1]))
                (outputs[-1] * torch.arange(x.numel()).view(shape)).sum().backward()
            torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=1e-3, atol=1e-3)
            for name, parameter in by_hand.named_parameters():
                torch.testing.assert_close(parameter.grad, built_in.get_parameter(name).grad, rtol=1e-3, atol=1e-3)
            for name, buffer in by_hand.named_buffers():
                torch.testing.assert_close(buffer, built_in.get_buffer(name))
                assert not buffer.requires_grad

    @pytest.mark.parametrize(("shape", "layer"), SHAPES)
    def test_statistics_are_taken_over_everything_but_the_channel(self, shape, layer):
        output = layer(3, eps=1e-12)(torch.randn(shape) * 3 + 5).transpose(0, 1).flatten(1)
        torch.testing.assert_close(output.mean(1), torch.zeros(3), atol=1e-5, rtol=0)
        torch.testing.assert_close(output.var(1, correction=0), torch.ones(3), atol=1e-4, rtol=0)

    def test_the_biased_variance_normalizes_and_the_unbiased_one_is_stored(self):
        layer, x = nn.BatchNorm1d(1, momentum=1.0, eps=1e-12), torch.tensor([[0.0], [2.0], [10.0]])
        torch.testing.assert_close(layer(x), (x - 4) / x.var(0, correction=0).sqrt())
        torch.testing.assert_close(layer.running_var, x.var(0, correction=1))

    def test_neighbors_matter_in_training_only(self):
        layer, x = nn.BatchNorm1d(3), torch.randn(6, 3)
        assert not torch.allclose(layer(x)[:2], layer(x[:2]), atol=1e-2)
        layer.eval()
        torch.testing.assert_close(layer(x)[:2], layer(x[:2]))

    def test_parameters_are_trained_and_statistics_are_buffers(self):
        layer = nn.BatchNorm1d(3)
        assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
        buffers = [name for name, _ in layer.named_buffers()]
        assert buffers == ["running_mean", "running_var", "num_batches_tracked"]
        assert set(buffers) < set(layer.state_dict())
        x = torch.randn(4, 3)
        torch.testing.assert_close(layer.eval()(x), x, rtol=1e-4, atol=1e-4)
        assert not layer.running_mean.any()

    def test_momentum_weighs_the_new_value(self):
        layer = nn.BatchNorm1d(1, momentum=0.1)
        for _ in range(20):
            layer(torch.tensor([[9.0], [11.0]]))
        assert layer.running_mean.item() == pytest.approx(10 * (1 - 0.12), abs=0.05)

    def test_without_momentum_the_plain_average_is_kept(self):
        layer, x = nn.BatchNorm1d(2, momentum=None), torch.randn(7, 5, 2)
        for batch in x:
            layer(batch)
        torch.testing.assert_close(layer.running_mean, x.mean((0, 1)))
        torch.testing.assert_close(layer.running_var, x.var(1).mean(0))

    def test_evaluation_lags_behind_training(self):
        layer = nn.BatchNorm1d(8)
        data = batch_norm_lag.batches(100)
        assert data.mean().item() == pytest.approx(5, abs=0.1) and data.std().item() == pytest.approx(2, abs=0.1)
        means = []
        for x in data:
            assert layer.train()(x).mean().abs() < 1e-4
            means.append(layer.eval()(x).mean().item())
        assert means[4] > 1.5 and abs(means[-1]) < 0.2

    @pytest.mark.parametrize("scale", [0.1, 1, 1000])
    def test_a_batch_of_two_becomes_plus_and_minus_one_if_epsilon_is_small_beside_the_variance(self, scale):
        x = torch.randn(1, 50) + torch.tensor([[-1.0], [1.0]]) * torch.randn(50).sign() * scale * (1 + torch.rand(50))
        output = nn.BatchNorm1d(50)(x)
        torch.testing.assert_close(output, (x - x.mean(0)).sign(), atol=2e-3, rtol=0)

    @pytest.mark.parametrize("values", [[0.0, 0.001], [50.0, 50.001], [3.0, 3.0]])
    def test_a_batch_of_two_nearly_equal_values_is_shrunk(self, values):
        assert nn.BatchNorm1d(1)(torch.tensor(values).unsqueeze(1)).abs().max() < 0.2

    @pytest.mark.parametrize("make", [nn.BatchNorm1d, nn.BatchNorm2d, batch_norm_by_hand.BatchNorm])
    def test_one_value_per_channel_raises_in_training_only(self, make):
        x = (
            torch.ones(1, 3, 1, 1) if make is nn.BatchNorm2d else torch.ones(1, 3)
        )  # (1, 3, 1, 1): behind global pooling
        layer = make(3)
        with pytest.raises(ValueError, match="more than (1|one) value per channel"):
            layer(x)
        assert layer.running_var.isfinite().all() and layer.eval()(x).isfinite().all()

    @pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.BatchNorm2d])
    def test_the_state_dict_by_hand_is_that_of_the_layer(self, layer):
        by_hand, built_in = batch_norm_by_hand.BatchNorm(3), layer(3)
        built_in(torch.randn((4, 3, 2, 2) if layer is nn.BatchNorm2d else (4, 3)))
        by_hand.load_state_dict(built_in.state_dict())
        built_in.load_state_dict(by_hand.state_dict())
        assert by_hand.num_batches_tracked.item() == 1

    def test_without_tracking_both_modes_use_the_batch(self):
        layer, x = nn.BatchNorm1d(3, track_running_stats=False), torch.randn(8, 3)
        assert torch.equal(layer(x), layer.eval()(x)) and layer.running_mean is None

    def test_a_new_layer_in_eval_mode_is_the_identity_but_for_epsilon(self):
        x = torch.randn(8, 3)
        assert not torch.equal(nn.BatchNorm1d(3).eval()(x), x)
        torch.testing.assert_close(nn.BatchNorm1d(3).eval()(x), x, rtol=1e-5, atol=0)

    def test_the_plain_average_is_slower_after_a_shift(self):
        means = {}
        for momentum in (0.1, None):
            layer = nn.BatchNorm1d(1, momentum=momentum)
            for step in range(1100):
                layer(torch.tensor([[-1.0], [1.0]]) + (5 if step >= 1000 else 0))
            means[momentum] = layer.running_mean.item()
        assert means[0.1] == pytest.approx(5, abs=0.01) and means[None] == pytest.approx(500 / 1100, abs=0.01)

    def test_the_axes_of_the_four_norms(self):
        everything = torch.zeros(3, 4, 3, dtype=torch.bool)
        sets = {name: everything.clone() for name in batch_norm_axes.LAYERS}
        batch, layer, group, instance = sets.values()
        batch[:, 1], layer[1, :, 1], group[1, :2], instance[1, 1] = True, True, True, True
        for name, layer in batch_norm_axes.LAYERS.items():
            assert torch.equal(batch_norm_axes.used(layer), sets[name])

    @pytest.mark.parametrize("padding", [1, 20])
    def test_padding_enters_batch_norm_but_not_layer_norm(self, padding):
        x = torch.randn(2, 3, 4)
        padded = torch.cat([x, torch.zeros(2, 3, padding)], dim=2)
        batch_norm, layer_norm = nn.BatchNorm1d(3), nn.LayerNorm(3)
        assert not torch.allclose(batch_norm(x), batch_norm(padded)[..., :4], atol=0.02)
        torch.testing.assert_close(layer_norm(x.mT), layer_norm(padded.mT)[:, :4])

    @pytest.mark.parametrize("depth", [5, 20])
    @pytest.mark.parametrize("scale", [0.5, 8])
    def test_the_scale_of_the_weights_does_not_matter_behind_batch_norm(self, depth, scale):
        assert batch_norm_depth.spread(depth, scale, normalize=True) == pytest.approx(1, abs=0.05)
        ratio = batch_norm_depth.spread(depth, scale, False) / batch_norm_depth.spread(depth, 1.0, False)
        assert ratio == pytest.approx(scale**depth, rel=1e-2)

    @pytest.mark.parametrize("depth", [5, 20])
    def test_he_initialization_keeps_the_activations_in_range_at_the_start(self, depth):
        layers = [(nn.ReLU(), nn.Linear(64, 64, bias=False)) for _ in range(depth)]
        for _, linear in layers:
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        out = nn.Sequential(*(layer for pair in layers for layer in pair))(torch.randn(256, 64))
        assert 0.1 < out.std().item() < 10

    @pytest.mark.parametrize("training", [True, False])
    def test_the_scale_of_the_weights_in_front_matters_in_eval_mode_only(self, training):
        linear, layer, x = nn.Linear(8, 8), nn.BatchNorm1d(8, momentum=None), torch.randn(64, 8)
        layer(linear(x))
        layer.train(training)
        before = layer(linear(x)).std()
        with torch.no_grad():
            linear.weight *= 8
        assert (layer(linear(x)).std() / before).item() == pytest.approx(1 if training else 8, rel=0.01)

    @pytest.mark.parametrize("activation", [nn.Tanh(), nn.GELU()])
    def test_only_the_scale_of_the_layer_directly_in_front_does_not_matter(self, activation):
        model = nn.Sequential(nn.Linear(8, 8), activation, nn.Linear(8, 8), nn.BatchNorm1d(8, eps=1e-9))
        x = torch.randn(64, 8)
        for layer, same in ((2, True), (0, False)):
            before = model(x)
            with torch.no_grad():
                model[layer].weight *= 5
            assert torch.allclose(model(x), before, atol=1e-3) is same

    @pytest.mark.parametrize("by_hand", [True, False])
    def test_only_the_layer_by_hand_refuses_an_empty_batch(self, by_hand):
        layer = (batch_norm_by_hand.BatchNorm if by_hand else nn.BatchNorm2d)(3)
        if by_hand:
            with pytest.raises(ValueError, match="more than one value"):
                layer(torch.zeros(0, 3, 2, 2))
        else:
            layer(torch.zeros(0, 3, 2, 2))
        assert not layer.running_mean.any()

    def test_a_bias_has_an_effect_again_if_a_relu_stands_between(self):
        conv, norm, x = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6)
        between = norm(conv(x).relu())
        with torch.no_grad():
            conv.bias += 0.5
        assert not torch.allclose(norm(conv(x).relu()), between, atol=0.05)

    def test_one_image_is_enough_and_is_instance_normalization(self):
        x = torch.randn(1, 3, 4, 4) * 3 + 5
        layer = nn.BatchNorm2d(3)
        torch.testing.assert_close(layer(x), nn.InstanceNorm2d(3)(x))
        assert not torch.allclose(layer.eval()(x), nn.InstanceNorm2d(3)(x), atol=0.1)

    @pytest.mark.parametrize("layer", [nn.GroupNorm(3, 6), nn.LayerNorm([6, 4])])
    def test_group_and_layer_norm_do_not_look_across_samples(self, layer):
        x = torch.randn(5, 6, 4)
        torch.testing.assert_close(layer(x)[:1], layer(x[:1]))
        torch.testing.assert_close(layer.train()(x), layer.eval()(x))

    def test_a_bias_in_front_has_no_effect_and_no_gradient(self):
        conv, norm, x = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6)
        output = norm(conv(x))
        (output * torch.randn_like(output)).sum().backward()
        assert conv.bias.grad.abs().max() < 1e-4 < conv.weight.grad.abs().max()
        with torch.no_grad():
            conv.bias += 7
            torch.testing.assert_close(norm(conv(x)), output, atol=1e-4, rtol=0)
            conv.weight *= 10
            torch.testing.assert_close(norm(conv(x)), output, atol=1e-3, rtol=0)

    @pytest.mark.parametrize("factor", [0.5, 10.0, -1.0])
    def test_a_positive_factor_on_the_weights_in_front_has_no_effect(self, factor):
        linear, norm, x = nn.Linear(4, 6), nn.BatchNorm1d(6), torch.randn(32, 4) * 9
        before = norm(linear(x))
        with torch.no_grad():
            linear.weight *= factor
        torch.testing.assert_close(norm(linear(x)), before if factor > 0 else -before, atol=1e-3, rtol=0)

    @pytest.mark.parametrize("length", [None, 5])
    def test_fusing_a_linear_layer_needs_its_outputs_to_be_the_channels(self, length):
        linear, norm = nn.Linear(4, 8), nn.BatchNorm1d(8)
        shape = (16, 4) if length is None else (16, 8, 4)
        for _ in range(5):
            norm(linear(torch.randn(shape) + 3))
        model, x = nn.Sequential(linear, norm).eval(), torch.randn(shape) + 3
        same = torch.allclose(fuse_linear_bn_eval(linear, norm)(x), model(x), atol=1e-3)
        assert same == (length is None)

    def test_eval_mode_can_be_folded_into_the_layer_in_front(self):
        for front, norm, x, fuse in (
            (nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6), fuse_conv_bn_eval),
            (nn.Linear(2, 3), nn.BatchNorm1d(3), torch.randn(4, 2), fuse_linear_bn_eval),
        ):
            for _ in range(5):
                norm(front(torch.randn_like(x) * 2 + 1))
            model = nn.Sequential(front, norm).eval()
            torch.testing.assert_close(fuse(front, norm)(x), model(x), rtol=1e-4, atol=1e-5)
            with pytest.raises(AssertionError, match="only for eval"):
                fuse(front.train(), norm.train())

    @pytest.mark.parametrize("reentrant", [True, False])
    def test_inside_a_checkpoint_the_running_averages_are_updated_twice(self, reentrant):
        x = torch.randn(8, 2, requires_grad=True)
        plain, inside = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
        plain(x).sum().backward()
        checkpoint(inside, x, use_reentrant=reentrant).sum().backward()
        assert (plain.num_batches_tracked, inside.num_batches_tracked) == (1, 2)
        torch.testing.assert_close(inside.running_mean, 1.9 * plain.running_mean)

    @pytest.mark.parametrize("parts", [2, 4])
    def test_small_batches_are_normalized_separately(self, parts):
        layer, x = nn.BatchNorm1d(3), torch.randn(16, 3)
        assert not torch.allclose(torch.cat([layer(part) for part in x.chunk(parts)]), layer(x), atol=0.05)

    @pytest.mark.parametrize("momentum", [0.1, 0.3])
    def test_after_k_steps_a_share_of_the_start_values_is_left(self, momentum):
        layer = nn.BatchNorm1d(1, momentum=momentum)
        for _ in range(5):
            layer(torch.tensor([[9.0], [11.0]]))
        assert layer.running_mean.item() == pytest.approx(10 * (1 - (1 - momentum) ** 5))
        assert round(0.9**5, 2) == 0.59

    @pytest.mark.parametrize("training", [True, False])
    def test_the_gradient_flows_through_the_statistics_in_training_only(self, training):
        layer, x = nn.BatchNorm1d(1).train(training), torch.tensor([[1.0], [2.0], [6.0]], requires_grad=True)
        layer(x)[0].sum().backward()
        assert bool(x.grad[1:].any()) is training

    @pytest.mark.parametrize("seed", [0, 1])
    def test_in_training_a_plain_average_keeps_statistics_of_old_weights_and_update_bn_does_not(self, seed):
        losses = {}
        for momentum in (0.1, None):
            torch.manual_seed(seed)
            x = torch.randn(2000, 20)
            y = torch.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:3]
            widths = [20, 64, 64]
            blocks = [(nn.Linear(width, 64), nn.BatchNorm1d(64, momentum=momentum), nn.ReLU()) for width in widths]
            model = nn.Sequential(*(layer for block in blocks for layer in block), nn.Linear(64, 1))
            optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
            for _ in range(300):
                rows = torch.randint(0, 2000, (64,))
                optimizer.zero_grad()
                F.mse_loss(model(x[rows]), y[rows]).backward()
                optimizer.step()
            with torch.no_grad():
                losses[momentum] = F.mse_loss(model.eval()(x), y).item()
                torch.optim.swa_utils.update_bn(x.split(64), model)
                losses["anew", momentum] = F.mse_loss(model.eval()(x), y).item()
        assert losses[None] > 2 * losses[0.1]
        assert losses["anew", None] < losses[None] / 2
