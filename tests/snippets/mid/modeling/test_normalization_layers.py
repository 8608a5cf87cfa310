"""The claims of docs/mid/modeling/normalization-layers.md, proven beyond the examples shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

normalize = load_snippet("mid/modeling/normalization_layers_by_hand.py").normalize
statistic = load_snippet("mid/modeling/normalization_layers_axes.py").statistic
layers = load_snippet("mid/modeling/normalization_layers_axes.py").LAYERS
spread = load_snippet("mid/modeling/normalization_layers_batch.py").spread
shift = load_snippet("mid/modeling/normalization_layers_shift.py")


class TestNormalizationLayers:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("size", [(1, 6, 3, 5), (4, 6, 1, 7), (2, 12, 4, 4)])
    def test_one_function_is_all_five_layers(self, size, dtype):
        x = torch.randn(size, dtype=dtype) * 2 - 3
        n, c, h, w = size
        tokens = x.movedim(1, -1)
        close = {"rtol": 0, "atol": 1e-4 if dtype == torch.float32 else 1e-12}
        torch.testing.assert_close(F.batch_norm(x, None, None, training=True), normalize(x, (0, 2, 3)), **close)
        torch.testing.assert_close(F.instance_norm(x), normalize(x, (2, 3)), **close)
        torch.testing.assert_close(F.layer_norm(tokens, (c,)), normalize(tokens, (-1,)), **close)
        torch.testing.assert_close(F.rms_norm(tokens, (c,), eps=1e-5), normalize(tokens, (-1,), center=False), **close)
        for groups in (1, 3, c):
            ours = normalize(x.view(n, groups, c // groups, h, w), (2, 3, 4)).view_as(x)
            torch.testing.assert_close(F.group_norm(x, groups), ours, **close)

    @pytest.mark.parametrize("size", [(4, 3), (2, 3, 2, 2)])
    def test_batch_norm_in_eval_mode_divides_by_the_unbiased_variance(self, size):
        x = torch.randn(size, dtype=torch.float64)
        norm, axes = (
            nn.BatchNorm1d(3, momentum=1.0) if len(size) == 2 else nn.BatchNorm2d(3, momentum=1.0),
            (0, 2, 3)[: len(size) - 1],
        )
        in_training = norm.double()(x)
        unbiased = (x.var(axes, keepdim=True) + 1e-5).rsqrt() * (x - x.mean(axes, keepdim=True))
        torch.testing.assert_close(norm.eval()(x), unbiased)
        torch.testing.assert_close(in_training, normalize(x, axes))

    def test_epsilon_is_added_to_the_mean_square(self):
        x = torch.tensor([[0.1, -0.1]], dtype=torch.float64)
        assert normalize(x, (1,), eps=0.03).tolist() == [[pytest.approx(0.5), pytest.approx(-0.5)]]

    def test_axes_of_the_picture(self):
        counts = {name: int(statistic(layer).max()) + 1 for name, layer in layers.items()}
        assert list(counts.values()) == [4, 4, 8, 6]
        numbers = [statistic(layer) for layer in layers.values()]
        assert (numbers[0][0] == numbers[0][1]).all() and (numbers[0][0, :, 0].unique().numel() == 4)
        assert (numbers[1][:, 0] == numbers[1][:, 1]).all() and (numbers[1][:, 1] != numbers[1][:, 2]).all()
        assert (numbers[3] == numbers[3][:, :1]).all()

    @pytest.mark.parametrize("batch", [4, 25])
    def test_noise_of_batch_norm_halves_with_four_times_the_batch(self, batch):
        few, many = spread(nn.BatchNorm1d(64), batch), spread(nn.BatchNorm1d(64), 4 * batch)
        assert few / many == pytest.approx(2, rel=0.1)

    @pytest.mark.parametrize("norm", [nn.LayerNorm(64), nn.RMSNorm(64), nn.GroupNorm(4, 64), nn.BatchNorm1d(64).eval()])
    def test_the_others_do_not_depend_on_the_batch(self, norm):
        assert spread(norm, 5, draws=20) < 1e-6

    @pytest.mark.parametrize("norm", [nn.LayerNorm(16), nn.RMSNorm(16), nn.GroupNorm(4, 16), nn.InstanceNorm1d(16)])
    def test_modes_agree_but_for_batch_norm(self, norm):
        x = torch.randn(8, 16, 16)
        assert torch.equal(norm.train()(x), norm.eval()(x))
        both = nn.BatchNorm1d(16)
        assert not torch.allclose(both.train()(x), both.eval()(x), atol=1e-3)

    @pytest.mark.parametrize("scale", [0.25, 40.0])
    @pytest.mark.parametrize("offset", [0.0, 3.0])
    def test_what_is_divided_away(self, scale, offset):
        x = torch.randn(8, 64, dtype=torch.float64)
        changed = x * scale + offset
        frozen = nn.BatchNorm1d(64).double()
        frozen(x)
        frozen.eval()
        layer_norm, rms_norm = F.layer_norm, F.rms_norm
        assert torch.allclose(layer_norm(x, (64,), eps=0), layer_norm(changed, (64,), eps=0))
        assert torch.allclose(rms_norm(x, (64,), eps=0), rms_norm(changed, (64,), eps=0)) is (offset == 0)
        assert not torch.allclose(frozen(x), frozen(changed), atol=0.1)
        assert torch.allclose(normalize(x, (0,), eps=0), normalize(changed, (0,), eps=0))

    def test_a_negative_factor_changes_the_sign(self):
        x = torch.randn(8, 64, dtype=torch.float64)
        assert torch.allclose(F.layer_norm(-3 * x, (64,), eps=0), -F.layer_norm(x, (64,), eps=0))
        assert torch.allclose(F.rms_norm(-3 * x, (64,), eps=0), -F.rms_norm(x, (64,), eps=0))

    @pytest.mark.parametrize("bias", [False, True])
    def test_a_bias_in_front_is_not_scaled_along(self, bias):
        x, first = torch.randn(8, 64, dtype=torch.float64), nn.Linear(64, 32, bias=bias).double()
        for norm in (F.layer_norm, F.rms_norm):
            same = torch.allclose(norm(first(x), (32,), eps=0), norm(first(x / 4), (32,), eps=0))
            assert same is not bias
        assert torch.allclose(first(x).relu() / 4, first(x / 4).relu()) is not bias

    def test_changed_pixels_on_another_seed(self):
        torch.set_num_threads(1)
        for name in ("BatchNorm", "LayerNorm"):
            model, x, y = shift.train(name, 7)
            assert shift.accuracy(model, x, y) > 92
            assert (shift.accuracy(model, x / 4, y) > 90) is (name != "BatchNorm")
            assert shift.accuracy(model, x + 1, y) < 60
            if name == "BatchNorm":
                assert shift.accuracy(model, x / 4, y, mode=True) > 92
                assert shift.accuracy(model, x + 1, y, mode=True) > 92
                order = y.argsort()[:1000].split(50)
                sorted_by_class = [shift.accuracy(model, x[i], y[i], mode=True) for i in order]
                assert sum(sorted_by_class) / len(order) < 40

    def test_layer_norm_on_channels_first_raises_unless_the_width_fits(self):
        assert nn.LayerNorm(5)(torch.randn(2, 5, 3, 5)).shape == (2, 5, 3, 5)
        with pytest.raises(RuntimeError, match="Given normalized_shape"):
            nn.LayerNorm(5)(torch.randn(2, 5, 5, 3))

    @pytest.mark.parametrize("channels", [1, 4])
    @pytest.mark.parametrize("positions", [(), (1,), (1, 1)])
    def test_one_value_per_group_is_lost_and_raises_only_for_a_batch_of_one(self, channels, positions):
        x = torch.randn(3, channels, *positions) * 100
        for size in (2, 3):
            assert F.group_norm(x[:size], channels).abs().max() < 0.01
        with pytest.raises(ValueError, match="more than 1 value"):
            F.group_norm(x[:1], channels)
        assert F.group_norm(torch.randn(1, 4, 2), 4).abs().max() > 0.1

    @pytest.mark.parametrize("positions", [(1, 1), (2, 3)])
    def test_one_group_is_layer_norm_over_the_sample(self, positions):
        x = torch.randn(2, 4, *positions, dtype=torch.float64)
        per_token = F.layer_norm(x.movedim(1, -1), (4,)).movedim(-1, 1)
        assert torch.allclose(F.group_norm(x, 1), F.layer_norm(x, x.shape[1:]))
        assert torch.allclose(F.group_norm(x, 1), per_token) is (positions == (1, 1))

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_default_epsilon_of_rms_norm_is_the_machine_epsilon(self, dtype):
        x = torch.randn(4, 8, dtype=torch.float64) * torch.finfo(dtype).eps ** 0.5
        ours = normalize(x, (1,), center=False, eps=torch.finfo(dtype).eps)
        assert torch.allclose(nn.RMSNorm(8, dtype=dtype)(x.to(dtype)).double(), ours, atol=1e-5)
        assert not torch.allclose(nn.RMSNorm(8, eps=1e-5, dtype=dtype)(x.to(dtype)).double(), ours, atol=0.1)

    def test_parameters_and_buffers(self):
        found = {}
        for layer in (nn.BatchNorm2d(6), nn.GroupNorm(2, 6), nn.InstanceNorm2d(6), nn.LayerNorm(6), nn.RMSNorm(6)):
            learned = sum(p.numel() for p in layer.parameters())
            found[layer._get_name()] = learned, len(list(layer.buffers())) > 0
        assert list(found.values()) == [(12, True), (12, False), (0, False), (12, False), (6, False)]
