"""What docs/junior/modules/train-vs-eval.md claims, proven beyond the example shown."""

import copy
import inspect
import pickle

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

train_vs_eval_restore = load_snippet("junior/modules/train_vs_eval_restore.py")


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

    def test_validating_in_train_mode_reports_wrongly_and_damages_the_model(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for x in torch.randn(100, 64, 8):
            optimizer.zero_grad()
            F.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
            optimizer.step()
        x = torch.randn(1000, 8)
        label = (x.sum(1) > 0).long()
        x, label = x[label.argsort()], label.sort().values  # sorted by class

        @torch.no_grad()
        def accuracy():
            return (torch.cat([model(part).argmax(1) for part in x.split(50)]) == label).float().mean().item()

        state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        model.eval()
        honest = accuracy()
        assert honest > 0.95
        model.train()
        assert accuracy() < 0.6
        changed = {name for name, tensor in model.state_dict().items() if not torch.equal(tensor, state[name])}
        assert changed == {"1.running_mean", "1.running_var", "1.num_batches_tracked"}
        model.eval()
        assert accuracy() < honest - 0.05

    @pytest.mark.parametrize("batches", [20, 40])
    def test_a_pass_in_train_mode_moves_the_running_mean_to_the_last_class(self, batches):
        norm = nn.BatchNorm1d(1)
        norm.running_mean.fill_(20)
        for values in ([17.0, 19.0], [21.0, 23.0]):
            for _ in range(batches):
                with torch.no_grad():
                    assert (norm(torch.tensor(values).unsqueeze(1)) > 0).flatten().tolist() == [False, True]
        assert 21 < norm.running_mean.item() < 22
        assert (norm.eval()(torch.tensor([[21.0], [23.0]])) > 0).flatten().tolist() == [False, True]

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_training_in_eval_mode_raises_nothing_and_has_neither_dropout_nor_new_statistics(self, p):
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(p), nn.Linear(3, 1)).eval()
        x = torch.randn(8, 3) + 4
        assert torch.equal(model(x), model(x))
        model(x).square().mean().backward()
        assert all(q.grad is not None for q in model.parameters()) and not model[1].running_mean.any()

    def test_eval_reaches_neither_a_plain_list_nor_a_function(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Dropout()]

        model, x = Model().eval(), torch.ones(1000)
        assert model.layers[0].training and (F.dropout(x) == 0).any()
        assert torch.equal(F.dropout(x, training=model.training), x)
