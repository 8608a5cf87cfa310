"""What docs/junior/modules/train-vs-eval.md claims, proven beyond the example shown."""

import copy
import inspect
import pickle
from contextlib import nullcontext

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

train_vs_eval_restore = load_snippet("junior/modules/train_vs_eval_restore.py")
train_vs_eval_validation_broken = load_snippet("junior/modules/train_vs_eval_validation_broken.py")


class TestTrainVsEval:
    SAME_IN_BOTH = [
        nn.Linear(6, 6),
        nn.Conv1d(6, 6, 1),
        nn.LayerNorm(6),
        nn.GroupNorm(2, 6),
        nn.ReLU(),
        nn.GELU(),
        nn.InstanceNorm1d(6),
        nn.LSTM(6, 6),
        nn.MultiheadAttention(6, 2),
    ]
    DIFFERENT = [
        nn.Dropout(),
        nn.Dropout1d(),
        nn.AlphaDropout(),
        nn.BatchNorm1d(6),
        nn.RReLU(),
        nn.InstanceNorm1d(6, track_running_stats=True),
        nn.LSTM(6, 6, num_layers=2, dropout=0.5),
        nn.MultiheadAttention(6, 2, dropout=0.5),
    ]

    @staticmethod
    def output(layer, mode):
        torch.manual_seed(1)
        x = torch.randn(4, 6, 6) + 2
        result = layer.train(mode)(x, x, x) if isinstance(layer, nn.MultiheadAttention) else layer.train(mode)(x)
        return result[0] if isinstance(result, tuple) else result

    @pytest.mark.parametrize("layer", SAME_IN_BOTH, ids=lambda layer: type(layer).__name__)
    def test_most_layers_do_not_look_at_the_flag(self, layer):
        torch.testing.assert_close(self.output(layer, True), self.output(layer, False))

    @pytest.mark.parametrize("layer", DIFFERENT, ids=lambda layer: type(layer).__name__)
    def test_these_layers_compute_something_else(self, layer):
        assert not torch.allclose(self.output(layer, True), self.output(layer, False), atol=1e-3)

    def test_no_other_family_of_layers_reads_the_flag(self):
        readers = set()
        for layer in vars(nn).values():
            if not (isinstance(layer, type) and issubclass(layer, nn.Module)):
                continue
            functions = [
                function
                for base in layer.__mro__
                if base not in (nn.Module, object)
                for function in vars(base).values()
                if inspect.isfunction(function)
            ]
            if any("self.training" in inspect.getsource(function) for function in functions):
                readers.add(layer.__name__.removeprefix("Lazy").rstrip("123d"))
        assert readers == {
            "Dropout",
            "AlphaDropout",
            "FeatureAlphaDropout",
            "BatchNorm",
            "SyncBatchNorm",
            "InstanceNorm",
            "RReLU",
            "RNN",
            "LSTM",
            "GRU",
            "MultiheadAttention",
            "TransformerEncoderLayer",
        }

    @pytest.mark.parametrize("momentum", [0.1, 0.5])
    def test_batch_norm_uses_the_batch_in_train_mode_and_the_running_statistics_in_eval_mode(self, momentum):
        layer, x = nn.BatchNorm1d(1, momentum=momentum), torch.tensor([[10.0], [30.0]])
        torch.testing.assert_close(layer(x), torch.tensor([[-1.0], [1.0]]))
        running = (layer.running_mean.clone(), layer.running_var.clone())
        torch.testing.assert_close(running, (20 * x.new_tensor([momentum]), x.new_tensor([1 + momentum * 199])))
        torch.testing.assert_close(layer.eval()(x), (x - running[0]) / (running[1] + layer.eps).sqrt())
        assert torch.equal(layer.running_mean, running[0]) and torch.equal(layer.running_var, running[1])

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_dropout_zeroes_and_scales_in_train_mode_and_passes_everything_in_eval_mode(self, p):
        layer, x = nn.Dropout(p), torch.ones(1000)
        torch.testing.assert_close(layer(x).unique(), torch.tensor([0.0, 1 / (1 - p)]))
        assert torch.equal(layer.eval()(x), x)

    @pytest.mark.parametrize("old", [False, True])
    @pytest.mark.parametrize("mode", [True, False])
    def test_spectral_norm_writes_its_buffers_in_train_mode_only(self, old, mode):
        torch.manual_seed(0)
        wrap = nn.utils.spectral_norm if old else nn.utils.parametrizations.spectral_norm
        layer = wrap(nn.Linear(4, 6)).train(mode)
        before = {name: tensor.clone() for name, tensor in layer.named_buffers()}
        with torch.no_grad():
            layer(torch.randn(2, 4))
        assert any(not torch.equal(before[name], tensor) for name, tensor in layer.named_buffers()) is mode

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("heads", [2, 4])
    def test_without_gradients_attention_treats_padding_in_another_way_in_eval_mode(self, heads):
        attention = nn.MultiheadAttention(8, heads, dropout=0.0, batch_first=True)
        block = nn.TransformerEncoderLayer(8, heads, 8, dropout=0.0, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2)
        x, masked = torch.randn(2, 3, 8), torch.ones(2, 3, dtype=torch.bool)
        padding = torch.tensor([[False, False, True], [False, False, False]])
        for mode in (True, False):
            attention.train(mode), encoder.train(mode)
            for grad in (True, False):
                with torch.set_grad_enabled(grad):
                    encoded = encoder(x, src_key_padding_mask=padding)
                    attended, _ = attention(x, x, x, masked, need_weights=False)
                fused = not mode and not grad
                assert bool(attended.isnan().any()) is fused
                assert bool(encoded[0, 2].any()) is not fused

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("frozen", [True, False])
    @pytest.mark.parametrize("grad", [True, False])
    def test_the_fused_path_needs_nothing_to_record_and_not_no_grad(self, frozen, grad):
        attention = nn.MultiheadAttention(8, 2, batch_first=True).eval().requires_grad_(not frozen)
        x, masked = torch.randn(2, 3, 8), torch.ones(2, 3, dtype=torch.bool)
        with torch.set_grad_enabled(grad):
            output, _ = attention(x, x, x, masked, need_weights=False)
        assert bool(output.isnan().any()) is (frozen or not grad)

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("nested", [True, False])
    @pytest.mark.parametrize("side", ["left", "right"])
    def test_a_fused_encoder_returns_zeros_at_padding_on_the_right_only(self, nested, side):
        block = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2, enable_nested_tensor=nested).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        padding = padding if side == "right" else padding.flip(1)
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 8), src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is (nested and side == "right")

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize(
        ("heads", "options", "zeros"),
        [(2, {}, True), (2, {"activation": "gelu"}, True), (2, {"norm_first": True}, False), (3, {}, False)],
    )
    def test_layers_with_the_norm_first_or_an_odd_number_of_heads_switch_nested_tensors_off_with_a_warning(
        self, heads, options, zeros
    ):
        block = nn.TransformerEncoderLayer(6, heads, 8, batch_first=True, **options)
        with nullcontext() if zeros else pytest.warns(UserWarning, match="use_nested_tensor is False"):
            encoder = nn.TransformerEncoder(block, num_layers=1).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 6), src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is zeros

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("mask", [None, torch.zeros(4, 4).bool(), torch.ones(4, 4).triu(1).bool()])
    def test_an_attention_mask_switches_nested_tensors_off_without_a_warning(self, mask):
        block = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 8), mask, src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is (mask is None)

    def test_evaluating_restores_the_flag_and_calls_no_train_method(self):
        class Merging(nn.Linear):
            merged = False

            def train(self, mode=True):
                self.merged = not mode
                return super().train(mode)

        model = nn.Sequential(Merging(2, 2))
        with train_vs_eval_restore.evaluating(model):
            assert model[0].merged
        assert model[0].training and model[0].merged
        assert not model.train()[0].merged

    @pytest.mark.parametrize("groups", [1, 3])
    def test_scale_and_shift_of_a_batch_norm_load_into_a_group_norm_and_the_outputs_change(self, groups):
        batch_norm, group_norm = nn.BatchNorm2d(6), nn.GroupNorm(groups, 6)
        x = torch.randn(8, 6, 4, 4) * torch.arange(1, 7).view(6, 1, 1) + 3
        with torch.no_grad():
            batch_norm.weight.uniform_(1, 2)
            for _ in range(50):
                batch_norm(x)
        result = group_norm.load_state_dict(batch_norm.state_dict(), strict=False)
        assert not result.missing_keys and torch.equal(group_norm.weight, batch_norm.weight)
        assert not torch.allclose(group_norm(x), batch_norm.eval()(x), atol=0.1)

    def test_group_norm_normalizes_each_sample_by_itself(self):
        x, layer = torch.randn(4, 6, 5), nn.GroupNorm(2, 6)
        torch.testing.assert_close(layer(x)[:1], layer(x[:1]))
        with pytest.raises(RuntimeError, match="Unexpected key"):
            nn.GroupNorm(2, 6).load_state_dict(nn.BatchNorm1d(6).state_dict())

    def test_a_module_that_overrides_train_keeps_its_batch_norm_frozen(self):
        class Frozen(nn.Sequential):
            def train(self, mode=True):
                super().train(mode)
                self[1].eval()
                return self

        model = Frozen(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout()).train()
        assert [layer.training for layer in model] == [True, False, True]
        nn.Sequential(model).eval().train()(torch.randn(8, 2) + 9)
        assert not model[1].running_mean.any()

    def test_rrelu_evaluates_with_the_mean_slope(self):
        assert nn.RReLU(0.1, 0.5).eval()(torch.tensor(-1.0)).item() == pytest.approx(-0.3)

    def test_eval_sets_one_flag_in_every_submodule_and_nothing_else(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()))
        state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        assert model.eval() is model and not any(module.training for module in model.modules())
        assert model.train() is model and all(module.training for module in model.modules())
        assert not any(module.training for module in model.train(False).modules())
        assert all(torch.equal(tensor, state[name]) for name, tensor in model.state_dict().items())
        assert all(parameter.requires_grad for parameter in model.parameters())
        assert torch.is_grad_enabled() and model(torch.ones(2, 4)).requires_grad

    def test_no_grad_neither_stops_dropout_nor_the_running_statistics(self):
        batch_norm, dropout = nn.BatchNorm1d(4), nn.Dropout()
        with torch.no_grad():
            assert (dropout(torch.ones(1000)) == 0).any()
            batch_norm(torch.randn(8, 4) + 5)
        assert batch_norm.running_mean.min() > 0.3 and batch_norm.num_batches_tracked == 1

    def test_a_module_of_your_own_may_read_the_flag(self):
        class TwoOutputs(nn.Module):
            def forward(self, x):
                return {"loss": x.sum()} if self.training else x

        model = nn.Sequential(TwoOutputs())
        assert set(model(torch.ones(2))) == {"loss"}
        assert torch.equal(model.eval()(torch.ones(2)), torch.ones(2))

    def test_validating_in_train_mode_reports_wrongly_and_damages_the_model(self):
        broken = train_vs_eval_validation_broken
        x = torch.randn(1000, 8, generator=torch.Generator().manual_seed(5))
        held_out = x[broken.label(x).argsort()]
        model = broken.train()
        weights = [parameter.detach().clone() for parameter in model.parameters()]
        honest = broken.accuracy(model.eval(), held_out)
        assert honest > 0.95
        assert broken.accuracy(model, held_out) == honest == broken.accuracy(model, x)  # whatever the order
        reported = broken.accuracy(model.train(), held_out)
        assert reported < 0.6 and broken.accuracy(model.train(), held_out) == reported  # wrong, and not noisy
        assert broken.accuracy(model.eval(), held_out) < honest - 0.05
        assert all(torch.equal(old, new) for old, new in zip(weights, model.parameters(), strict=True))

    def test_more_training_washes_the_damage_out(self):
        broken = train_vs_eval_validation_broken
        x = torch.randn(1000, 8)
        model, damaged = broken.train(), broken.train()
        broken.accuracy(damaged.train(), x[broken.label(x).argsort()])
        with torch.no_grad():
            for batch in torch.randn(100, 64, 8):
                damaged(batch)
        assert broken.accuracy(damaged.eval(), x) == pytest.approx(broken.accuracy(model.eval(), x), abs=0.02)

    @pytest.mark.parametrize("frozen", [True, False])
    def test_scale_and_shift_train_in_eval_mode_unless_they_are_frozen(self, frozen):
        norm, linear = nn.BatchNorm1d(3).eval().requires_grad_(not frozen), nn.Linear(3, 3)
        optimizer = torch.optim.SGD([*linear.parameters(), *norm.parameters()], lr=0.1)
        norm(linear(torch.randn(8, 3))).square().sum().backward()
        optimizer.step()
        assert torch.equal(norm.weight, torch.ones(3)) == frozen
        assert not norm.running_mean.any()

    @pytest.mark.parametrize("p", [0.2, 0.8])
    def test_alpha_dropout_keeps_mean_and_variance_and_writes_no_zeros(self, p):
        torch.manual_seed(0)
        for layer, x in (
            (nn.AlphaDropout(p), torch.randn(100_000)),
            (nn.FeatureAlphaDropout(p), torch.randn(300, 300, 2)),
        ):
            output = layer(x)
            assert output.mean().abs() < 0.03 and (output.std() - 1).abs() < 0.03
            assert not (output == 0).any() and torch.equal(layer.eval()(x), x)
        assert (nn.Dropout(p)(torch.randn(100_000)).std() - 1).abs() > 0.1

    def test_train_thaws_a_frozen_batch_norm(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2).eval())
        model(torch.randn(8, 2) + 9)
        assert not model[1].running_mean.any()
        model.train()(torch.randn(8, 2) + 9)
        assert model[1].training and model[1].running_mean.all()

    def test_evaluating_restores_every_mode_also_after_an_error(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2).eval(), nn.Dropout()))
        for outer in (True, False):
            model.training = outer
            before = [module.training for module in model.modules()]
            with train_vs_eval_restore.evaluating(model) as same:
                assert same is model and not any(module.training for module in model.modules())
            assert [module.training for module in model.modules()] == before
            with pytest.raises(ZeroDivisionError), train_vs_eval_restore.evaluating(model):
                _ = 1 / 0
            assert [module.training for module in model.modules()] == before

    def test_setting_the_attribute_reaches_the_outermost_module_only(self):
        model = nn.Sequential(nn.Dropout())
        model.training = False
        assert (model(torch.ones(1000)) == 0).any()
        model.eval  # noqa: B018
        assert model[0].training
        assert train_vs_eval_restore.flags(model) == [True]

    def test_the_flag_is_in_a_copied_module_but_in_no_state_dict(self):
        model = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2)).eval()
        fresh = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2))
        fresh.load_state_dict(model.state_dict())
        assert fresh.training and fresh[0].training
        for clone in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert not clone[0].training

    def test_without_running_statistics_eval_mode_depends_on_the_batch(self):
        x = torch.randn(8, 4)
        for track, same in ((True, True), (False, False)):
            layer = nn.BatchNorm1d(4, track_running_stats=track).eval()
            assert torch.allclose(layer(x)[:2], layer(x[:2])) == same
